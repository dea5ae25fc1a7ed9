#include "pg/error.hpp"

#include <cstdarg>

namespace awa::pg {

namespace {

void report(int level, const Refusal &refusal, const char *file, int line, const char *function) {
  guarded([&] {
    if (!errstart(level, TEXTDOMAIN)) return;
    errcode(refusal.sqlstate);
    errmsg_internal("%s", refusal.message);
    if (refusal.detail != nullptr) errdetail_internal("%s", refusal.detail);
    if (refusal.hint != nullptr) errhint("%s", refusal.hint);
    errfinish(file, line, function);
  });
}

}  // namespace

void raise(const Refusal &refusal, const char *file, int line, const char *function) {
  report(ERROR, refusal, file, line, function);
  pg_unreachable();
}

void warn(const Refusal &warning, const char *file, int line, const char *function) {
  report(WARNING, warning, file, line, function);
}

int shown_length(std::string_view value, int most) {
  return guarded([=] { return pg_mbcliplen(value.data(), static_cast<int>(value.size()), most); });
}

// g++ 12 overlooks the attribute that the declaration carries.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsuggest-attribute=format"
const char *format(const char *pattern, ...) {
  char *result = nullptr;
  // vsnprintf into a growing buffer, as psprintf does; a va_list may be walked once only, hence the copies.
  std::size_t size = 128;
  for (;;) {
    result = guarded([=] { return static_cast<char *>(palloc(size)); });
    va_list arguments;
    va_start(arguments, pattern);
    const std::size_t needed = guarded([&] { return pvsnprintf(result, size, pattern, arguments); });
    va_end(arguments);
    if (needed < size) return result;
    size = needed;
  }
}
#pragma GCC diagnostic pop

}  // namespace awa::pg
