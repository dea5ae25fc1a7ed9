#include "rescue/receipt_rows.hpp"

namespace awa::rescue {

core::Receipt receipt_of(const pg::Sql &sql, std::uint64_t row) {
  bool is_null = false;
  const auto number = [&](int column) { return DatumGetInt64(sql.value(row, column, is_null)); };
  core::Receipt receipt;
  receipt.claim_slot = static_cast<std::int16_t>(DatumGetInt32(sql.value(row, 1, is_null)));
  receipt.batch = {number(2)};
  receipt.receipt = {number(3)};
  receipt.job = {number(4)};
  receipt.lease = {number(5)};
  receipt.fence = number(6);
  return receipt;
}

}  // namespace awa::rescue
