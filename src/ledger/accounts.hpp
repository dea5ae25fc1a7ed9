// Creating assets and accounts.
#pragma once

#include "core/ids.hpp"
#include "pg/guard.hpp"

namespace awa::ledger {

// False when there is just this one already. Errors: 23505 another one has the number or the code.
bool create_asset(std::int32_t asset, std::string_view code, std::int32_t scale);

// Values are Datums of the columns' types.
struct NewAccount {
  std::int64_t account;
  std::int64_t subaccount;
  Datum code;
  bool has_code;
  Datum flags;
  Datum metadata;
};

// False when it was created already, in the same way. Errors: 23505 it was created otherwise, or the code is another's.
bool create_account(const NewAccount &account);

}  // namespace awa::ledger
