#include "pg/planted_fault.hpp"

#include "pg/postgres.hpp"

namespace awa::pg {

namespace {

constinit int planted = static_cast<int>(PlantedFault::none);

constexpr config_enum_entry kFaults[] = {
    {"none", static_cast<int>(PlantedFault::none), false},
    {"stale_seal", static_cast<int>(PlantedFault::stale_seal), false},
    {"heap_overflow", static_cast<int>(PlantedFault::heap_overflow), false},
    {"stack_overrun", static_cast<int>(PlantedFault::stack_overrun), false},
    {"wild_shift", static_cast<int>(PlantedFault::wild_shift), false},
    {"leaked_relation", static_cast<int>(PlantedFault::leaked_relation), false},
    {"freed_snapshot", static_cast<int>(PlantedFault::freed_snapshot), false},
    {"unchecked_balance", static_cast<int>(PlantedFault::unchecked_balance), false},
    {"unguarded_consume", static_cast<int>(PlantedFault::unguarded_consume), false},
    {"lost_release", static_cast<int>(PlantedFault::lost_release), false},
    {"forgotten_request", static_cast<int>(PlantedFault::forgotten_request), false},
    {"shared_gate", static_cast<int>(PlantedFault::shared_gate), false},
    {"request_by_content", static_cast<int>(PlantedFault::request_by_content), false},
    {"one_posting", static_cast<int>(PlantedFault::one_posting), false},
    {"unwritten_version", static_cast<int>(PlantedFault::unwritten_version), false},
    {"empty_hold", static_cast<int>(PlantedFault::empty_hold), false},
    {"timeless_hold", static_cast<int>(PlantedFault::timeless_hold), false},
    {"deaf_ledger", static_cast<int>(PlantedFault::deaf_ledger), false},
    {nullptr, 0, false},
};

}  // namespace

void define_planted_fault_setting() {
  DefineCustomEnumVariable("awa_ring.planted_fault", "A bug to commit, so that a test can see that it is noticed.",
                           nullptr, &planted, static_cast<int>(PlantedFault::none), kFaults, PGC_USERSET, 0, nullptr,
                           nullptr, nullptr);
}

bool is_planted(PlantedFault fault) noexcept { return planted == static_cast<int>(fault); }

void commit_planted_fault() noexcept {
  // Volatile, so that the compiler neither sees through it nor leaves it out.
  volatile int number = 1;
  if (is_planted(PlantedFault::stack_overrun)) {
    volatile char text[8] = {};
    volatile std::size_t behind = sizeof text;
    text[behind] = 1;
    number = static_cast<unsigned char>(text[0]);
  }
  if (is_planted(PlantedFault::wild_shift)) {
    volatile int shift = 40;
    number = number << shift;
  }
}

}  // namespace awa::pg
