// Attempts outside the rings: they wait for a callback, or were moved so that a slot can be emptied. A lease is a row that
// carries the whole identity of its receipt and the body of its job; it is written and removed under the attempt's key.
#pragma once

#include <array>
#include <optional>
#include <span>

#include "core/containers.hpp"
#include "core/receipt.hpp"
#include "core/ring.hpp"
#include "pg/cached_table.hpp"
#include "pg/snapshot.hpp"
#include "ring/job_body.hpp"

namespace awa::receipt {

// The token of a callback.
using CallbackId = std::array<unsigned char, UUID_LEN>;

struct Lease {
  core::Receipt receipt;
  core::Slot ready_slot;  // where the entry was
  core::LaneId lane;
  core::LaneSeq seq;
  core::Micros claimed_at = 0;
  std::int16_t number = 0;               // of the attempt, 1 = first
  core::Micros deadline_at = 0;          // 0 = none
  std::optional<CallbackId> callback;    // it waits for this one
  core::Micros callback_timeout_at = 0;  // if it waits
  ring::JobBody body;                    // as after the attempt: it counts, and its run lease is the last
  core::Slot slot;                       // where the lease is
  ItemPointerData place{};

  bool waiting() const noexcept { return callback.has_value(); }
};

enum class Bodies : std::uint8_t { left, read };

class Leases {
 public:
  // The mode is that of the locks on what is read: RowExclusiveLock for whoever erases.
  explicit Leases(LOCKMODE mode) noexcept : mode_(mode) {}

  // The lease of the receipt, by its whole identity. With Bodies::left its body is empty.
  std::optional<Lease> find(const core::Receipt &receipt, const pg::FreshSnapshot &snapshot, Bodies bodies);

  // The receipt of the lease that waits for the callback.
  std::optional<core::Receipt> waiting_for(const CallbackId &callback, const pg::FreshSnapshot &snapshot);

  // The receipt of a lease of the job, if there is one.
  std::optional<core::Receipt> of_job(core::JobId job, const pg::FreshSnapshot &snapshot);

  // Writes leases into the current slot of the lease ring, whose slot and place they do not know yet.
  static void append(std::span<const Lease> leases);

  void erase(const Lease &lease);

 private:
  // Null when the leaf of the slot has no blocks: nothing in it was committed.
  pg::OpenTable *leaf(core::Slot slot);

  LOCKMODE const mode_;
  std::array<std::optional<pg::OpenTable>, core::kLeaseSlots> open_;
};

}  // namespace awa::receipt
