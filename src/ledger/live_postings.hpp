// The hot table.
#pragma once

namespace awa::ledger {

// Keeps rebuild_live() out until the transaction ends, or waits for it. Whoever changes live_postings takes this lock
// before it looks: the rows that it locks afterwards are those that a rebuild leaves.
void lock_live_postings();

}  // namespace awa::ledger
