#include "queue/unique_entering.hpp"

#include <tuple>

#include "pg/datum.hpp"
#include "pg/error.hpp"
#include "pg/transaction.hpp"
#include "queue/unique_keys.hpp"

namespace awa::queue {

namespace {

// A job that needs its key.
struct Keyed {
  core::QueueId queue;
  std::string_view key;
  std::size_t place;  // in the call
};

bool same_key(const Keyed &a, const Keyed &b) noexcept { return a.queue == b.queue && a.key == b.key; }

// In the order in which keys are taken, the jobs of one key in the order of the call.
core::Vec<Keyed> keyed_jobs(std::span<const NewJob> jobs, core::Micros now, core::Memory &memory) {
  core::Vec<Keyed> keyed(memory);
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const ring::JobBody &body = jobs[i].body;
    if (body.unique_key == 0) continue;
    const auto state = body.run_at > now ? core::JobState::scheduled : core::JobState::available;
    if (!core::holds(body.unique_states, state)) continue;
    keyed.push_back({core::lane_of(jobs[i].lane).queue, pg::text_view(body.unique_key), i});
  }
  std::sort(keyed.begin(), keyed.end(), [](const Keyed &a, const Keyed &b) {
    return std::tie(a.queue, a.key, a.place) < std::tie(b.queue, b.key, b.place);
  });
  return keyed;
}

[[noreturn]] void refuse_twice(const Keyed &first, const Keyed &second) {
  pg::raise(
      {.sqlstate = ERRCODE_UNIQUE_VIOLATION,
       .message = pg::format("unique key \"%.*s\" is given twice", pg::shown_length(first.key, 200), first.key.data()),
       .detail = pg::format("Jobs %zu and %zu of the call have it.", first.place + 1, second.place + 1),
       .hint = "With on_conflict => 'ignore' the later one counts as the earlier one, with 'replace' it gives it its "
               "content."});
}

// The later of two jobs of a call with one key meets the earlier one.
void merge(const Keyed &first, const Keyed &second, std::span<NewJob> jobs, std::span<Entrance> entrances) {
  NewJob &earlier = jobs[first.place];
  const NewJob &later = jobs[second.place];
  if (later.on_conflict == OnConflict::raise) refuse_twice(first, second);
  entrances[second.place] = {.way = Entrance::Way::merged, .first = first.place};
  if (later.on_conflict == OnConflict::ignore) return;
  earlier.lane = later.lane;
  earlier.body = later.body;
  // One that would have been ignored is replaced now, and so is who holds the key.
  if (earlier.on_conflict == OnConflict::ignore) earlier.on_conflict = OnConflict::replace;
}

}  // namespace

void UniqueEntering::decide(std::span<NewJob> jobs, std::span<const std::int64_t> ids, core::Micros now,
                            std::span<Entrance> entrances) {
  core::Vec<Keyed> keyed = keyed_jobs(jobs, now, memory_);
  if (keyed.empty()) return;
  std::size_t firsts = 0;
  for (std::size_t i = 0; i < keyed.size(); ++i) {
    if (firsts > 0 && same_key(keyed[firsts - 1], keyed[i])) {
      merge(keyed[firsts - 1], keyed[i], jobs, entrances);
    } else {
      keyed[firsts++] = keyed[i];
    }
  }
  keyed.resize(firsts);

  core::Vec<KeyOwner> owners(memory_);
  bool any_replaces = false;
  for (const Keyed &each : keyed) {
    owners.push_back(KeyOwner({ids[each.place]}, each.queue, jobs[each.place].body));
    any_replaces |= jobs[each.place].on_conflict == OnConflict::replace;
  }
  core::Vec<core::JobId> holders(memory_);
  holders.resize(owners.size());
  if (any_replaces) {
    // Lanes come before keys: as far as holders are known, they are held first.
    find_holders(owners, holders, memory_);
    core::Vec<core::JobId> replaced(memory_);
    for (std::size_t i = 0; i < keyed.size(); ++i) {
      if (jobs[keyed[i].place].on_conflict == OnConflict::replace && holders[i] != core::JobId{}) {
        replaced.push_back(holders[i]);
      }
    }
    hold(replaced);
  }
  take_keys(owners, holders, memory_);
  for (std::size_t i = 0; i < keyed.size(); ++i) {
    entrances[keyed[i].place] = meet(jobs[keyed[i].place], owners[i], holders[i]);
  }
}

Entrance UniqueEntering::meet(const NewJob &job, const KeyOwner &owner, core::JobId holder) {
  while (holder != owner.job) {
    if (job.on_conflict == OnConflict::raise) refuse_held(owner, holder);
    if (job.on_conflict == OnConflict::ignore) return {.way = Entrance::Way::ignored, .holder = holder};
    if (find_held(holder) == nullptr) hold({&holder, 1});
    if (find_held(holder) != nullptr) return {.way = Entrance::Way::replaces, .holder = holder};
    // It does not wait. Unless it gave the key up since, there is nothing that could be replaced.
    core::JobId now_held_by{};
    take_keys({&owner, 1}, {&now_held_by, 1}, memory_);
    if (now_held_by == holder) refuse_held(owner, holder);
    holder = now_held_by;
    pg::check_for_interrupts();
  }
  return {};
}

void UniqueEntering::hold(std::span<const core::JobId> holders) {
  if (holders.empty()) return;
  for (const WaitingJob &job : hold_waiting(holders, memory_)) held_.push_back(job);
}

const WaitingJob *UniqueEntering::find_held(core::JobId job) const {
  const auto found =
      std::find_if(held_.begin(), held_.end(), [job](const WaitingJob &each) { return each.job == job; });
  return found == held_.end() ? nullptr : &*found;
}

}  // namespace awa::queue
