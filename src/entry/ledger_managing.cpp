// create_asset, create_account.

#include "entry/ledger_arguments.hpp"
#include "ledger/accounts.hpp"
#include "pg/boundary.hpp"
#include "pg/error_context.hpp"
#include "pg/memory.hpp"
#include "pg/transaction.hpp"

namespace {

namespace entry = awa::entry;
namespace ledger = awa::ledger;
namespace pg = awa::pg;

constexpr std::size_t kMostText = 200;
constexpr std::size_t kMostFlags = 32;

// Labels of the user's; the ledger's own are set by its verbs.
void check_flags(const entry::Arguments &arguments, int position) {
  arguments.require(position, "flags");
  const auto flags = pg::elements(arguments.datum(position), "flags", pg::NullElements::refused);
  if (flags.count > kMostFlags) {
    entry::refuse_value("flags", pg::format("%zu labels", flags.count), pg::format("at most %zu labels", kMostFlags));
  }
  pg::ElementContext context("flags");
  for (std::size_t i = 0; i < flags.count; ++i) {
    context.at(i + 1);
    const auto flag = entry::checked_text("flag", pg::text_view(flags.values[i]), kMostText);
    if (flag == "frozen" || flag == "closed") {
      entry::refuse_value("flag", pg::format("\"%.*s\"", static_cast<int>(flag.size()), flag.data()),
                          "a label of yours: frozen and closed are the ledger's");
    }
  }
}

}  // namespace

AWA_SQL_FUNCTION(awa_ledger_create_asset) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const auto asset = arguments.int4(0, "asset", 0, std::numeric_limits<std::int32_t>::max());
  const auto code = arguments.text(1, "code", kMostText);
  const auto scale = arguments.int4(2, "scale", 0, 38);
  pg::require_writable("awa_ledger.create_asset()");
  return pg::datum(ledger::create_asset(asset, code, scale));
}

AWA_SQL_FUNCTION(awa_ledger_create_account) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  ledger::NewAccount account{};
  account.account = entry::required_int8(arguments, 0, "account");
  account.subaccount = entry::required_int8(arguments, 1, "subaccount");
  account.has_code = !arguments.is_null(2);
  if (account.has_code) arguments.text(2, "code", kMostText);
  account.code = arguments.datum(2);
  check_flags(arguments, 3);
  account.flags = arguments.datum(3);
  arguments.require(4, "metadata");
  entry::check_size("metadata", arguments.datum(4));
  account.metadata = arguments.datum(4);
  pg::require_writable("awa_ledger.create_account()");
  return pg::datum(ledger::create_account(account));
}
