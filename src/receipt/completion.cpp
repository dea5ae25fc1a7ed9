#include "receipt/completion.hpp"

#include "pg/error.hpp"
#include "pg/transaction.hpp"
#include "receipt/completion_rows.hpp"
#include "receipt/open_claims.hpp"

namespace awa::receipt {

namespace {

[[noreturn]] void refuse_stale(const core::Receipt &receipt, std::size_t stale) {
  char handle[core::kReceiptTextSize];
  core::format(receipt, handle);
  pg::raise({.sqlstate = pg::kStaleReceipt,
             .message = pg::format("receipt %s is stale", handle),
             .detail = pg::format(
                 "%zu of the receipts are stale: over already, or of nothing known. None was completed.", stale),
             .hint = "See awa.receipt_state(), or call without strict to complete the others."});
}

}  // namespace

void complete(std::span<const core::Receipt> receipts, std::span<const Result> results, Strictness strictness,
              std::span<bool> completed, core::Memory &memory) {
  std::fill(completed.begin(), completed.end(), false);
  if (receipts.empty()) return;
  OpenClaims claims(receipts, memory);
  CompletionRows rows(memory);
  claims.for_each([&](const StoredBatch &claim, std::span<const core::Receipt> members, std::span<const bool> open) {
    const auto first = static_cast<std::size_t>(members.data() - receipts.data());
    std::copy(open.begin(), open.end(), completed.begin() + static_cast<std::ptrdiff_t>(first));
    rows.add(claim, members, open, results.empty() ? results : results.subspan(first, members.size()));
  });

  if (strictness == Strictness::strict) {
    const auto stale = std::find(completed.begin(), completed.end(), false);
    if (stale != completed.end()) {
      refuse_stale(receipts[static_cast<std::size_t>(stale - completed.begin())],
                   static_cast<std::size_t>(std::count(stale, completed.end(), false)));
    }
  }
  rows.write(claims, pg::now());
}

}  // namespace awa::receipt
