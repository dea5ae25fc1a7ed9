#include "pg/settings.hpp"

#include "pg/pause_point.hpp"
#include "pg/planted_fault.hpp"
#include "pg/postgres.hpp"

namespace awa::pg {

namespace {

constinit int claim_wait_ms = 1000;
constinit int key_wait_ms = 5000;
constinit int gate_wait_ms = 2000;
constinit int history_retention_s = 3600;
constinit int max_payload = 1024 * 1024;
constinit int most_rescued = 500;
constinit int most_swept = 10'000;
constinit int duty_interval_ms = 1000;
constinit int retention_interval_s = 60;
constinit int least_empty_slots = 3;
constinit int claim_turn_age_s = 60;
constinit int claim_turn_claims = 100'000;
constinit int lease_turn_age_s = 300;
constinit int queue_turn_age_s = 0;
constinit int queue_turn_kb = 0;
constinit bool autostart_on = true;

void define_maintenance_settings() {
  DefineCustomBoolVariable("awa_ring.autostart", "Whether background workers are started without being asked for.",
                           "By CREATE EXTENSION, and by the launcher where the library is preloaded.", &autostart_on,
                           true, PGC_SUSET, 0, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.duty_interval",
                          "How often duties of maintenance look whether there is something to do.",
                          "A job that is due earlier is promoted earlier. Retention has an interval of its own.",
                          &duty_interval_ms, 1000, 10, 3600 * 1000, PGC_SUSET, GUC_UNIT_MS, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.retention_interval",
                          "How often failed jobs and dead letters that were kept long enough are removed.", nullptr,
                          &retention_interval_s, 60, 1, 24 * 3600, PGC_SUSET, GUC_UNIT_S, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.empty_slots", "Room is made in a ring that has fewer empty slots than that.",
                          "Emptying a slot costs rows of the catalog, so it is not done earlier than needed.",
                          &least_empty_slots, 3, 1, 6, PGC_SUSET, 0, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.claim_turn_age",
                          "Age at which a slot of the claim ring that holds claims is turned away from.", nullptr,
                          &claim_turn_age_s, 60, 1, 24 * 3600, PGC_SUSET, GUC_UNIT_S, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.claim_turn_claims",
                          "Number of claims at which a slot of the claim ring is turned away from; 0 = any.",
                          "It is counted by the ids drawn for them: one a claim and lane.", &claim_turn_claims, 100'000,
                          0, INT_MAX, PGC_SUSET, 0, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.lease_turn_age",
                          "Age at which a slot of the lease ring that holds leases is turned away from.", nullptr,
                          &lease_turn_age_s, 300, 1, 24 * 3600, PGC_SUSET, GUC_UNIT_S, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.queue_turn_age",
                          "Age at which a slot of the queue ring that holds jobs is turned away from; 0 = a twelfth of "
                          "awa_ring.history_retention.",
                          nullptr, &queue_turn_age_s, 0, 0, 31 * 24 * 3600, PGC_SUSET, GUC_UNIT_S, nullptr, nullptr,
                          nullptr);
  DefineCustomIntVariable("awa_ring.queue_turn_size",
                          "Size at which a slot of the queue ring is turned away from; 0 = any.",
                          "With indexes and values that are stored out of line.", &queue_turn_kb, 0, 0, INT_MAX,
                          PGC_SUSET, GUC_UNIT_KB, nullptr, nullptr, nullptr);
}

}  // namespace

void define_settings() {
  DefineCustomIntVariable("awa_ring.claim_wait", "Longest time a claim waits while other claims hold every lane.",
                          "A claim that got nothing in that time returns no row.", &claim_wait_ms, 1000, 0, 60 * 1000,
                          PGC_USERSET, GUC_UNIT_MS, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.key_wait",
                          "Longest time a call waits for attempts that other transactions work on.",
                          "A call that did not get them in that time fails with SQLSTATE 55P03.", &key_wait_ms, 5000, 0,
                          600 * 1000, PGC_USERSET, GUC_UNIT_MS, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.gate_wait",
                          "Longest time a call of the ledger waits for an account that other transactions work on.",
                          "A call that did not get it in that time fails with SQLSTATE AW102.", &gate_wait_ms, 2000, 1,
                          600 * 1000, PGC_USERSET, GUC_UNIT_MS, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.history_retention", "Least time for which ended jobs stay readable.",
                          "A slot of the queue ring is emptied when its newest ended job is older than that.",
                          &history_retention_s, 3600, 0, 366 * 24 * 3600, PGC_SUSET, GUC_UNIT_S, nullptr, nullptr,
                          nullptr);
  DefineCustomIntVariable("awa_ring.max_payload_bytes", "Greatest size of a job's args, metadata or result.",
                          "Sizes are those of the jsonb value.", &max_payload, 1024 * 1024, 1024, 256 * 1024 * 1024,
                          PGC_SUSET, GUC_UNIT_BYTE, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.rescue_limit", "How many attempts a rescue duty ends at most in one transaction.",
                          "The rest is left for its next run.", &most_rescued, 500, 1, 10'000, PGC_SUSET, 0, nullptr,
                          nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.rescue_scan_limit",
                          "How many claimed attempts a rescue sweep visits at most in a slot of the claim ring.",
                          "The next sweep goes on from there.", &most_swept, 10'000, 1, 10'000'000, PGC_SUSET, 0,
                          nullptr, nullptr, nullptr);
  define_maintenance_settings();
#ifdef AWA_PAUSE_POINTS
  define_pause_setting();
  define_planted_fault_setting();
#endif
  MarkGUCPrefixReserved("awa_ring");
}

core::Micros claim_wait() noexcept { return core::Micros{claim_wait_ms} * 1000; }
core::Micros key_wait() noexcept { return core::Micros{key_wait_ms} * 1000; }
core::Micros gate_wait() noexcept { return core::Micros{gate_wait_ms} * 1000; }
core::Micros history_retention() noexcept { return core::Micros{history_retention_s} * 1'000'000; }
int max_payload_bytes() noexcept { return max_payload; }
int rescue_limit() noexcept { return most_rescued; }
int rescue_scan_limit() noexcept { return most_swept; }
bool autostart() noexcept { return autostart_on; }
core::Micros duty_interval() noexcept { return core::Micros{duty_interval_ms} * 1000; }
core::Micros retention_interval() noexcept { return core::Micros{retention_interval_s} * 1'000'000; }
int empty_slots() noexcept { return least_empty_slots; }
core::TurnLimits claim_turn() noexcept { return {core::Micros{claim_turn_age_s} * 1'000'000, claim_turn_claims, 0}; }
core::TurnLimits lease_turn() noexcept { return {core::Micros{lease_turn_age_s} * 1'000'000, 0, 0}; }
core::TurnLimits queue_turn() noexcept {
  const core::Micros age = core::Micros{queue_turn_age_s} * 1'000'000;
  return {age != 0 ? age : core::turn_age_for(history_retention()), 0, std::int64_t{queue_turn_kb} * 1024};
}

}  // namespace awa::pg
