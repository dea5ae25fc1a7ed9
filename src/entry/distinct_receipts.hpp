// The receipts of a call, each once, and what its answer, a row for each receipt as given, needs to know of that.
#pragma once

#include <span>

#include "core/receipt.hpp"

namespace awa::entry {

class DistinctReceipts {
 public:
  DistinctReceipts(std::span<const core::Receipt> given, core::Memory &memory)
      : distinct_(core::sorted_unique(given, memory)), first_place_(memory) {
    first_place_.resize(distinct_.size(), given.size());
    for (std::size_t i = given.size(); i-- > 0;) first_place_[at(given[i])] = i;
  }

  // Sorted.
  std::span<const core::Receipt> all() const noexcept { return {distinct_.data(), distinct_.size()}; }
  std::size_t size() const noexcept { return distinct_.size(); }

  // Place of a receipt among them.
  std::size_t at(const core::Receipt &receipt) const noexcept {
    return static_cast<std::size_t>(std::lower_bound(distinct_.begin(), distinct_.end(), receipt) - distinct_.begin());
  }

  // Where the nth of them was given first: what was given there counts.
  std::size_t first_place(std::size_t nth) const noexcept { return first_place_[nth]; }

 private:
  core::Vec<core::Receipt> distinct_;
  core::Vec<std::size_t> first_place_;
};

}  // namespace awa::entry
