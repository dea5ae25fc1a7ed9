#include "receipt/attempt_end.hpp"

namespace awa::receipt {

namespace {
constinit EndListener installed = nullptr;
}

void install_end_listener(EndListener listener) noexcept { installed = listener; }

bool has_end_listener() noexcept { return installed != nullptr; }

void tell_ended(std::span<const Ended> ended, core::Memory &memory, EndPatience patience) {
  if (installed != nullptr && !ended.empty()) installed(ended, patience, memory);
}

}  // namespace awa::receipt
