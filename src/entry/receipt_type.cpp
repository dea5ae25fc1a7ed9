// Type awa.receipt: input and output, comparison, hash.

#include "core/receipt.hpp"
#include "pg/boundary.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"

namespace {

using awa::core::Receipt;
namespace pg = awa::pg;

[[noreturn]] void refuse(std::string_view input) {
  const auto shown = pg::shown_length(input, 200);
  pg::raise({.sqlstate = ERRCODE_INVALID_TEXT_REPRESENTATION,
             .message = pg::format("invalid input syntax for type awa.receipt: \"%.*s\"", shown, input.data()),
             .hint = "A receipt is handed out by awa.claim() and passed back unchanged."});
}

// From here on: the C room.

Datum stored(const Receipt &receipt) {
  void *const copy = palloc(sizeof receipt);
  memcpy(copy, &receipt, sizeof receipt);
  return PointerGetDatum(copy);
}

Datum parsed(std::string_view input) {
  Receipt receipt;
  if (awa::core::parse(input, receipt)) return stored(receipt);
  return pg::boundary([=]() -> Datum { refuse(input); });
}

Receipt argument(FunctionCallInfo fcinfo, int position) {
  Receipt receipt;
  memcpy(static_cast<void *>(&receipt), PG_GETARG_POINTER(position), sizeof receipt);
  return receipt;
}

// The fields alone: padding that a foreign binary writer filled must not count.
struct HashInput {
  std::int64_t fields[6];
};

HashInput hash_input(const Receipt &r) {
  return {{r.claim_slot, r.batch.value, r.receipt.value, r.job.value, r.lease.value, r.fence}};
}

}  // namespace

AWA_PLAIN_SQL_FUNCTION(awa_receipt_in) { return parsed(PG_GETARG_CSTRING(0)); }

AWA_PLAIN_SQL_FUNCTION(awa_receipt_from_text) {
  text *const input = PG_GETARG_TEXT_PP(0);
  return parsed({VARDATA_ANY(input), VARSIZE_ANY_EXHDR(input)});
}

AWA_PLAIN_SQL_FUNCTION(awa_receipt_out) {
  char output[awa::core::kReceiptTextSize];
  const std::size_t size = awa::core::format(argument(fcinfo, 0), output) + 1;
  void *const copy = palloc(size);
  memcpy(copy, output, size);
  return PointerGetDatum(copy);
}

AWA_PLAIN_SQL_FUNCTION(awa_receipt_recv) {
  auto *const buffer = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
  Receipt receipt;
  receipt.claim_slot = static_cast<std::int16_t>(pq_getmsgint(buffer, 2));
  receipt.batch = {pq_getmsgint64(buffer)};
  receipt.receipt = {pq_getmsgint64(buffer)};
  receipt.job = {pq_getmsgint64(buffer)};
  receipt.lease = {pq_getmsgint64(buffer)};
  receipt.fence = pq_getmsgint64(buffer);
  return stored(receipt);
}

AWA_PLAIN_SQL_FUNCTION(awa_receipt_send) {
  const Receipt receipt = argument(fcinfo, 0);
  StringInfoData buffer;
  pq_begintypsend(&buffer);
  pq_sendint16(&buffer, static_cast<std::uint16_t>(receipt.claim_slot));
  for (const std::int64_t field :
       {receipt.batch.value, receipt.receipt.value, receipt.job.value, receipt.lease.value, receipt.fence}) {
    pq_sendint64(&buffer, static_cast<std::uint64_t>(field));
  }
  return PointerGetDatum(pq_endtypsend(&buffer));
}

AWA_PLAIN_SQL_FUNCTION(awa_receipt_eq) { return pg::datum(argument(fcinfo, 0) == argument(fcinfo, 1)); }
AWA_PLAIN_SQL_FUNCTION(awa_receipt_ne) { return pg::datum(argument(fcinfo, 0) != argument(fcinfo, 1)); }
AWA_PLAIN_SQL_FUNCTION(awa_receipt_lt) { return pg::datum(argument(fcinfo, 0) < argument(fcinfo, 1)); }
AWA_PLAIN_SQL_FUNCTION(awa_receipt_le) { return pg::datum(argument(fcinfo, 0) <= argument(fcinfo, 1)); }
AWA_PLAIN_SQL_FUNCTION(awa_receipt_gt) { return pg::datum(argument(fcinfo, 0) > argument(fcinfo, 1)); }
AWA_PLAIN_SQL_FUNCTION(awa_receipt_ge) { return pg::datum(argument(fcinfo, 0) >= argument(fcinfo, 1)); }

AWA_PLAIN_SQL_FUNCTION(awa_receipt_cmp) {
  const auto order = argument(fcinfo, 0) <=> argument(fcinfo, 1);
  return pg::datum(std::int32_t{order < 0 ? -1 : order > 0 ? 1 : 0});
}

AWA_PLAIN_SQL_FUNCTION(awa_receipt_hash) {
  const HashInput input = hash_input(argument(fcinfo, 0));
  return UInt32GetDatum(hash_bytes(reinterpret_cast<const unsigned char *>(&input), sizeof input));
}

AWA_PLAIN_SQL_FUNCTION(awa_receipt_hash_extended) {
  const HashInput input = hash_input(argument(fcinfo, 0));
  const auto seed = static_cast<std::uint64_t>(PG_GETARG_INT64(1));
  return UInt64GetDatum(hash_bytes_extended(reinterpret_cast<const unsigned char *>(&input), sizeof input, seed));
}
