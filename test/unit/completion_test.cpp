#include "core/completion.hpp"

#include <algorithm>
#include <limits>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "core/blocks.hpp"
#include "support.hpp"

namespace awa::core {
namespace {

constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();

const std::vector<std::int64_t> kJobs{70, 71, 72};
const std::vector<std::int64_t> kLeases{1, 5, 2};
const ClaimBatch kBatch{BatchId{16384}, 3, -99, kJobs, kLeases};

Receipt handle(const ClaimBatch &batch, std::size_t index) {
  Receipt receipt;
  receipt.claim_slot = batch.claim_slot;
  receipt.batch = batch.batch;
  receipt.receipt = {batch.batch.value + static_cast<std::int64_t>(index)};
  receipt.job = {batch.job_ids[index]};
  receipt.lease = {batch.run_leases[index]};
  receipt.fence = batch.fence;
  return receipt;
}

// The handle with one field changed, or none.
Receipt mutated(Random &random, Receipt receipt) {
  const std::int64_t by = random.one_in(2) ? 1 : -1;
  switch (random.below(8)) {
    case 0:
      receipt.claim_slot = static_cast<std::int16_t>(receipt.claim_slot + by);
      break;
    case 1:
      receipt.receipt.value += by;
      break;
    case 2:
      receipt.job.value += by;
      break;
    case 3:
      receipt.lease.value += by;
      break;
    case 4:
      receipt.fence += by;
      break;
    default:
      break;
  }
  return receipt;
}

TEST(Completion, EveryFieldMustAgree) {
  for (std::size_t i = 0; i < kJobs.size(); ++i) {
    EXPECT_TRUE(names_member(kBatch, handle(kBatch, i)));
    EXPECT_EQ(member_index(kBatch, handle(kBatch, i)), i);
  }
  const auto named_after = [](auto change) {
    Receipt receipt = handle(kBatch, 1);
    change(receipt);
    return names_member(kBatch, receipt);
  };
  EXPECT_FALSE(named_after([](Receipt &r) { r.claim_slot = 4; }));
  EXPECT_FALSE(named_after([](Receipt &r) { r.batch = {16385}; }));
  EXPECT_FALSE(named_after([](Receipt &r) { ++r.receipt.value; }));
  EXPECT_FALSE(named_after([](Receipt &r) { r.job = {72}; }));
  EXPECT_FALSE(named_after([](Receipt &r) { r.lease = {4}; }));
  EXPECT_FALSE(named_after([](Receipt &r) { r.fence = 99; }));
  const std::int64_t outsiders[] = {16383, 16387, 0, -1, kMost, kLeast};
  for (const std::int64_t outside : outsiders) {
    EXPECT_FALSE(named_after([=](Receipt &r) { r.receipt = {outside}; })) << outside;
  }
}

TEST(Completion, TwoFencesOfOneReceiptAreNotBothOpen) {
  Receipt old = handle(kBatch, 0);
  old.fence = -100;
  const std::vector<Receipt> receipts{old, handle(kBatch, 0), handle(kBatch, 1), handle(kBatch, 2)};
  bool open[4];
  judge_open(kBatch, receipts, {}, open);
  EXPECT_EQ(std::vector<bool>(open, open + 4), (std::vector<bool>{false, true, true, true}));
  const Range closed[] = {{16384, 16385}, {16386, 16387}};
  judge_open(kBatch, receipts, closed, open);
  EXPECT_EQ(std::vector<bool>(open, open + 4), (std::vector<bool>{false, false, true, false}));
}

TEST(Completion, JudgesAsANaiveModelDoes) {
  Random random;
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::int64_t> jobs(static_cast<std::size_t>(random.between(1, 20)));
    std::vector<std::int64_t> leases(jobs.size());
    for (std::int64_t &job : jobs) job = random.between(1, 4);
    for (std::int64_t &lease : leases) lease = random.between(1, 3);
    const ClaimBatch batch{BatchId{random.between(0, 5) * kReceiptBlock},
                           static_cast<std::int16_t>(random.between(0, 7)), random.between(kLeast + 1, kMost - 1), jobs,
                           leases};

    std::set<Receipt> members;
    std::set<Receipt> may_close;
    RangeSet closed(memory());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      members.insert(handle(batch, i));
      if (random.one_in(3)) {
        append(closed, batch.batch.value + static_cast<std::int64_t>(i));
      } else {
        may_close.insert(handle(batch, i));
      }
    }

    std::vector<Receipt> asked;
    for (std::size_t n = random.below(60); n != 0; --n) {
      asked.push_back(mutated(random, handle(batch, random.below(jobs.size()))));
    }
    const Vec<Receipt> receipts = sorted_unique(asked, memory());

    bool open[60];
    std::fill(std::begin(open), std::end(open), random.one_in(2));
    judge_open(batch, receipts, closed, std::span(open).first(receipts.size()));
    std::set<ReceiptId> opened;
    const RangeSet named = named_members(batch, receipts, memory());
    std::int64_t count = 0;
    for (std::size_t i = 0; i < receipts.size(); ++i) {
      ASSERT_EQ(open[i], may_close.contains(receipts[i]));
      if (members.contains(receipts[i])) {
        ++count;
        ASSERT_TRUE(contains(named, receipts[i].receipt.value));
      }
      ASSERT_TRUE(!open[i] || opened.insert(receipts[i].receipt).second) << "one receipt open twice";
    }
    ASSERT_EQ(cardinality(named), count);
  }
}

}  // namespace
}  // namespace awa::core
