// balance_at.

#include "entry/ledger_arguments.hpp"
#include "ledger/balance_at.hpp"
#include "pg/boundary.hpp"
#include "pg/memory.hpp"

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace ledger = awa::ledger;
namespace pg = awa::pg;

}  // namespace

AWA_SQL_FUNCTION(awa_ledger_balance_at) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const core::Wallet wallet{
      {entry::required_int8(arguments, 0, "account"), entry::required_int8(arguments, 1, "subaccount")},
      arguments.int4(2, "asset", 0, std::numeric_limits<std::int32_t>::max())};
  arguments.require(3, "at");
  return pg::datum(ledger::balance_at(wallet, DatumGetTimestampTz(arguments.datum(3)), scratch.memory()));
}
