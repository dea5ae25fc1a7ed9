// The ledger's tables that are read and written directly, as the code knows them.
#pragma once

#include "pg/cached_table.hpp"

namespace awa::ledger {

// Columns by number, in the order of sql/ledger, and the indexes that the code uses.
namespace transfers {
enum : AttrNumber {
  transfer_id = 1,
  xid,
  committed_at,
  effective_at,
  reverses,
  epoch,
  request_hash,
  request_key,
  metadata
};
enum : int { by_id, by_reversed, by_xid, by_request };  // by_xid: epoch, xid, transfer_id
pg::CachedTable &table() noexcept;
}  // namespace transfers

namespace postings {
enum : AttrNumber { transfer_id = 1, idx, asset, account, subaccount, value };
enum : int { by_id };
pg::CachedTable &table() noexcept;
}  // namespace postings

namespace spends {
enum : AttrNumber { transfer_id = 1, spent_by, idx };
enum : int { by_posting };
pg::CachedTable &table() noexcept;
}  // namespace spends

namespace live_postings {
enum : AttrNumber { transfer_id = 1, idx, asset, account, subaccount, value, reservation };
enum : int { by_owner };  // account, subaccount, asset, transfer_id, idx
pg::CachedTable &table() noexcept;
}  // namespace live_postings

namespace account_heads {
enum : AttrNumber { account = 1, subaccount, version, frozen, closed, limited };
enum : int { by_owner };
pg::CachedTable &table() noexcept;
}  // namespace account_heads

namespace limits {
enum : AttrNumber { account = 1, subaccount, asset, version, floor, ceiling, set_at, xid, epoch, change };
enum : int { by_owner };  // account, subaccount, asset, version
pg::CachedTable &table() noexcept;
}  // namespace limits

namespace assets {
enum : AttrNumber { asset = 1, code, scale, created_at };
enum : int { by_number };
pg::CachedTable &table() noexcept;
}  // namespace assets

namespace hold_requests {
enum : AttrNumber { reservation = 1, created_at, use, request_hash, key };
enum : int { by_key };  // key, use
pg::CachedTable &table() noexcept;
}  // namespace hold_requests

namespace open_holds {
enum : AttrNumber { reservation = 1, expires_at, job_id, run_lease };
enum : int { by_job, by_expiry };  // by_job: job_id, run_lease
pg::CachedTable &table() noexcept;
}  // namespace open_holds

}  // namespace awa::ledger
