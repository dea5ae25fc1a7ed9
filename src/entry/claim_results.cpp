#include "entry/claim_results.hpp"

#include "core/lane.hpp"
#include "pg/datum.hpp"

namespace awa::entry {

namespace {

// The columns of awa.claimed_job.
constexpr Oid kClaimedJob[] = {pg::ResultSet::kOurType,
                               INT8OID,
                               TEXTOID,
                               TEXTOID,
                               JSONBOID,
                               INT4OID,
                               INT4OID,
                               INT4OID,
                               TIMESTAMPTZOID,
                               TIMESTAMPTZOID,
                               TIMESTAMPTZOID,
                               TIMESTAMPTZOID,
                               TIMESTAMPTZOID,
                               JSONBOID,
                               TEXTARRAYOID,
                               JSONBOID,
                               TEXTOID,
                               JSONBOID};

// The columns of a row, set in their order.
template <std::size_t Columns>
class RowBuilder {
 public:
  void set(Datum value) noexcept { put(value, false); }
  void set_null() noexcept { put(Datum{0}, true); }
  void set_or_null(Datum value) noexcept { put(value, value == 0); }
  // C room.
  void add_to(pg::ResultSet &result) {
    Assert(next_ == Columns);
    result.add(values_, nulls_);
    next_ = 0;
  }

