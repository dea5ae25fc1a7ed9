// Refusals: how our own code raises an error, with SQLSTATE, message, detail and hint.
//
//   pg::raise({.sqlstate = ERRCODE_UNDEFINED_OBJECT,
//              .message = pg::format("queue \"%s\" does not exist", name),
//              .hint = "Create it with awa.create_queue()."});
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

// Messages follow PostgreSQL's style: message lower case without a full stop, detail and hint whole sentences.
struct Refusal {
  int sqlstate;
  const char *message;
  const char *detail = nullptr;
  const char *hint = nullptr;
};

// The place that is shown as the error's LOCATION is the caller's.
[[noreturn, gnu::cold]] void raise(const Refusal &refusal, const char *file = __builtin_FILE(),
                                   int line = __builtin_LINE(), const char *function = __builtin_FUNCTION());

// Says something in the log, and to the client that waits for the call, and goes on.
[[gnu::cold]] void warn(const Refusal &warning, const char *file = __builtin_FILE(), int line = __builtin_LINE(),
                        const char *function = __builtin_FUNCTION());

// How many bytes of a text to show in a message: at most `most`, and no character cut in the middle.
int shown_length(std::string_view value, int most);

// g++ tells the printf of GNU from others, clang does not.
#ifdef __clang__
#define AWA_PRINTF printf
#else
#define AWA_PRINTF gnu_printf
#endif

// printf into memory of the current context.
[[gnu::format(AWA_PRINTF, 1, 2)]] const char *format(const char *pattern, ...);

// SQLSTATE AW001: a receipt is stale and the caller asked for strictness.
constexpr int kStaleReceipt = MAKE_SQLSTATE('A', 'W', '0', '0', '1');

}  // namespace awa::pg
