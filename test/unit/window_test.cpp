#include "core/window.hpp"

#include <algorithm>
#include <deque>
#include <limits>
#include <map>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "support.hpp"

namespace awa::core {

void PrintTo(const Segment &s, std::ostream *out) { *out << '[' << s.first.value << ',' << s.last.value << ']'; }
bool operator==(const Segment &a, const Segment &b) { return a.first == b.first && a.last == b.last; }

namespace {

using Xids = std::vector<Xid>;
using Segments = std::vector<Segment>;

constexpr std::uint64_t kFirstXid = 3;

Xids xids(std::initializer_list<std::uint64_t> values) {
  Xids list;
  for (const std::uint64_t value : values) list.push_back({value});
  return list;
}

Segments listed(const Vec<Segment> &segments) { return Segments(segments.begin(), segments.end()); }

Segments segments_of(const XidSnapshot &done, const XidSnapshot &cur, EntryPosition at = kBeforeAll) {
  return listed(segments({.done = done, .cur = cur, .exhausted = false, .at = at}, memory()));
}

// A cluster's transactions, and the snapshots taken of them. Snapshots live as long as the cluster.
class Cluster {
 public:
  Xid begin() {
    running_.insert({next_});
    return {next_++};
  }
  void end(Xid xid) {
    running_.erase(xid);
    latest_ended_ = std::max(latest_ended_, xid.value);
  }
  // As PostgreSQL takes it: xmax is one past the latest that ended. What still runs counts as running, the taker's own
  // transaction like any other.
  XidSnapshot snapshot() {
    const Xid xmax{latest_ended_ + 1};
    Xids &list = lists_.emplace_back(running_.begin(), running_.lower_bound(xmax));
    return {list.empty() ? xmax : list.front(), xmax, list};
  }
  const std::set<Xid> &running() const { return running_; }
  Xid next() const { return {next_}; }
  bool has_ended(Xid xid) const { return xid.value >= kFirstXid && xid.value < next_ && !running_.contains(xid); }

