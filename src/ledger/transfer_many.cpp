#include "ledger/transfer_many.hpp"

#include "ledger/refusals.hpp"
#include "ledger/transfer_attempt.hpp"
#include "pg/subtransaction.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

// What others must not see half done: the items of a group, or one.
struct Unit {
  std::size_t first;
  std::size_t count;
};

class Batch {
 public:
  Batch(std::span<const Item> items, core::Memory &memory) : items_(items), memory_(memory) {
    outcomes_.resize(items.size());
  }

  core::Vec<ItemOutcome> run() {
    lock_keys();
    look_ahead();
    for (;;) {
      gates_.take();
      // What was done is undone when one cannot go on: nobody waits for a gate with postings in his hands.
      if (pg::subtransaction_unless(kContended, [this] { try_all(); })) return std::move(outcomes_);
      if (alone_.empty()) refuse_contended("one of the accounts");
      gates_.give_back();
      for (const core::Owner &owner : alone_) gates_.want(owner, pg::LockStrength::exclusive);
      alone_.clear();
      now_ = next_;
    }
  }

 private:
  const std::optional<Request> &request_of(std::size_t i) const { return items_[i].order.about.request; }

  // All of them before anything else, in one order.
  void lock_keys() {
    core::Vec<std::size_t> keyed(memory_);
    for (std::size_t i = 0; i < items_.size(); ++i) {
      if (request_of(i)) keyed.push_back(i);
    }
    std::sort(keyed.begin(), keyed.end(), [this](std::size_t a, std::size_t b) {
      return request_id(request_of(a)->key) < request_id(request_of(b)->key);
    });
    for (const std::size_t i : keyed) lock_request(request_of(i)->key);
  }

  // Plans; what cannot be planned is refused when its turn comes.
  void look_ahead() {
    plans_.reserve(items_.size());
    for (const Item &item : items_) {
      plans_.emplace_back(memory_);
      if (item.order.by_ids) {
        pg::failure_in_subtransaction([&] { plans_.back() = plan(item.order, memory_); });
      } else {
        plans_.back() = plan(item.order, memory_);
      }
      for (const core::Change &change : plans_.back().changes) {
        gates_.want(change.wallet.owner, pg::LockStrength::row_exclusive);
      }
    }
  }

  void try_all() {
    for (std::size_t i = 0; i < items_.size();) {
      Unit unit{i, 1};
      while (!items_[i].group.empty() && i + unit.count < items_.size() &&
             items_[i + unit.count].group == items_[i].group) {
        ++unit.count;
      }
      if (!try_unit(unit)) refuse_contended("one of the accounts");
      i += unit.count;
      pg::check_for_interrupts();
    }
  }

  // False when another gate is wanted exclusively.
  bool try_unit(const Unit &unit) {
    std::size_t at = unit.first;
    const ErrorData *const failure = pg::failure_in_subtransaction([&] {
      for (; at < unit.first + unit.count && alone_.empty(); ++at) try_one(at);
    });
    if (failure != nullptr) {
      for (std::size_t i = unit.first; i < unit.first + unit.count; ++i) {
        outcomes_[i] = {{}, false, failure->sqlerrcode, failure->message, at};
      }
    }
    return alone_.empty();
  }

  void try_one(std::size_t i) {
    const Item &item = items_[i];
    const Answer answer = request_of(i) ? answered(*request_of(i)) : Answer{};
    if (answer.given) {
      outcomes_[i] = {{*answer.given}, true, 0, nullptr, 0};
      return;
    }
    if (plans_[i].changes.empty()) plan(item.order, memory_);  // raises what kept it from being planned
    const core::TransferId id = draw_transfer();
    const Attempt came_to = attempt(item.order, plans_[i], id, gates_, live_, now_, alone_, memory_);
    if (came_to != Attempt::done) {
      next_ = came_to;
      return;
    }
    outcomes_[i] = {id, false, 0, nullptr, 0};
  }

  std::span<const Item> items_;
  core::Memory &memory_;
  const pg::OpenTable live_ = open_live_postings();
  Gates gates_{memory_};
  core::Vec<Plan> plans_{memory_};
  core::Vec<core::Owner> alone_{memory_};
  core::Vec<ItemOutcome> outcomes_{memory_};
  Attempt now_ = Attempt::fresh;   // of this round
  Attempt next_ = Attempt::fresh;  // of the next
};

}  // namespace

core::Vec<ItemOutcome> transfer_many(std::span<const Item> items, core::Memory &memory) {
  return Batch(items, memory).run();
}

}  // namespace awa::ledger
