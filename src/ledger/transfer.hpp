// Transfers: value that moves between accounts, in one call.
//
// A payer's postings are chosen among those that it can spend and taken without waiting (core/selection.hpp). Who cannot get
// enough that way has changed nothing; it goes through the gates of its payers alone then, and what it sees there is
// final. So nobody waits for a posting, and nobody is told that there is not enough while there is.
//
// How far an account can be paid from is a matter of its postings: only positive ones are spent, and no negative one is
// created but for an account without a floor. A floor below 0 is a pair of postings that setting it made. So payers need
// not look at one another.
#pragma once

#include "ledger/booking.hpp"

namespace awa::ledger {

// What is asked for: legs, or postings by their ids and what to create.
struct Order {
  explicit Order(core::Memory &memory) : legs(memory), consumes(memory), creates(memory) {}
  core::Vec<core::Leg> legs;
  core::Vec<core::PostingId> consumes;  // distinct and rising
  core::Vec<Created> creates;           // places distinct
  bool by_ids = false;
  std::optional<core::ReservationId> held_by;  // by ids: the hold that has them reserved
  std::int64_t sets_aside = 0;                 // a posting that the payer makes for itself, at place 0; 0 = none
  About about;
};

// Carries it out under a new id.
// Errors: AW101 not enough, AW102 contended, AW103 frozen, AW104 closed, AW105 beyond a limit; 42704 unknown account, asset or
// posting; 22003 a value out of range; by ids also 55000 a posting that is not active, 23514 it does not balance.
void transfer(const Order &order, core::TransferId id, core::Memory &memory);

}  // namespace awa::ledger
