// What a transfer's legs come to: one change for each account and asset that they touch.
//
// Legs happen at once: what a wallet receives in a transfer it can pass on in the same transfer.
#pragma once

#include <compare>
#include <cstdint>
#include <span>

#include "core/containers.hpp"
#include "core/wide.hpp"

namespace awa::core {

// An account of the ledger: each subaccount is a complete one.
struct Owner {
  std::int64_t account = 0;
  std::int64_t subaccount = 0;
  friend constexpr auto operator<=>(const Owner &, const Owner &) = default;
};

// What an account has of one asset.
struct Wallet {
  Owner owner;
  std::int32_t asset = 0;
  friend constexpr auto operator<=>(const Wallet &, const Wallet &) = default;
};

struct Leg {
  Owner from;
  Owner to;
  std::int32_t asset;
  std::int64_t amount;  // greater than 0
};

struct Change {
  Wallet wallet;
  Wide amount;  // less than 0: it pays
};

// One change for each wallet that a leg touches, in the order of wallets; 0 for one that passes on what it receives. Of each
// asset they come to 0.
Vec<Change> changes_of(std::span<const Leg> legs, Memory &memory);

// Sorts by wallet and adds up.
void merge_changes(Vec<Change> &changes);

}  // namespace awa::core
