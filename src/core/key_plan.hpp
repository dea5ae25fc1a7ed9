// The plan of attempt keys: which advisory keys a call takes before it closes, moves or extends attempts.
//
// Three levels: stripe (a run of batches), batch, receipt. Everybody takes the coarser levels in row exclusive mode,
// and what it works on in exclusive mode: up to 16 receipts of a batch by their receipt keys, more by the batch key. A
// call that would need more than 64 keys prefers its stripes in exclusive mode. So two calls for one receipt conflict,
// whichever of these each of them took.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/blocks.hpp"
#include "core/containers.hpp"
#include "core/ids.hpp"
#include "core/receipt.hpp"

namespace awa::core {

constexpr std::size_t kReceiptKeysPerBatch = 16;
constexpr std::size_t kPreferredKeys = 64;  // more: stripes are tried first
constexpr std::size_t kMostFineKeys = 256;  // more: stripes only

enum class KeyLevel : std::uint8_t { stripe, batch, receipt };
enum class KeyMode : std::uint8_t { row_exclusive, exclusive };

struct AttemptKey {
  KeyLevel level;
  KeyMode mode;
  std::int64_t id;
  friend constexpr bool operator==(const AttemptKey &, const AttemptKey &) = default;
};

// The stripe of a batch: the claims of 1024 blocks of receipt_seq.
constexpr std::int64_t stripe_of(BatchId batch) noexcept { return (batch.value / kReceiptBlock) >> 10; }

struct KeyPlan {
  Vec<AttemptKey> coarse;  // the stripes alone, in exclusive mode
  Vec<AttemptKey> fine;    // stripes, then batches, then receipts, each ascending; batches of many exclusive
  Vec<AttemptKey> finest;  // the same with every receipt's own key, for when a batch is not to be had as a whole
  bool prefers_coarse() const noexcept { return fine.size() > kPreferredKeys; }
  bool may_go_fine() const noexcept { return fine.size() <= kMostFineKeys; }
  bool may_go_finest() const noexcept { return finest.size() <= kMostFineKeys; }
};

// `receipts` as sorted_unique returns them. Handles that differ in something else than the receipt share its key.
KeyPlan plan_keys(std::span<const Receipt> receipts, Memory &memory);

}  // namespace awa::core
