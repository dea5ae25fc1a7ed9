#include "receipt/attempt_states.hpp"

#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "pg/row_writer.hpp"

namespace awa::receipt {

namespace {

enum : AttrNumber { kJobId = 1, kRunLease, kReceiptId, kHeartbeatAt, kProgress };
enum : int { kByAttempt };

constexpr pg::Column kColumns[] = {{"job_id", INT8OID},
                                   {"run_lease", INT8OID},
                                   {"receipt_id", INT8OID},
                                   {"heartbeat_at", TIMESTAMPTZOID},
                                   {"progress", JSONBOID}};
constexpr pg::IndexShape kIndexes[] = {pg::unique_btree({kJobId, kRunLease})};
constexpr pg::TableShape kShape{"attempt_state", kColumns, kIndexes};
constinit pg::CachedTable attempt_state_table(kShape, pg::kNotALeaf);

bool is_before(const core::Receipt &a, const core::Receipt &b) noexcept {
  return a.job != b.job ? a.job < b.job : a.lease < b.lease;
}

}  // namespace

pg::OpenTable AttemptStates::open() { return {attempt_state_table, RowExclusiveLock}; }

core::Vec<AttemptState> AttemptStates::of(std::span<const core::Receipt> receipts,
                                          const pg::FreshSnapshot &snapshot) const {
  core::Vec<AttemptState> states(memory_);
  if (receipts.empty() || table_.has_no_blocks()) return states;
  core::Vec<core::Receipt> wanted(receipts, memory_);
  std::sort(wanted.begin(), wanted.end(), is_before);
  core::Vec<std::int64_t> jobs(memory_);
  jobs.reserve(wanted.size());
  for (const core::Receipt &receipt : wanted) {
    if (jobs.empty() || jobs.back() != receipt.job.value) jobs.push_back(receipt.job.value);
  }
  // One scan for all: attempts that have a state lie far apart, and rows that died since are not to be waded through.
  ScanKeyData keys[] = {pg::key_any_of(1, pg::int8_array(jobs))};
  pg::walk(table_, table_.index(kByAttempt), snapshot.get(), keys, [&](const pg::Row &row) {
    core::Receipt named;
    named.job = {row.int8(kJobId)};
    named.lease = {row.int8(kRunLease)};
    named.receipt = {row.int8(kReceiptId)};
    const auto place = std::lower_bound(wanted.begin(), wanted.end(), named, is_before);
    if (place == wanted.end() || place->job != named.job || place->lease != named.lease ||
        place->receipt != named.receipt) {
      return pg::Walk::on;
    }
    bool none = false;
    const Datum progress = row.value(kProgress, none);
    AttemptState state{.receipt = *place, .heartbeat_at = 0, .progress = pg::as_stored(progress, none)};
    state.place = row.place();
    bool never = false;
    const Datum heartbeat = row.value(kHeartbeatAt, never);
    if (!never) state.heartbeat_at = DatumGetTimestampTz(heartbeat);
    states.push_back(state);
    return pg::Walk::on;
  });
  return states;
}

void AttemptStates::write(const core::Receipt &receipt, const AttemptState *before, core::Micros now, Datum progress) {
  auto fill = [&](pg::NewRow row) {
    row.set(kJobId, pg::datum(receipt.job));
    row.set(kRunLease, pg::datum(receipt.lease));
    row.set(kReceiptId, pg::datum(receipt.receipt));
    row.set(kHeartbeatAt, pg::datum(now));
    const Datum kept = progress == 0 && before != nullptr ? before->progress : progress;
    if (kept != 0) row.set(kProgress, kept);
  };
  if (before == nullptr) {
    pg::append(table_, fill);
  } else {
    pg::replace(table_, before->place, fill);
  }
}

void AttemptStates::erase(std::span<const AttemptState> states) {
  for (const AttemptState &state : states) pg::erase(table_, state.place);
}

}  // namespace awa::receipt
