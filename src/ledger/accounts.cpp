#include "ledger/accounts.hpp"

#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/spi.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kAsset[] = {INT4OID, TEXTOID, INT4OID};
constexpr Oid kAccount[] = {INT8OID, INT8OID, TEXTOID, TEXTARRAYOID, JSONBOID};

constinit pg::Statement insert_asset(
    "INSERT INTO awa_ledger.assets (asset, code, scale) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING", kAsset);
constinit pg::Statement same_asset("SELECT FROM awa_ledger.assets WHERE asset = $1 AND code = $2 AND scale = $3",
                                   kAsset);

constinit pg::Statement insert_account(R"sql(
  WITH created AS (
    INSERT INTO awa_ledger.accounts (account, subaccount, version, code, flags, metadata)
    VALUES ($1, $2, 1, $3, $4, $5)
    ON CONFLICT DO NOTHING
    RETURNING account, subaccount, version
  )
  INSERT INTO awa_ledger.account_heads (account, subaccount, version, frozen, closed, limited)
  SELECT account, subaccount, version, false, false, false FROM created)sql",
                                       kAccount);
constinit pg::Statement same_account(R"sql(
  SELECT FROM awa_ledger.accounts
  WHERE account = $1 AND subaccount = $2 AND version = 1
    AND code IS NOT DISTINCT FROM $3 AND flags @> $4 AND flags <@ $4 AND metadata = $5)sql",
                                     kAccount);

}  // namespace

bool create_asset(std::int32_t asset, std::string_view code, std::int32_t scale) {
  const Datum values[] = {pg::datum(asset), pg::text_datum(code), pg::datum(scale)};
  pg::Sql sql;
  if (sql.run(insert_asset, values) > 0) return true;
  if (sql.run(same_asset, values) > 0) return false;
  const int shown = pg::shown_length(code, 64);
  pg::raise({.sqlstate = ERRCODE_UNIQUE_VIOLATION,
             .message = pg::format("asset %d or code \"%.*s\" is taken by another asset", asset, shown, code.data()),
             .hint = "Assets never change: give another number and another code."});
}

bool create_account(const NewAccount &account) {
  const Datum values[] = {pg::datum(account.account), pg::datum(account.subaccount), account.code, account.flags,
                          account.metadata};
  const bool nulls[] = {false, false, !account.has_code, false, false};
  pg::Sql sql;
  if (sql.run(insert_account, values, nulls) > 0) return true;
  if (sql.run(same_account, values, nulls) > 0) return false;
  pg::raise({.sqlstate = ERRCODE_UNIQUE_VIOLATION,
             .message = pg::format("account %lld:%lld was created otherwise, or its code is another account's",
                                   static_cast<long long>(account.account), static_cast<long long>(account.subaccount)),
             .hint = "See awa_ledger.accounts for what is there."});
}

}  // namespace awa::ledger
