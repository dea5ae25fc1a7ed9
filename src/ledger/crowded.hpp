// Finding wallets that have many live postings, without reading all that is alive.
//
// Who is paid to often shows among the newest postings of all; who grows slowly is come upon by going round all wallets, a
// stretch at a time. Of each wallet a bounded number of index entries is looked at, however many were spent and not removed yet.
#pragma once

#include <optional>

#include "core/movements.hpp"
#include "core/posting_id.hpp"
#include "pg/snapshot.hpp"

namespace awa::ledger {

// A wallet with more live postings than this is crowded.
constexpr std::int32_t kCrowd = 64;

// The last id that was drawn: as long as it stays the same nobody has created a posting.
core::TransferId last_drawn();

// Crowded wallets that have several of the newest postings there are.
core::Vec<core::Wallet> busy_and_crowded(const pg::FreshSnapshot &snapshot, core::Memory &memory);

// A stretch of the way round: the crowded wallets after `after`, none: from the first one on.
struct Stretch {
  core::Vec<core::Wallet> crowded;
  std::optional<core::Wallet> last;  // where the next one begins; none: there are no more
};
Stretch look_further(const std::optional<core::Wallet> &after, const pg::FreshSnapshot &snapshot, core::Memory &memory);

// How far this session had merged what the wallet has the time before last, 0: not at all. Where everything was spent and an old
// snapshot keeps it from being removed, who begins at the beginning each time walks for ever; so this is remembered, for some
// minutes. Not the last time: a transfer with an earlier id may have been under way.
core::TransferId merged_up_to(const core::Wallet &wallet);
void remember_merged(const core::Wallet &wallet, core::TransferId up_to);
void forget_merged(const core::Wallet &wallet);

}  // namespace awa::ledger
