// Which postings a payer spends, of those that it sees.
//
// One that suffices alone is enough, and then nobody who pays at the same time is in the way: any of several will do.
// Otherwise the greatest are taken until they suffice. An account that has more postings than is comfortable gets rid of some
// with each payment: they are spent too, and come back as one, the change. Others who pay at the same time need room: then
// more postings are comfortable, and where there are too few for all of them the change comes back in two.
#pragma once

#include <cstdint>
#include <span>

#include "core/containers.hpp"
#include "core/wide.hpp"

namespace awa::core {

// An active posting with a positive value.
struct Candidate {
  std::int64_t value;
  bool contested;  // another transaction is at it
};

// Postings that a wallet can have without being merged, when nobody else is paying from it; and how many more for each
// who is.
constexpr std::size_t kComfortable = 2;
constexpr std::size_t kRoomEach = 2;

struct Selection {
  bool covered = false;             // the postings that are not contested suffice
  Wide available = 0;               // what they come to
  Wide contested = 0;               // what the others come to
  Vec<std::uint32_t> alternatives;  // places of postings each of which suffices alone, in order of preference
  Vec<std::uint32_t> needed;        // when there is none: all of these
  Vec<std::uint32_t> extra;         // to be merged, as far as they can be had
  bool crowded = false;             // no more of them are free than contested
};

// `seen` in order of preference. `amount` is greater than 0.
Selection select(std::span<const Candidate> seen, std::int64_t amount, Memory &memory);

// Into which postings change is put: one or two; none for 0. `change` is a value.
StaticVec<std::int64_t, 2> change_parts(std::int64_t change, bool crowded) noexcept;

}  // namespace awa::core
