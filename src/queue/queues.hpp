// Queues as the hot path sees them: a name, an id, and settings.
#pragma once

#include <optional>
#include <string_view>

#include "core/ids.hpp"
#include "core/routing.hpp"
#include "pg/snapshot.hpp"

namespace awa::queue {

struct Queue {
  core::QueueId id;
  int enqueue_shards;
  int shards_used;  // the greatest enqueue_shards ever: lanes to look at
  int max_attempts;
  core::Micros deadline;  // 0 = none
  core::Micros stale_after;
  core::Micros aging;  // 0 = none
  core::RetryPolicy retry;
  bool notify;
  bool paused;
  bool dropped;
};

// The queue of that name, if there is one that is not dropped, as it is now.
std::optional<Queue> look_up(std::string_view name);

// The queue of that id, also if it is dropped; nothing if there never was one.
std::optional<Queue> look_up(core::QueueId id, const pg::FreshSnapshot &snapshot);

// The queue of that name. Errors: 42704.
Queue find(std::string_view name);

// The queue, and a share of its key: it cannot be dropped before the transaction ends. Errors: 42704, 55P03 while it is
// being dropped by a transaction that does not end.
Queue find_to_produce(std::string_view name);

// Longest text of a channel's name, with its final zero byte.
constexpr std::size_t kChannelSize = 16;

// Writes the name of the queue's channel.
void channel_name(core::QueueId queue, char (&channel)[kChannelSize]) noexcept;

}  // namespace awa::queue
