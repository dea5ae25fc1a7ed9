#include "pg/settings.hpp"

#include "pg/pause_point.hpp"
#include "pg/planted_fault.hpp"
#include "pg/postgres.hpp"

namespace awa::pg {

namespace {

constinit int claim_wait_ms = 1000;
constinit int key_wait_ms = 5000;
constinit int history_retention_s = 3600;
constinit int max_payload = 1024 * 1024;
constinit int most_rescued = 500;
constinit int most_swept = 10'000;

}  // namespace

void define_settings() {
  DefineCustomIntVariable("awa_ring.claim_wait", "Longest time a claim waits while other claims hold every lane.",
                          "A claim that got nothing in that time returns no row.", &claim_wait_ms, 1000, 0, 60 * 1000,
                          PGC_USERSET, GUC_UNIT_MS, nullptr, nullptr, nullptr);
  DefineCustomIntVariable("awa_ring.key_wait",
                          "Longest time a call waits for attempts that other transactions work on.",
                          "A call that did not get them in that time fails with SQLSTATE 55P03.", &key_wait_ms, 5000, 0,
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
#ifdef AWA_PAUSE_POINTS
  define_pause_setting();
  define_planted_fault_setting();
#endif
  MarkGUCPrefixReserved("awa_ring");
}

core::Micros claim_wait() noexcept { return core::Micros{claim_wait_ms} * 1000; }
core::Micros key_wait() noexcept { return core::Micros{key_wait_ms} * 1000; }
core::Micros history_retention() noexcept { return core::Micros{history_retention_s} * 1'000'000; }
int max_payload_bytes() noexcept { return max_payload; }
int rescue_limit() noexcept { return most_rescued; }
int rescue_scan_limit() noexcept { return most_swept; }

}  // namespace awa::pg
