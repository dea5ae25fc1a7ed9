// SPI for the cold path: readable SQL with saved plans.
//
// A Statement is static; it is planned at its first use, and PostgreSQL plans it again by itself when a table changes.
// Sql is a connection for a scope. Whatever the search path is, names in statements are looked up in pg_catalog first, then among
// temporary objects, and nowhere else. Statements see what was committed before they began, in every isolation level; unless
// they are to see what any statement of the transaction would.
#pragma once

#include "pg/snapshot.hpp"

namespace awa::pg {

enum class Planning : std::uint8_t {
  as_usual,
  // Planned once for any parameters, each table read by an index, row after row. For statements about a few rows, which
  // would be planned for longer than they run; and whose plan is not to be chosen while their tables are still empty.
  once_by_index
};

class Statement {
 public:
  static constexpr std::size_t kMostParameters = 16;

  // Constant initialisation refuses more parameters than there is room for.
  constexpr Statement(const char *sql, std::span<const Oid> parameters, Planning planning = Planning::as_usual)
      : sql_(parameters.size() <= kMostParameters ? sql : throw "too many parameters"),
        parameters_(parameters),
        planning_(planning) {}
  Statement(const Statement &) = delete;
  Statement &operator=(const Statement &) = delete;

 private:
  friend class Sql;
  const char *sql_;
  std::span<const Oid> parameters_;
  Planning planning_;
  SPIPlanPtr plan_ = nullptr;
};

class Sql {
 public:
  Sql();
  ~Sql();
  Sql(const Sql &) = delete;
  Sql &operator=(const Sql &) = delete;

  // Runs a statement under a snapshot of its own and returns the number of rows it returned or changed. `nulls` may be
  // empty: no parameter is null.
  std::uint64_t run(Statement &statement, std::span<const Datum> values, std::span<const bool> nulls = {},
                    Sight sight = Sight::latest);

  // Runs a command that is made for the occasion.
  void execute(const char *command);

  // A value of the last result; row from 0, column from 1. Valid until the next run.
  Datum value(std::uint64_t row, int column, bool &is_null) const;

 private:
  int guc_level_ = 0;  // of the search path, if it had to be set
  int const unwinding_ = std::uncaught_exceptions();
};

}  // namespace awa::pg
