// The rows that close receipts, in the shape of their claims: one row for all that a call closes of a claim batch with one
// outcome, one row for each row-local receipt. A closure batch's id is the least receipt it ends: no other row can have it.
#pragma once

#include <span>
#include <string_view>

#include "core/containers.hpp"
#include "receipt/open_claims.hpp"

namespace awa::receipt {

class ClosureRows {
 public:
  explicit ClosureRows(core::Memory &memory) : memory_(memory), batches_(memory), singles_(memory) {}

  // Notes that of `members`, handles of one claim, those that are open end now. `outcome` outlives the object.
  void add(const StoredBatch &claim, std::span<const core::Receipt> members, std::span<const bool> open,
           std::string_view outcome);

  // Appends what was noted, of claims that `claims` showed.
  void write(const OpenClaims &claims, core::Micros now);

 private:
  struct ClosedBatch {
    core::BatchId batch;
    core::Slot claim_slot;
    core::Slot ready_slot;
    core::Generation ready_generation;
    std::string_view outcome;
    core::RangeSet receipts;
  };

  struct ClosedSingle {
    core::Receipt receipt;
    core::Slot ready_slot;
    std::string_view outcome;
  };

  void write_batches(const pg::OpenTable &leaf, std::span<const ClosedBatch> batches, core::Micros now);
  void write_singles(const pg::OpenTable &leaf, std::span<const ClosedSingle> singles, core::Micros now);

  core::Memory &memory_;
  core::Vec<ClosedBatch> batches_;
  core::Vec<ClosedSingle> singles_;
};

}  // namespace awa::receipt
