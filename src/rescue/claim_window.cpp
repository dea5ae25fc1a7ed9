#include "rescue/claim_window.hpp"

#include "core/blocks.hpp"
#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "pg/transaction.hpp"
#include "ring/tables.hpp"

namespace awa::rescue {

namespace {

using receipt::ClaimShape;

// Claims whose numbers are no further apart are looked up together: what lies between them is read, too.
constexpr std::int64_t kNear = 32 * core::kReceiptBlock;

// Opens two leaves if the first has any block.
void open(std::optional<receipt::ClaimLeaves> &leaves, pg::CachedTable &claims, pg::CachedTable &closures) {
  pg::OpenTable leaf(claims, AccessShareLock);
  if (leaf.has_no_blocks()) {
    leaf.unlock();
  } else {
    leaves.emplace(receipt::ClaimLeaves{std::move(leaf), pg::OpenTable(closures, AccessShareLock)});
  }
}

bool is_before(const VisitedClaim &a, const VisitedClaim &b) noexcept { return a.position < b.position; }

}  // namespace

// A stretch of positions: behind `after`, up to `last`; of claims that were made up to a time.
struct ClaimWindow::Part {
  core::SweepPosition after;
  core::SweepPosition last;
  core::Micros until;
  core::Micros now = pg::now();

  bool holds(const core::SweepPosition &position) const noexcept { return position > after && position <= last; }

