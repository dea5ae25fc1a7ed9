#include "ledger/transfer_attempt.hpp"

#include "ledger/owners.hpp"
#include "ledger/refusals.hpp"
#include "ledger/tables.hpp"
#include "pg/index_reader.hpp"
#include "pg/planted_fault.hpp"
#include "pg/row_writer.hpp"
#include "pg/subtransaction.hpp"

namespace awa::ledger {

namespace {

const char *shown_id(const core::PostingId &id) {
  char text[core::kPostingIdTextSize];
  core::format(id, text);
  return pg::format("posting %s", text);
}

// A payer of legs: what it sees, what is chosen of it, and what was got.
struct Payment {
  core::Wallet wallet;
  std::int64_t amount;
  core::Vec<SeenPosting> seen;
  core::Selection chosen;
  core::Wide taken = 0;
  core::Wide change() const noexcept { return taken - amount; }
};

struct Receipt {
  core::Wallet wallet;
  std::int64_t amount;
  bool merges;
};

class Carrying {
 public:
  Carrying(const Order &order, const Plan &plan, core::TransferId id, const Gates &gates, const pg::OpenTable &live,
           Attempt before, core::Vec<core::Owner> &alone, core::Memory &memory)
      : order_(order),
        plan_(plan),
        id_(id),
        gates_(gates),
        live_(live),
        before_(before),
        alone_(alone),
        memory_(memory) {}

  Attempt run() {
    look_at_accounts();
    if (!alone_.empty()) return before_;
    if (!(order_.by_ids ? take_named() : take_chosen())) return met_others_ ? Attempt::crowded : before_;
    write_transfer(id_, order_.about, spent_, order_.by_ids ? std::span<const Created>(order_.creates) : created_,
                   live_, memory_);
    return Attempt::done;
  }

 private:
  bool excludes(const core::Wallet &wallet) const { return gates_.excludes(wallet.owner); }

  // Whether they are open, and whether what they receive is within their ceilings.
  void look_at_accounts() {
    limits_.reserve(plan_.changes.size());
    const Heads heads(snapshot_);
    for (const core::Change &change : plan_.changes) {
      const core::Wallet &wallet = change.wallet;
      const Head head = heads.open(wallet.owner);
      limits_.push_back(head.limited ? limits_of(wallet, snapshot_) : Limits{});
      if (!core::is_value(change.amount)) refuse_no_value(wallet, change.amount);
      const Limits &limits = limits_.back();
      if (!limits.ceiling || change.amount <= 0) continue;
      if (!excludes(wallet)) {
        alone_.push_back(wallet.owner);
        continue;
      }
      const core::Wide sum = live_sum(live_, wallet, snapshot_) + change.amount;
      if (sum <= *limits.ceiling) continue;
      pg::raise({.sqlstate = kLimit,
                 .message = pg::format("account %s would have more of asset %d than its ceiling", shown(wallet.owner),
                                       wallet.asset),
                 .detail = pg::format("It would have %s; the ceiling is %lld.", shown(sum),
                                      static_cast<long long>(*limits.ceiling)),
                 .hint = "See awa_ledger.set_limits()."});
    }
  }

  // Postings by their ids.

  bool take_named() {
    for (std::size_t i = 0; i < plan_.changes.size(); ++i) check_signs(plan_.changes[i].wallet, limits_[i]);
    core::Vec<SeenPosting> rows(memory_);
    for (const Spent &wanted : plan_.consumed) {
      SeenPosting seen{};
      const Liveness liveness = find(live_, wanted.wallet, wanted.id, order_.held_by, snapshot_, seen);
      if (liveness != Liveness::spendable) {
        pg::raise(
            {.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
             .message = pg::format("%s is %s", shown_id(wanted.id), liveness == Liveness::gone ? "spent" : "reserved"),
             .hint = "Only active postings can be consumed; see awa_ledger.posting_states()."});
      }
      if (seen.contested && !may_try(wanted.wallet, shown_id(wanted.id))) continue;
      rows.push_back(seen);
    }
    if (!alone_.empty()) return false;
    auto take_all = [&] {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        if (!pg::try_erase(live_, rows[i].place)) refuse_contended(shown_id(rows[i].id));
      }
    };
    if (rows.size() < 2 || excludes_all()) {
      if (rows.size() == 1 && !excludes_all()) {
        if (!pg::try_erase(live_, rows[0].place)) return want_all();
      } else {
        take_all();
      }
    } else if (!pg::subtransaction_unless(kContended, take_all)) {
      return want_all();
    }
    for (const Spent &wanted : plan_.consumed) spent_.push_back(wanted);
    return true;
  }

