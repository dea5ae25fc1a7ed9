// Ids of transfers and reservations: drawn from one sequence. A number that somebody made up would be drawn one day, for
// something else: the primitives take only numbers that were drawn.
#pragma once

#include "core/ids.hpp"
#include "pg/spi.hpp"

namespace awa::ledger {

// Errors: 22023 when one of the ids from `least` to `greatest` cannot have been drawn. `name` is what the caller calls it.
void refuse_undrawn(pg::Sql &sql, const char *name, std::int64_t least, std::int64_t greatest);
inline void refuse_undrawn(pg::Sql &sql, const char *name, std::int64_t id) { refuse_undrawn(sql, name, id, id); }

// Errors: 22023 as above, 55000 when the reservation belongs to a hold.
void refuse_foreign_reservation(pg::Sql &sql, core::ReservationId reservation);

}  // namespace awa::ledger
