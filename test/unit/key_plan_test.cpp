#include "core/key_plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "support.hpp"

namespace awa::core {

void PrintTo(const AttemptKey &key, std::ostream *out) {
  *out << static_cast<int>(key.level) << (key.mode == KeyMode::exclusive ? 'X' : 'r') << key.id;
}

namespace {

using Keys = std::vector<AttemptKey>;

constexpr std::int64_t kStripeWidth = kReceiptBlock * 1024;

AttemptKey shared(KeyLevel level, std::int64_t id) { return {level, KeyMode::row_exclusive, id}; }
AttemptKey whole(KeyLevel level, std::int64_t id) { return {level, KeyMode::exclusive, id}; }

Receipt handle(std::int64_t batch, std::int64_t offset, std::int64_t fence = 1, std::int16_t slot = 0) {
  Receipt receipt;
  receipt.claim_slot = slot;
  receipt.batch = {batch};
  receipt.receipt = {batch + offset};
  receipt.fence = fence;
  return receipt;
}

KeyPlan plan_of(const std::vector<Receipt> &receipts) { return plan_keys(sorted_unique(receipts, memory()), memory()); }

Keys listed(const Vec<AttemptKey> &keys) { return Keys(keys.begin(), keys.end()); }

// A call on some batches of a few stripes; small calls and large ones, now and then two handles of one receipt.
std::vector<Receipt> random_call(Random &random) {
  std::vector<Receipt> receipts;
  const int density = static_cast<int>(random.between(1, 40));
  const int batches = static_cast<int>(random.between(1, random.one_in(4) ? 120 : 4));
  for (int i = 0; i < batches; ++i) {
    const std::int64_t batch = random.between(0, 2) * kStripeWidth + random.between(1, 40) * kReceiptBlock;
    for (std::int64_t offset = 0; offset < 30; ++offset) {
      if (random.one_in(density)) receipts.push_back(handle(batch, offset, random.between(1, 2)));
      // Now and then a stale or forged handle, of another slot.
      if (random.one_in(density * 4)) receipts.push_back(handle(batch, offset, random.between(1, 2), 1));
    }
  }
  return receipts;
}

bool share_a_receipt(const std::vector<Receipt> &a, const std::vector<Receipt> &b) {
  std::set<std::pair<BatchId, ReceiptId>> named;
  for (const Receipt &r : a) named.emplace(r.batch, r.receipt);
  return std::any_of(b.begin(), b.end(), [&](const Receipt &r) { return named.contains({r.batch, r.receipt}); });
}

// The lock table: row exclusive goes with itself and with nothing else.
bool conflict(const Vec<AttemptKey> &a, const Vec<AttemptKey> &b) {
  std::map<std::pair<KeyLevel, std::int64_t>, KeyMode> held;
  for (const AttemptKey &key : a) held.emplace(std::pair(key.level, key.id), key.mode);
  return std::any_of(b.begin(), b.end(), [&](const AttemptKey &key) {
    const auto other = held.find({key.level, key.id});
    return other != held.end() && (key.mode == KeyMode::exclusive || other->second == KeyMode::exclusive);
  });
}

// Strictly ascending by level and id: everybody takes keys in one order, and none twice.
bool is_ordered(const Vec<AttemptKey> &keys) {
  return std::adjacent_find(keys.begin(), keys.end(), [](const AttemptKey &a, const AttemptKey &b) {
           return std::tie(a.level, a.id) >= std::tie(b.level, b.id);
         }) == keys.end();
}

bool holds(const Vec<AttemptKey> &keys, const AttemptKey &key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

TEST(KeyPlan, NothingNeedsNoKeys) {
  const KeyPlan plan = plan_of({});
  EXPECT_TRUE(plan.fine.empty());
  EXPECT_TRUE(plan.coarse.empty());
  EXPECT_TRUE(plan.finest.empty());
}

TEST(KeyPlan, OneReceiptTakesOneKeyOfEachLevel) {
  const std::int64_t batch = kStripeWidth + kReceiptBlock;
  const KeyPlan plan = plan_of({handle(batch, 4, 1), handle(batch, 4, 2)});
  EXPECT_EQ(listed(plan.fine),
            (Keys{shared(KeyLevel::stripe, 1), shared(KeyLevel::batch, batch), whole(KeyLevel::receipt, batch + 4)}));
  EXPECT_EQ(listed(plan.coarse), (Keys{whole(KeyLevel::stripe, 1)}));
}

TEST(KeyPlan, MoreThanSixteenReceiptsOfABatchTakeTheBatch) {
  std::vector<Receipt> receipts;
  for (std::int64_t offset = 0; offset < 16; ++offset) {
    receipts.push_back(handle(kReceiptBlock, offset, 1));
    receipts.push_back(handle(kReceiptBlock, offset, 2));
  }
  EXPECT_EQ(plan_of(receipts).fine.size(), 18U) << "handles of one receipt count once";
  receipts.push_back(handle(kReceiptBlock, 16));
  EXPECT_EQ(listed(plan_of(receipts).fine), (Keys{shared(KeyLevel::stripe, 0), whole(KeyLevel::batch, kReceiptBlock)}));
}

TEST(KeyPlan, LevelsComeOneAfterTheOther) {
  const std::int64_t far = kStripeWidth * 3;
  const KeyPlan plan = plan_of({handle(far, 1), handle(kReceiptBlock, 0), handle(2 * kReceiptBlock, 5)});
  EXPECT_EQ(listed(plan.fine),
            (Keys{shared(KeyLevel::stripe, 0), shared(KeyLevel::stripe, 3), shared(KeyLevel::batch, kReceiptBlock),
                  shared(KeyLevel::batch, 2 * kReceiptBlock), shared(KeyLevel::batch, far),
                  whole(KeyLevel::receipt, kReceiptBlock), whole(KeyLevel::receipt, 2 * kReceiptBlock + 5),
                  whole(KeyLevel::receipt, far + 1)}));
  EXPECT_EQ(listed(plan.coarse), (Keys{whole(KeyLevel::stripe, 0), whole(KeyLevel::stripe, 3)}));
}

TEST(KeyPlan, ForgedHandlesKeepTheOrder) {
  const KeyPlan plan = plan_of({handle(kReceiptBlock, 50), handle(2 * kReceiptBlock, 50 - kReceiptBlock),
                                handle(3 * kReceiptBlock, -3 * kReceiptBlock), handle(-5, 0)});
  EXPECT_TRUE(is_ordered(plan.fine));
  EXPECT_EQ(plan.fine.size(), 1U + 4U + 3U);
}

TEST(KeyPlan, ABatchUnderTwoSlotsIsTakenOnceInTheStrongerMode) {
  std::vector<Receipt> receipts{handle(kReceiptBlock, 3, 1, 1), handle(2 * kReceiptBlock, 0)};
  for (std::int64_t offset = 0; offset < 20; ++offset) receipts.push_back(handle(kReceiptBlock, offset));
  const KeyPlan plan = plan_of(receipts);
  EXPECT_TRUE(is_ordered(plan.fine));
  EXPECT_TRUE(holds(plan.fine, whole(KeyLevel::batch, kReceiptBlock)));
}

TEST(KeyPlan, WhichPlanIsPreferred) {
  // n receipts of n batches of one stripe need 2n + 1 keys.
  const auto scattered = [](std::int64_t n) {
    std::vector<Receipt> receipts;
    for (std::int64_t i = 1; i <= n; ++i) receipts.push_back(handle(i * kReceiptBlock, 0));
    return plan_of(receipts);
  };
  EXPECT_FALSE(scattered(31).prefers_coarse());
  EXPECT_TRUE(scattered(32).prefers_coarse());
  EXPECT_TRUE(scattered(127).may_go_fine());
  EXPECT_FALSE(scattered(128).may_go_fine());
  EXPECT_EQ(scattered(1000).coarse.size(), 1U);
}

TEST(KeyPlan, AWholeClaimNeedsTwoKeys) {
  std::vector<Receipt> receipts;
  for (std::int64_t offset = 0; offset < kMaxClaim; ++offset) receipts.push_back(handle(kReceiptBlock, offset));
  const KeyPlan plan = plan_of(receipts);
  EXPECT_EQ(plan.fine.size(), 2U);
  EXPECT_EQ(plan.finest.size(), 2U + kMaxClaim);
  EXPECT_FALSE(plan.may_go_finest());
}

TEST(KeyPlan, EveryReceiptIsCovered) {
  Random random;
  for (int round = 0; round < 2000; ++round) {
    const std::vector<Receipt> call = random_call(random);
    const KeyPlan plan = plan_of(call);
    ASSERT_TRUE(is_ordered(plan.fine));
    ASSERT_TRUE(is_ordered(plan.coarse));
    ASSERT_TRUE(is_ordered(plan.finest));
    for (const Receipt &r : call) {
      const bool by_batch = holds(plan.fine, whole(KeyLevel::batch, r.batch.value));
      const bool by_receipt = holds(plan.fine, whole(KeyLevel::receipt, r.receipt.value));
      ASSERT_TRUE(holds(plan.fine, shared(KeyLevel::stripe, stripe_of(r.batch))));
      ASSERT_NE(by_batch, holds(plan.fine, shared(KeyLevel::batch, r.batch.value)));
      ASSERT_TRUE(by_batch || by_receipt);
      ASSERT_TRUE(holds(plan.finest, shared(KeyLevel::stripe, stripe_of(r.batch))));
      ASSERT_TRUE(holds(plan.finest, shared(KeyLevel::batch, r.batch.value)));
      ASSERT_TRUE(holds(plan.finest, whole(KeyLevel::receipt, r.receipt.value)));
      ASSERT_TRUE(holds(plan.coarse, whole(KeyLevel::stripe, stripe_of(r.batch))));
    }
  }
}

TEST(KeyPlan, CallsThatShareAReceiptConflict) {
  Random random;
  int sharing = 0;
  for (int round = 0; round < 5000; ++round) {
    const std::vector<Receipt> a = random_call(random);
    const std::vector<Receipt> b = random_call(random);
    if (!share_a_receipt(a, b)) continue;
    ++sharing;
    const KeyPlan x = plan_of(a);
    const KeyPlan y = plan_of(b);
    for (const auto *mine : {&x.coarse, &x.fine, &x.finest}) {
      for (const auto *theirs : {&y.coarse, &y.fine, &y.finest}) ASSERT_TRUE(conflict(*mine, *theirs));
    }
  }
  EXPECT_GT(sharing, 500);
}

TEST(KeyPlan, SmallCallsOnDifferentReceiptsDoNotConflict) {
  Random random;
  for (int round = 0; round < 2000; ++round) {
    std::vector<Receipt> a;
    std::vector<Receipt> b;
    for (std::int64_t offset = 0; offset < 16; ++offset) {
      (random.one_in(2) ? a : b).push_back(handle(random.between(1, 3) * kReceiptBlock, offset));
    }
    ASSERT_FALSE(conflict(plan_of(a).fine, plan_of(b).fine));
  }
}

}  // namespace
}  // namespace awa::core
