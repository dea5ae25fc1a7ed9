#include "worker/consolidating.hpp"

#include "ledger/consolidate.hpp"
#include "ledger/crowded.hpp"
#include "pg/table_locks.hpp"

namespace awa::worker {

namespace {

constexpr std::int32_t kMostRows = 1'000;            // of a commit
constexpr core::Micros kStretchOfRound = 250'000;    // then other duties have their turn
constexpr core::Micros kSoonAgain = 20'000;          // where there was a crowd
constexpr core::Micros kBetweenRounds = 10'000'000;  // at least
constexpr core::Micros kRoundsShare = 20;            // and so many times as long as the last one took
constexpr int kQuietRounds = 2;                      // a transaction may have been open during the first

// Plain data: it lives as long as the session.
struct Watch {
  Oid table = InvalidOid;  // of the extension that it is about
  core::TransferId drawn{0};
  bool on_the_way = false;
  std::optional<core::Wallet> place;  // how far the round has come
  core::TransferId drawn_before{0};   // the round
  std::int64_t spent_on_round = 0;
  core::Micros busy = 0;  // with the round
  core::Micros next_round = 0;
  int quiet_rounds = 0;
};
constinit Watch watch;

class Consolidating {
 public:
  Consolidating(rescue::Steps &steps, core::Memory &memory) : steps_(steps), memory_(memory) {}

  Consolidated run() {
    if (!look()) return result_;
    for (const core::Wallet &wallet : busy_) merge(wallet);
    if (watch.on_the_way) go_round();
    if (result_.postings > 0) result_.wake_at = pg::now() + kSoonAgain;
    if (watch.on_the_way) result_.wake_at = pg::now();
    return result_;
  }

 private:
  // Whether there is anything to do; and who is paid to much.
  bool look() {
    steps_.run([this] {
      const Oid table = pg::our_relation("live_postings", "awa_ledger");
      if (watch.table != table) {
        watch = {};
        watch.table = table;
      }
      const core::TransferId drawn = ledger::last_drawn();
      if (drawn.value <= ledger::kCrowd) return;  // nobody uses the ledger
      const core::Micros now = pg::now();
      const bool changed = drawn != watch.drawn;
      if (changed) {
        watch.quiet_rounds = 0;
        const pg::FreshSnapshot snapshot;
        busy_ = ledger::busy_and_crowded(snapshot, memory_);
      }
      watch.drawn = drawn;
      if (!watch.on_the_way && watch.quiet_rounds < kQuietRounds &&
          (now >= watch.next_round || watch.next_round - now > kLongestPause)) {
        begin_round(drawn);
      }
      result_.looked = changed || watch.on_the_way;
    });
    return result_.looked;
  }

  static void begin_round(core::TransferId drawn) {
    watch.on_the_way = true;
    watch.place.reset();
    watch.drawn_before = drawn;
    watch.spent_on_round = 0;
    watch.busy = 0;
  }

  void go_round() {
    const core::Micros began = pg::now();
    while (watch.on_the_way && pg::now() - began < kStretchOfRound) {
      core::Vec<core::Wallet> crowded(memory_);
      const bool good = steps_.run([&] {
        const pg::FreshSnapshot snapshot;
        ledger::Stretch stretch = ledger::look_further(watch.place, snapshot, memory_);
        crowded = std::move(stretch.crowded);
        watch.place = stretch.last;
      });
      if (!good) break;
      if (!watch.place) watch.on_the_way = false;
      for (const core::Wallet &wallet : crowded) watch.spent_on_round += merge(wallet);
    }
    const core::Micros now = pg::now();
    watch.busy += now - began;
    if (watch.on_the_way) return;
    watch.next_round = now + std::clamp(watch.busy * kRoundsShare, kBetweenRounds, kLongestPause);
    watch.quiet_rounds = watch.spent_on_round == 0 && watch.drawn == watch.drawn_before ? watch.quiet_rounds + 1 : 0;
  }

  // Until fewer are left than make a commit.
  std::int64_t merge(const core::Wallet &wallet) {
    std::int64_t all = 0;
    std::int32_t spent = kMostRows;
    while (spent == kMostRows) {
      spent = 0;
      if (!steps_.run([&] { spent = ledger::consolidate_further(wallet, kMostRows, memory_); })) break;
      all += spent;
    }
    result_.postings += all;
    return all;
  }

  static constexpr core::Micros kLongestPause = 3'600'000'000;

  rescue::Steps &steps_;
  core::Memory &memory_;
  Consolidated result_;
  core::Vec<core::Wallet> busy_{memory_};
};

}  // namespace

Consolidated consolidate(rescue::Steps &steps, core::Memory &memory) { return Consolidating(steps, memory).run(); }

}  // namespace awa::worker
