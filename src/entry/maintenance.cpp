// maintain, and its duties one by one: promote_due, the rescues, rotate, prune, evict, apply_retention; after_restore.

#include <limits>

#include "entry/arguments.hpp"
#include "pg/as_owner.hpp"
#include "pg/boundary.hpp"
#include "pg/datum.hpp"
#include "pg/memory.hpp"
#include "pg/procedure.hpp"
#include "pg/result_set.hpp"
#include "pg/settings.hpp"
#include "pg/transaction.hpp"
#include "queue/after_restore.hpp"
#include "queue/low_water.hpp"
#include "queue/promote.hpp"
#include "rescue/retention.hpp"
#include "rescue/room.hpp"
#include "rescue/sweeps.hpp"
#include "ring/foreign_loads.hpp"
#include "ring/prune.hpp"
#include "ring/rotation.hpp"
#include "worker/duties.hpp"
#include "worker/starting.hpp"

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace pg = awa::pg;
namespace rescue = awa::rescue;
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

Datum count_row(FunctionCallInfo call, MemoryContext caller, std::int64_t count) {
  const pg::InContext in_caller(caller);
  const Datum values[] = {pg::datum(static_cast<std::int32_t>(std::min<std::int64_t>(count, PG_INT32_MAX)))};
  const bool nulls[] = {false};
  return pg::composite(call, values, nulls);
}

// While a restore is under way, maintenance stands still: it may have loaded claims whose closures are yet to come.
constexpr const char *kForeignLoad = "skipped_active(foreign_load)";

bool is_restore_under_way() {
  const pg::FreshSnapshot snapshot;
  return ring::restore_under_way(snapshot);
}

constexpr core::Micros kNoLimit = std::numeric_limits<core::Micros>::max();

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

AWA_SQL_FUNCTION(awa_reset_low_water) {
  awa::queue::LowWater::reset();
  return Datum{0};
}

AWA_SQL_FUNCTION(awa_rescue_stale) {
  pg::ScratchContext scratch;
  pg::require_writable("awa.rescue_stale()");
  if (is_restore_under_way()) return pg::datum(std::int32_t{0});
  return pg::datum(rescue::rescue_stale(scratch.memory()));
}

AWA_SQL_FUNCTION(awa_rescue_deadlines) {
  pg::ScratchContext scratch;
  pg::require_writable("awa.rescue_deadlines()");
  if (is_restore_under_way()) return pg::datum(std::int32_t{0});
  return pg::datum(rescue::rescue_deadlines(scratch.memory()));
}

AWA_SQL_FUNCTION(awa_rescue_callbacks) {
  pg::ScratchContext scratch;
  pg::require_writable("awa.rescue_callbacks()");
  if (is_restore_under_way()) return pg::datum(std::int32_t{0});
  return pg::datum(rescue::rescue_callbacks(scratch.memory()));
}

AWA_SQL_FUNCTION(awa_rotate) {
  pg::ScratchContext scratch;
  const ring::Ring ring = ring_of(entry::Arguments(fcinfo));
  pg::require_writable("awa.rotate()");
  pg::Procedure procedure(fcinfo, "awa.rotate()");
  if (is_restore_under_way()) return outcome_row(fcinfo, scratch.caller(), kForeignLoad);
  rescue::Steps steps(procedure, rescue::OnError::raise, kNoLimit);
  ring::RotateOutcome outcome{};
  steps.run([&] { outcome = ring::rotate(ring, scratch.memory()); });
  return outcome_row(fcinfo, scratch.caller(), ring::word_of(outcome));
}

AWA_SQL_FUNCTION(awa_prune) {
  pg::ScratchContext scratch;
  const ring::Ring ring = ring_of(entry::Arguments(fcinfo));
  pg::require_writable("awa.prune()");
  pg::Procedure procedure(fcinfo, "awa.prune()");
  if (is_restore_under_way()) return outcome_row(fcinfo, scratch.caller(), kForeignLoad);

  rescue::Steps steps(procedure, rescue::OnError::raise, kNoLimit);
  const auto outcome = rescue::Room(ring, steps, scratch.memory()).prune();
  return outcome_row(fcinfo, scratch.caller(), ring::text_of(outcome));
}

AWA_SQL_FUNCTION(awa_evict) {
  pg::ScratchContext scratch;
  const ring::Ring ring = ring_of(entry::Arguments(fcinfo));
  pg::require_writable("awa.evict()");
  pg::Procedure procedure(fcinfo, "awa.evict()");
  std::int64_t moved = 0;
  if (!is_restore_under_way()) {
    rescue::Steps steps(procedure, rescue::OnError::raise, kNoLimit);
    moved = rescue::Room(ring, steps, scratch.memory()).evict();
  }
  return count_row(fcinfo, scratch.caller(), moved);
}

AWA_SQL_FUNCTION(awa_apply_retention) {
  pg::ScratchContext scratch;
  pg::require_writable("awa.apply_retention()");
  pg::Procedure procedure(fcinfo, "awa.apply_retention()");
  rescue::Expired expired;
  if (!is_restore_under_way()) {
    rescue::Steps steps(procedure, rescue::OnError::raise, kNoLimit);
    expired = rescue::apply_retention(steps, scratch.memory());
  }
  return count_row(fcinfo, scratch.caller(), expired.jobs);
}

AWA_SQL_FUNCTION(awa_maintain) {
  pg::ScratchContext scratch;
  pg::require_writable("awa.maintain()");
  pg::Procedure procedure(fcinfo, "awa.maintain()");
  const awa::worker::Round round = awa::worker::run_due(procedure, scratch.memory());
  return outcome_row(fcinfo, scratch.caller(), awa::worker::word_of(round.word));
}

AWA_SQL_FUNCTION(awa_duty_names) {
  pg::ScratchContext scratch;
  core::Vec<Datum> names(scratch.memory());
  for (const std::string_view name : core::kDutyNames) names.push_back(pg::text_datum(name));
  const pg::InContext in_caller(scratch.caller());
  return pg::text_array(names);
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
  if (pg::autostart()) {  // CREATE EXTENSION left it to us
    const pg::AsOwner owner;
    awa::worker::start_worker();
  }
  return Datum{0};
}