  // Of an account with a floor no posting below 0 is made, and none that its floor consists of is spent.
  void check_signs(const core::Wallet &wallet, const Limits &limits) const {
    if (!limits.floor) return;
    const auto refuse = [&](const char *what) {
      pg::raise({.sqlstate = kLimit,
                 .message = pg::format("a posting below 0 cannot be %s for account %s", what, shown(wallet.owner)),
                 .detail = pg::format("The account has a floor in asset %d.", wallet.asset),
                 .hint = "See awa_ledger.set_limits(): floor null is unbounded."});
    };
    for (const Created &posting : order_.creates) {
      if (posting.wallet == wallet && posting.value < 0) refuse("created");
    }
    for (const Spent &posting : plan_.consumed) {
      if (posting.wallet == wallet && posting.value < 0) refuse("consumed");
    }
  }

  // Postings that are chosen.

  bool take_chosen() {
    if (order_.sets_aside > 0) create(plan_.changes.front().wallet, order_.sets_aside);
    for (std::size_t i = 0; i < plan_.changes.size(); ++i) {
      const core::Change &change = plan_.changes[i];
      if (change.amount > 0) {
        receipts_.push_back({change.wallet, static_cast<std::int64_t>(change.amount), limits_[i].ceiling.has_value()});
      } else if (change.amount < 0 && !limits_[i].floor) {
        require_asset(change.wallet.asset, snapshot_);
        create(change.wallet, static_cast<std::int64_t>(change.amount));
      } else if (change.amount < 0) {
        choose(change.wallet, static_cast<std::int64_t>(-change.amount));
      }
    }
    if (!alone_.empty() || !take_payments()) return false;
    for (const Receipt &receipt : receipts_) receive(receipt);
    for (const Payment &payment : payments_) give_change(payment);
    return true;
  }

  // Under a ceiling receivers are alone with their account, so they can as well keep it small.
  void receive(const Receipt &receipt) {
    std::int64_t value = receipt.amount;
    if (receipt.merges) {
      for (const SeenPosting &posting : spendable(live_, receipt.wallet, 0, Depth::bounded, snapshot_, memory_)) {
        if (posting.value > core::kGreatestValue - value || !pg::try_erase(live_, posting.place)) continue;
        value += posting.value;
        spent_.push_back({posting.id, receipt.wallet, posting.value});
      }
    }
    create(receipt.wallet, value);
  }

  void choose(const core::Wallet &wallet, std::int64_t amount) {
    const bool is_alone = excludes(wallet);
    auto seen = spendable(live_, wallet, amount, is_alone ? Depth::enough : Depth::bounded, snapshot_, memory_);
    auto chosen = core::select(candidates(seen, memory_), amount, memory_);
    if (!chosen.covered) {
      met_others_ |= chosen.contested > 0;
      if (is_alone && chosen.available + chosen.contested < amount) {
        require_asset(wallet.asset, snapshot_);
        refuse_insufficient(wallet, amount, chosen.available + chosen.contested);
      }
      if (!may_try(wallet, pg::format("account %s", shown(wallet.owner)))) return;
    }
    payments_.push_back({wallet, amount, std::move(seen), std::move(chosen)});
  }

  // Any posting that suffices will do, one after the other: nothing is held until one is got. Where several are wanted, those
  // that were got have to be given back when one is not to be had: unless nobody else can be at them.
  bool take_payments() {
    if (payments_.empty()) return true;
    const bool is_single = payments_.size() == 1 && !payments_.front().chosen.alternatives.empty();
    auto take_all = [&] {
      for (Payment &payment : payments_) {
        if (!take(payment)) refuse_contended(pg::format("account %s", shown(payment.wallet.owner)));
      }
    };
    if (is_single && !excludes_all()) {
      if (!take(payments_.front())) {
        if (AWA_PLANTED(one_posting)) refuse_contended(pg::format("account %s", shown(payments_.front().wallet.owner)));
        return want_all();
      }
    } else if (excludes_all()) {
      take_all();
    } else {
      const std::size_t before = spent_.size();
      if (!pg::subtransaction_unless(kContended, take_all)) {
        spent_.erase(spent_.begin() + static_cast<std::ptrdiff_t>(before), spent_.end());
        return want_all();
      }
    }
    for (Payment &payment : payments_) take_extra(payment);
    return true;
  }

  bool take(Payment &payment) {
    if (!payment.chosen.alternatives.empty()) {
      const std::span<const std::uint32_t> all = payment.chosen.alternatives;
      const auto places = AWA_PLANTED(one_posting) ? all.first(1) : all;
      return std::any_of(places.begin(), places.end(), [&](std::uint32_t place) { return try_take(payment, place); });
    }
    const auto &places = payment.chosen.needed;
    return std::all_of(places.begin(), places.end(), [&](std::uint32_t place) { return try_take(payment, place); });
  }

  void take_extra(Payment &payment) {
    if (before_ == Attempt::crowded) return;
    for (const std::uint32_t place : payment.chosen.extra) {
      if (core::is_value(payment.change() + payment.seen[place].value)) try_take(payment, place);
    }
  }

