#include <cstdio>
#include <cstdlib>
#include <memory_resource>

#include <gtest/gtest.h>

#include "support.hpp"

namespace awa::core {

std::uint64_t seed() {
  const char *const text = std::getenv("AWA_SEED");
  return text == nullptr ? 20240229 : std::strtoull(text, nullptr, 10);
}

}  // namespace awa::core

int main(int argc, char **argv) {
  ::testing::InitGoogleTest(&argc, argv);
  std::pmr::set_default_resource(std::pmr::null_memory_resource());
  std::printf("AWA_SEED=%llu\n", static_cast<unsigned long long>(awa::core::seed()));
  return RUN_ALL_TESTS();
}
