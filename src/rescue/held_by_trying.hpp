// Holding attempts the way maintenance does: their keys are tried, once, and nobody is waited for.
#pragma once

#include <span>

#include "core/containers.hpp"
#include "core/receipt.hpp"

namespace awa::rescue {

// What became of an attempt that a duty wanted.
enum class Fate : std::uint8_t {
  left,  // not tried for: the call had enough already
  busy,  // its key is held by others, or it could not be dealt with: another time
  held,  // its key is held now
  over,  // it was looked at under its key: it is dealt with, or there is nothing to do
};

constexpr std::size_t kMostKeysHeld = 256;

// Tries for the keys of `wanted`, which are sorted and distinct, until about kMostKeysHeld are held, and sets fates[i] to
// held, busy or left. What is met held is remembered (busy_attempts.hpp). Returns those that are held, in order.
core::Vec<core::Receipt> try_to_hold(std::span<const core::Receipt> wanted, std::span<Fate> fates,
                                     core::Memory &memory);

// Runs work(some), in which attempts that are held are dealt with, in a subtransaction: for all of them at once, and when
// that fails for each by itself, so that one bad row does not stop the others. Those it fails for are told of in a warning,
// remembered, and their fates set to busy. `fates` run in parallel to `wanted`.
template <typename Work>
void deal_with(std::span<const core::Receipt> held, std::span<const core::Receipt> wanted, std::span<Fate> fates,
               Work &&work);

namespace detail {
void deal_with(std::span<const core::Receipt> held, std::span<const core::Receipt> wanted, std::span<Fate> fates,
               void (*work)(void *, std::span<const core::Receipt>), void *argument);
}

template <typename Work>
void deal_with(std::span<const core::Receipt> held, std::span<const core::Receipt> wanted, std::span<Fate> fates,
               Work &&work) {
  detail::deal_with(
      held, wanted, fates,
      [](void *argument, std::span<const core::Receipt> some) {
        (*static_cast<std::remove_reference_t<Work> *>(argument))(some);
      },
      &work);
}

}  // namespace awa::rescue
