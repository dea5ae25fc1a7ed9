// What a job may be given besides queue and args: checked, whether it came as an argument or as a key of an object.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "entry/arguments.hpp"
#include "queue/enqueue.hpp"

namespace awa::entry {

// The states that unique_while means unless it says otherwise: all that come before an end.
constexpr core::StateMask kUniqueAlways = 0b11111;

struct JobOptions {
  Datum kind = 0;  // text
  int priority = 0;
  core::Micros run_at = DT_NOBEGIN;  // not in the future = now
  std::optional<std::int32_t> max_attempts;
  Datum own_deadline = 0;  // interval; 0 = the queue's
  Datum payload = 0;       // jsonb; 0 = none
  Datum unique_key = 0;    // text; 0 = none
  core::StateMask unique_states = kUniqueAlways;
  queue::OnConflict on_conflict = queue::OnConflict::raise;

  // A new job for a lane.
  queue::NewJob job(core::LaneId lane, Datum args, std::int32_t attempts_of_queue) const noexcept {
    return {lane, body(args, attempts_of_queue), on_conflict};
  }

 private:
  ring::JobBody body(Datum args, std::int32_t attempts_of_queue) const noexcept {
    return {.max_attempts = static_cast<std::int16_t>(max_attempts.value_or(attempts_of_queue)),
            .run_at = run_at,
            .unique_states = unique_states,
            .kind = kind,
            .args = args,
            .payload = payload,
            .own_deadline = own_deadline,
            .unique_key = unique_key};
  }
};

constexpr std::size_t kLongestKind = 200;
constexpr std::size_t kLongestUniqueKey = 1000;
constexpr std::size_t kLongestTag = 200;
constexpr std::size_t kMostTags = 20;

// Arguments 1 (kind), 3 (priority), 4 (run_at), 5 (max_attempts), 6 (deadline), 8 (unique_while), 9 (on_conflict),
// 11 (metadata) and 12 (tags) of enqueue and enqueue_many.
JobOptions job_options(const Arguments &arguments);

// A time to run at: past, or up to 100 years ahead. Errors: 22023.
core::Micros checked_run_at(TimestampTz run_at);

queue::OnConflict checked_on_conflict(std::string_view value);
core::StateMask checked_unique_state(std::string_view value);

// A unique key, if the states in which it is held hang together. Errors: 22023.
Datum checked_unique_key(std::string_view key, core::StateMask states);

// The payload of a new job, or 0 when there is nothing to keep. `metadata` is a jsonb or 0. Errors: 22023 when metadata
// is not an object or there are too many tags, 54000 when it is too large.
Datum payload_of(Datum metadata, std::span<const std::string_view> tags);

}  // namespace awa::entry
