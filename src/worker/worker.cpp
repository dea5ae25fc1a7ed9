#include "worker/worker.hpp"

#include "core/cadence.hpp"
#include "pg/error.hpp"
#include "pg/extension.hpp"
#include "pg/memory.hpp"
#include "pg/procedure.hpp"
#include "pg/transaction.hpp"
#include "rescue/steps.hpp"
#include "worker/duties.hpp"
#include "worker/duty.hpp"
#include "worker/duty_book.hpp"

namespace awa::worker {

namespace {

constexpr core::Micros kSecond = 1'000'000;
constexpr core::Micros kSoon = 100'000;
constexpr core::Micros kBreath = 30'000;

enum class Next : std::uint8_t {
  stay,
  leave,     // for good: there is nothing to do here any more
  make_way,  // somebody wants the database to himself
  renew,     // another version was installed: its library is another one
};

// What the worker knows; it lives as long as the process.
struct Stand {
  pg::WorkerStart start;
  Next next = Next::stay;
  core::Micros wake_at = 0;
  pg::Installed installed;  // since the first round
  bool is_the_one = false;  // holds the worker's key
  bool leads = false;       // holds the leader's
  core::Pace pace;          // of rounds that fail as a whole
};
constinit Stand stand;

// Asked at the beginning of each transaction of a round.
bool may_go_on() {
  if (pg::is_asked_to_leave() || !pg::guarded([] { return pg::is_database_free(MyDatabaseId); })) return false;
  pg::Installed now;
  return pg::hold_extension(now) == pg::Hold::held && now == stand.installed;
}

// Whether the transaction that wanted the worker has come to a good end; sets what is next if not.
bool is_wanted() {
  if (stand.start.after == core::Xid{}) return true;
  switch (pg::fate_of(stand.start.after)) {
    case pg::XidFate::running:
      stand.wake_at = pg::now() + kSoon;
      return false;
    case pg::XidFate::aborted:
      stand.next = Next::leave;
      return false;
    case pg::XidFate::committed:
    case pg::XidFate::forgotten:
      break;
  }
  stand.start.after = {};
  return true;
}

// Whether the library is that of the extension that is installed.
bool is_of_this_version(const pg::Installed &installed) {
  if (std::string_view(installed.version) != stand.installed.version) {
    stand.next = Next::renew;
    return false;
  }
  stand.installed = installed;  // it may have been created anew
  return std::string_view(installed.version) == AWA_VERSION;
}

// There is no extension. Who creates one now may have a worker started, which leaves if this one is in office: so the office is
// given up before the last look.
void give_up() {
  if (!stand.is_the_one) {
    stand.next = Next::leave;
    return;
  }
  if (stand.leads) pg::unlock_for_session(rescue::kLeaderKey);
  pg::unlock_for_session(kWorkerKey);
  stand.leads = stand.is_the_one = false;
  stand.wake_at = pg::now();
}

void take_office(const pg::Installed &installed) {
  if (!pg::try_lock_for_session(kWorkerKey)) {
    stand.next = Next::leave;  // there is one
    return;
  }
  stand.is_the_one = true;
  stand.installed = installed;
  if (std::string_view(installed.version) == AWA_VERSION) return;
  const char *const detail =
      pg::format("The library is of version %s, the extension of version %s.", AWA_VERSION, installed.version);
  pg::guarded([=] {
    pg::log_line("the worker of awa_ring stands still", detail,
                 "ALTER EXTENSION awa_ring UPDATE, or install the library that belongs to it.");
  });
}

// A round, and whether there is to be another one.
void run_round() {
  stand.wake_at = pg::now() + kSecond;
  if (!pg::guarded([] { return pg::is_database_free(MyDatabaseId); })) {
    stand.next = Next::make_way;
    return;
  }
  if (!is_wanted() || pg::guarded([] { return RecoveryInProgress(); })) return;
  pg::Installed installed;
  switch (pg::hold_extension(installed)) {
    case pg::Hold::gone:
      give_up();
      return;
    case pg::Hold::busy:
      return;
    case pg::Hold::held:
      break;
  }
  if (!stand.is_the_one) take_office(installed);
  if (!stand.is_the_one || !is_of_this_version(installed)) return;
  // Somebody may be leading at present, for a step of maintain().
  stand.leads = stand.leads || pg::try_lock_for_session(rescue::kLeaderKey);
  pg::ScratchContext scratch;
  pg::Procedure procedure(may_go_on);
  stand.wake_at = std::min(stand.wake_at, run_due(procedure, scratch.memory()).next_due);
}

// After a round that failed as a whole.
void back_off() {
  const core::Micros now = pg::now();
  stand.pace = core::after_run(stand.pace, core::RunEnd::failed, {kSecond, 0}, now, 0, pg::random_turn());
  stand.wake_at = stand.pace.next_due;
}

// Until the next round is due; or sooner, when the ledger says that much is paid, but not all the time.
void sleep() {
  const core::Micros began = pg::now();
  pg::sleep_worker(stand.wake_at);
  if (pg::now() >= stand.wake_at) return;
  DutyBook::hasten(core::Duty::consolidate);
  while (pg::now() < std::min(began + kBreath, stand.wake_at) && !pg::is_asked_to_leave()) {
    pg::sleep_worker(std::min(began + kBreath, stand.wake_at));
  }
}

// The memory of a round.
void enter_round_context() {
  MemoryContextSwitchTo(AllocSetContextCreate(TopMemoryContext, "awa_ring worker", ALLOCSET_DEFAULT_SIZES));
}

[[noreturn]] void make_way() {
  if (pg::register_worker(kUsher, {.database = stand.start.database})) pg::leave_for_good();
  pg::log_line("the worker of awa_ring makes way, and nobody can be told to call it back", nullptr,
               "It tries to come back by itself. You may need to raise max_worker_processes.");
  pg::leave_for_now();
}

}  // namespace

void run_worker() {
  stand.start = pg::begin_worker();
  pg::connect_worker(stand.start.database, kWorker.type);
  enter_round_context();
  for (;;) {
    pg::show_at_work("awa_ring: maintenance");
    if (in_transaction([](void *) { run_round(); }, nullptr)) {
      stand.pace = {};
    } else {
      back_off();
    }
    pg::show_idle();
    if (pg::is_asked_to_leave()) stand.next = Next::leave;
    switch (stand.next) {
      case Next::stay:
        break;
      case Next::leave:
        pg::leave_for_good();
      case Next::make_way:
        make_way();
      case Next::renew:
        pg::leave_for_now();
    }
    sleep();
  }
}

}  // namespace awa::worker
