// The rows that close receipts: one for each claim batch and outcome. A row's batch id is the least receipt it ends: no
// other row can have it.
#pragma once

#include <string_view>

#include "core/routing.hpp"
#include "receipt/claim_batches.hpp"

namespace awa::receipt {

// Receipts of one claim batch that end now, in one way.
struct ClosedBatch {
  core::BatchId batch;
  core::Slot claim_slot;
  core::Slot ready_slot;
  core::Generation ready_generation;
  core::Outcome outcome;
  core::RangeSet receipts;
};

// Appends the rows. closures_leaf(slot) is a claim slot's closure leaf, open and locked for writing. Batches come slot by
// slot.
void write_closures(const pg::OpenTable &leaf, std::span<const ClosedBatch> batches, core::Micros now);

template <typename LeafOf>
void write_closures(std::span<const ClosedBatch> batches, core::Micros now, LeafOf &&closures_leaf) {
  while (!batches.empty()) {
    std::size_t count = 1;
    while (count < batches.size() && batches[count].claim_slot == batches[0].claim_slot) ++count;
    write_closures(closures_leaf(batches[0].claim_slot), batches.first(count), now);
    batches = batches.subspan(count);
  }
}

}  // namespace awa::receipt
