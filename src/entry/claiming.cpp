// claim, claim_ready_runtime, complete_and_claim, wait_for_jobs.

#include "core/blocks.hpp"
#include "entry/arguments.hpp"
#include "entry/claim_results.hpp"
#include "entry/completing.hpp"
#include "pg/as_owner.hpp"
#include "pg/boundary.hpp"
#include "pg/datum.hpp"
#include "pg/latch.hpp"
#include "pg/memory.hpp"
#include "pg/procedure.hpp"
#include "pg/settings.hpp"
#include "pg/transaction.hpp"
#include "queue/claim.hpp"
#include "receipt/attempt_keys.hpp"
#include "wake/seats.hpp"

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace pg = awa::pg;
namespace queue = awa::queue;

constexpr std::size_t kMostQueues = 1000;

// The names of an array of queues, each once, beginning at any one: also calls from ever new sessions starve no queue.
core::Vec<std::string_view> queue_names(const entry::Arguments &arguments, int position, core::Memory &memory) {
  arguments.require(position, "queues");
  const pg::ArrayElements elements = pg::elements(arguments.datum(position), "queues", pg::NullElements::refused);
  if (elements.count == 0 || elements.count > kMostQueues) {
    entry::refuse_value("queues", pg::format("%zu names", elements.count), pg::format("1 to %zu names", kMostQueues));
  }
  core::Vec<std::string_view> names(memory);
  const std::size_t first = pg::random_turn() % elements.count;
  for (std::size_t i = 0; i < elements.count; ++i) {
    const std::string_view name = pg::text_view(elements.values[(first + i) % elements.count]);
    entry::checked_text("queue", name, 200);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

// The queues with the terms of the call: what is not given is the queue's own.
core::Vec<queue::ClaimTarget> targets_of(std::span<const std::string_view> names, std::optional<core::Micros> deadline,
                                         std::optional<core::Micros> aging, core::Memory &memory) {
  core::Vec<queue::ClaimTarget> targets(memory);
  for (const std::string_view name : names) {
    const queue::Queue found = queue::find(name);
    targets.push_back({found,
                       name,
                       {.deadline = deadline.value_or(found.deadline),
                        .stale_after = found.stale_after,
                        .aging = aging.value_or(found.aging)}});
  }
  return targets;
}

queue::Patience patience() noexcept {
  return awa::receipt::holds_attempt_keys() ? queue::Patience::trying : queue::Patience::in_turn;
}

void claim_into(FunctionCallInfo call, std::span<const std::string_view> names, std::size_t most,
                std::optional<core::Micros> deadline, core::Memory &memory) {
  pg::ResultSet result(call);
  entry::require_claimed_job(result);
  const auto targets = targets_of(names, deadline, std::nullopt, memory);
  const auto claimed = queue::claim(targets, most, patience(), memory);
  entry::add_claimed(claimed, result);
}

// Who waits looks again after so long, whether woken or not. Without seats nobody wakes: looks are close, at first.
constexpr core::Micros kLongestSleep = 1'000'000;
constexpr core::Micros kShortestSleep = 10'000;
constexpr core::Micros kLongestUnwoken = 250'000;

bool may_find(std::span<const std::string_view> names, awa::wake::Seat &seat) {
  pg::ScratchContext scratch;
  const pg::AsOwner owner;
  const auto targets = targets_of(names, std::nullopt, std::nullopt, scratch.memory());
  awa::wake::Queues queues;
  for (const queue::ClaimTarget &target : targets) queues.add(target.queue.id);
  seat.wait_for(queues);
  return queue::may_find(targets, scratch.memory());
}

// Between two looks there is neither a snapshot nor a transaction id.
bool wait_for_jobs(std::span<const std::string_view> names, core::Micros timeout, pg::Procedure &procedure) {
  const core::Micros until = pg::now() + timeout;
  awa::wake::Seat seat;
  for (core::Micros unwoken = kShortestSleep;; unwoken = std::min(unwoken * 2, kLongestUnwoken)) {
    const bool ready = may_find(names, seat);
    procedure.commit();
    const core::Micros left = until - pg::now();
    if (ready || left <= 0) return ready;
    pg::wait_until_woken(std::min(left, awa::wake::has_seats() ? kLongestSleep : unwoken));
  }
}

}  // namespace

AWA_SQL_FUNCTION(awa_claim) {
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  const auto names = queue_names(arguments, 0, scratch.memory());
  const auto most = static_cast<std::size_t>(arguments.int4(1, "max_batch", 1, core::kMaxClaim));
  const auto deadline = arguments.optional_interval(2, "deadline", entry::Arguments::Zero::allowed);
  pg::require_writable("awa.claim()");
  const pg::AsOwner owner;
  claim_into(fcinfo, names, most, deadline, scratch.memory());
  return Datum{0};
}

AWA_SQL_FUNCTION(awa_complete_and_claim) {
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  const auto receipts = arguments.receipts(0);
  const auto names = queue_names(arguments, 1, scratch.memory());
  const auto most = static_cast<std::size_t>(arguments.int4(2, "max_batch", 1, core::kMaxClaim));
  const bool strict = arguments.boolean(3, "strict");
  pg::require_writable("awa.complete_and_claim()");
  const pg::AsOwner owner;
  entry::complete_distinct(receipts, strict, scratch.memory());
  claim_into(fcinfo, names, most, std::nullopt, scratch.memory());
  return Datum{0};
}

AWA_SQL_FUNCTION(awa_claim_ready_runtime) {
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  const auto name = arguments.queue_name(0);
  const auto most = static_cast<std::size_t>(arguments.int4(1, "max_batch", 1, core::kMaxClaim));
  const auto seconds = [&](int position, const char *what) -> std::optional<core::Micros> {
    if (arguments.is_null(position)) return std::nullopt;
    return entry::checked_seconds(what, DatumGetFloat8(arguments.datum(position)));
  };
  const auto deadline = seconds(2, "deadline_secs");
  const auto aging = seconds(3, "aging_secs");
  pg::require_writable("awa.claim_ready_runtime()");
  const pg::AsOwner owner;
  pg::ResultSet result(fcinfo);
  const auto targets = targets_of({&name, 1}, deadline, aging, scratch.memory());
  const auto claimed = queue::claim(targets, most, patience(), scratch.memory());
  entry::add_claimed_runtime(claimed, name, result);
  return Datum{0};
}

AWA_SQL_FUNCTION(awa_wait_for_jobs) {
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  const auto names = queue_names(arguments, 0, scratch.memory());
  const core::Micros timeout = arguments.interval(1, "timeout", entry::Arguments::Zero::at_once);
  pg::require_writable("awa.wait_for_jobs()");
  pg::Procedure procedure(fcinfo, "awa.wait_for_jobs()");
  const bool ready = wait_for_jobs(names, timeout, procedure);
  const pg::InContext in_caller(scratch.caller());
  const Datum values[] = {BoolGetDatum(ready)};
  const bool nulls[] = {false};
  return pg::composite(fcinfo, values, nulls);
}
