// Claimed jobs as rows: of claim and complete_and_claim, and of claim_ready_runtime.
#pragma once

#include <span>
#include <string_view>

#include "pg/result_set.hpp"
#include "queue/lane_claim.hpp"

namespace awa::entry {

// Before anything is claimed: whether the rows can be returned. Errors: 55000.
void require_claimed_job(const pg::ResultSet &result);

void add_claimed(std::span<const queue::Claimed> claimed, pg::ResultSet &result);
void add_claimed_runtime(std::span<const queue::Claimed> claimed, std::string_view queue, pg::ResultSet &result);

}  // namespace awa::entry
