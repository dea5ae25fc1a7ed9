// A line of CONTEXT for the errors of a scope: "element 777 of jobs".
#pragma once

#include "pg/guard.hpp"

namespace awa::pg {

// Which element of an array argument is at work. Both are shown with every error raised while the object lives.
class ElementContext {
 public:
  explicit ElementContext(const char *array) noexcept : array_(array) {
    callback_.previous = error_context_stack;
    callback_.callback = [](void *self) { static_cast<const ElementContext *>(self)->show(); };
    callback_.arg = this;
    error_context_stack = &callback_;
  }
  ~ElementContext() { error_context_stack = callback_.previous; }
  ElementContext(const ElementContext &) = delete;
  ElementContext &operator=(const ElementContext &) = delete;

  // Elements count from 1.
  void at(std::size_t element) noexcept { element_ = element; }

 private:
  void show() const { errcontext("element %zu of %s", element_, array_); }

  ErrorContextCallback callback_;
  const char *array_;
  std::size_t element_ = 0;
};

}  // namespace awa::pg
