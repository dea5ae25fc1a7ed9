#include "outcome/queue_facts.hpp"

#include "pg/error.hpp"

namespace awa::outcome {

const queue::Queue &QueueFacts::of(core::LaneId lane) {
  const core::QueueId id = core::lane_of(lane).queue;
  const auto known =
      std::find_if(queues_.begin(), queues_.end(), [=](const queue::Queue &queue) { return queue.id == id; });
  if (known != queues_.end()) return *known;
  const pg::FreshSnapshot snapshot;
  const auto found = queue::look_up(id, snapshot);
  if (!found) {
    pg::raise({.sqlstate = ERRCODE_DATA_CORRUPTED,
               .message = pg::format("queue %d of lane %d is missing", id.value, lane.value),
               .hint = "See awa.check()."});
  }
  queues_.push_back(*found);
  return queues_.back();
}

}  // namespace awa::outcome
