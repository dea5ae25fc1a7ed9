// heartbeat.

#include "entry/arguments.hpp"
#include "entry/distinct_receipts.hpp"
#include "outcome/heartbeat.hpp"
#include "pg/boundary.hpp"
#include "pg/error_context.hpp"
#include "pg/memory.hpp"
#include "pg/result_set.hpp"
#include "pg/transaction.hpp"

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace pg = awa::pg;
using awa::outcome::Beat;

std::string_view word_of(Beat::Word word) noexcept {
  switch (word) {
    case Beat::Word::open:
      return "open";
    case Beat::Word::waiting:
      return "waiting";
    case Beat::Word::cancelled:
      return "cancelled";
    case Beat::Word::busy:
      return "busy";
    case Beat::Word::stale:
      break;
  }
  return "stale";
}

}  // namespace

AWA_SQL_FUNCTION(awa_heartbeat) {
  pg::ResultSet rows(fcinfo);
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  const auto receipts = arguments.receipts(0);
  const auto given = arguments.parallel(1, "progress", receipts.size(), "receipts");
  {
    pg::ElementContext context("progress");
    for (std::size_t i = 0; given && i < given->count; ++i) {
      context.at(i + 1);
      if (!given->nulls[i]) entry::check_size("progress", given->values[i]);
    }
  }
  pg::require_writable("awa.heartbeat()");

  const entry::DistinctReceipts distinct(receipts, scratch.memory());
  core::Vec<Datum> progress(scratch.memory());
  for (std::size_t at = 0; given && at < distinct.size(); ++at) {
    const std::size_t place = distinct.first_place(at);
    progress.push_back(given->nulls[place] ? Datum{0} : given->values[place]);
  }
  core::Vec<Beat> beats(scratch.memory());
  beats.resize(distinct.size());
  awa::outcome::heartbeat(distinct.all(), progress, beats, scratch.memory());
  for (const core::Receipt &receipt : receipts) {
    const Beat &beat = beats[distinct.at(receipt)];
    const Datum values[] = {PointerGetDatum(&receipt), pg::text_datum(word_of(beat.word)), pg::datum(beat.stale_at)};
    const bool nulls[] = {false, false, beat.stale_at == 0};
    pg::guarded([&] { rows.add(values, nulls); });
  }
  return Datum{0};
}
