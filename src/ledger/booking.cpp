#include "ledger/booking.hpp"

#include "ledger/tables.hpp"
#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/latch.hpp"
#include "pg/planted_fault.hpp"
#include "pg/sequence.hpp"
#include "pg/transaction.hpp"

namespace awa::ledger {

namespace {

constinit pg::CachedSequence id_seq("id_seq", "awa_ledger");
constinit pg::CachedSequence epoch("epoch", "awa_ledger");

void require_balance(core::TransferId id, std::span<const Spent> spent, std::span<const Created> created,
                     core::Memory &memory) {
  core::Vec<core::Change> sums(memory);
  sums.reserve(spent.size() + created.size());
  for (const Spent &posting : spent) sums.push_back({{{}, posting.wallet.asset}, -core::Wide{posting.value}});
  for (const Created &posting : created) sums.push_back({{{}, posting.wallet.asset}, core::Wide{posting.value}});
  core::merge_changes(sums);
  for (const core::Change &sum : sums) {
    if (sum.amount == 0) continue;
    pg::raise({.sqlstate = ERRCODE_INTERNAL_ERROR,
               .message = pg::format("transfer %lld does not balance in asset %d", static_cast<long long>(id.value),
                                     sum.wallet.asset)});
  }
}

Datum empty_object() {
  return pg::guarded([] { return DirectFunctionCall1(jsonb_in, CStringGetDatum("{}")); });
}

}  // namespace

core::TransferId draw_transfer() {
  // So that who keeps accounts small hears of a crowd while it gathers.
  constexpr std::int64_t kBetweenNudges = 128;
  const core::TransferId id{pg::next_value(id_seq.oid())};
  if (id.value % kBetweenNudges == 0) pg::nudge_workers();
  return id;
}

std::int32_t current_epoch() { return static_cast<std::int32_t>(pg::last_value(epoch.oid())); }

void write_transfer(core::TransferId id, const About &about, std::span<const Spent> spent,
                    std::span<const Created> created, const pg::OpenTable &live, core::Memory &memory) {
  require_balance(id, spent, created, memory);
  const core::Xid xid = pg::own_xid();
  const core::Micros now = pg::now();
  {
    namespace column = transfers;
    const Datum metadata = about.metadata == 0 ? empty_object() : about.metadata;
    const std::int32_t era = current_epoch();
    const bool is_keyed = about.request && !AWA_PLANTED(forgotten_request);
    const Datum key = is_keyed ? pg::text_datum(about.request->key) : Datum{0};
    const pg::OpenTable table(transfers::table(), RowExclusiveLock);
    pg::append(table, [&](pg::NewRow row) {
      row.set(column::transfer_id, pg::datum(id));
      row.set(column::xid, pg::datum(xid));
      row.set(column::committed_at, pg::datum(now));
      row.set(column::effective_at, pg::datum(about.effective_at.value_or(now)));
      if (about.reverses) row.set(column::reverses, pg::datum(*about.reverses));
      row.set(column::epoch, pg::datum(era));
      if (is_keyed) row.set(column::request_hash, about.request->hash);
      if (is_keyed) row.set(column::request_key, key);
      row.set(column::metadata, metadata);
    });
  }
  if (!spent.empty()) {
    namespace column = spends;
    const pg::OpenTable table(spends::table(), RowExclusiveLock);
    pg::append_many(table, spent.size(), [&](std::size_t i, pg::NewRow row) {
      row.set(column::transfer_id, pg::datum(spent[i].id.transfer));
      row.set(column::spent_by, pg::datum(id));
      row.set(column::idx, pg::datum(spent[i].id.idx));
    });
  }
  if (created.empty()) return;
  // The columns of both tables have the same numbers.
  auto fill = [&](std::size_t i, pg::NewRow row) {
    namespace column = postings;
    const Created &posting = created[i];
    row.set(column::transfer_id, pg::datum(id));
    row.set(column::idx, pg::datum(posting.idx));
    row.set(column::asset, pg::datum(posting.wallet.asset));
    row.set(column::account, pg::datum(posting.wallet.owner.account));
    row.set(column::subaccount, pg::datum(posting.wallet.owner.subaccount));
    row.set(column::value, pg::datum(posting.value));
  };
  static_assert(+postings::value == +live_postings::value && +postings::asset == +live_postings::asset);
  const pg::OpenTable truth(postings::table(), RowExclusiveLock);
  pg::append_many(truth, created.size(), fill);
  pg::append_many(live, created.size(), fill);
}

}  // namespace awa::ledger
