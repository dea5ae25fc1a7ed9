// Dead letters: jobs that used up their attempts, or failed for good, and wait for a person.
#pragma once

#include <span>

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

}  // namespace awa::outcome
