#include "ledger/refusals.hpp"

namespace awa::ledger {

const char *shown(const core::Owner &owner) {
  return pg::format("%lld:%lld", static_cast<long long>(owner.account), static_cast<long long>(owner.subaccount));
}

const char *shown(core::Wide sum) {
  if (core::is_value(sum)) return pg::format("%lld", static_cast<long long>(sum));
  char digits[48];
  char *first = digits + sizeof digits - 1;
  *first = '\0';
  const bool negative = sum < 0;
  for (; sum != 0; sum /= 10) *--first = static_cast<char>('0' + static_cast<int>(negative ? -(sum % 10) : sum % 10));
  if (negative) *--first = '-';
  return pg::format("%s", first);
}

void refuse_insufficient(const core::Wallet &wallet, std::int64_t amount, core::Wide active) {
  pg::raise(
      {.sqlstate = kInsufficient,
       .message = pg::format("account %s has not enough of asset %d", shown(wallet.owner), wallet.asset),
       .detail = pg::format("%lld is to be paid; %s can be spent.", static_cast<long long>(amount), shown(active)),
       .hint = "awa_ledger.postings_of() shows what it has; what is reserved cannot be spent."});
}

void refuse_contended(const char *what) {
  pg::raise({.sqlstate = kContended,
             .message = pg::format("%s is contended", what),
             .detail = "Other transactions were at work on it for longer than awa_ring.gate_wait.",
             .hint = "Try again; end transactions that pay soon after they did."});
}

void refuse_unknown_account(const core::Owner &owner) {
  pg::raise({.sqlstate = ERRCODE_UNDEFINED_OBJECT,
             .message = pg::format("account %s does not exist", shown(owner)),
             .hint = "Create it with awa_ledger.create_account()."});
}

void refuse_unknown_asset(std::int32_t asset) {
  pg::raise({.sqlstate = ERRCODE_UNDEFINED_OBJECT,
             .message = pg::format("asset %d does not exist", asset),
             .hint = "Create it with awa_ledger.create_asset()."});
}

void refuse_no_value(const core::Wallet &wallet, core::Wide sum) {
  pg::raise(
      {.sqlstate = ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE,
       .message = pg::format("what account %s moves of asset %d is out of range", shown(wallet.owner), wallet.asset),
       .detail = pg::format("It comes to %s.", shown(sum)),
       .hint = "A posting is at most 9223372036854775807: make several transfers."});
}

}  // namespace awa::ledger
