// A memory of fixed size for what was seen of many things: each has one place, which it shares with others.
//
// An entry tells itself what it is about; whoever finds another there has been pushed out, and knows nothing. So what is
// remembered is a hint. Source of the hash: Fibonacci hashing, Knuth, The Art of Computer Programming, volume 3, 6.4.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace awa::core {

// Parts of a key in one number.
template <typename... Parts>
constexpr std::uint64_t mixed(Parts... parts) noexcept {
  std::uint64_t number = 0;
  ((number = number * 31 + static_cast<std::uint64_t>(parts)), ...);
  return number;
}

// 2^bits places. Constant-initialised, where the entries are.
template <typename Entry, int bits>
class Places {
 public:
  Entry &of(std::uint64_t key) noexcept { return entries_[key * 0x9e37'79b9'7f4a'7c15U >> (64 - bits)]; }

 private:
  std::array<Entry, std::size_t{1} << bits> entries_{};
};

}  // namespace awa::core
