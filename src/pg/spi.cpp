#include "pg/spi.hpp"

namespace awa::pg {

namespace {

void check(int code, const char *sql) {
  if (code < 0) elog(ERROR, "%s: %s", SPI_result_code_string(code), sql);
}

// The planner's settings for Planning::once_by_index, for a scope. PostgreSQL plans when it likes, also again later.
class PlannedByIndex {
 public:
  explicit PlannedByIndex(Planning planning) noexcept {
    if (planning == Planning::as_usual) return;
    for (std::size_t i = 0; i < kSwitches.size(); ++i) before_[i] = std::exchange(*kSwitches[i], false);
    changed_ = true;
  }
  ~PlannedByIndex() {
    for (std::size_t i = 0; changed_ && i < kSwitches.size(); ++i) *kSwitches[i] = before_[i];
  }
  PlannedByIndex(const PlannedByIndex &) = delete;
  PlannedByIndex &operator=(const PlannedByIndex &) = delete;

 private:
  static constexpr std::array<bool *, 4> kSwitches{&enable_seqscan, &enable_hashjoin, &enable_mergejoin, &jit_enabled};
  std::array<bool, kSwitches.size()> before_{};
  bool changed_ = false;
};

constexpr const char *kSearchPath = "pg_catalog, pg_temp";

// Returns the level to go back from, or 0 if the path is pinned already, by a function's SET or by somebody further out. C room.
int pin_search_path() {
  if (namespace_search_path != nullptr && strcmp(namespace_search_path, kSearchPath) == 0) return 0;
  const int level = NewGUCNestLevel();
  set_config_option("search_path", kSearchPath, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
  return level;
}

}  // namespace

Sql::Sql() {
  guarded([this] {
    guc_level_ = pin_search_path();
    check(SPI_connect(), "connect");
  });
}

Sql::~Sql() {
  if (std::uncaught_exceptions() > unwinding_) return;  // the abort disconnects, and restores the path
  guarded_in_destructor([this] {
    SPI_finish();
    if (guc_level_ != 0) AtEOXact_GUC(true, guc_level_);
  });
}

std::uint64_t Sql::run(Statement &statement, std::span<const Datum> values, std::span<const bool> nulls, Sight sight) {
  const PlannedByIndex settings(statement.planning_);
  return guarded([&] {
    if (statement.plan_ == nullptr) {
      SPIPlanPtr const plan =
          SPI_prepare_cursor(statement.sql_, static_cast<int>(statement.parameters_.size()),
                             const_cast<Oid *>(statement.parameters_.data()),
                             statement.planning_ == Planning::once_by_index ? CURSOR_OPT_GENERIC_PLAN : 0);
      if (plan == nullptr) check(SPI_result, statement.sql_);
      check(SPI_keepplan(plan), statement.sql_);
      statement.plan_ = plan;
    }
    if (values.size() != statement.parameters_.size()) elog(ERROR, "wrong number of values: %s", statement.sql_);
    char null_marks[Statement::kMostParameters];
    for (std::size_t i = 0; i < values.size(); ++i) null_marks[i] = !nulls.empty() && nulls[i] ? 'n' : ' ';
    // An explicit snapshot: the transaction's own may be older than what has been committed by now.
    Snapshot const snapshot = sight == Sight::latest ? GetLatestSnapshot() : GetTransactionSnapshot();
    check(SPI_execute_snapshot(statement.plan_, const_cast<Datum *>(values.data()), null_marks, snapshot,
                               InvalidSnapshot, false, true, 0),
          statement.sql_);
    CommandCounterIncrement();
    return static_cast<std::uint64_t>(SPI_processed);
  });
}

void Sql::execute(const char *command) {
  guarded([=] {
    check(SPI_execute(command, false, 0), command);
    CommandCounterIncrement();
  });
}

Datum Sql::value(std::uint64_t row, int column, bool &is_null) const {
  return guarded([&] {
    if (SPI_tuptable == nullptr || row >= SPI_tuptable->numvals) elog(ERROR, "the statement returned no such row");
    return SPI_getbinval(SPI_tuptable->vals[row], SPI_tuptable->tupdesc, column, &is_null);
  });
}

}  // namespace awa::pg
