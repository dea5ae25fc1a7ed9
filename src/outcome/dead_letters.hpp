// Dead letters: jobs that used up their attempts, or failed for good, and wait for a person.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/lane.hpp"
#include "ring/job_body.hpp"

namespace awa::outcome {

struct DeadLetter {
  core::JobId job;
  core::LaneId lane;
  const char *reason;
  const ring::JobBody *body;  // as after the last attempt
};

void write_dead_letters(std::span<const DeadLetter> letters, core::Micros now);

// Tries a dead letter again: its attempts count from zero, its id, errors and run lease stay, so that old receipts are
// stale for ever. `run_at`: when, if later. `queue`: where to, if not where it was. Returns false when there is no such
// dead letter. The transaction must be writable. Errors: 42704 the queue does not exist (any more), 23505 its unique key is
// held, 55P03.
bool retry_dead_letter(core::JobId job, std::optional<core::Micros> run_at, std::optional<std::string_view> queue,
                       core::Memory &memory);

// Which dead letters: of a queue, of a kind, or all.
struct DeadLetterFilter {
  std::optional<std::string_view> queue;
  Datum kind = 0;  // text; 0 = any
};

// Tries all of them again that were there when it began, those of dropped queues excepted. Returns how many. Errors: as
// retry_dead_letter; then none was.
std::int64_t retry_dead_letters(const DeadLetterFilter &filter, core::Memory &memory);

// Removes them: only a count stays. Returns how many. Errors: 42704.
std::int64_t purge_dead_letters(const DeadLetterFilter &filter, core::Memory &memory);

// Removes some of the dead letters of a queue that became so before `before`; what others work on is left. Returns how many;
// kMostLettersExpired: there may be more.
std::int64_t expire_dead_letters(core::QueueId queue, core::Micros before, core::Memory &memory);

constexpr std::int64_t kMostLettersExpired = 1'000;

}  // namespace awa::outcome
