// Idempotency keys: what was asked for under a key, and what came of it.
//
// Who works on a key has its lock until the transaction ends; others with the same key wait, and find what it did, or
// nothing, when it rolled back. Failures are not remembered. The key's lock comes before gates and postings.
//
// What a transfer was asked for under is written with its row, that of a hold with hold_requests: both are looked at.
//
// A hold that came to nothing because its attempt or its job ended gives its key back: so does one that was voided or has
// expired, for the job's next attempt. What is done under the key then is another use of it.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/ids.hpp"
#include "pg/guard.hpp"

namespace awa::ledger {

struct Request {
  std::string_view key;
  const char *verb;
  Datum hash;         // bytea: of all that was asked for
  core::JobId job{};  // on behalf of whose attempt; zero = none
  core::RunLease lease{};
};

// The fingerprint of arguments as they were given; null ones count.
struct Part {
  Datum value;  // a varlena
  bool given;
};
Datum fingerprint(std::span<const Part> parts);

struct Answer {
  std::optional<std::int64_t> given;  // the id that the first call answered, if there was one
  std::int32_t use = 1;               // if there was none: which use of the key this one is
};

// Takes the key's lock, and looks.
// Errors: 23505 when the first call asked for something else; AW102 when it goes on for longer than awa_ring.key_wait; 40P01.
Answer answered(const Request &request);

// Remembers what a hold was asked for with.
void remember(const Request &request, std::int32_t use, core::ReservationId answer);

// The lock alone, for calls with several keys: in the order of their ids, before any is asked for.
std::int64_t request_id(std::string_view key) noexcept;
void lock_request(std::string_view key);

}  // namespace awa::ledger
