// Holds as the tables have them: what is known of one, and the rows of its beginning and its end.
//
// A hold is one posting, made for it and reserved by it. The truth decides whether it is over; open_holds is there so that few
// need to be looked at. Whoever writes an end holds what guards the hold (ledger/hold_keys.hpp), and has looked since.
#pragma once

#include <optional>
#include <string_view>

#include "core/movements.hpp"
#include "core/posting_id.hpp"
#include "core/receipt.hpp"
#include "pg/guard.hpp"

namespace awa::ledger {

// What ends a hold, if nobody does.
enum class Binding : std::uint8_t { none, attempt, job };

struct NewHold {
  core::Wallet wallet;
  std::int64_t amount;
  std::optional<core::Micros> expires_in = std::nullopt;
  std::string_view purpose = {};  // empty: none
  Binding binding = Binding::none;
  core::Receipt receipt = {};  // of a bound one
  bool is_floor = false;
};

struct Hold {
  core::ReservationId reservation;
  core::Wallet wallet;
  std::int64_t amount = 0;
  core::PostingId posting;
  std::optional<core::Micros> expires_at;  // extensions counted
  std::int32_t extensions = 0;
  Binding binding = Binding::none;
  core::Receipt receipt;  // of a bound one
  bool is_floor = false;

  // If it is over.
  std::string_view outcome;
  core::Micros ended_at = 0;
  core::TransferId posted_with;

  bool is_over() const noexcept { return !outcome.empty(); }
  bool is_due(core::Micros now) const noexcept { return expires_at && *expires_at <= now; }
};

// What has been committed of it by now, or done in this transaction. Nothing: there is no such hold.
std::optional<Hold> find_hold(core::ReservationId reservation);

// Reserves the posting, which this transaction has just made, active, for a new hold.
core::ReservationId open_hold(const NewHold &hold, const core::PostingId &posting);

// The hold's posting was spent by the transfer.
void end_as_posted(const Hold &hold, core::TransferId transfer);

// Ends holds whose time has passed as expired, others as voided: their postings are active again. Those that are over by the
// truth are passed by.
enum class EndedBy : bool { itself, its_job };
void free_holds(std::span<const std::int64_t> reservations, EndedBy ended_by, core::Micros now);

void write_extension(const Hold &hold, core::Micros expires_at);

}  // namespace awa::ledger