 private:
  void put(Datum value, bool is_null) noexcept {
    values_[next_] = value;
    nulls_[next_] = is_null;
    ++next_;
  }
  Datum values_[Columns] = {};
  bool nulls_[Columns] = {};
  std::size_t next_ = 0;
};

// A key of a payload as jsonb, or 0. C room.
Datum member(Jsonb *payload, std::string_view key) {
  if (payload == nullptr) return 0;
  JsonbValue value;
  JsonbValue *const found =
      getKeyJsonValueFromContainer(&payload->root, key.data(), static_cast<int>(key.size()), &value);
  return found == nullptr ? Datum{0} : JsonbPGetDatum(JsonbValueToJsonb(found));
}

// The tags of a payload as text[]. C room.
Datum tags_of(Jsonb *payload) {
  JsonbValue buffer;
  const JsonbValue *const found =
      payload == nullptr ? nullptr : getKeyJsonValueFromContainer(&payload->root, "tags", 4, &buffer);
  if (found == nullptr || found->type != jbvBinary) return PointerGetDatum(construct_empty_array(TEXTOID));
  JsonbContainer *const array = found->val.binary.data;
  const uint32 count = JsonContainerSize(array);
  auto *const tags = static_cast<Datum *>(palloc(sizeof(Datum) * std::max<uint32>(count, 1)));
  for (uint32 i = 0; i < count; ++i) {
    const JsonbValue *const tag = getIthJsonbValueFromContainer(array, i);
    tags[i] = PointerGetDatum(cstring_to_text_with_len(tag->val.string.val, tag->val.string.len));
  }
  return PointerGetDatum(construct_array(tags, static_cast<int>(count), TEXTOID, -1, false, TYPALIGN_INT));
}

// The message of the last of a payload's errors as text, or 0. C room.
Datum last_error_of(Jsonb *payload) {
  JsonbValue buffer;
  const JsonbValue *const found =
      payload == nullptr ? nullptr : getKeyJsonValueFromContainer(&payload->root, "errors", 6, &buffer);
  if (found == nullptr || found->type != jbvBinary) return 0;
  JsonbContainer *const array = found->val.binary.data;
  const uint32 count = JsonContainerSize(array);
  if (count == 0) return 0;
  const JsonbValue *const last = getIthJsonbValueFromContainer(array, count - 1);
  if (last->type != jbvBinary || !JsonContainerIsObject(last->val.binary.data)) return 0;
  JsonbValue text_buffer;
  const JsonbValue *const message = getKeyJsonValueFromContainer(last->val.binary.data, "error", 5, &text_buffer);
  if (message == nullptr || message->type != jbvString) return 0;
  return PointerGetDatum(cstring_to_text_with_len(message->val.string.val, message->val.string.len));
}

// What a payload holds, apart.
struct PayloadParts {
  Datum metadata;
  Datum tags;
  Datum progress;
  Datum last_error;
  Datum callback_result;
};

PayloadParts parts_of(Datum payload) {
  return pg::guarded([=] {
    Jsonb *const object = payload == 0 ? nullptr : DatumGetJsonbP(payload);
    PayloadParts parts{member(object, "metadata"), tags_of(object), member(object, "progress"), last_error_of(object),
                       member(object, "callback_result")};
    if (parts.metadata == 0) parts.metadata = DirectFunctionCall1(jsonb_in, CStringGetDatum("{}"));
    return parts;
  });
}

}  // namespace

void require_claimed_job(const pg::ResultSet &result) { result.require(kClaimedJob); }

void add_claimed(std::span<const queue::Claimed> claimed, pg::ResultSet &result) {
  RowBuilder<std::size(kClaimedJob)> row;
  const PayloadParts nothing = parts_of(0);
  std::string_view queue;
  Datum queue_name = 0;
  pg::guarded([&] {
    for (const queue::Claimed &job : claimed) {
      if (job.queue.data() != queue.data()) {
        queue = job.queue;
        queue_name = pg::text_datum(queue);
      }
      const PayloadParts parts = job.entry.body.payload == 0 ? nothing : parts_of(job.entry.body.payload);
      row.set(PointerGetDatum(&job.receipt));
      row.set(pg::datum(job.entry.job));
      row.set(queue_name);
      row.set(job.entry.body.kind);
      row.set(job.entry.body.args);
      row.set(pg::datum(std::int32_t{job.priority}));
      row.set(pg::datum(static_cast<std::int32_t>(job.entry.body.attempts_used + 1)));
      row.set(pg::datum(static_cast<std::int32_t>(job.entry.body.max_attempts)));
      row.set(pg::datum(job.entry.body.run_at));
      row.set(pg::datum(job.entry.body.created_at));
      row.set(pg::datum(job.claimed_at));
      row.set_or_null(pg::datum(job.deadline_at));
      row.set(pg::datum(job.stale_at));
      row.set(parts.metadata);
      row.set(parts.tags);
      row.set_or_null(parts.progress);
      row.set_or_null(parts.last_error);
      row.set_or_null(parts.callback_result);
      row.add_to(result);
    }
  });
}

void add_claimed_runtime(std::span<const queue::Claimed> claimed, std::string_view queue, pg::ResultSet &result) {
  RowBuilder<25> row;
  const Datum queue_name = pg::text_datum(queue);
  pg::guarded([&] {
    for (const queue::Claimed &job : claimed) {
      const core::Lane lane = core::lane_of(job.lane);
      row.set(PointerGetDatum(&job.receipt));
      row.set(pg::datum(job.entry.job));
      row.set(job.entry.body.kind);
      row.set(queue_name);
      row.set(job.entry.body.args);
      row.set(pg::datum(std::int32_t{lane.priority}));
      row.set(pg::datum(std::int32_t{job.priority}));
      row.set(pg::datum(static_cast<std::int32_t>(job.entry.body.attempts_used + 1)));
      row.set(pg::datum(static_cast<std::int32_t>(job.entry.body.max_attempts)));
      row.set(pg::datum(job.receipt.lease));
      row.set(pg::datum(job.entry.body.run_at));
      row.set_or_null(pg::datum(job.deadline_at));
      row.set(pg::datum(job.claimed_at));
      row.set(pg::datum(job.entry.body.created_at));
      row.set_or_null(job.entry.body.unique_key);
      row.set_or_null(job.entry.body.payload);
      row.set(pg::datum(job.entry.slot));
      row.set(pg::datum(job.ready_generation));
      row.set(pg::datum(job.entry.position.seq));
      row.set(pg::datum(std::int32_t{lane.shard}));
      row.set(pg::datum(std::int32_t{job.receipt.claim_slot}));
      row.set(pg::datum(job.receipt.receipt));
      row.set(pg::datum(job.receipt.batch));
      row.set(pg::datum(std::int32_t{job.batch_index}));
      row.set(pg::datum(job.receipt.fence));
      row.add_to(result);
    }
  });
}

}  // namespace awa::entry
