#include "rescue/busy_attempts.hpp"

#include <algorithm>
#include <iterator>

namespace awa::rescue {

namespace {

constexpr core::Micros kBadFor = 60'000'000;

// Plain data of the session. When there is no room left, what is oldest is forgotten.
struct Busy {
  core::KeyLevel level = core::KeyLevel::stripe;
  std::int64_t id = 0;
  core::Micros first_met = 0;  // 0 = the place is free
  core::Micros last_met = 0;
};
struct Bad {
  std::int64_t receipt = 0;
  std::int64_t fence = 0;
  core::Micros met = 0;
};
constinit Busy busy[256];
constinit Bad bad[64];

bool covers(const Busy &note, const core::Receipt &receipt) noexcept {
  if (note.first_met == 0) return false;
  switch (note.level) {
    case core::KeyLevel::stripe:
      return note.id == core::stripe_of(receipt.batch);
    case core::KeyLevel::batch:
      return note.id == receipt.batch.value;
    case core::KeyLevel::receipt:
      break;
  }
  return note.id == receipt.receipt.value;
}

bool is_of(const Bad &note, const core::Receipt &receipt) noexcept {
  return note.met != 0 && note.receipt == receipt.receipt.value && note.fence == receipt.fence;
}

}  // namespace

void note_busy(const core::AttemptKey &key, core::Micros now) noexcept {
  auto *const known = std::find_if(std::begin(busy), std::end(busy), [&](const Busy &note) {
    return note.first_met != 0 && note.level == key.level && note.id == key.id;
  });
  if (known != std::end(busy)) {
    known->last_met = now;
    return;
  }
  *std::min_element(std::begin(busy), std::end(busy), [](const Busy &a, const Busy &b) {
    return a.last_met < b.last_met;
  }) = {key.level, key.id, now, now};
}

void note_bad(const core::Receipt &receipt, core::Micros now) noexcept {
  auto *place = std::find_if(std::begin(bad), std::end(bad), [&](const Bad &note) { return is_of(note, receipt); });
  if (place == std::end(bad)) {
    place = std::min_element(std::begin(bad), std::end(bad), [](const Bad &a, const Bad &b) { return a.met < b.met; });
  }
  *place = {receipt.receipt.value, receipt.fence, now};
}

std::optional<core::Micros> last_busy(const core::Receipt &receipt) noexcept {
  std::optional<core::Micros> last;
  for (const Busy &note : busy) {
    if (covers(note, receipt)) last = std::max(last.value_or(note.last_met), note.last_met);
  }
  return last;
}

bool was_busy_before(const core::Receipt &receipt, core::Micros now) noexcept {
  return std::any_of(std::begin(busy), std::end(busy),
                     [&](const Busy &note) { return covers(note, receipt) && note.first_met < now; });
}

bool is_bad(const core::Receipt &receipt, core::Micros now) noexcept {
  return std::any_of(std::begin(bad), std::end(bad),
                     [&](const Bad &note) { return is_of(note, receipt) && now - note.met < kBadFor; });
}

}  // namespace awa::rescue
