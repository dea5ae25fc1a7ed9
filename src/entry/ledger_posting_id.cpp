// Type awa_ledger.posting_id: input and output, parts, comparison, hash.

#include "core/posting_id.hpp"
#include "entry/ledger_arguments.hpp"
#include "pg/boundary.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"

namespace {

using awa::core::PostingId;
using awa::entry::posting_id_of;
namespace pg = awa::pg;

Datum stored(const PostingId &id) {
  return pg::guarded([&] {
    void *const copy = palloc(awa::core::kPostingIdSize);
    memcpy(copy, static_cast<const void *>(&id), awa::core::kPostingIdSize);
    return PointerGetDatum(copy);
  });
}

Datum parsed(std::string_view input) {
  PostingId id;
  if (!awa::core::parse(input, id)) {
    const auto shown = pg::shown_length(input, 200);
    pg::raise(
        {.sqlstate = ERRCODE_INVALID_TEXT_REPRESENTATION,
         .message = pg::format("invalid input syntax for type awa_ledger.posting_id: \"%.*s\"", shown, input.data()),
         .hint = "A posting is named by its transfer and its place there, 0 or more: 17:0."});
  }
  return stored(id);
}

PostingId argument(FunctionCallInfo fcinfo, int position) { return posting_id_of(PG_GETARG_DATUM(position)); }

}  // namespace

AWA_SQL_FUNCTION(awa_posting_id_in) { return parsed(PG_GETARG_CSTRING(0)); }

AWA_SQL_FUNCTION(awa_posting_id_from_text) { return parsed(pg::text_view(PG_GETARG_DATUM(0))); }

AWA_SQL_FUNCTION(awa_posting_id_out) {
  char output[awa::core::kPostingIdTextSize];
  awa::core::format(argument(fcinfo, 0), output);
  return pg::guarded([&] { return CStringGetDatum(pstrdup(output)); });
}

AWA_SQL_FUNCTION(awa_posting_id_recv) {
  PostingId id;
  pg::guarded([&] {
    auto *const buffer = reinterpret_cast<StringInfo>(PG_GETARG_POINTER(0));
    id.transfer = {pq_getmsgint64(buffer)};
    id.idx = static_cast<std::int32_t>(pq_getmsgint(buffer, 4));
  });
  if (id.idx < 0) {
    pg::raise({.sqlstate = ERRCODE_INVALID_BINARY_REPRESENTATION,
               .message = "invalid binary value for type awa_ledger.posting_id",
               .detail = pg::format("The place in the transfer is %d.", id.idx),
               .hint = "A place is 0 or more."});
  }
  return stored(id);
}

AWA_SQL_FUNCTION(awa_posting_id_send) {
  const PostingId id = argument(fcinfo, 0);
  return pg::guarded([&] {
    StringInfoData buffer;
    pq_begintypsend(&buffer);
    pq_sendint64(&buffer, static_cast<std::uint64_t>(id.transfer.value));
    pq_sendint32(&buffer, static_cast<std::uint32_t>(id.idx));
    return PointerGetDatum(pq_endtypsend(&buffer));
  });
}

AWA_SQL_FUNCTION(awa_posting_id_make) {
  const std::int32_t idx = PG_GETARG_INT32(1);
  if (idx < 0) awa::entry::refuse_value("idx", pg::format("%d", idx), "0 or more");
  return stored({{PG_GETARG_INT64(0)}, idx});
}

AWA_SQL_FUNCTION(awa_posting_id_transfer) { return pg::datum(argument(fcinfo, 0).transfer); }
AWA_SQL_FUNCTION(awa_posting_id_idx) { return pg::datum(argument(fcinfo, 0).idx); }

AWA_SQL_FUNCTION(awa_posting_id_eq) { return pg::datum(argument(fcinfo, 0) == argument(fcinfo, 1)); }
AWA_SQL_FUNCTION(awa_posting_id_ne) { return pg::datum(argument(fcinfo, 0) != argument(fcinfo, 1)); }
AWA_SQL_FUNCTION(awa_posting_id_lt) { return pg::datum(argument(fcinfo, 0) < argument(fcinfo, 1)); }
AWA_SQL_FUNCTION(awa_posting_id_le) { return pg::datum(argument(fcinfo, 0) <= argument(fcinfo, 1)); }
AWA_SQL_FUNCTION(awa_posting_id_gt) { return pg::datum(argument(fcinfo, 0) > argument(fcinfo, 1)); }
AWA_SQL_FUNCTION(awa_posting_id_ge) { return pg::datum(argument(fcinfo, 0) >= argument(fcinfo, 1)); }

AWA_SQL_FUNCTION(awa_posting_id_cmp) {
  const auto order = argument(fcinfo, 0) <=> argument(fcinfo, 1);
  return pg::datum(std::int32_t{order < 0 ? -1 : order > 0 ? 1 : 0});
}

AWA_SQL_FUNCTION(awa_posting_id_hash) {
  const auto *const bytes = reinterpret_cast<const unsigned char *>(PG_GETARG_POINTER(0));
  return UInt32GetDatum(hash_bytes(bytes, awa::core::kPostingIdSize));
}

AWA_SQL_FUNCTION(awa_posting_id_hash_extended) {
  const auto *const bytes = reinterpret_cast<const unsigned char *>(PG_GETARG_POINTER(0));
  const auto seed = static_cast<std::uint64_t>(PG_GETARG_INT64(1));
  return UInt64GetDatum(hash_bytes_extended(bytes, awa::core::kPostingIdSize, seed));
}
