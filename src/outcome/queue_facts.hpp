// The queues of the attempts of one call, each looked up once.
#pragma once

#include "core/lane.hpp"
#include "queue/queues.hpp"

namespace awa::outcome {

class QueueFacts {
 public:
  explicit QueueFacts(core::Memory &memory) : queues_(memory) {}

  // The queue of a lane, also if it is dropped.
  const queue::Queue &of(core::LaneId lane);

 private:
  core::Vec<queue::Queue> queues_;
};

}  // namespace awa::outcome
