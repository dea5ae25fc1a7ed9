// Reservations put on postings and taken off them: changes of live_postings that leave a posting where it is.
//
// Postings are changed in the order of their ids, which locks them: calls do not deadlock with one another. What a call sees
// is what the isolation level has: under READ COMMITTED one that waited looks again, under REPEATABLE READ it fails (40001).
#pragma once

#include "core/movements.hpp"
#include "core/posting_id.hpp"
#include "pg/guard.hpp"

namespace awa::ledger {

// A posting and whose it is.
struct Placed {
  core::PostingId id;
  core::Wallet wallet;
};

// Those of the postings that there are, in the same order.
core::Vec<Placed> placed(std::span<const core::PostingId> ids, core::Memory &memory);

enum class Flip : bool { release, reserve };

// Reserves those that are active, or releases those that the reservation holds, and logs it; returns how many. They rise.
std::int32_t flip(std::span<const Placed> postings, core::ReservationId reservation, Flip flip, core::Memory &memory);

}  // namespace awa::ledger