  bool try_take(Payment &payment, std::uint32_t place) {
    const SeenPosting &posting = payment.seen[place];
    const auto is_it = [&](const Spent &spent) { return spent.id == posting.id; };
    if (std::any_of(spent_.begin(), spent_.end(), is_it)) return false;  // an extra that was an alternative
    if (!pg::try_erase(live_, posting.place)) return false;
    spent_.push_back({posting.id, payment.wallet, posting.value});
    payment.taken += posting.value;
    return true;
  }

  void give_change(const Payment &payment) {
    const bool crowded = payment.chosen.crowded || before_ == Attempt::crowded;
    for (const std::int64_t part : core::change_parts(static_cast<std::int64_t>(payment.change()), crowded)) {
      remember_change(payment.wallet, {id_, static_cast<std::int32_t>(created_.size())});
      create(payment.wallet, part);
    }
  }

  void create(const core::Wallet &wallet, std::int64_t value) {
    created_.push_back({static_cast<std::int32_t>(created_.size()), wallet, value});
  }

  // Asks for the owner's gate alone, and returns false; or refuses, when it has it.
  bool may_try(const core::Wallet &wallet, const char *what) {
    if (excludes(wallet)) refuse_contended(what);
    alone_.push_back(wallet.owner);
    return false;
  }

  bool excludes_all() const {
    return std::all_of(plan_.changes.begin(), plan_.changes.end(), [this](const core::Change &change) {
      return !spends(change.wallet) || excludes(change.wallet);
    });
  }

  bool want_all() {
    met_others_ = true;
    for (const core::Change &change : plan_.changes) {
      if (spends(change.wallet)) alone_.push_back(change.wallet.owner);
    }
    return false;
  }

  // Whether it is one whose postings are taken.
  bool spends(const core::Wallet &wallet) const {
    const auto is_its = [&](const auto &posting) { return posting.wallet == wallet; };
    return std::any_of(plan_.consumed.begin(), plan_.consumed.end(), is_its) ||
           std::any_of(payments_.begin(), payments_.end(), is_its);
  }

  const Order &order_;
  const Plan &plan_;
  core::TransferId id_;
  const Gates &gates_;
  const pg::OpenTable &live_;
  Attempt before_;
  core::Vec<core::Owner> &alone_;
  core::Memory &memory_;
  bool met_others_ = false;
  pg::FreshSnapshot snapshot_;
  core::Vec<Limits> limits_{memory_};  // of each change
  core::Vec<Payment> payments_{memory_};
  core::Vec<Receipt> receipts_{memory_};
  core::Vec<Spent> spent_{memory_};
  core::Vec<Created> created_{memory_};
};

}  // namespace

Attempt attempt(const Order &order, const Plan &plan, core::TransferId id, const Gates &gates,
                const pg::OpenTable &live, Attempt before, core::Vec<core::Owner> &alone, core::Memory &memory) {
  return Carrying(order, plan, id, gates, live, before, alone, memory).run();
}

Plan plan(const Order &order, core::Memory &memory) {
  Plan plan(memory);
  if (!order.by_ids) {
    plan.changes = core::changes_of(order.legs, memory);
    return plan;
  }
  const pg::FreshSnapshot snapshot;
  const pg::OpenTable table(postings::table(), AccessShareLock);
  for (const core::PostingId &id : order.consumes) {
    namespace column = postings;
    ScanKeyData keys[] = {pg::key_equal(1, id.transfer.value), pg::key_equal(2, id.idx)};
    bool found = false;
    pg::walk(table, table.index(column::by_id), snapshot.get(), keys, [&](const pg::Row &row) {
      const core::Wallet wallet{{row.int8(column::account), row.int8(column::subaccount)}, row.int4(column::asset)};
      plan.consumed.push_back({id, wallet, row.int8(column::value)});
      found = true;
      return pg::Walk::stop;
    });
    if (!found) {
      pg::raise({.sqlstate = ERRCODE_UNDEFINED_OBJECT,
                 .message = pg::format("%s does not exist", shown_id(id)),
                 .hint = "See awa_ledger.postings_of()."});
    }
  }
  core::Vec<core::Change> sums(memory);
  for (const Spent &posting : plan.consumed) {
    plan.changes.push_back({posting.wallet, -core::Wide{posting.value}});
    sums.push_back({{{}, posting.wallet.asset}, -core::Wide{posting.value}});
  }
  for (const Created &posting : order.creates) {
    require_asset(posting.wallet.asset, snapshot);
    plan.changes.push_back({posting.wallet, core::Wide{posting.value}});
    sums.push_back({{{}, posting.wallet.asset}, core::Wide{posting.value}});
  }
  core::merge_changes(plan.changes);
  core::merge_changes(sums);
  for (const core::Change &sum : sums) {
    if (sum.amount == 0) continue;
    pg::raise({.sqlstate = ERRCODE_CHECK_VIOLATION,
               .message = pg::format("the transfer does not balance in asset %d", sum.wallet.asset),
               .detail = pg::format("What it creates less what it consumes comes to %s.", shown(sum.amount)),
               .hint = "Create as much of every asset as is consumed."});
  }
  return plan;
}

}  // namespace awa::ledger
