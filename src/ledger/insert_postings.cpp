#include "core/posting_id.hpp"
#include "ledger/gates.hpp"
#include "ledger/ids.hpp"
#include "ledger/live_postings.hpp"
#include "ledger/open_transfers.hpp"
#include "ledger/primitives.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"

namespace awa::ledger {

namespace {

using pg::Sight;

constexpr Oid kPostings[] = {INT8ARRAYOID, INT4ARRAYOID, INT4ARRAYOID, INT8ARRAYOID, INT8ARRAYOID, INT8ARRAYOID};
constexpr Oid kPostingsOf[] = {INT8ARRAYOID, INT4ARRAYOID, INT8ARRAYOID};
constexpr Oid kOwners[] = {INT8ARRAYOID, INT8ARRAYOID};
constexpr Oid kAssets[] = {INT4ARRAYOID};

constinit pg::Statement unknown_account(R"sql(
  SELECT format('%s:%s', w.account, w.subaccount)
  FROM (SELECT DISTINCT account, subaccount FROM unnest($1, $2) o(account, subaccount)) w
  WHERE NOT EXISTS (SELECT FROM awa_ledger.accounts a
                    WHERE a.account = w.account AND a.subaccount = w.subaccount AND a.version = 1)
  ORDER BY w.account, w.subaccount
  LIMIT 1)sql",
                                        kOwners, pg::Planning::once_by_index);

constinit pg::Statement unknown_asset(R"sql(
  SELECT w.asset::text
  FROM (SELECT DISTINCT asset FROM unnest($1) o(asset)) w
  WHERE NOT EXISTS (SELECT FROM awa_ledger.assets a WHERE a.asset = w.asset)
  ORDER BY w.asset
  LIMIT 1)sql",
                                      kAssets, pg::Planning::once_by_index);

// Postings of the complete transfers $3 that are not there.
constinit pg::Statement late_postings(R"sql(
  SELECT g.transfer_id
  FROM unnest($1, $2) g(transfer_id, idx)
  WHERE g.transfer_id = ANY ($3)
    AND NOT EXISTS (SELECT FROM awa_ledger.postings p WHERE p.transfer_id = g.transfer_id AND p.idx = g.idx)
  ORDER BY g.transfer_id
  LIMIT 1)sql",
                                      kPostingsOf, pg::Planning::once_by_index);

// Only what is new in the truth goes into the hot table: a replay revives nothing.
constinit pg::Statement insert_new(R"sql(
  WITH fresh AS (
    INSERT INTO awa_ledger.postings (transfer_id, idx, asset, account, subaccount, value)
    SELECT g.transfer_id, g.idx, g.asset, g.account, g.subaccount, g.value
    FROM unnest($1, $2, $3, $4, $5, $6) g(transfer_id, idx, asset, account, subaccount, value)
    ORDER BY g.transfer_id, g.idx
    ON CONFLICT (transfer_id, idx) DO NOTHING
    RETURNING transfer_id, idx, asset, account, subaccount, value
  )
  INSERT INTO awa_ledger.live_postings (transfer_id, idx, asset, account, subaccount, value)
  SELECT transfer_id, idx, asset, account, subaccount, value FROM fresh)sql",
                                   kPostings, pg::Planning::once_by_index);

constinit pg::Statement other_content(R"sql(
  SELECT format('posting %s:%s is there with other content', p.transfer_id, p.idx),
         format('It is %s of asset %s, owned by %s:%s; given is %s of asset %s, owned by %s:%s.',
                p.value, p.asset, p.account, p.subaccount, g.value, g.asset, g.account, g.subaccount)
  FROM unnest($1, $2, $3, $4, $5, $6) g(transfer_id, idx, asset, account, subaccount, value)
       JOIN awa_ledger.postings p USING (transfer_id, idx)
  WHERE (p.asset, p.account, p.subaccount, p.value) <> (g.asset, g.account, g.subaccount, g.value)
  ORDER BY p.transfer_id, p.idx
  LIMIT 1)sql",
                                      kPostings, pg::Planning::once_by_index);

constexpr const char *kAsItIs = "A posting never changes; give another one another id.";

const char *text_of(const pg::Sql &sql, int column) {
  bool is_null = false;
  const Datum value = sql.value(0, column, is_null);
  return pg::guarded([=] { return TextDatumGetCString(value); });
}

