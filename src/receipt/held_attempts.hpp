// Attempts held by their keys: which receipts of a call are open, where each attempt is kept, and how it ends.
//
// The common step of every verb that ends or moves attempts: keys, leaves, fresh snapshot, evidence; then the verb decides;
// then rows. A closure has the shape of its claim, never that of the reason. It lives for one call.
#pragma once

#include <span>

#include "core/routing.hpp"
#include "receipt/attempt_end.hpp"
#include "receipt/attempt_states.hpp"
#include "receipt/leases.hpp"
#include "receipt/open_claims.hpp"

namespace awa::receipt {

enum class Kept : std::uint8_t {
  in_claim,  // in the rings
  in_lease,  // outside
};

// An open attempt.
struct Attempt {
  core::Receipt receipt;
  std::size_t place = 0;  // of its receipt among those of the call
  Kept kept = Kept::in_claim;
  core::Slot ready_slot;
  core::Generation ready_generation;  // not of a lease
  core::LaneId lane;
  core::LaneSeq seq;
  core::Micros claimed_at = 0;
  core::Micros deadline_at = 0;  // 0 = none
  std::int16_t number = 0;       // 1 = first
  Lease lease;                   // if it is kept in one
  AttemptState state;            // heartbeat and progress, if it has any
  bool has_state = false;

  // As after the attempt, if bodies were asked for: the attempt counts, its run lease is the last, and its progress is in
  // the payload.
  ring::JobBody body;
  Datum entry_payload = 0;  // the payload as the entry has it, of a claim

  bool waiting() const noexcept { return kept == Kept::in_lease && lease.waiting(); }
};

// How one of the attempts ends.
struct Ending {
  std::size_t attempt;  // place in attempts()
  core::Outcome outcome;
  JobFate fate;
};

class HeldAttempts {
 public:
  // `receipts` are sorted and distinct, and outlive the object. With Keys::taken the transaction holds their keys already.
  // The transaction must be writable. Errors: 55P03, 40P01 from the keys.
  HeldAttempts(std::span<const core::Receipt> receipts, Keys keys, Bodies bodies, core::Memory &memory);

  // Those that are open, in the order of the receipts.
  std::span<Attempt> attempts() noexcept { return {attempts_.data(), attempts_.size()}; }

  // What the claim plane says of each receipt. One that is unknown there, or materialized, may still be open in a lease.
  const Proof &proof(std::size_t place) const noexcept { return claims_.proof(place); }

  // Ends attempts, each at most once: closures, leases, attempt states; and tells of it. Where their jobs go is written by
  // the caller.
  void end(std::span<const Ending> endings, core::Micros now, EndPatience patience = EndPatience::waits);

  // Notes a heartbeat, and progress (jsonb) unless it is 0.
  void note(std::size_t attempt, core::Micros now, Datum progress);

  // Moves attempts out of the rings, or leases anew: `leases` say what is to be otherwise than it was.
  void move_to_leases(std::span<const std::size_t> attempts, std::span<const Lease> leases, core::Micros now);
  void move_to_lease(std::size_t attempt, const Lease &lease, core::Micros now) {
    move_to_leases({&attempt, 1}, {&lease, 1}, now);
  }

  // What a lease of the attempt says that is as it was.
  Lease lease_of(std::size_t attempt) const;

 private:
  // What a closure of the attempts of one claim needs.
  struct Claim {
    StoredBatch stored;
    std::size_t first;  // place of the first of its handles
    std::size_t count;
  };

  void look(Bodies bodies);
  void add_members(const Claim &claim);
  void add_leases(Bodies bodies);
  void add_states();
  void read_body(Attempt &attempt);
  void close(std::span<const Ending> endings, core::Micros now);

  std::span<const core::Receipt> const receipts_;
  core::Memory &memory_;
  OpenClaims claims_;
  Leases leases_{RowExclusiveLock};
  AttemptStates states_;
  core::Vec<Claim> found_;
  core::Vec<Attempt> attempts_;
};

}  // namespace awa::receipt
