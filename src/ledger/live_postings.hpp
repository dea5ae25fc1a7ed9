// The hot table: which postings are alive, and who holds them.
#pragma once

#include <optional>

#include "core/movements.hpp"
#include "core/posting_id.hpp"
#include "core/selection.hpp"
#include "pg/cached_table.hpp"
#include "pg/snapshot.hpp"

namespace awa::ledger {

// Keeps rebuild_live() out until the transaction ends, or waits for it. Whoever changes live_postings takes this lock
// before it looks: the rows that it locks afterwards are those that a rebuild leaves.
void lock_live_postings();

// The same, for reading and writing it directly.
pg::OpenTable open_live_postings();

// A live posting that a snapshot sees; `place` is good as long as the snapshot is.
struct SeenPosting {
  core::PostingId id;
  std::int64_t value;
  ItemPointerData place;
  bool contested;
};

enum class Depth : std::uint8_t {
  bounded,  // what a look at some of the newest shows: it may be too little though there is enough
  enough    // until it is enough, or all that there is
};

// Postings that the wallet can spend, active and positive, newest first.
core::Vec<SeenPosting> spendable(const pg::OpenTable &live, const core::Wallet &wallet, std::int64_t amount,
                                 Depth depth, const pg::FreshSnapshot &snapshot, core::Memory &memory);

// Active postings that nobody is at, of transfers later than `after`, oldest first, at most `most`; of any value but 0, or
// above 0 only. `after` becomes the transfer of the last live posting that was looked at, these or others: at most `look_at`.
// `to_the_end`: there are no more.
enum class Signs : std::uint8_t { positive, any };
core::Vec<SeenPosting> oldest_active(const pg::OpenTable &live, const core::Wallet &wallet, core::TransferId &after,
                                     Signs signs, std::size_t most, std::size_t look_at, bool &to_the_end,
                                     const pg::FreshSnapshot &snapshot, core::Memory &memory);

core::Vec<core::Candidate> candidates(std::span<const SeenPosting> seen, core::Memory &memory);

// Any live posting that a snapshot sees.
struct LivePosting {
  core::PostingId id;
  core::Wallet wallet;
  std::int64_t value;
  std::optional<core::ReservationId> reservation;
  ItemPointerData place;
};

// All that the owner has; or, of one asset, the wallet.
core::Vec<LivePosting> all_live(const pg::OpenTable &live, const core::Owner &owner, const pg::FreshSnapshot &snapshot,
                                core::Memory &memory);
core::Vec<LivePosting> all_live(const pg::OpenTable &live, const core::Wallet &wallet,
                                const pg::FreshSnapshot &snapshot, core::Memory &memory);

// What the wallet has in all, reserved or not.
core::Wide live_sum(const pg::OpenTable &live, const core::Wallet &wallet, const pg::FreshSnapshot &snapshot);

// A posting by its id and owner: whether it is live, and can be spent: by anybody, or, `holder` being a reservation, by that.
enum class Liveness : std::uint8_t { gone, spendable, reserved };
Liveness find(const pg::OpenTable &live, const core::Wallet &wallet, const core::PostingId &id,
              std::optional<core::ReservationId> holder, const pg::FreshSnapshot &snapshot, SeenPosting &seen);

// Where this session's next look at the wallet begins: at its own last change, which nobody else is likely to be at.
void remember_change(const core::Wallet &wallet, const core::PostingId &id) noexcept;

}  // namespace awa::ledger
