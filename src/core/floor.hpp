// What a floor asks of an account's postings.
//
// A floor below 0 is a pair: -F, which cannot be spent, and F, which can. Moving the floor adds to the pair, or takes from
// it, which wants something to be there that can be spent. A floor above 0 wants that much kept back.
#pragma once

#include <cstdint>

#include "core/wide.hpp"

namespace awa::core {

struct FloorPlan {
  Wide add = 0;            // a pair to create: this much, and this much below 0
  bool renew = false;      // instead: spend all postings below 0,
  std::int64_t below = 0;  //   create one of this much below 0, unless 0,
  Wide pay = 0;            //   and spend this much of what can be spent
  std::int64_t keep = 0;   // to be kept back
  Wide needs() const noexcept { return pay + keep; }
};

// `below_zero`: what its postings below 0 come to, as a positive sum.
constexpr FloorPlan plan_floor(Wide below_zero, std::int64_t floor) noexcept {
  FloorPlan plan;
  const std::int64_t wanted = floor < 0 ? -floor : 0;
  if (below_zero < wanted) {
    plan.add = wanted - below_zero;
  } else if (below_zero > wanted) {
    plan.renew = true;
    plan.below = wanted;
    plan.pay = below_zero - wanted;
  }
  plan.keep = floor > 0 ? floor : 0;
  return plan;
}

}  // namespace awa::core
