#include "pg/planted_fault.hpp"

#include "pg/postgres.hpp"

namespace awa::pg {

namespace {

constinit int planted = static_cast<int>(PlantedFault::none);

constexpr config_enum_entry kFaults[] = {
    {"none", static_cast<int>(PlantedFault::none), false},
    {"stale_seal", static_cast<int>(PlantedFault::stale_seal), false},
    {nullptr, 0, false},
};

}  // namespace

void define_planted_fault_setting() {
  DefineCustomEnumVariable("awa_ring.planted_fault", "A bug to commit, so that a test can see that it is noticed.",
                           nullptr, &planted, static_cast<int>(PlantedFault::none), kFaults, PGC_USERSET, 0, nullptr,
                           nullptr, nullptr);
}

bool is_planted(PlantedFault fault) noexcept { return planted == static_cast<int>(fault); }

}  // namespace awa::pg