  // What to do about a claim that was made too late: those behind it were made later still, but for moments. One from the
  // future says nothing of them: the clock was wrong then.
  pg::Walk past(core::Micros claimed_at) const noexcept { return claimed_at > now ? pg::Walk::on : pg::Walk::stop; }
};

// What the index of a stretch is searched by: the time, or the slot and the id.
ClaimWindow::Keys ClaimWindow::keys_of(const pg::OpenTable &leaf, bool by_deadline, const Part &part) {
  Keys keys;
  if (by_deadline) {
    keys.push_back(pg::key_time_at_least(1, part.after.at));
    keys.push_back(pg::key_time_at_most(1, part.last.at));
  } else {
    keys.push_back(pg::key_equal(1, std::int32_t{leaf.slot()}));
    keys.push_back(pg::key_at_least(2, part.after.first));
    keys.push_back(pg::key_at_most(2, part.last.first));
  }
  return keys;
}

ClaimWindow::ClaimWindow(core::Slot slot, Way way, const core::SweepPosition &cursor, core::Micros until,
                         std::size_t limit, core::Memory &memory)
    : slot_(slot), memory_(memory), claims_(memory), closed_(memory) {
  if (way != Way::row_deadline) {
    open(batches_, ring::claim_batches_leaf(slot), ring::closure_batches_leaf(slot));
  }
  if (way != Way::batch_deadline) open(rows_, ring::row_claims_leaf(slot), ring::row_closures_leaf(slot));
  snapshot_.emplace();
  read(way, cursor, until, limit);
  read_closures();
  for (VisitedClaim &claim : claims_) claim.has_open = !core::covers(closed_, claim.receipts());
}

void ClaimWindow::read(Way way, const core::SweepPosition &cursor, core::Micros until, std::size_t limit) {
  constexpr auto most = std::numeric_limits<std::int64_t>::max();
  const core::SweepPosition end{way == Way::claimed ? core::kSweepStart.at : until, most, most};
  const std::size_t seen = read_part(way, {cursor, end, until}, limit);
  if (sweep_ == core::Sweep::saw_some || cursor <= core::kSweepStart) return;
  if (seen < limit) {
    read_part(way, {core::kSweepStart, std::min(cursor, end), until}, limit - seen);
  } else {
    sweep_ = core::Sweep::saw_some;
  }
}

// Adds the claims of a stretch, as far as the limit goes. Returns how many members they have.
std::size_t ClaimWindow::read_part(Way way, const Part &part, std::size_t limit) {
  core::Vec<VisitedClaim> found(memory_);
  bool cut = false;
  if (batches_) read_batches(way, part, limit, found, cut);
  if (rows_) read_rows(way, part, limit, found, cut);
  std::sort(found.begin(), found.end(), is_before);
  // Each kind was read as far as the limit goes: so many of both are certainly the first.
  std::size_t count = 0;
  std::size_t members = 0;
  while (count < found.size() && members < limit) members += static_cast<std::size_t>(found[count++].members);
  if (cut || count < found.size()) sweep_ = core::Sweep::saw_some;
  claims_.insert(claims_.end(), found.begin(), found.begin() + static_cast<std::ptrdiff_t>(count));
  return members;
}

void ClaimWindow::read_batches(Way way, const Part &part, std::size_t limit, core::Vec<VisitedClaim> &found,
                               bool &cut) const {
  namespace column = ring::claim_batches;
  const bool by_deadline = way == Way::batch_deadline;
  const pg::OpenTable &leaf = batches_->claims;
  Keys keys = keys_of(leaf, by_deadline, part);
  std::size_t members = 0;
  pg::walk(leaf, leaf.index(by_deadline ? column::by_deadline : column::by_batch), snapshot_->get(),
           {keys.data(), keys.size()}, [&](const pg::Row &row) {
             VisitedClaim claim{};
             claim.claimed_at = row.int8(column::claimed_at);
             if (!by_deadline && claim.claimed_at > part.until) return part.past(claim.claimed_at);
             if (members >= limit) {
               cut = true;
               return pg::Walk::stop;
             }
             claim.shape = ClaimShape::compact;
             claim.members = row.int4(column::claimed_count);
             claim.lane = {row.int4(column::lane_id)};
             claim.first.claim_slot = static_cast<std::int16_t>(slot_.value);
             claim.first.batch = {row.int8(column::batch_id)};
             claim.first.receipt = {claim.first.batch.value};
             claim.first.job = {pg::int8_values(row.value(column::job_ids)).front()};
             claim.first.lease = {pg::int8_values(row.value(column::run_leases)).front()};
             claim.first.fence = row.int8(column::fence);
             claim.position = {by_deadline ? row.int8(column::deadline_at) : core::kSweepStart.at,
                               claim.first.batch.value, 0};
             if (!part.holds(claim.position)) return pg::Walk::on;
             found.push_back(claim);
             members += static_cast<std::size_t>(claim.members);
             return pg::Walk::on;
           });
}

void ClaimWindow::read_rows(Way way, const Part &part, std::size_t limit, core::Vec<VisitedClaim> &found,
                            bool &cut) const {
  namespace column = ring::row_claims;
  const bool by_deadline = way == Way::row_deadline;
  const pg::OpenTable &leaf = rows_->claims;
  Keys keys = keys_of(leaf, by_deadline, part);
  const std::size_t before = found.size();
  pg::walk(leaf, leaf.index(by_deadline ? column::by_deadline : column::by_receipt), snapshot_->get(),
           {keys.data(), keys.size()}, [&](const pg::Row &row) {
             VisitedClaim claim{};
             claim.shape = ClaimShape::row_local;
             claim.members = 1;
             claim.lane = {row.int4(column::lane_id)};
             claim.claimed_at = row.int8(column::claimed_at);
             if (!by_deadline && claim.claimed_at > part.until) return part.past(claim.claimed_at);
             claim.first.claim_slot = static_cast<std::int16_t>(slot_.value);
             claim.first.batch = {row.int8(column::receipt_id)};
             claim.first.receipt = {claim.first.batch.value};
             claim.first.job = {row.int8(column::job_id)};
             claim.first.lease = {row.int8(column::run_lease)};
             claim.first.fence = row.int8(column::fence);
             claim.position = by_deadline ? core::SweepPosition{row.int8(column::deadline_at), claim.first.job.value,
                                                                claim.first.lease.value}
                                          : core::SweepPosition{core::kSweepStart.at, claim.first.batch.value, 0};
             if (!part.holds(claim.position)) return pg::Walk::on;
             if (found.size() - before >= limit) {
               cut = true;
               return pg::Walk::stop;
             }
             found.push_back(claim);
             return pg::Walk::on;
           });
}

// Each closure of a claim bears a number of one of its receipts.
void ClaimWindow::read_closures() {
  core::Vec<core::Range> wanted(memory_);
  const auto read_from = [&](const pg::OpenTable &leaf, int index, ClaimShape shape, auto &&add) {
    wanted.clear();
    for (const VisitedClaim &claim : claims_) {
      if (claim.shape == shape) wanted.push_back(claim.receipts());
    }
    std::sort(wanted.begin(), wanted.end(), [](const core::Range &a, const core::Range &b) { return a.lo < b.lo; });
    for (std::size_t i = 0; i < wanted.size();) {
      core::Range range = wanted[i++];
      while (i < wanted.size() && wanted[i].lo - range.hi < kNear) range.hi = wanted[i++].hi;
      ScanKeyData keys[] = {pg::key_equal(1, std::int32_t{leaf.slot()}), pg::key_at_least(2, range.lo),
                            pg::key_at_most(2, range.hi - 1)};
      pg::walk(leaf, leaf.index(index), snapshot_->get(), keys, [&](const pg::Row &row) {
        add(row);
        return pg::Walk::on;
      });
    }
  };
  if (batches_) {
    read_from(batches_->closures, ring::closure_batches::by_batch, ClaimShape::compact, [&](const pg::Row &row) {
      pg::unite_multirange(closed_, row.value(ring::closure_batches::receipt_ranges));
    });
  }
  if (rows_) {
    read_from(rows_->closures, ring::row_closures::by_receipt, ClaimShape::row_local, [&](const pg::Row &row) {
      const std::int64_t receipt = row.int8(ring::row_closures::receipt_id);
      const core::Range closed{receipt, receipt + 1};
      core::unite(closed_, {&closed, 1});
    });
  }
}

core::Vec<core::Receipt> ClaimWindow::open_members(const VisitedClaim &claim) const {
  core::Vec<core::Receipt> open(memory_);
  if (!claim.has_open) return open;
  if (claim.members == 1) {
    open.push_back(claim.first);
    return open;
  }
  const auto stored = receipt::find_batch(*batches_, claim.first.batch, *snapshot_);
  for (std::size_t i = 0; stored && i < stored->batch.job_ids.size(); ++i) {
    core::Receipt member = claim.first;
    member.receipt = {claim.first.batch.value + static_cast<std::int64_t>(i)};
    if (core::contains(closed_, member.receipt.value)) continue;
    member.job = {stored->batch.job_ids[i]};
    member.lease = {stored->batch.run_leases[i]};
    open.push_back(member);
  }
  return open;
}

void ClaimWindow::unlock() {
  snapshot_.reset();
  for (auto *const leaves : {&batches_, &rows_}) {
    if (!*leaves) continue;
    (*leaves)->claims.unlock();
    (*leaves)->closures.unlock();
    leaves->reset();
  }
}

}  // namespace awa::rescue