 private:
  std::uint64_t next_ = kFirstXid;
  std::uint64_t latest_ended_ = kFirstXid - 1;
  std::set<Xid> running_;
  std::deque<Xids> lists_;
};

Xid any_of(Random &random, const std::set<Xid> &set) {
  return *std::next(set.begin(), static_cast<std::ptrdiff_t>(random.below(set.size())));
}

// Some transactions begin and end; at times a long one stays.
void let_pass(Random &random, Cluster &cluster) {
  for (std::int64_t n = random.between(0, 12); n != 0; --n) {
    if (cluster.running().empty() || random.one_in(2)) {
      cluster.begin();
    } else {
      cluster.end(any_of(random, cluster.running()));
    }
  }
}

TEST(Window, ASnapshotSeesWhatHadEnded) {
  const Xids running = xids({10, 12});
  const XidSnapshot snapshot{{10}, {14}, running};
  for (const std::uint64_t ended : {3U, 9U, 11U, 13U}) EXPECT_TRUE(sees(snapshot, {ended})) << ended;
  for (const std::uint64_t not_ended : {10U, 12U, 14U, 15U}) EXPECT_FALSE(sees(snapshot, {not_ended})) << not_ended;
  EXPECT_FALSE(sees(nothing_seen(), {3}));
  EXPECT_FALSE(sees(nothing_seen(), {0}));
}

TEST(Window, SegmentsOfAWindow) {
  const Xids ran = xids({10, 12, 15});
  const Xids runs = xids({12, 20, 21, 24});
  const XidSnapshot done{{10}, {18}, ran};
  const XidSnapshot cur{{12}, {26}, runs};
  EXPECT_EQ(segments_of(done, cur), (Segments{{{10}, {10}}, {{15}, {15}}, {{18}, {25}}}));
  // From `at` on, its own xid included.
  EXPECT_EQ(segments_of(done, cur, {{10}, {7}}), (Segments{{{10}, {10}}, {{15}, {15}}, {{18}, {25}}}));
  EXPECT_EQ(segments_of(done, cur, {{11}, {7}}), (Segments{{{15}, {15}}, {{18}, {25}}}));
  EXPECT_EQ(segments_of(done, cur, {{15}, {7}}), (Segments{{{15}, {15}}, {{18}, {25}}}));
  EXPECT_EQ(segments_of(done, cur, {{16}, {7}}), (Segments{{{18}, {25}}}));
  EXPECT_EQ(segments_of(done, cur, {{19}, {7}}), (Segments{{{19}, {25}}}));
  EXPECT_EQ(segments_of(done, cur, {{20}, {7}}), (Segments{{{22}, {25}}}));
  EXPECT_EQ(segments_of(done, cur, {{25}, {7}}), (Segments{{{25}, {25}}}));
  EXPECT_EQ(segments_of(done, cur, {{26}, {7}}), Segments{});
}

TEST(Window, SegmentsAtTheEdges) {
  const Xids ten = xids({10});
  const XidSnapshot quiet{{18}, {18}, {}};
  const XidSnapshot busy{{10}, {18}, ten};
  EXPECT_EQ(segments_of(quiet, quiet), Segments{}) << "nothing happened";
  EXPECT_EQ(segments_of(busy, busy), Segments{}) << "who ran still runs";
  EXPECT_EQ(segments_of(busy, quiet), (Segments{{{10}, {10}}})) << "who ran has ended";
  EXPECT_EQ(segments_of(nothing_seen(), busy), (Segments{{{0}, {17}}})) << "a rebuild reads everything";
  EXPECT_EQ(segments_of(nothing_seen(), nothing_seen()), Segments{});
  const Xids own = xids({18, 19});
  EXPECT_EQ(segments_of(quiet, {{18}, {20}, own}), Segments{}) << "all that is new runs, the claimer itself for one";
  EXPECT_EQ(segments_of(quiet, {{18}, {21}, own}), (Segments{{{20}, {20}}}));
}

TEST(Window, AnOlderSnapshotOpensNothing) {
  const Xids ran = xids({10, 12});
  const Xids older = xids({8, 10});
  EXPECT_EQ(segments_of({{10}, {18}, ran}, {{8}, {12}, older}), Segments{});
  EXPECT_EQ(segments_of({{10}, {18}, ran}, nothing_seen()), Segments{});
  EXPECT_EQ(segments_of({{10}, {18}, ran}, {{8}, {12}, older}, {{14}, {1}}), Segments{});
}

TEST(Window, SteppingOverWhatRuns) {
  const Xids runs = xids({12, 20, 21, 22, 24, 25});
  const XidSnapshot cur{{12}, {26}, runs};
  EXPECT_EQ(after_running(cur, {12}), Xid{13});
  EXPECT_EQ(after_running(cur, {20}), Xid{23});
  EXPECT_EQ(after_running(cur, {21}), Xid{23});
  EXPECT_EQ(after_running(cur, {24}), Xid{26});
  EXPECT_EQ(after_running(cur, {19}), Xid{23});
  EXPECT_EQ(after_running(cur, {3}), Xid{4});
  EXPECT_EQ(after_running(cur, {30}), Xid{31});
}

TEST(Window, ASealedSlotMattersUntilAllOfItIsDealtWith) {
  const Xids ran = xids({10});
  const Frontier open{.done = {{10}, {18}, ran}, .cur = {{20}, {20}, {}}, .exhausted = false};
  EXPECT_TRUE(slot_may_matter(open, {0})) << "no seal";
  EXPECT_FALSE(slot_may_matter(open, {9}));
  EXPECT_FALSE(slot_may_matter(open, {10}));
  EXPECT_TRUE(slot_may_matter(open, {11}));
  const Frontier still_runs{.done = {{10}, {18}, ran}, .cur = {{10}, {20}, ran}, .exhausted = false};
  EXPECT_FALSE(slot_may_matter(still_runs, {11}));
  EXPECT_FALSE(slot_may_matter(still_runs, {18}));
  EXPECT_TRUE(slot_may_matter(still_runs, {19}));
  const Frontier recheck = rebuilt(open.cur, 0, 0);
  EXPECT_TRUE(slot_may_matter(recheck, {0}));
  EXPECT_TRUE(slot_may_matter(recheck, {3}));
}

TEST(Window, TheLifeOfAFrontier) {
  const XidSnapshot first{{10}, {10}, {}};
  const XidSnapshot second{{20}, {20}, {}};
  Frontier frontier = rebuilt(first, 100, 7);
  EXPECT_TRUE(frontier.recheck);
  EXPECT_FALSE(frontier.exhausted);
  EXPECT_EQ(frontier.at, kBeforeAll);
  EXPECT_EQ(frontier.opened_at, 100);
  EXPECT_EQ(frontier.claimed_total, 7);
  EXPECT_TRUE(in_window(frontier, {9}));

  frontier.at = {{9}, {1}};
  frontier.claimed_total = 8;
  frontier = closed(frontier);
  EXPECT_TRUE(frontier.exhausted);
  EXPECT_FALSE(frontier.recheck);
  EXPECT_EQ(frontier.at, kBeforeAll);
  EXPECT_EQ(frontier.done.xmax, Xid{10});

  frontier = opened(frontier, second, 200);
  EXPECT_FALSE(frontier.exhausted);
  EXPECT_FALSE(frontier.recheck);
  EXPECT_EQ(frontier.at, kBeforeAll);
  EXPECT_EQ(frontier.opened_at, 200);
  EXPECT_EQ(frontier.claimed_total, 8);
  EXPECT_FALSE(in_window(frontier, {9}));
  EXPECT_TRUE(in_window(frontier, {10}));
  EXPECT_FALSE(in_window(frontier, {20}));
}

TEST(Window, EachTransactionThatEndedIsInExactlyOneWindow) {
  Random random;
  for (int round = 0; round < 300; ++round) {
    Cluster cluster;
    let_pass(random, cluster);
    std::map<Xid, int> windows;
    Frontier frontier = rebuilt(cluster.snapshot(), 0, 0);
    for (int step = 0; step < 40; ++step) {
      const bool is_last = step == 39;
      while (is_last && !cluster.running().empty()) cluster.end(*cluster.running().begin());
      if (!frontier.exhausted) {
        for (Xid xid{kFirstXid}; xid < cluster.next(); ++xid.value) windows[xid] += in_window(frontier, xid);
      }
      frontier = frontier.exhausted ? opened(frontier, cluster.snapshot(), 0) : closed(frontier);
      if (is_last && frontier.exhausted) frontier = opened(frontier, cluster.snapshot(), 0);
      let_pass(random, cluster);
    }
    for (Xid xid{kFirstXid}; xid < cluster.next(); ++xid.value) {
      windows[xid] += in_window(frontier, xid);
      const int expected = sees(frontier.cur, xid) ? 1 : 0;
      ASSERT_EQ(windows[xid], expected) << xid.value;
    }
  }
}

TEST(Window, ReadingTheSegmentsFindsTheWindowAndNothingElse) {
  Random random;
  for (int round = 0; round < 3000; ++round) {
    Cluster cluster;
    let_pass(random, cluster);
    const XidSnapshot done = random.one_in(5) ? nothing_seen() : cluster.snapshot();
    for (std::int64_t n = random.between(0, 4); n != 0; --n) let_pass(random, cluster);
    const Frontier open{.done = done,
                        .cur = cluster.snapshot(),
                        .exhausted = false,
                        .at = {{random.one_in(2) ? 0 : random.below(cluster.next().value + 2)}, {1}}};

    Xids expected;
    // A snapshot cannot tell xids below the first from those that ended long ago: a rebuild's window starts at zero.
    for (Xid xid = open.at.xid; xid < cluster.next(); ++xid.value) {
      if (in_window(open, xid)) expected.push_back(xid);
    }
    Xids read;
    const Vec<Segment> stretches = segments(open, memory());
    for (const Segment &stretch : stretches) {
      ASSERT_LE(stretch.first, stretch.last);
      ASSERT_TRUE(in_window(open, stretch.first));
      for (Xid xid = stretch.first; xid <= stretch.last;) {
        if (in_window(open, xid)) read.push_back(xid);
        xid = in_window(open, xid) ? Xid{xid.value + 1} : after_running(open.cur, xid);
      }
    }
    ASSERT_EQ(read, expected);
    ASSERT_EQ(stretches.empty(), expected.empty());
  }
}

TEST(Window, ASlotThatDoesNotMatterHoldsNothingOfTheWindow) {
  Random random;
  for (int round = 0; round < 3000; ++round) {
    Cluster cluster;
    let_pass(random, cluster);
    const XidSnapshot done = random.one_in(5) ? nothing_seen() : cluster.snapshot();
    let_pass(random, cluster);
    const Frontier open{.done = done, .cur = cluster.snapshot(), .exhausted = false};
    const Xid seal{kFirstXid + random.below(cluster.next().value)};
    if (slot_may_matter(open, seal)) continue;
    for (Xid xid{kFirstXid}; xid < seal; ++xid.value) ASSERT_FALSE(in_window(open, xid));
  }
}

// The whole of it: a claimer reads entries in small claims over many windows, its own transaction running, others
// committing at any time. Every entry is found once, in window order, and none is left over.
TEST(Window, AClaimerFindsEveryEntryOnce) {
  Random random;
  for (int round = 0; round < 200; ++round) {
    Cluster cluster;
    std::set<EntryPosition> entries;  // written; to be read once their transaction has ended
    std::map<EntryPosition, int> found;
    std::int64_t next_seq = 1;
    Frontier frontier = closed(rebuilt(cluster.snapshot(), 0, 0));
    const int steps = 150;
    for (int step = 0; step < steps; ++step) {
      let_pass(random, cluster);
      for (const Xid writer : cluster.running()) {
        if (random.one_in(3)) entries.insert({writer, {next_seq++}});
      }
      if (step > steps - 60) {  // time to catch up
        while (!cluster.running().empty()) cluster.end(*cluster.running().begin());
      }

      const Xid claimer = cluster.begin();
      if (frontier.exhausted) frontier = opened(frontier, cluster.snapshot(), step);
      EntryPosition last = frontier.at;
      std::size_t left = random.below(6) + 1;
      for (const Segment &stretch : segments(frontier, memory())) {
        for (auto e = entries.lower_bound({stretch.first, {0}});
             e != entries.end() && e->xid <= stretch.last && left != 0;) {
          if (!in_window(frontier, e->xid)) {
            e = entries.lower_bound({after_running(frontier.cur, e->xid), {0}});
            continue;
          }
          if (*e > frontier.at) {
            ASSERT_TRUE(cluster.has_ended(e->xid));
            ASSERT_LT(last, *e);
            last = *e;
            ++found[*e];
            --left;
          }
          ++e;
        }
      }
      frontier.at = last;
      if (left != 0) frontier = closed(frontier);
      cluster.end(claimer);
    }
    while (!cluster.running().empty()) cluster.end(*cluster.running().begin());
    // What the last, small claims did not reach.
    for (int window = 0; window < 2; ++window) {
      if (frontier.exhausted) frontier = opened(frontier, cluster.snapshot(), 0);
      for (const EntryPosition &e : entries) found[e] += e > frontier.at && in_window(frontier, e.xid);
      frontier = closed(frontier);
    }
    ASSERT_EQ(found.size(), entries.size());
    for (const auto &[entry, times] : found) ASSERT_EQ(times, 1) << entry.xid.value;
  }
}

// The reaches of a segment cover it, each behind the one before, and the first leads to what a transaction that enqueued many left.
TEST(Reaches, CoverTheSegment) {
  const auto reaches_from = [](EntryPosition at, Segment segment, std::size_t wanted) {
    const Frontier open{.done = {{10}, {10}, {}}, .cur = {{1000}, {1000}, {}}, .exhausted = false, .at = at};
    const Reaches reaches = core::reaches(open, segment, wanted);
    return std::vector<EntryPosition>(reaches.all().begin(), reaches.all().end());
  };
  constexpr LaneSeq last{std::numeric_limits<std::int64_t>::max()};
  const Segment segment{{10}, {999}};
  EXPECT_EQ(reaches_from(kBeforeAll, segment, 1), (std::vector<EntryPosition>{{{999}, last}}));
  EXPECT_EQ(reaches_from({{9}, {77}}, segment, 1), (std::vector<EntryPosition>{{{999}, last}}));
  const auto one = reaches_from({{20}, {77}}, segment, 1);
  ASSERT_EQ(one.size(), 3u);
  EXPECT_EQ(one[0].xid, Xid{20});
  EXPECT_GT(one[0].seq.value, 77);
  EXPECT_GT(one[1].xid, Xid{20});
  EXPECT_EQ(one[2], (EntryPosition{{999}, last}));
  EXPECT_GE(reaches_from({{20}, {77}}, segment, 500)[0].seq.value, 577);
  // At the end of the segment, of the numbers, and beyond any sense.
  EXPECT_EQ(reaches_from({{999}, {77}}, segment, 1).back(), (EntryPosition{{999}, last}));
  EXPECT_EQ(reaches_from({{999}, last}, segment, 1), (std::vector<EntryPosition>{{{999}, last}}));
  for (const std::size_t wanted : {std::size_t{1}, std::size_t{10'000}, std::numeric_limits<std::size_t>::max()}) {
    const auto some = reaches_from({{998}, {last.value - 3}}, segment, wanted);
    EXPECT_TRUE(std::is_sorted(some.begin(), some.end()));
    EXPECT_EQ(some.back(), (EntryPosition{{999}, last}));
  }
}

}  // namespace
}  // namespace awa::core
