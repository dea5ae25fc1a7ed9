// promote_due, the rescues, rotate, prune, after_restore.

#include "entry/arguments.hpp"
#include "pg/boundary.hpp"
#include "pg/memory.hpp"
#include "pg/procedure.hpp"
#include "pg/result_set.hpp"
#include "pg/transaction.hpp"
#include "queue/after_restore.hpp"
#include "queue/promote.hpp"
#include "rescue/sweeps.hpp"
#include "ring/foreign_loads.hpp"
#include "ring/prune.hpp"
#include "ring/rotation.hpp"

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace pg = awa::pg;
namespace ring = awa::ring;

ring::Ring ring_of(const entry::Arguments &arguments) {
  const std::string_view name = arguments.text(0, "ring", 20);
  if (name == "queue") return ring::Ring::queue;
  if (name == "claim") return ring::Ring::claim;
  if (name == "lease") return ring::Ring::lease;
  entry::refuse_value("ring", pg::format("\"%.*s\"", static_cast<int>(name.size()), name.data()),
                      "queue, claim or lease");
}

Datum outcome_row(FunctionCallInfo call, MemoryContext caller, const char *outcome) {
  const pg::InContext in_caller(caller);
  const Datum values[] = {pg::text_datum(outcome)};
  const bool nulls[] = {false};
  return pg::composite(call, values, nulls);
}

// While a restore is under way, maintenance stands still: it may have loaded claims whose closures are yet to come.
constexpr const char *kForeignLoad = "skipped_active(foreign_load)";

bool is_restore_under_way() {
  const pg::FreshSnapshot snapshot;
  return ring::restore_under_way(snapshot);
}

// One step in a transaction of its own.
template <typename Step>
auto step_of(pg::Procedure &procedure, Step &&step) {
  const auto result = [&] {
    const pg::AsOwner owner;
    return step();
  }();
  procedure.commit();
  return result;
}

}  // namespace

AWA_SQL_FUNCTION(awa_promote_due) {
  pg::ScratchContext scratch;
  pg::require_writable("awa.promote_due()");
  const bool marked = [] {
    const pg::FreshSnapshot snapshot;
    return ring::foreign_load_marked(snapshot);
  }();
  return pg::datum(marked ? 0 : awa::queue::promote_due(scratch.memory()));
}

AWA_SQL_FUNCTION(awa_rescue_stale) {
  pg::ScratchContext scratch;
  pg::require_writable("awa.rescue_stale()");
  if (is_restore_under_way()) return pg::datum(std::int32_t{0});
  return pg::datum(awa::rescue::rescue_stale(scratch.memory()));
}

AWA_SQL_FUNCTION(awa_rescue_deadlines) {
  pg::ScratchContext scratch;
  pg::require_writable("awa.rescue_deadlines()");
  if (is_restore_under_way()) return pg::datum(std::int32_t{0});
  return pg::datum(awa::rescue::rescue_deadlines(scratch.memory()));
}

AWA_SQL_FUNCTION(awa_rescue_callbacks) {
  pg::ScratchContext scratch;
  pg::require_writable("awa.rescue_callbacks()");
  if (is_restore_under_way()) return pg::datum(std::int32_t{0});
  return pg::datum(awa::rescue::rescue_callbacks(scratch.memory()));
}

AWA_SQL_FUNCTION(awa_rotate) {
  pg::ScratchContext scratch;
  const ring::Ring ring = ring_of(entry::Arguments(fcinfo));
  pg::require_writable("awa.rotate()");
  pg::Procedure procedure(fcinfo, "awa.rotate()");
  if (is_restore_under_way()) return outcome_row(fcinfo, scratch.caller(), kForeignLoad);
  const auto outcome = step_of(procedure, [&] { return ring::rotate(ring, scratch.memory()); });
  return outcome_row(fcinfo, scratch.caller(), ring::word_of(outcome));
}

AWA_SQL_FUNCTION(awa_prune) {
  pg::ScratchContext scratch;
  const ring::Ring ring = ring_of(entry::Arguments(fcinfo));
  pg::require_writable("awa.prune()");
  pg::Procedure procedure(fcinfo, "awa.prune()");
  if (is_restore_under_way()) return outcome_row(fcinfo, scratch.caller(), kForeignLoad);

  using Word = ring::PruneOutcome::Word;
  ring::PruneOutcome best;
  const core::Vec<core::Slot> slots = [&] {
    const pg::AsOwner owner;
    return ring::slots_to_prune(ring, scratch.memory());
  }();
  for (const core::Slot slot : slots) {
    ring::PruneOutcome outcome{Word::drained};
    if (ring == ring::Ring::queue) {
      // Committed first: from then on no claim reads the slot, and the readers' locks on it run out.
      outcome = step_of(procedure, [&] { return ring::drain(slot, scratch.memory()); });
    }
    if (outcome.word == Word::drained) {
      outcome = step_of(procedure, [&] { return ring::empty(ring, slot, scratch.memory()); });
    }
    if (best.word != Word::pruned) best = outcome.word == Word::none ? best : outcome;
  }
  return outcome_row(fcinfo, scratch.caller(), ring::text_of(best));
}

AWA_SQL_FUNCTION(awa_after_restore) {
  pg::ScratchContext scratch;
  pg::require_writable("awa.after_restore()");
  pg::Procedure procedure(fcinfo, "awa.after_restore()");
  {
    const pg::AsOwner owner;
    awa::queue::after_restore(scratch.memory());
  }
  procedure.commit();
  return Datum{0};
}
