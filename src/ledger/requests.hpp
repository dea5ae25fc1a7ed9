// Idempotency keys: what was asked for under a key, and what came of it.
//
// Who works on a key has its lock until the transaction ends; others with the same key wait, and find what it did, or
// nothing, when it rolled back. Failures are not remembered. The key's lock comes before gates and postings.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "pg/guard.hpp"

namespace awa::ledger {

struct Request {
  std::string_view key;
  const char *verb;
  Datum hash;  // bytea: of all that was asked for
};

// The fingerprint of arguments as they were given; null ones count.
struct Part {
  Datum value;  // a varlena
  bool given;
};
Datum fingerprint(std::span<const Part> parts);

// Takes the key's lock. Returns what the first call answered, if there was one; in memory of the current context.
// Errors: 23505 when it asked for something else; AW102 when it goes on for longer than awa_ring.key_wait; 40P01.
std::optional<Datum> answered(const Request &request);

// Remembers an answer, a jsonb.
void remember(const Request &request, Datum answer);

// The lock alone, for calls with several keys: in the order of their ids, before any is asked for.
std::int64_t request_id(std::string_view key) noexcept;
void lock_request(std::string_view key);

}  // namespace awa::ledger
