// What is known of accounts: whether they may be paid from and to, and within which limits.
//
// What was read holds as long as the gate of the account is held, shared or not.
#pragma once

#include <optional>

#include "core/movements.hpp"
#include "pg/cached_table.hpp"
#include "pg/snapshot.hpp"

namespace awa::ledger {

struct Head {
  std::int32_t version;
  bool frozen;
  bool closed;
  bool limited;  // has limits of its own
  ItemPointerData place;
};

struct Limits {
  std::int32_t version = 0;              // 0 = never set: these
  std::optional<std::int64_t> floor{0};  // none = unbounded
  std::optional<std::int64_t> ceiling;
};

// Keeps rebuild_live() out, as lock_live_postings() does. Whoever changes heads takes it first of all, as rebuild_live() does.
void lock_account_heads();

// The heads, to be read one after the other.
class Heads {
 public:
  explicit Heads(const pg::FreshSnapshot &snapshot);

  // Errors: 42704.
  Head of(const core::Owner &owner) const;

  // The same, of an account that value can move to and from. Errors: 42704, AW103, AW104.
  Head open(const core::Owner &owner) const;

 private:
  pg::OpenTable table_;
  std::int64_t blocks_;
  const pg::FreshSnapshot &snapshot_;
};

Limits limits_of(const core::Wallet &wallet, const pg::FreshSnapshot &snapshot);

// Errors: 42704.
void require_asset(std::int32_t asset, const pg::FreshSnapshot &snapshot);

}  // namespace awa::ledger
