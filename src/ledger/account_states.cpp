#include "ledger/account_states.hpp"

#include "ledger/booking.hpp"
#include "ledger/gates.hpp"
#include "ledger/live_postings.hpp"
#include "ledger/owners.hpp"
#include "ledger/refusals.hpp"
#include "ledger/tables.hpp"
#include "pg/datum.hpp"
#include "pg/planted_fault.hpp"
#include "pg/row_writer.hpp"
#include "pg/spi.hpp"

namespace awa::ledger {

namespace {

constexpr Oid kNewState[] = {INT8OID, INT8OID, INT4OID, BOOLOID, BOOLOID};

constinit pg::Statement append_version(R"sql(
  INSERT INTO awa_ledger.accounts (account, subaccount, version, code, flags, metadata)
  SELECT account, subaccount, version + 1, code,
         array_remove(array_remove(flags, 'frozen'), 'closed') || CASE WHEN $4 THEN '{frozen}'::text[] ELSE '{}' END
           || CASE WHEN $5 THEN '{closed}'::text[] ELSE '{}' END,
         metadata
  FROM awa_ledger.accounts WHERE account = $1 AND subaccount = $2 AND version = $3)sql",
                                       kNewState, pg::Planning::once_by_index);
constinit pg::Statement move_head(R"sql(
  UPDATE awa_ledger.account_heads SET version = $3 + 1, frozen = $4, closed = $5
  WHERE account = $1 AND subaccount = $2)sql",
                                  kNewState, pg::Planning::once_by_index);

// The gate, alone, and what the account is then. Tables are locked before.
Head alone_with(const core::Owner &owner, Gates &gates) {
  gates.want(owner, pg::LockStrength::exclusive);
  gates.take();
  const pg::FreshSnapshot snapshot;
  return Heads(snapshot).of(owner);
}

void refuse_closed(const core::Owner &owner) {
  pg::raise({.sqlstate = kClosed,
             .message = pg::format("account %s is closed", shown(owner)),
             .hint = "It stays as it is; use another account."});
}

void set_state(const core::Owner &owner, const Head &head, bool frozen, bool closed) {
  const Datum values[] = {pg::datum(owner.account), pg::datum(owner.subaccount), pg::datum(head.version),
                          pg::datum(frozen), pg::datum(closed)};
  pg::Sql sql;
  if (!AWA_PLANTED(unwritten_version)) sql.run(append_version, values);
  sql.run(move_head, values);
}

bool set_frozen(const core::Owner &owner, bool frozen, core::Memory &memory) {
  lock_account_heads();
  Gates gates(memory);
  const Head head = alone_with(owner, gates);
  if (head.closed) refuse_closed(owner);
  if (head.frozen == frozen) return false;
  set_state(owner, head, frozen, false);
  return true;
}

void require_nothing(const core::Owner &owner, std::span<const LivePosting> left, core::Memory &memory) {
  core::Vec<core::Change> sums(memory);
  for (const LivePosting &posting : left) {
    sums.push_back({posting.wallet, core::Wide{posting.value}});
    if (!posting.reservation) continue;
    pg::raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
               .message = pg::format("account %s has reserved postings", shown(owner)),
               .detail = pg::format("Reservation %lld holds %lld of asset %d.",
                                    static_cast<long long>(posting.reservation->value),
                                    static_cast<long long>(posting.value), posting.wallet.asset),
               .hint = "End the reservation first; awa_ledger.postings_of() shows what there is."});
  }
  core::merge_changes(sums);
  for (const core::Change &sum : sums) {
    if (sum.amount == 0) continue;
    pg::raise({.sqlstate = ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE,
               .message = pg::format("account %s is not empty", shown(owner)),
               .detail = pg::format("It has %s of asset %d.", shown(sum.amount), sum.wallet.asset),
               .hint = "Transfer it to another account first."});
  }
}

}  // namespace

bool freeze_account(const core::Owner &owner, core::Memory &memory) { return set_frozen(owner, true, memory); }

bool unfreeze_account(const core::Owner &owner, core::Memory &memory) { return set_frozen(owner, false, memory); }

bool close_account(const core::Owner &owner, core::Memory &memory) {
  lock_account_heads();
  const pg::OpenTable live = open_live_postings();
  Gates gates(memory);
  const Head head = alone_with(owner, gates);
  if (head.closed) return false;
  {
    const pg::FreshSnapshot snapshot;
    const core::Vec<LivePosting> left = all_live(live, owner, snapshot, memory);
    require_nothing(owner, left, memory);
    if (!left.empty()) {
      core::Vec<Spent> spent(memory);
      for (const LivePosting &posting : left) {
        pg::erase(live, posting.place);
        spent.push_back({posting.id, posting.wallet, posting.value});
      }
      write_transfer(draw_transfer(), {}, spent, {}, live, memory);
    }
  }
  set_state(owner, head, false, true);
  return true;
}

}  // namespace awa::ledger
