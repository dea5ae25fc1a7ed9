#include "entry/movements.hpp"

#include <charconv>

#include "entry/json.hpp"
#include "entry/ledger_arguments.hpp"
#include "pg/error_context.hpp"

namespace awa::entry {

namespace {

[[noreturn]] void refuse_shape(const char *what) {
  pg::raise({.sqlstate = ERRCODE_INVALID_PARAMETER_VALUE,
             .message = what,
             .hint = "movements is an array of legs {from, to, asset, amount}, or an object {consumes, creates}."});
}

[[noreturn]] void refuse_key(std::string_view key, const char *where) {
  refuse_shape(pg::format("unknown key \"%.*s\" in %s", pg::shown_length(key, 64), key.data(), where));
}

// A number that may come as a string, as drivers without 64-bit numbers send it. No fractions, no exponents.
std::int64_t number_of(const Field &field) {
  if (field.value.type != jbvString) return integer_of(field);
  const std::string_view digits = string_of(field.value);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc{} || end != digits.data() + digits.size()) refuse_type(field, "an integer");
  return value;
}

std::int32_t asset_of(const Field &field) {
  return checked_int4("asset", number_of(field), 0, std::numeric_limits<std::int32_t>::max());
}

// An account: a number, or [account, subaccount].
core::Owner owner_of(const Field &field, core::Memory &memory) {
  if (!is_array(field.value)) return {number_of(field), 0};
  const core::Vec<JsonbValue> parts = elements_of(field.value.val.binary.data, memory);
  if (parts.size() != 2) refuse_type(field, "an account, or [account, subaccount]");
  return {number_of({field.key, parts[0]}), number_of({field.key, parts[1]})};
}

void require_given(bool given, const char *name) {
  if (!given) refuse_ledger_null(name);
}

core::Leg leg_of(JsonbContainer *object, core::Memory &memory) {
  core::Leg leg{};
  bool from = false;
  bool to = false;
  bool asset = false;
  bool amount = false;
  for (const Field &field : fields_of(object, memory)) {
    if (field.key == "from") {
      leg.from = owner_of(field, memory);
      from = true;
    } else if (field.key == "to") {
      leg.to = owner_of(field, memory);
      to = true;
    } else if (field.key == "asset") {
      leg.asset = asset_of(field);
      asset = true;
    } else if (field.key == "amount") {
      leg.amount = number_of(field);
      if (leg.amount <= 0) {
        refuse_value("amount", pg::format("%lld", static_cast<long long>(leg.amount)), "1 or more");
      }
      amount = true;
    } else {
      refuse_key(field.key, "a leg");
    }
  }
  require_given(from, "from");
  require_given(to, "to");
  require_given(asset, "asset");
  require_given(amount, "amount");
  if (leg.from == leg.to) {
    refuse_value(
        "to",
        pg::format("%lld:%lld", static_cast<long long>(leg.to.account), static_cast<long long>(leg.to.subaccount)),
        "another account than from");
  }
  return leg;
}

ledger::Created created_of(JsonbContainer *object, std::size_t place, core::Memory &memory) {
  ledger::Created posting{static_cast<std::int32_t>(place), {}, 0};
  bool account = false;
  bool asset = false;
  bool value = false;
  for (const Field &field : fields_of(object, memory)) {
    if (field.key == "account") {
      posting.wallet.owner = owner_of(field, memory);
      account = true;
    } else if (field.key == "asset") {
      posting.wallet.asset = asset_of(field);
      asset = true;
    } else if (field.key == "value") {
      posting.value = number_of(field);
      if (!core::is_value(posting.value)) {
        refuse_value("value", "-9223372036854775808", "from -9223372036854775807 to 9223372036854775807");
      }
      value = true;
    } else if (field.key == "idx") {
      posting.idx = checked_int4("idx", number_of(field), 0, std::numeric_limits<std::int32_t>::max());
    } else {
      refuse_key(field.key, "a posting to create");
    }
  }
  require_given(account, "account");
  require_given(asset, "asset");
  require_given(value, "value");
  return posting;
}

void read_consumes(const Field &field, ledger::Order &order, core::Memory &memory) {
  for (const JsonbValue &element : strings_of(field, memory)) {
    core::PostingId id;
    const std::string_view text = string_of(element);
    if (!core::parse(text, id)) refuse_type({"consumes", element}, "posting ids, as 17:0");
    order.consumes.push_back(id);
  }
  const std::size_t given = order.consumes.size();
  core::sort_unique(order.consumes);
  if (order.consumes.size() < given) refuse_shape("consumes must not name a posting twice");
}

void read_creates(const Field &field, ledger::Order &order, core::Memory &memory) {
  if (!is_array(field.value)) refuse_type(field, "an array of objects");
  pg::ElementContext context("creates");
  for (const JsonbValue &element : elements_of(field.value.val.binary.data, memory)) {
    context.at(order.creates.size() + 1);
    if (!is_object(element)) refuse_shape("a posting to create must be an object");
    order.creates.push_back(created_of(element.val.binary.data, order.creates.size(), memory));
  }
  core::Vec<std::int32_t> places(memory);
  for (const ledger::Created &posting : order.creates) places.push_back(posting.idx);
  std::sort(places.begin(), places.end());
  if (std::adjacent_find(places.begin(), places.end()) != places.end()) {
    refuse_shape("creates must not name an idx twice");
  }
}

}  // namespace

void read_movements(Datum movements, ledger::Order &order, core::Memory &memory) {
  Jsonb *const json = pg::guarded([=] { return DatumGetJsonbP(movements); });
  if (JB_ROOT_IS_ARRAY(json) && !JB_ROOT_IS_SCALAR(json)) {
    pg::ElementContext context("movements");
    for (const JsonbValue &element : elements_of(&json->root, memory)) {
      context.at(order.legs.size() + 1);
      if (!is_object(element)) refuse_shape("a leg must be an object");
      order.legs.push_back(leg_of(element.val.binary.data, memory));
    }
    if (order.legs.empty()) refuse_shape("movements must not be empty");
    return;
  }
  if (!JB_ROOT_IS_OBJECT(json)) refuse_shape("movements must be an array or an object");
  order.by_ids = true;
  for (const Field &field : fields_of(&json->root, memory)) {
    if (field.key == "consumes") {
      read_consumes(field, order, memory);
    } else if (field.key == "creates") {
      read_creates(field, order, memory);
    } else {
      refuse_key(field.key, "movements");
    }
  }
  if (order.consumes.empty() && order.creates.empty()) refuse_shape("movements must not be empty");
}

}  // namespace awa::entry