// Sorts, and drops repetitions; the same posting with different contents is refused.
void make_distinct(core::Vec<Posting> &postings) {
  std::sort(postings.begin(), postings.end(), [](const Posting &a, const Posting &b) { return a.id < b.id; });
  for (std::size_t i = 1; i < postings.size(); ++i) {
    if (postings[i].id != postings[i - 1].id || postings[i] == postings[i - 1]) continue;
    char id[core::kPostingIdTextSize];
    core::format(postings[i].id, id);
    pg::raise({.sqlstate = ERRCODE_UNIQUE_VIOLATION,
               .message = pg::format("posting %s is given twice, with different contents", id),
               .hint = kAsItIs});
  }
  postings.erase(std::unique(postings.begin(), postings.end()), postings.end());
}

// The postings as parallel arrays.
struct PostingArrays {
  PostingArrays(std::span<const Posting> postings, core::Memory &memory) {
    core::Vec<std::int64_t> wide(memory);
    core::Vec<std::int32_t> narrow(memory);
    wide.resize(postings.size());
    narrow.resize(postings.size());
    const auto as_int8 = [&](auto &&field) {
      std::transform(postings.begin(), postings.end(), wide.begin(), field);
      return pg::int8_array(wide);
    };
    const auto as_int4 = [&](auto &&field) {
      std::transform(postings.begin(), postings.end(), narrow.begin(), field);
      return pg::int4_array(narrow);
    };
    values[0] = as_int8([](const Posting &p) { return p.id.transfer.value; });
    values[1] = as_int4([](const Posting &p) { return p.id.idx; });
    values[2] = as_int4([](const Posting &p) { return p.asset; });
    values[3] = as_int8([](const Posting &p) { return p.account; });
    values[4] = as_int8([](const Posting &p) { return p.subaccount; });
    values[5] = as_int8([](const Posting &p) { return p.value; });
  }
  Datum values[6];
};

core::Vec<std::int64_t> transfers_of(std::span<const Posting> postings, core::Memory &memory) {
  core::Vec<std::int64_t> transfers(memory);
  for (const Posting &posting : postings) {
    const std::int64_t transfer = posting.id.transfer.value;
    if (transfers.empty() || transfers.back() != transfer) transfers.push_back(transfer);
  }
  return transfers;
}

core::Vec<core::Owner> owners_of(std::span<const Posting> postings, core::Memory &memory) {
  core::Vec<core::Owner> owners(memory);
  owners.reserve(postings.size());
  for (const Posting &posting : postings) owners.push_back({posting.account, posting.subaccount});
  std::sort(owners.begin(), owners.end());
  owners.erase(std::unique(owners.begin(), owners.end()), owners.end());
  return owners;
}

void refuse_unknown(pg::Sql &sql, const PostingArrays &arrays) {
  if (sql.run(unknown_account, {arrays.values + 3, 2}) > 0) {
    pg::raise({.sqlstate = ERRCODE_UNDEFINED_OBJECT,
               .message = pg::format("account %s does not exist", text_of(sql, 1)),
               .hint = "Create it with awa_ledger.create_account()."});
  }
  if (sql.run(unknown_asset, {arrays.values + 2, 1}) > 0) {
    pg::raise({.sqlstate = ERRCODE_UNDEFINED_OBJECT,
               .message = pg::format("asset %s does not exist", text_of(sql, 1)),
               .hint = "Create it with awa_ledger.create_asset()."});
  }
}

}  // namespace

std::int32_t insert_postings(core::Vec<Posting> &postings, core::Memory &memory) {
  if (postings.empty()) return 0;
  make_distinct(postings);
  const core::Vec<std::int64_t> transfers = transfers_of(postings, memory);
  pg::Sql sql;
  refuse_undrawn(sql, "transfer", transfers.front(), transfers.back());
  const PostingArrays arrays(postings, memory);
  refuse_unknown(sql, arrays);

  lock_live_postings();
  const core::Vec<core::Owner> owners = owners_of(postings, memory);
  share_gates(owners, memory);
  const core::Vec<std::int64_t> complete = open_transfers(sql, transfers, memory);
  if (!complete.empty()) {
    const Datum values[] = {arrays.values[0], arrays.values[1], pg::int8_array(complete)};
    if (sql.run(late_postings, values, {}, Sight::of_transaction) > 0) {
      bool is_null = false;
      refuse_complete(DatumGetInt64(sql.value(0, 1, is_null)));
    }
  }
  const std::uint64_t inserted = sql.run(insert_new, arrays.values, {}, Sight::of_transaction);
  if (inserted > 0) require_open(owners);
  if (inserted < postings.size() && sql.run(other_content, arrays.values, {}, Sight::of_transaction) > 0) {
    pg::raise(
        {.sqlstate = ERRCODE_UNIQUE_VIOLATION, .message = text_of(sql, 1), .detail = text_of(sql, 2), .hint = kAsItIs});
  }
  return static_cast<std::int32_t>(inserted);
}

}  // namespace awa::ledger
