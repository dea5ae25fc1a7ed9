#include "core/window.hpp"

#include <algorithm>
#include <limits>

namespace awa::core {
namespace {

bool is_running(const XidSnapshot &snapshot, Xid xid) noexcept {
  return std::binary_search(snapshot.running.begin(), snapshot.running.end(), xid);
}

}  // namespace

bool sees(const XidSnapshot &snapshot, Xid xid) noexcept {
  return xid < snapshot.xmin || (xid < snapshot.xmax && !is_running(snapshot, xid));
}

bool is_of_the_future(const Frontier &frontier, const XidSnapshot &latest) noexcept {
  return frontier.done.xmax > latest.xmax || (!frontier.exhausted && frontier.cur.xmax > latest.xmax);
}

Frontier rebuilt(const XidSnapshot &latest, Micros now, std::int64_t claimed_total) noexcept {
  return {.done = nothing_seen(),
          .cur = latest,
          .exhausted = false,
          .recheck = true,
          .opened_at = now,
          .claimed_total = claimed_total};
}

Frontier opened(const Frontier &exhausted, const XidSnapshot &latest, Micros now) noexcept {
  return {.done = exhausted.done,
          .cur = latest,
          .exhausted = false,
          .opened_at = now,
          .claimed_total = exhausted.claimed_total};
}

Frontier closed(const Frontier &open) noexcept {
  return {.done = open.cur, .cur = {}, .opened_at = open.opened_at, .claimed_total = open.claimed_total};
}

Vec<Segment> segments(const Frontier &open, Memory &memory) {
  Vec<Segment> stretches(memory);
  const auto &ran = open.done.running;
  for (auto xid = std::lower_bound(ran.begin(), ran.end(), open.at.xid); xid != ran.end(); ++xid) {
    if (sees(open.cur, *xid)) stretches.push_back({*xid, *xid});
  }
  Xid first = std::max(open.done.xmax, open.at.xid);
  // Without this a lone running transaction would keep the window from being empty.
  if (is_running(open.cur, first)) first = after_running(open.cur, first);
  if (first < open.cur.xmax) stretches.push_back({first, {open.cur.xmax.value - 1}});
  return stretches;
}

Reaches reaches(const Frontier &open, const Segment &segment, std::size_t wanted) noexcept {
  constexpr std::int64_t kSpareEntries = 8;
  constexpr std::int64_t kXidsForEach = 16;
  const EntryPosition end{segment.last, {std::numeric_limits<std::int64_t>::max()}};
  Reaches result{{end}, 1};
  const EntryPosition at = open.at;
  if (at.xid < segment.first) return result;
  const auto entries = std::min(static_cast<std::int64_t>(wanted), std::int64_t{1} << 20) + kSpareEntries;
  const EntryPosition same{at.xid, {at.seq.value + std::min(entries, end.seq.value - at.seq.value)}};
  const EntryPosition near{{at.xid.value + static_cast<std::uint64_t>(entries * kXidsForEach)}, end.seq};
  result.count = 0;
  for (const EntryPosition &reach : {same, near}) {
    if (reach < end) result.upto[static_cast<std::size_t>(result.count++)] = reach;
  }
  result.upto[static_cast<std::size_t>(result.count++)] = end;
  return result;
}

bool in_window(const Frontier &open, Xid xid) noexcept { return sees(open.cur, xid) && !sees(open.done, xid); }

Xid after_running(const XidSnapshot &cur, Xid xid) noexcept {
  auto running = std::upper_bound(cur.running.begin(), cur.running.end(), xid);
  Xid next{xid.value + 1};
  for (; running != cur.running.end() && *running == next; ++running) ++next.value;
  return next;
}

bool slot_may_matter(const Frontier &open, Xid sealed_xid) noexcept {
  if (sealed_xid == Xid{} || open.done.xmax < sealed_xid) return true;
  // What still runs is in no window yet: a transaction that is open for long must not bring back all slots since it began.
  return std::any_of(open.done.running.begin(), open.done.running.end(),
                     [&](Xid xid) { return xid < sealed_xid && sees(open.cur, xid); });
}

}  // namespace awa::core
