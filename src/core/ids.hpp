// Strong types for the numbers that name things. They compare; arithmetic goes through .value, where it is meant.
#pragma once

#include <compare>
#include <cstdint>

namespace awa::core {

template <typename Tag, typename Rep>
struct Id {
  Rep value{};
  friend constexpr auto operator<=>(const Id &, const Id &) = default;
};

using QueueId = Id<struct QueueTag, std::int32_t>;
using LaneId = Id<struct LaneTag, std::int32_t>;
using LaneSeq = Id<struct LaneSeqTag, std::int64_t>;
using JobId = Id<struct JobTag, std::int64_t>;
using RunLease = Id<struct RunLeaseTag, std::int64_t>;
using ReceiptId = Id<struct ReceiptTag, std::int64_t>;
using BatchId = Id<struct BatchTag, std::int64_t>;
using FrontierId = Id<struct FrontierTag, std::int64_t>;
using Generation = Id<struct GenerationTag, std::int64_t>;
using Slot = Id<struct SlotTag, std::int32_t>;
using TransferId = Id<struct TransferTag, std::int64_t>;
using ReservationId = Id<struct ReservationTag, std::int64_t>;
using Xid = Id<struct XidTag, std::uint64_t>;  // a full (64-bit) top-level transaction id

// Microseconds: a point in time counts from an epoch the caller knows, a span from nothing.
using Micros = std::int64_t;

}  // namespace awa::core
