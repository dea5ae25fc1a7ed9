// Small things about text.
#pragma once

#include <string_view>

namespace awa::core {

// Without the white space around it.
constexpr std::string_view trimmed(std::string_view text) noexcept {
  constexpr std::string_view kWhiteSpace = " \t\n\v\f\r";
  const std::size_t first = text.find_first_not_of(kWhiteSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kWhiteSpace) - first + 1);
}

}  // namespace awa::core
