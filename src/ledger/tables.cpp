#include "ledger/tables.hpp"

namespace awa::ledger {

namespace {

constexpr const char *kSchema = "awa_ledger";

constexpr pg::Column kTransferColumns[] = {
    {"transfer_id", INT8OID},         {"xid", XID8OID},         {"committed_at", TIMESTAMPTZOID},
    {"effective_at", TIMESTAMPTZOID}, {"reverses", INT8OID},    {"epoch", INT4OID},
    {"request_hash", BYTEAOID},       {"request_key", TEXTOID}, {"metadata", JSONBOID}};
constexpr pg::IndexShape kTransferIndexes[] = {
    pg::unique_btree({transfers::transfer_id}),
    pg::unique_btree({transfers::reverses}, {pg::IndexPredicate::Kind::is_not_null, transfers::reverses}),
    pg::btree({transfers::epoch, transfers::xid, transfers::transfer_id}),
    pg::unique_btree({transfers::request_key}, {pg::IndexPredicate::Kind::is_not_null, transfers::request_key})};

constexpr pg::Column kPostingColumns[] = {{"transfer_id", INT8OID}, {"idx", INT4OID},        {"asset", INT4OID},
                                          {"account", INT8OID},     {"subaccount", INT8OID}, {"value", INT8OID}};
constexpr pg::IndexShape kPostingIndexes[] = {pg::unique_btree({postings::transfer_id, postings::idx})};

constexpr pg::Column kSpendColumns[] = {{"transfer_id", INT8OID}, {"spent_by", INT8OID}, {"idx", INT4OID}};
constexpr pg::IndexShape kSpendIndexes[] = {pg::unique_btree({spends::transfer_id, spends::idx})};

constexpr pg::Column kLiveColumns[] = {{"transfer_id", INT8OID}, {"idx", INT4OID},        {"asset", INT4OID},
                                       {"account", INT8OID},     {"subaccount", INT8OID}, {"value", INT8OID},
                                       {"reservation", INT8OID}};
constexpr pg::IndexShape kLiveIndexes[] = {
    pg::unique_btree({live_postings::account, live_postings::subaccount, live_postings::asset,
                      live_postings::transfer_id, live_postings::idx})};

constexpr pg::Column kHeadColumns[] = {{"account", INT8OID}, {"subaccount", INT8OID}, {"version", INT4OID},
                                       {"frozen", BOOLOID},  {"closed", BOOLOID},     {"limited", BOOLOID}};
constexpr pg::IndexShape kHeadIndexes[] = {pg::unique_btree({account_heads::account, account_heads::subaccount})};

constexpr pg::Column kLimitColumns[] = {
    {"account", INT8OID}, {"subaccount", INT8OID},    {"asset", INT4OID}, {"version", INT4OID}, {"floor", INT8OID},
    {"ceiling", INT8OID}, {"set_at", TIMESTAMPTZOID}, {"xid", XID8OID},   {"epoch", INT4OID},   {"change", INT8OID}};
constexpr pg::IndexShape kLimitIndexes[] = {
    pg::unique_btree({limits::account, limits::subaccount, limits::asset, limits::version})};

constexpr pg::Column kAssetColumns[] = {
    {"asset", INT4OID}, {"code", TEXTOID}, {"scale", INT4OID}, {"created_at", TIMESTAMPTZOID}};
constexpr pg::IndexShape kAssetIndexes[] = {pg::unique_btree({assets::asset})};

constexpr pg::Column kHoldRequestColumns[] = {{"reservation", INT8OID},
                                              {"created_at", TIMESTAMPTZOID},
                                              {"use", INT4OID},
                                              {"request_hash", BYTEAOID},
                                              {"key", TEXTOID}};
constexpr pg::IndexShape kHoldRequestIndexes[] = {pg::unique_btree({hold_requests::key, hold_requests::use})};

constexpr pg::Column kOpenHoldColumns[] = {
    {"reservation", INT8OID}, {"expires_at", TIMESTAMPTZOID}, {"job_id", INT8OID}, {"run_lease", INT8OID}};
constexpr pg::IndexShape kOpenHoldIndexes[] = {
    pg::btree({open_holds::job_id, open_holds::run_lease}, {pg::IndexPredicate::Kind::is_not_null, open_holds::job_id}),
    pg::btree({open_holds::expires_at}, {pg::IndexPredicate::Kind::is_not_null, open_holds::expires_at})};

constexpr pg::TableShape kTransfers{"transfers", kTransferColumns, kTransferIndexes, 3, kSchema};
constexpr pg::TableShape kPostings{"postings", kPostingColumns, kPostingIndexes, 2, kSchema};
constexpr pg::TableShape kSpends{"spends", kSpendColumns, kSpendIndexes, 0, kSchema};
constexpr pg::TableShape kLive{"live_postings", kLiveColumns, kLiveIndexes, 0, kSchema};
constexpr pg::TableShape kHeads{"account_heads", kHeadColumns, kHeadIndexes, 0, kSchema};
constexpr pg::TableShape kLimits{"limits", kLimitColumns, kLimitIndexes, 2, kSchema};
constexpr pg::TableShape kAssets{"assets", kAssetColumns, kAssetIndexes, 3, kSchema};
constexpr pg::TableShape kHoldRequests{"hold_requests", kHoldRequestColumns, kHoldRequestIndexes, 2, kSchema};
constexpr pg::TableShape kOpenHolds{"open_holds", kOpenHoldColumns, kOpenHoldIndexes, 0, kSchema};

constinit pg::CachedTable transfers_table(kTransfers, pg::kNotALeaf);
constinit pg::CachedTable postings_table(kPostings, pg::kNotALeaf);
constinit pg::CachedTable spends_table(kSpends, pg::kNotALeaf);
constinit pg::CachedTable live_table(kLive, pg::kNotALeaf);
constinit pg::CachedTable heads_table(kHeads, pg::kNotALeaf);
constinit pg::CachedTable limits_table(kLimits, pg::kNotALeaf);
constinit pg::CachedTable assets_table(kAssets, pg::kNotALeaf);
constinit pg::CachedTable hold_requests_table(kHoldRequests, pg::kNotALeaf);
constinit pg::CachedTable open_holds_table(kOpenHolds, pg::kNotALeaf);

}  // namespace

pg::CachedTable &transfers::table() noexcept { return transfers_table; }
pg::CachedTable &postings::table() noexcept { return postings_table; }
pg::CachedTable &spends::table() noexcept { return spends_table; }
pg::CachedTable &live_postings::table() noexcept { return live_table; }
pg::CachedTable &account_heads::table() noexcept { return heads_table; }
pg::CachedTable &limits::table() noexcept { return limits_table; }
pg::CachedTable &assets::table() noexcept { return assets_table; }
pg::CachedTable &hold_requests::table() noexcept { return hold_requests_table; }
pg::CachedTable &open_holds::table() noexcept { return open_holds_table; }

}  // namespace awa::ledger
