// The five primitives: each acts on a set of postings under a guard, passes by what fails it, and returns how many it
// changed.
//
// Nothing is created for a frozen or closed account, reserved or spent of one (AW103, AW104); releasing moves nothing, so it is
// allowed. What changes nothing is no error there either.
//
// Postings are locked in the order of their ids, whatever the plan, so that calls do not deadlock with one another. What they
// see is what the isolation level has: under READ COMMITTED a call that waited looks again, under REPEATABLE READ it fails
// (40001).
#pragma once

#include "core/ids.hpp"
#include "core/posting_id.hpp"
#include "pg/guard.hpp"

namespace awa::ledger {

struct Posting {
  core::PostingId id;
  std::int32_t asset;
  std::int64_t account;
  std::int64_t subaccount;
  std::int64_t value;
  friend constexpr bool operator==(const Posting &, const Posting &) = default;
};

// Creates postings, active. Those that are there with the same content are passed by. Sorts `postings`.
// Errors: 22023, 42704, 23505, 55000.
std::int32_t insert_postings(core::Vec<Posting> &postings, core::Memory &memory);

// `ids` are distinct and rise. Errors: 22023 and 55000 for the reservation.
std::int32_t reserve(std::span<const core::PostingId> ids, core::ReservationId reservation, core::Memory &memory);
std::int32_t release(std::span<const core::PostingId> ids, core::ReservationId reservation, core::Memory &memory);
std::int32_t consume(std::span<const core::PostingId> ids, core::ReservationId reservation, core::TransferId spent_by,
                     core::Memory &memory);
std::int32_t deactivate(std::span<const core::PostingId> ids, core::TransferId spent_by, core::Memory &memory);

}  // namespace awa::ledger
