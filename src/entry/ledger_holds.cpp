// hold, extend_hold, post, void, expire_due.

#include "entry/ledger_arguments.hpp"
#include "entry/movements.hpp"
#include "entry/transfer_terms.hpp"
#include "ledger/expiry.hpp"
#include "ledger/fence.hpp"
#include "ledger/holds.hpp"
#include "ledger/requests.hpp"
#include "pg/boundary.hpp"
#include "pg/memory.hpp"
#include "pg/planted_fault.hpp"
#include "pg/transaction.hpp"

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace ledger = awa::ledger;
namespace pg = awa::pg;
using entry::Arguments;

constexpr std::size_t kLongestPurpose = 200;
constexpr std::int32_t kMostAtOnce = 1'000;

std::int64_t amount_of(const Arguments &arguments, int position) {
  const std::int64_t amount = entry::required_int8(arguments, position, "amount");
  if (amount <= 0) entry::refuse_value("amount", pg::format("%lld", static_cast<long long>(amount)), "1 or more");
  return amount;
}

ledger::Binding binding_of(const Arguments &arguments, int position) {
  const std::string_view word = arguments.text(position, "bind", 20);
  if (word == "attempt") return ledger::Binding::attempt;
  if (word == "job") return ledger::Binding::job;
  entry::refuse_value("bind", pg::format("\"%.*s\"", static_cast<int>(word.size()), word.data()), "attempt or job");
}

core::ReservationId reservation_of(const Arguments &arguments) {
  return {entry::required_int8(arguments, 0, "reservation")};
}

// Not the attempt, but its job: who tries again may do so in the next attempt.
Datum hash_of(const ledger::NewHold &hold) {
  const std::int64_t numbers[] = {hold.wallet.owner.account,   hold.wallet.owner.subaccount,
                                  hold.wallet.asset,           hold.amount,
                                  hold.expires_in.value_or(0), static_cast<std::int64_t>(hold.binding),
                                  hold.receipt.job.value};
  const bool has_purpose = !hold.purpose.empty();
  const ledger::Part parts[] = {{pg::int8_array(numbers), true},
                                {has_purpose ? pg::text_datum(hold.purpose) : Datum{0}, has_purpose}};
  return ledger::fingerprint(parts);
}

}  // namespace

AWA_SQL_FUNCTION(awa_ledger_hold) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  ledger::NewHold hold{};
  hold.wallet = {{entry::required_int8(arguments, 0, "account"), entry::required_int8(arguments, 1, "subaccount")},
                 arguments.int4(2, "asset", 0, std::numeric_limits<std::int32_t>::max())};
  hold.amount = amount_of(arguments, 3);
  hold.expires_in = arguments.optional_interval(4, "expires_in", Arguments::Zero::refused);
  if (!arguments.is_null(5)) hold.purpose = arguments.text(5, "purpose", kLongestPurpose);
  const ledger::Binding binding = binding_of(arguments, 7);
  if (!arguments.is_null(6)) {
    hold.receipt = arguments.receipt(6);
    hold.binding = binding;
  }
  const bool is_keyed = !arguments.is_null(8) || AWA_PLANTED(request_by_content);
  ledger::Request request{"same content", "hold", 0, hold.receipt.job, hold.receipt.lease};
  if (!arguments.is_null(8)) request.key = arguments.text(8, "idempotency_key", entry::kLongestRequestKey);
  pg::require_writable("awa_ledger.hold()");

  if (hold.binding != ledger::Binding::none) ledger::require_attempt(hold.receipt, scratch.memory());
  if (is_keyed) request.hash = hash_of(hold);
  const ledger::Answer answer = is_keyed ? ledger::answered(request) : ledger::Answer{};
  if (answer.given) return pg::datum(*answer.given);
  const core::ReservationId reservation = ledger::hold(hold, scratch.memory());
  if (is_keyed) ledger::remember(request, answer.use, reservation);
  return pg::datum(reservation);
}

AWA_SQL_FUNCTION(awa_ledger_extend_hold) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const core::ReservationId reservation = reservation_of(arguments);
  const core::Micros by = arguments.interval(1, "by", Arguments::Zero::refused);
  pg::require_writable("awa_ledger.extend_hold()");
  return pg::datum(ledger::extend_hold(reservation, by, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_post) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const core::ReservationId reservation = reservation_of(arguments);
  ledger::Order order(scratch.memory());
  arguments.require(1, "movements");
  entry::read_movements(arguments.datum(1), order, scratch.memory());
  entry::read_about(arguments, 2, 3, order.about);
  const bool is_fenced = !arguments.is_null(4);
  const core::Receipt receipt = is_fenced ? arguments.receipt(4) : core::Receipt{};
  pg::require_writable("awa_ledger.post()");
  return pg::datum(ledger::post(reservation, order, is_fenced ? &receipt : nullptr, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_void) {
  pg::ScratchContext scratch;
  const core::ReservationId reservation = reservation_of(entry::LedgerArguments(fcinfo));
  pg::require_writable("awa_ledger.void()");
  return pg::datum(ledger::void_hold(reservation, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_ledger_expire_due) {
  pg::ScratchContext scratch;
  const std::int32_t max_rows = entry::LedgerArguments(fcinfo).int4(0, "max_rows", 1, kMostAtOnce);
  pg::require_writable("awa_ledger.expire_due()");
  return pg::datum(ledger::expire_due(max_rows, scratch.memory()));
}
