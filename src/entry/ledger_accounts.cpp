// freeze_account, unfreeze_account, close_account, set_limits, consolidate, consolidate_crowded.

#include "entry/ledger_arguments.hpp"
#include "ledger/account_states.hpp"
#include "ledger/consolidate.hpp"
#include "ledger/crowded.hpp"
#include "ledger/limits.hpp"
#include "pg/boundary.hpp"
#include "pg/memory.hpp"
#include "pg/transaction.hpp"

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace ledger = awa::ledger;
namespace pg = awa::pg;

core::Owner owner_of(const entry::Arguments &arguments) {
  return {entry::required_int8(arguments, 0, "account"), entry::required_int8(arguments, 1, "subaccount")};
}

std::optional<std::int64_t> limit_of(const entry::Arguments &arguments, int position, const char *name) {
  if (arguments.is_null(position)) return std::nullopt;
  const std::int64_t limit = DatumGetInt64(arguments.datum(position));
  if (!core::is_value(limit)) {
    entry::refuse_value(name, "-9223372036854775808", "from -9223372036854775807 to 9223372036854775807");
  }
  return limit;
}

}  // namespace

AWA_SQL_FUNCTION(awa_ledger_freeze_account) {
  pg::ScratchContext scratch;
  const core::Owner owner = owner_of(entry::LedgerArguments(fcinfo));
  pg::require_writable("awa_ledger.freeze_account()");
  return pg::datum(ledger::freeze_account(owner, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_unfreeze_account) {
  pg::ScratchContext scratch;
  const core::Owner owner = owner_of(entry::LedgerArguments(fcinfo));
  pg::require_writable("awa_ledger.unfreeze_account()");
  return pg::datum(ledger::unfreeze_account(owner, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_close_account) {
  pg::ScratchContext scratch;
  const core::Owner owner = owner_of(entry::LedgerArguments(fcinfo));
  pg::require_writable("awa_ledger.close_account()");
  return pg::datum(ledger::close_account(owner, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_set_limits) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const core::Wallet wallet{owner_of(arguments),
                            arguments.int4(2, "asset", 0, std::numeric_limits<std::int32_t>::max())};
  const auto floor = limit_of(arguments, 3, "floor");
  const auto ceiling = limit_of(arguments, 4, "ceiling");
  if (floor && ceiling && *floor > *ceiling) {
    entry::refuse_value("ceiling", pg::format("%lld", static_cast<long long>(*ceiling)), "no less than the floor");
  }
  pg::require_writable("awa_ledger.set_limits()");
  return pg::datum(ledger::set_limits(wallet, floor, ceiling, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_consolidate) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const core::Wallet wallet{owner_of(arguments),
                            arguments.int4(2, "asset", 0, std::numeric_limits<std::int32_t>::max())};
  const std::int32_t max_rows = arguments.int4(3, "max_rows", 2, 10'000);
  pg::require_writable("awa_ledger.consolidate()");
  return pg::datum(ledger::consolidate(wallet, max_rows, ledger::Patience::waits, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_consolidate_crowded) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const std::int32_t max_wallets = arguments.int4(0, "max_accounts", 1, 10'000);
  const std::int32_t max_rows = arguments.int4(1, "max_rows", 2, 10'000);
  pg::require_writable("awa_ledger.consolidate_crowded()");
  return pg::datum(ledger::consolidate_crowded(ledger::kCrowd, max_wallets, max_rows, scratch.memory()));
}
