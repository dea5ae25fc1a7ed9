// The window arithmetic of a lane's frontier: which transactions' entries come next.
//
// A frontier is (done, cur, at): two snapshots over full top-level xids, and a position. The open window is the set of
// entries whose transaction cur sees and done does not; entries up to and including `at`, in (xid, lane_seq) order,
// have been dealt with. An exhausted window is kept as `done` alone. The idea is that of PgQ's batches, which a ticker
// cuts; here each claimer cuts its own.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "core/containers.hpp"
#include "core/ids.hpp"

namespace awa::core {

// Which transactions had ended: those below xmin, and those in [xmin, xmax) that are not in `running`.
// `running` is sorted, without duplicates, within [xmin, xmax). It is a view: its owner must outlive it.
struct XidSnapshot {
  Xid xmin;
  Xid xmax;
  std::span<const Xid> running;
};

// A snapshot in which nothing has ended.
constexpr XidSnapshot nothing_seen() noexcept { return {}; }

bool sees(const XidSnapshot &snapshot, Xid xid) noexcept;

struct EntryPosition {
  Xid xid;
  LaneSeq seq;
  friend constexpr auto operator<=>(const EntryPosition &, const EntryPosition &) = default;
};

// Before every entry: xids start at 3 in PostgreSQL, so zero is never one.
constexpr EntryPosition kBeforeAll{};

struct Frontier {
  XidSnapshot done;
  XidSnapshot cur;  // meaningless while the window is exhausted
  bool exhausted = true;
  EntryPosition at = kBeforeAll;  // kBeforeAll while nothing of the window has been dealt with
  bool recheck = false;           // rebuilt: entries of this window may be spent already
  Micros opened_at = 0;
  std::int64_t claimed_total = 0;
};

// Whether a frontier knows of transactions that are yet to come. It is then of another cluster, or of this one before its
// transaction log was reset, and says nothing.
bool is_of_the_future(const Frontier &frontier, const XidSnapshot &latest) noexcept;

// The frontier of a lane of which nothing is known: everything that `latest` sees is to be looked at again.
Frontier rebuilt(const XidSnapshot &latest, Micros now, std::int64_t claimed_total) noexcept;

// An exhausted frontier with the next window opened up to `latest`. A recheck ends with its window.
// Transactions never become unseen: the new window starts from what was dealt with, whatever `latest` is.
Frontier opened(const Frontier &exhausted, const XidSnapshot &latest, Micros now) noexcept;

// The frontier with its window closed: done := cur.
Frontier closed(const Frontier &open) noexcept;

// A stretch of xids, both ends included, that a reader walks in index order.
struct Segment {
  Xid first;
  Xid last;
};

// The stretches of an open window that may still hold entries, ascending and disjoint, from the xid of `at` on: each
// xid that `done` saw running and `cur` sees ended, then [done.xmax, cur.xmax). Each begins with an xid of the window;
// empty = nothing can be new. The last stretch may contain xids that cur sees running: the reader asks `in_window` for
// each xid and jumps over those.
Vec<Segment> segments(const Frontier &open, Memory &memory);

// How far a reader that wants only so many entries goes at a time: an index is read by pages, and every match of a page costs
// something, wanted or not. Positions, ascending, the last of them the end of the segment.
struct Reaches {
  std::array<EntryPosition, 3> upto;
  int count;
  std::span<const EntryPosition> all() const noexcept { return {upto.data(), static_cast<std::size_t>(count)}; }
};

// Entries lie close behind each other where a transaction enqueued many, or many transactions one each. Before anything of a
// window was dealt with nothing is known of that.
Reaches reaches(const Frontier &open, const Segment &segment, std::size_t wanted) noexcept;

// Whether an entry of `xid` belongs to the open window.
bool in_window(const Frontier &open, Xid xid) noexcept;

// The first xid after `xid` that cur does not see running. At or beyond cur.xmax the window is over.
Xid after_running(const XidSnapshot &cur, Xid xid) noexcept;

// Whether a slot whose entries all have xids below `sealed_xid` can hold anything of the open window. A slot without a
// seal (sealed_xid zero) may hold anything.
bool slot_may_matter(const Frontier &open, Xid sealed_xid) noexcept;

}  // namespace awa::core
