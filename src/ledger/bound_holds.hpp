// Holds that end with an attempt or a job: the ledger's ear for ends (receipt/attempt_end.hpp).
//
// Where there is no open hold at all, an end costs a look at the size of a table; where there are some, one look at an index, for
// all attempts of a call.
#pragma once

#include "receipt/attempt_end.hpp"

namespace awa::ledger {

// Ends the holds that are bound to what ended; what they held can be spent again when the transaction has committed.
// Errors: AW102, 55P03 and 40P01, when others are at a hold that is bound to a job.
void end_bound_holds(std::span<const receipt::Ended> ended, receipt::EndPatience patience, core::Memory &memory);

}  // namespace awa::ledger
