// Handles of receipts as rows of a statement: claim_slot, batch_id, receipt_id, job_id, run_lease, fence.
#pragma once

#include "core/receipt.hpp"
#include "pg/spi.hpp"

namespace awa::rescue {

core::Receipt receipt_of(const pg::Sql &sql, std::uint64_t row);

}  // namespace awa::rescue
