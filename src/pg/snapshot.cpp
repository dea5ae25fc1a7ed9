#include "pg/snapshot.hpp"

#include "pg/planted_fault.hpp"

namespace awa::pg {

namespace {

// No xid of a snapshot is beyond the next one to be given out, nor 2^32 before it.
core::Xid widened(TransactionId xid, FullTransactionId next) noexcept {
  const TransactionId distance = XidFromFullTransactionId(next) - xid;
  return {U64FromFullTransactionId(next) - distance};
}

}  // namespace

ActiveSnapshot::ActiveSnapshot() {
  guarded([] { PushActiveSnapshot(GetTransactionSnapshot()); });
}

ActiveSnapshot::~ActiveSnapshot() {
  if (std::uncaught_exceptions() > unwinding_) return;  // the abort pops it
  guarded_in_destructor([] { PopActiveSnapshot(); });
}

FreshSnapshot::FreshSnapshot(Sight sight)
    : snapshot_(guarded([=] {
        CommandCounterIncrement();
        return RegisterSnapshot(sight == Sight::latest ? GetLatestSnapshot() : GetTransactionSnapshot());
      })),
      unwinding_(std::uncaught_exceptions()) {
  if (AWA_PLANTED(freed_snapshot)) guarded([this] { UnregisterSnapshot(snapshot_); });
}

FreshSnapshot::~FreshSnapshot() {
  if (std::uncaught_exceptions() > unwinding_) return;  // the abort releases it
  if (AWA_PLANTED(freed_snapshot)) return;
  guarded_in_destructor([this] { UnregisterSnapshot(snapshot_); });
}

core::XidSnapshot FreshSnapshot::over_xids(core::Memory &memory) const {
  // Read after the snapshot was taken, so no xid of the snapshot is beyond it.
  const FullTransactionId next = guarded([] { return ReadNextFullTransactionId(); });
  const FullTransactionId own = guarded([] { return GetTopFullTransactionIdIfAny(); });
  core::XidSnapshot result;
  result.xmin = widened(snapshot_->xmin, next);
  result.xmax = widened(snapshot_->xmax, next);

  const std::size_t count = snapshot_->xcnt;
  auto *const running = static_cast<core::Xid *>(memory.allocate((count + 1) * sizeof(core::Xid), alignof(core::Xid)));
  std::size_t used = 0;
  for (std::size_t i = 0; i < count; ++i) running[used++] = widened(snapshot_->xip[i], next);
  if (FullTransactionIdIsValid(own)) {
    const core::Xid self{U64FromFullTransactionId(own)};
    if (self < result.xmax) {
      running[used++] = self;
      result.xmin = std::min(result.xmin, self);
    }
  }
  std::sort(running, running + used);
  result.running = {running, static_cast<std::size_t>(std::unique(running, running + used) - running)};
  return result;
}

}  // namespace awa::pg
