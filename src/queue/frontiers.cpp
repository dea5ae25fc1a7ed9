#include "queue/frontiers.hpp"

#include "core/places.hpp"
#include "pg/append_writer.hpp"
#include "pg/datum.hpp"
#include "pg/index_reader.hpp"
#include "ring/generation.hpp"
#include "ring/tables.hpp"

namespace awa::queue {

namespace column = ring::lane_frontiers;

namespace {

core::XidSnapshot xids(const pg::Row &row, AttrNumber xmin, AttrNumber xmax, AttrNumber running) {
  return {row.xid8(xmin), row.xid8(xmax), pg::xid8_values(pg::copied(row.value(running), false, -1))};
}

core::Frontier frontier_of(const pg::Row &row) {
  core::Frontier frontier;
  frontier.done = xids(row, column::done_xmin, column::done_xmax, column::done_xip);
  frontier.exhausted = row.is_null(column::cur_xmin);
  if (!frontier.exhausted) frontier.cur = xids(row, column::cur_xmin, column::cur_xmax, column::cur_xip);
  if (!row.is_null(column::at_xid)) frontier.at = {row.xid8(column::at_xid), {row.int8(column::at_seq)}};
  frontier.recheck = DatumGetBool(row.value(column::recheck));
  frontier.opened_at = row.int8(column::opened_at);
  frontier.claimed_total = row.int8(column::claimed_total);
  return frontier;
}

// The newest frontier that this session saw of a lane. A lane has as many as it had claims, and a search from here on meets
// few of them. It is a hint: where it leads to nothing, all are looked at. Lanes share places.
struct LastSeen {
  core::LaneId lane{};
  core::Slot slot{};
  core::FrontierId id{};
};
constinit core::Places<LastSeen, 8> last_seen;
constinit core::Slot last_current{-1};

LastSeen &last_seen_of(core::LaneId lane) noexcept { return last_seen.of(core::mixed(lane.value)); }

}  // namespace

std::optional<StoredFrontier> Frontiers::current(core::LaneId lane, const pg::FreshSnapshot &snapshot) {
  const core::Slot slot = core::slot_of(ring::generation_of(ring::Ring::claim), core::kClaimSlots);
  last_current = slot;
  LastSeen &last = last_seen_of(lane);
  std::optional<StoredFrontier> found;
  if (last.lane == lane && last.slot == slot) found = in_slot(slot, lane, snapshot, last.id);
  if (!found) found = in_slot(slot, lane, snapshot);
  if (found) last = {lane, slot, found->id};
  return found;
}

bool Frontiers::is_known(core::LaneId lane) noexcept {
  const LastSeen &last = last_seen_of(lane);
  return last.lane == lane && last.slot == last_current;
}

std::optional<StoredFrontier> Frontiers::newest(core::LaneId lane, const pg::FreshSnapshot &snapshot) {
  // Frontiers are written to the slot that is current under the lane lock, and ids rise: if there is one in the current
  // slot, it is the newest. Of other slots the order is unknown: rotation steps over slots that are in use.
  std::optional<StoredFrontier> best = current(lane, snapshot);
  if (best) return best;
  for (int slot = 0; slot < core::kClaimSlots; ++slot) {
    if (auto found = in_slot({slot}, lane, snapshot); found && (!best || best->id < found->id)) best = std::move(found);
  }
  return best;
}

void Frontiers::unlock_all() {
  for (auto &place : open_) {
    if (place) place->unlock();
    place.reset();
  }
}

std::optional<StoredFrontier> Frontiers::only_in(core::Slot slot, core::LaneId lane,
                                                 const pg::FreshSnapshot &snapshot) {
  std::optional<StoredFrontier> here = in_slot(slot, lane, snapshot);
  for (int other = 0; other < core::kClaimSlots && here; ++other) {
    if (other == slot.value) continue;
    if (const auto found = in_slot({other}, lane, snapshot); found && found->id >= here->id) here.reset();
  }
  return here;
}

core::Vec<core::LaneId> Frontiers::lanes_in(core::Slot slot, const pg::FreshSnapshot &snapshot, core::Memory &memory) {
  core::Vec<core::LaneId> lanes(memory);
  const pg::OpenTable *const table = leaf(slot);
  if (table == nullptr) return lanes;
  // From lane to lane: one may have as many frontiers as it had claims.
  ScanKeyData keys[] = {pg::key_equal(1, slot.value), pg::key_at_least(2, std::int32_t{0})};
  pg::walk(*table, table->index(column::by_lane), snapshot.get(), keys, [&](const pg::Row &row) {
    lanes.push_back({row.int4(column::lane_id)});
    keys[1].sk_argument = Int32GetDatum(lanes.back().value + 1);
    return pg::Walk::rescan;
  });
  return lanes;
}

pg::OpenTable *Frontiers::leaf(core::Slot slot) {
  auto &place = open_[static_cast<std::size_t>(slot.value)];
  if (place) return &*place;
  place.emplace(ring::lane_frontiers_leaf(slot), AccessShareLock);
  if (!place->has_no_blocks()) return &*place;
  place->unlock();
  place.reset();
  return nullptr;
}

std::optional<StoredFrontier> Frontiers::in_slot(core::Slot slot, core::LaneId lane, const pg::FreshSnapshot &snapshot,
                                                 core::FrontierId from) {
  const pg::OpenTable *const table = leaf(slot);
  if (table == nullptr) return std::nullopt;
  std::optional<StoredFrontier> found;
  ScanKeyData keys[] = {pg::key_equal(1, slot.value), pg::key_equal(2, lane.value), pg::key_at_least(3, from.value)};
  pg::walk(
      *table, table->index(column::by_lane), snapshot.get(), keys,
      [&](const pg::Row &row) {
        found = StoredFrontier{{row.int8(column::frontier_id)}, frontier_of(row), slot};
        return pg::Walk::stop;
      },
      BackwardScanDirection);
  return found;
}

void store(const pg::OpenTable &leaf, core::LaneId lane, core::FrontierId id, const core::Frontier &frontier,
           Origin origin) {
  pg::append(leaf, [&](pg::NewRow row) {
    row.set(column::claim_slot, pg::datum(leaf.slot()));
    row.set(column::lane_id, pg::datum(lane));
    row.set(column::frontier_id, pg::datum(id));
    row.set(column::done_xmin, pg::datum(frontier.done.xmin));
    row.set(column::done_xmax, pg::datum(frontier.done.xmax));
    row.set(column::done_xip, pg::xid8_array(frontier.done.running));
    if (!frontier.exhausted) {
      row.set(column::cur_xmin, pg::datum(frontier.cur.xmin));
      row.set(column::cur_xmax, pg::datum(frontier.cur.xmax));
      row.set(column::cur_xip, pg::xid8_array(frontier.cur.running));
      if (frontier.at != core::kBeforeAll) {
        row.set(column::at_xid, pg::datum(frontier.at.xid));
        row.set(column::at_seq, pg::datum(frontier.at.seq));
      }
    }
    row.set(column::opened_at, pg::datum(frontier.opened_at));
    row.set(column::claimed_total, pg::datum(frontier.claimed_total));
    row.set(column::recheck, pg::datum(frontier.recheck));
    row.set(column::carried, pg::datum(origin == Origin::carried));
  });
}

}  // namespace awa::queue
