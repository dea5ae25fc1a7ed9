#include "ledger/requests.hpp"

#include "ledger/refusals.hpp"
#include "ledger/tables.hpp"
#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "pg/keys.hpp"
#include "pg/planted_fault.hpp"
#include "pg/settings.hpp"
#include "pg/snapshot.hpp"
#include "pg/spi.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

constexpr const char *kTransfer = "transfer";
constexpr const char *kReverse = "reverse";
constexpr const char *kHold = "hold";

struct Found {
  const char *verb = nullptr;  // null: nothing was
  bool same_hash = false;
  std::int32_t use = 1;
  std::int64_t id = 0;  // of the transfer, or the hold

  bool is(std::string_view of) const noexcept { return verb == of; }
};

constexpr std::int32_t kFingerprintBytes = 16;  // two that differ do not meet in it by chance

constexpr Oid kHoldAndAttempt[] = {INT8OID, INT8OID, INT8OID};

constinit pg::Statement hold_gave_key_back(R"sql(
  SELECT FROM awa_ledger.holds h JOIN awa_ledger.hold_outcomes o USING (reservation)
  WHERE h.reservation = $1 AND o.outcome <> 'posted' AND (o.with_job OR h.job_id = $2 AND h.run_lease <> $3))sql",
                                           kHoldAndAttempt, pg::Planning::once_by_index);

bool is_same(const pg::Row &row, AttrNumber hash, const Request &request) {
  return DatumGetBool(DirectFunctionCall2(byteaeq, row.value(hash), request.hash));
}

// The newest use of the key: no transfer gives it back.
Found find(const Request &request) {
  const pg::FreshSnapshot snapshot;
  ScanKeyData keys[] = {pg::key_text_equal(1, pg::text_datum(request.key))};
  Found found;
  const pg::OpenTable made(transfers::table(), AccessShareLock);
  pg::walk(made, made.index(transfers::by_request), snapshot.get(), keys, [&](const pg::Row &row) {
    found = {row.is_null(transfers::reverses) ? kTransfer : kReverse, is_same(row, transfers::request_hash, request), 1,
             row.int8(transfers::transfer_id)};
    return pg::Walk::stop;
  });
  if (found.verb != nullptr) return found;
  const pg::OpenTable held(hold_requests::table(), AccessShareLock);
  if (held.has_no_blocks()) return found;  // whoever worked on the key before has ended
  pg::walk(
      held, held.index(hold_requests::by_key), snapshot.get(), keys,
      [&](const pg::Row &row) {
        found = {kHold, is_same(row, hold_requests::request_hash, request), row.int4(hold_requests::use),
                 row.int8(hold_requests::reservation)};
        return pg::Walk::stop;
      },
      BackwardScanDirection);
  return found;
}

bool was_given_back(const Found &found, const Request &request) {
  if (!found.is(kHold)) return false;
  const Datum values[] = {pg::datum(found.id), pg::datum(request.job), pg::datum(request.lease)};
  pg::Sql sql;
  return sql.run(hold_gave_key_back, values) > 0;
}

}  // namespace

Datum fingerprint(std::span<const Part> parts) {
  return pg::guarded([=] {
    StringInfoData all;
    initStringInfo(&all);
    for (const Part &part : parts) {
      // Its length first: where one part ends and the next begins counts too.
      struct varlena *const plain = part.given ? PG_DETOAST_DATUM_PACKED(part.value) : nullptr;
      const auto size = part.given ? static_cast<std::int64_t>(VARSIZE_ANY_EXHDR(plain)) : std::int64_t{-1};
      appendBinaryStringInfo(&all, reinterpret_cast<const char *>(&size), sizeof size);
      if (part.given) appendBinaryStringInfo(&all, VARDATA_ANY(plain), static_cast<int>(size));
    }
    auto *const bytes = static_cast<struct varlena *>(palloc(static_cast<Size>(all.len) + VARHDRSZ));
    SET_VARSIZE(bytes, static_cast<Size>(all.len) + VARHDRSZ);
    memcpy(VARDATA(bytes), all.data, static_cast<Size>(all.len));
    Datum const hash = DirectFunctionCall1(sha256_bytea, PointerGetDatum(bytes));
    return DirectFunctionCall3(bytea_substr, hash, Int32GetDatum(1), Int32GetDatum(kFingerprintBytes));
  });
}

std::int64_t request_id(std::string_view key) noexcept {
  const auto *const bytes = reinterpret_cast<const unsigned char *>(key.data());
  return static_cast<std::int64_t>(hash_bytes_extended(bytes, static_cast<int>(key.size()), 0));
}

void lock_request(std::string_view key) {
  const auto patience = static_cast<int>(pg::key_wait() / 1000);
  if (pg::lock_within({pg::KeyClass::request, request_id(key)}, pg::LockStrength::exclusive, patience)) return;
  pg::raise({.sqlstate = kContended,
             .message = pg::format("idempotency key \"%.*s\" is contended", pg::shown_length(key, 64), key.data()),
             .detail = "Another transaction has been at work on it for longer than awa_ring.key_wait.",
             .hint = "Try again; end transactions soon after they did something under a key."});
}

Answer answered(const Request &request) {
  lock_request(request.key);
  const Found found = find(request);
  if (found.verb == nullptr) return {};
  if (was_given_back(found, request)) return {std::nullopt, found.use + 1};
  if (found.same_hash && found.is(request.verb)) return {found.id, found.use};
  pg::raise({.sqlstate = ERRCODE_UNIQUE_VIOLATION,
             .message = pg::format("idempotency key \"%.*s\" was used for something else",
                                   pg::shown_length(request.key, 64), request.key.data()),
             .detail = pg::format("It was used for %s, %s.", found.verb,
                                  found.is(request.verb) ? "with other arguments" : "not for this"),
             .hint = "Give every request a key of its own, and repeat a request as it was."});
}

void remember(const Request &request, std::int32_t use, core::ReservationId answer) {
  if (AWA_PLANTED(forgotten_request)) return;
  namespace column = hold_requests;
  const pg::OpenTable table(hold_requests::table(), RowExclusiveLock);
  const Datum key = pg::text_datum(request.key);
  pg::append(table, [&](pg::NewRow row) {
    row.set(column::reservation, pg::datum(answer));
    row.set(column::created_at, pg::datum(pg::now()));
    row.set(column::use, pg::datum(use));
    row.set(column::request_hash, request.hash);
    row.set(column::key, key);
  });
}

}  // namespace awa::ledger
