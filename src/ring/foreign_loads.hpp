// Marks of rows that came into the rings past the verbs.
#pragma once

#include "pg/snapshot.hpp"

namespace awa::ring {

// Whether there is a mark: then claims and maintenance stand still until awa.after_restore().
bool foreign_load_marked(const pg::FreshSnapshot &snapshot);

// The same, or the triggers that would set one are off on some leaf. For maintenance: it opens every leaf of the entries.
bool restore_under_way(const pg::FreshSnapshot &snapshot);

// Raises 55000 with the way out.
[[noreturn]] void refuse_foreign_load();

}  // namespace awa::ring
