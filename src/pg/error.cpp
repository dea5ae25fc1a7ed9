#include "pg/error.hpp"

#include <cstdarg>

namespace awa::pg {

void raise(const Refusal &refusal) {
  guarded([&] {
    ereport(ERROR, (errcode(refusal.sqlstate), errmsg_internal("%s", refusal.message),
                    refusal.detail != nullptr ? errdetail_internal("%s", refusal.detail) : 0,
                    refusal.hint != nullptr ? errhint("%s", refusal.hint) : 0));
  });
  pg_unreachable();
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
    const std::size_t needed = pvsnprintf(result, size, pattern, arguments);
    va_end(arguments);
    if (needed < size) return result;
    size = needed;
  }
}
#pragma GCC diagnostic pop

}  // namespace awa::pg
