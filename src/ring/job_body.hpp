// The body of a job: what goes with it from place to place. Entries, deferred jobs, leases and wide terminal rows keep it in
// columns of the same names; BodyColumns says which number each has in a table.
#pragma once

#include "core/ids.hpp"
#include "core/job_state.hpp"
#include "pg/append_writer.hpp"
#include "pg/index_reader.hpp"
#include "pg/spi.hpp"
#include "ring/tables.hpp"

namespace awa::ring {

// Values are in memory of the call.
struct JobBody {
  core::RunLease last_lease{};     // of the last attempt; the next claim uses one more
  std::int16_t attempts_used = 0;  // attempts that count
  std::int16_t max_attempts = 0;
  core::Micros run_at = 0;  // when it is, or became, due
  core::Micros created_at = 0;
  core::StateMask unique_states = 0;  // means something with a unique key only
  Datum kind = 0;                     // text
  Datum args = 0;                     // jsonb
  Datum payload = 0;                  // jsonb; 0 = null
  Datum own_deadline = 0;             // interval; 0 = null: the queue's, an interval of 0 = none
  Datum unique_key = 0;               // text; 0 = null
};

struct BodyColumns {
  AttrNumber run_lease;
  AttrNumber run_at;
  AttrNumber created_at;
  AttrNumber attempt;
  AttrNumber max_attempts;
  AttrNumber unique_states;
  AttrNumber kind;
  AttrNumber args;
  AttrNumber payload;
  AttrNumber own_deadline;
  AttrNumber unique_key;
};

constexpr BodyColumns kEntryBody{ready_entries::run_lease,    ready_entries::run_at,       ready_entries::created_at,
                                 ready_entries::attempt,      ready_entries::max_attempts, ready_entries::unique_states,
                                 ready_entries::kind,         ready_entries::args,         ready_entries::payload,
                                 ready_entries::own_deadline, ready_entries::unique_key};
constexpr BodyColumns kDeferredBody{
    deferred_jobs::run_lease,    deferred_jobs::run_at,        deferred_jobs::created_at, deferred_jobs::attempt,
    deferred_jobs::max_attempts, deferred_jobs::unique_states, deferred_jobs::kind,       deferred_jobs::args,
    deferred_jobs::payload,      deferred_jobs::own_deadline,  deferred_jobs::unique_key};
constexpr BodyColumns kDoneBody{done_entries::run_lease,    done_entries::run_at,       done_entries::created_at,
                                done_entries::attempt,      done_entries::max_attempts, done_entries::unique_states,
                                done_entries::kind,         done_entries::args,         done_entries::payload,
                                done_entries::own_deadline, done_entries::unique_key};

// The body of a row, copied into the current context. Only for rows that have one: no narrow terminal row. C room.
JobBody body_of(const pg::Row &row, const BodyColumns &columns);

// The body of a row of the last result, whose select list has the columns at these places. It is copied into the current
// context.
JobBody body_of(const pg::Sql &sql, std::uint64_t row, const BodyColumns &columns);

// Sets the columns of the body. C room.
void set_body(pg::NewRow row, const BodyColumns &columns, const JobBody &body);

}  // namespace awa::ring
