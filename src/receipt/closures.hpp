// The rows that close receipts, in the shape of their claims: one for each claim batch and outcome, whose id is the least
// receipt it ends, so that no other row can have it; one for each row-local receipt.
#pragma once

#include <string_view>

#include "core/routing.hpp"
#include "receipt/open_proof.hpp"

namespace awa::receipt {

// Receipts of one claim that end now, in one way.
struct ClosedBatch {
  Shape shape;  // compact or row
  core::BatchId batch;
  core::Slot claim_slot;
  core::Slot ready_slot;
  core::Generation ready_generation;
  core::Outcome outcome;
  core::RangeSet receipts;
  core::JobId job{};       // of a row-local receipt
  core::RunLease lease{};  // of a row-local receipt
};

// Appends the rows, of claims that were found through `leaves`.
void write_closures(std::span<const ClosedBatch> batches, const LeavesOfCall &leaves, core::Micros now);

}  // namespace awa::receipt
