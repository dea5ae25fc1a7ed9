// What the unit tests share: one seed a run, random numbers drawn from it, and the memory that containers are handed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

#include "core/containers.hpp"

namespace awa::core {

// The seed of this run: AWA_SEED, or a fixed one. Printed when the run starts.
std::uint64_t seed();

// For containers under test. The default resource refuses every allocation, so one that forgets to name its memory
// fails.
inline Memory &memory() { return *std::pmr::new_delete_resource(); }

// Random numbers that depend on the run's seed only, so that a test can be repeated alone.
class Random {
 public:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
  }
  std::size_t below(std::size_t bound) { return std::uniform_int_distribution<std::size_t>(0, bound - 1)(engine_); }
  bool one_in(int n) { return between(1, n) == 1; }
  std::mt19937_64 &engine() { return engine_; }

 private:
  std::mt19937_64 engine_{seed()};
};

}  // namespace awa::core
