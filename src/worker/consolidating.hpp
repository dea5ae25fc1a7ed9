// The duty that keeps accounts of the ledger small: it finds wallets with many live postings and makes one posting of each's
// oldest, some at a time.
//
// Who is paid to much is looked after many times a second, as long as that goes on; all wallets are gone round now and then, and
// not at all while nobody makes postings. What it remembers lives as long as the session.
#pragma once

#include "core/containers.hpp"
#include "rescue/steps.hpp"

namespace awa::worker {

struct Consolidated {
  bool looked = false;        // there was reason to
  std::int64_t postings = 0;  // that were spent
  core::Micros wake_at = 0;   // when to look again; 0 = as usual
};

Consolidated consolidate(rescue::Steps &steps, core::Memory &memory);

}  // namespace awa::worker
