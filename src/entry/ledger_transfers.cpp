// transfer, transfer_many, reverse.

#include "entry/json.hpp"
#include "entry/ledger_arguments.hpp"
#include "entry/movements.hpp"
#include "entry/transfer_terms.hpp"
#include "ledger/fence.hpp"
#include "ledger/requests.hpp"
#include "ledger/reverse.hpp"
#include "ledger/transfer_many.hpp"
#include "pg/as_owner.hpp"
#include "pg/boundary.hpp"
#include "pg/error_context.hpp"
#include "pg/memory.hpp"
#include "pg/planted_fault.hpp"
#include "pg/result_set.hpp"
#include "pg/transaction.hpp"

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace ledger = awa::ledger;
namespace pg = awa::pg;

Datum hash_of(Datum movements, const ledger::About &about) {
  const auto effective_at = about.effective_at.value_or(0);
  const Datum time = pg::int8_array({&effective_at, 1});
  const ledger::Part parts[] = {{movements, true}, {time, about.effective_at.has_value()}, {about.metadata, true}};
  return ledger::fingerprint(parts);
}

[[noreturn]] void refuse_items(const char *what) {
  pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
             .message = what,
             .hint = "transfers is an array of objects {movements, idempotency_key, effective_at, metadata, group}."});
}

ledger::Item item_of(JsonbContainer *object, core::Memory &memory) {
  ledger::Item item(memory);
  Datum movements = 0;
  std::string_view key;
  item.order.about.metadata = entry::empty_json_object();
  for (const entry::Field &field : entry::fields_of(object, memory)) {
    if (field.is_null()) continue;
    if (field.key == "movements") {
      movements = entry::jsonb_of(field.value);
    } else if (field.key == "idempotency_key") {
      key = entry::checked_text("idempotency_key", entry::text_of(field), entry::kLongestRequestKey);
    } else if (field.key == "effective_at") {
      item.order.about.effective_at = entry::checked_time(entry::timestamp_of(entry::text_of(field)));
    } else if (field.key == "metadata") {
      item.order.about.metadata = entry::jsonb_of(field.value);
      entry::check_size("metadata", item.order.about.metadata);
    } else if (field.key == "group") {
      item.group = entry::checked_text("group", entry::text_of(field), entry::kLongestRequestKey);
    } else {
      refuse_items(pg::format("unknown key \"%.*s\" in a transfer", pg::shown_length(field.key, 64), field.key.data()));
    }
  }
  if (movements == 0) entry::refuse_ledger_null("movements");
  entry::read_movements(movements, item.order, memory);
  if (!key.empty()) item.order.about.request = {key, "transfer", hash_of(movements, item.order.about)};
  return item;
}

core::Vec<ledger::Item> items_of(Datum transfers, core::Memory &memory) {
  Jsonb *const json = pg::guarded([=] { return DatumGetJsonbP(transfers); });
  if (!JB_ROOT_IS_ARRAY(json) || JB_ROOT_IS_SCALAR(json)) refuse_items("transfers must be an array of objects");
  core::Vec<ledger::Item> items(memory);
  pg::ElementContext context("transfers");
  for (const JsonbValue &element : entry::elements_of(&json->root, memory)) {
    context.at(items.size() + 1);
    if (!entry::is_object(element)) refuse_items("a transfer must be an object");
    items.push_back(item_of(element.val.binary.data, memory));
  }
  return items;
}

Datum transferred(FunctionCallInfo fcinfo, const pg::ScratchContext &scratch, core::TransferId id, bool replayed) {
  const pg::InContext caller(scratch.caller());
  const Datum values[] = {pg::datum(id), pg::datum(replayed)};
  const bool nulls[] = {false, false};
  return pg::composite(fcinfo, values, nulls);
}

}  // namespace

AWA_SQL_FUNCTION(awa_ledger_transfer) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  ledger::Order order(scratch.memory());
  arguments.require(0, "movements");
  entry::read_movements(arguments.datum(0), order, scratch.memory());
  const bool is_keyed = !arguments.is_null(1) || AWA_PLANTED(request_by_content);
  std::string_view key = "same content";
  if (!arguments.is_null(1)) key = arguments.text(1, "idempotency_key", entry::kLongestRequestKey);
  entry::read_about(arguments, 2, 3, order.about);
  pg::require_writable("awa_ledger.transfer()");
  const pg::AsOwner owner;

  if (!arguments.is_null(4)) ledger::require_attempt(arguments.receipt(4), scratch.memory());
  // Not the receipt: who tries again may do so in the next attempt.
  if (is_keyed) order.about.request = {key, "transfer", hash_of(arguments.datum(0), order.about)};
  const ledger::Answer answer = is_keyed ? ledger::answered(*order.about.request) : ledger::Answer{};
  if (answer.given) return transferred(fcinfo, scratch, {*answer.given}, true);
  const core::TransferId id = ledger::draw_transfer();
  ledger::transfer(order, id, scratch.memory());
  return transferred(fcinfo, scratch, id, false);
}

AWA_SQL_FUNCTION(awa_ledger_transfer_many) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  arguments.require(0, "transfers");
  const core::Vec<ledger::Item> items = items_of(arguments.datum(0), scratch.memory());
  pg::require_writable("awa_ledger.transfer_many()");
  const pg::AsOwner owner;
  const core::Vec<ledger::ItemOutcome> outcomes = ledger::transfer_many(items, scratch.memory());
  pg::ResultSet result(fcinfo);
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const ledger::ItemOutcome &outcome = outcomes[i];
    const bool is_done = outcome.sqlstate == 0;
    const char *message = outcome.message;
    if (!is_done && outcome.culprit != i)
      message = pg::format("item %zu of its group: %s", outcome.culprit + 1, message);
    const Datum state =
        is_done ? Datum{0} : pg::text_datum(pg::guarded([&] { return unpack_sql_state(outcome.sqlstate); }));
    const Datum values[] = {pg::datum(static_cast<std::int32_t>(i + 1)), pg::datum(outcome.transfer),
                            pg::datum(outcome.replayed), state, is_done ? Datum{0} : pg::text_datum(message)};
    const bool nulls[] = {false, !is_done, false, is_done, is_done};
    pg::guarded([&] { result.add(values, nulls); });
  }
  return Datum{0};
}

AWA_SQL_FUNCTION(awa_ledger_reverse) {
  pg::ScratchContext scratch;
  const entry::LedgerArguments arguments(fcinfo);
  const core::TransferId original{entry::required_int8(arguments, 0, "transfer_id")};
  std::optional<ledger::Request> request;
  if (!arguments.is_null(1)) {
    const ledger::Part parts[] = {{pg::int8_array({&original.value, 1}), true}};
    request = {arguments.text(1, "idempotency_key", entry::kLongestRequestKey), "reverse", ledger::fingerprint(parts)};
  }
  pg::require_writable("awa_ledger.reverse()");
  const ledger::Answer answer = request ? ledger::answered(*request) : ledger::Answer{};
  if (answer.given) return transferred(fcinfo, scratch, {*answer.given}, true);
  const core::TransferId id = ledger::draw_transfer();
  ledger::reverse(original, id, request, scratch.memory());
  return transferred(fcinfo, scratch, id, false);
}
