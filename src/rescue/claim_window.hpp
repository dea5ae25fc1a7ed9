// The claims of one slot that a sweep visits, in the order of an index, and which of their receipts look open.
//
// It reads no more claims than it was told to, and the closures of those alone: what a look costs depends on how much it
// visits, not on how much the slot holds. It takes no keys: what looks open may be over by the time it is held. It lives
// for one transaction, and keeps the slot from being emptied until unlock.
#pragma once

#include <optional>
#include <span>

#include "core/ranges.hpp"
#include "core/sweep.hpp"
#include "receipt/claim_batches.hpp"

namespace awa::rescue {

// The ways along the claims of a slot, and what a position of each is made of.
enum class Way : std::uint8_t {
  claimed,         // all, by (-infinity, batch_id, 0): ids rise as claims are made
  batch_deadline,  // claim batches, by (deadline_at, batch_id, 0)
  row_deadline,    // row-local claims, by (deadline_at, job_id, run_lease)
};

struct VisitedClaim {
  core::SweepPosition position;
  core::Receipt first;  // the handle of its first member
  receipt::ClaimShape shape;
  std::int32_t members;
  core::LaneId lane;
  core::Micros claimed_at;
  bool has_open;  // whether any of its receipts looks open

  core::Range receipts() const noexcept { return {first.receipt.value, first.receipt.value + members}; }
};

class ClaimWindow {
 public:
  // Visits claims whose time is not after `until`, from behind the cursor on and then from the start, until they have about
  // `limit` members.
  ClaimWindow(core::Slot slot, Way way, const core::SweepPosition &cursor, core::Micros until, std::size_t limit,
              core::Memory &memory);

  std::span<const VisitedClaim> claims() const noexcept { return {claims_.data(), claims_.size()}; }
  core::Sweep sweep() const noexcept { return sweep_; }

  // The handles of the claim's members that look open, in order.
  core::Vec<core::Receipt> open_members(const VisitedClaim &claim) const;

  const pg::FreshSnapshot &snapshot() const noexcept { return *snapshot_; }

  // Gives back the locks on the slot. The object is spent.
  void unlock();

 private:
  struct Part;
  using Keys = core::StaticVec<ScanKeyData, 3>;

  static Keys keys_of(const pg::OpenTable &leaf, bool by_deadline, const Part &part);
  void read(Way way, const core::SweepPosition &cursor, core::Micros until, std::size_t limit);
  std::size_t read_part(Way way, const Part &part, std::size_t limit);
  void read_batches(Way way, const Part &part, std::size_t limit, core::Vec<VisitedClaim> &found, bool &cut) const;
  void read_rows(Way way, const Part &part, std::size_t limit, core::Vec<VisitedClaim> &found, bool &cut) const;
  void read_closures();

  core::Slot const slot_;
  core::Memory &memory_;
  std::optional<receipt::ClaimLeaves> batches_;  // none: nothing was committed there
  std::optional<receipt::ClaimLeaves> rows_;
  std::optional<pg::FreshSnapshot> snapshot_;
  core::Vec<VisitedClaim> claims_;
  core::RangeSet closed_;
  core::Sweep sweep_ = core::Sweep::saw_all;
};

}  // namespace awa::rescue
