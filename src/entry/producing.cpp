// enqueue, enqueue_many, enqueue_jobs.

#include "entry/arguments.hpp"
#include "entry/job_objects.hpp"
#include "entry/job_options.hpp"
#include "pg/as_owner.hpp"
#include "pg/boundary.hpp"
#include "pg/error_context.hpp"
#include "pg/memory.hpp"
#include "pg/transaction.hpp"
#include "queue/enqueue.hpp"

namespace {

namespace core = awa::core;
namespace entry = awa::entry;
namespace pg = awa::pg;
namespace queue = awa::queue;

Datum ids_in(MemoryContext context, std::span<const std::int64_t> ids) {
  const pg::InContext caller(context);
  return pg::int8_array(ids);
}

// The unique keys of enqueue_many, one for each job; 0 = none.
core::Vec<Datum> unique_keys_of(const entry::Arguments &arguments, std::size_t count, core::StateMask states,
                                core::Memory &memory) {
  core::Vec<Datum> keys(memory);
  keys.resize(count, Datum{0});
  const auto given = arguments.parallel(7, "unique_keys", count, "args");
  pg::ElementContext context("unique_keys");
  for (std::size_t i = 0; given && i < count; ++i) {
    context.at(i + 1);
    if (!given->nulls[i]) keys[i] = entry::checked_unique_key(pg::text_view(given->values[i]), states);
  }
  return keys;
}

}  // namespace

AWA_SQL_FUNCTION(awa_enqueue) {
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  const auto queue_name = arguments.queue_name(0);
  entry::JobOptions options = entry::job_options(arguments);
  arguments.require(2, "args");
  entry::check_size("args", arguments.datum(2));
  if (!arguments.is_null(7)) {
    options.unique_key = entry::checked_unique_key(pg::text_view(arguments.datum(7)), options.unique_states);
  }
  const bool ordered = !arguments.is_null(10);
  const auto ordering_key = ordered ? pg::text_view(arguments.datum(10)) : std::string_view{};
  pg::require_writable("awa.enqueue()");
  const pg::AsOwner owner;

  const queue::Queue target = queue::find_to_produce(queue_name);
  const int shard = queue::shard_for(target, ordering_key, ordered);
  queue::NewJob job =
      options.job(core::lane_id({target.id, options.priority, shard}), arguments.datum(2), target.max_attempts);
  std::int64_t id = 0;
  if (queue::enqueue({&job, 1}, {&id, 1}, scratch.memory()) > 0) queue::notify(target);
  return pg::datum(id);
}

AWA_SQL_FUNCTION(awa_enqueue_many) {
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  const auto queue_name = arguments.queue_name(0);
  entry::JobOptions options = entry::job_options(arguments);
  arguments.require(2, "args");
  const pg::ArrayElements args = pg::elements(arguments.datum(2), "args", pg::NullElements::refused);
  {
    pg::ElementContext context("args");
    for (std::size_t i = 0; i < args.count; ++i) {
      context.at(i + 1);
      entry::check_size("args", args.values[i]);
    }
  }
  const core::Vec<Datum> unique_keys = unique_keys_of(arguments, args.count, options.unique_states, scratch.memory());
  const auto ordering_keys = arguments.parallel(10, "ordering_keys", args.count, "args");
  pg::require_writable("awa.enqueue_many()");
  const pg::AsOwner owner;

  const queue::Queue target = queue::find_to_produce(queue_name);
  core::Vec<queue::NewJob> jobs(scratch.memory());
  jobs.reserve(args.count);
  for (std::size_t i = 0; i < args.count; ++i) {
    const bool ordered = ordering_keys && !ordering_keys->nulls[i];
    const auto key = ordered ? pg::text_view(ordering_keys->values[i]) : std::string_view{};
    const core::LaneId lane = core::lane_id({target.id, options.priority, queue::shard_for(target, key, ordered)});
    options.unique_key = unique_keys[i];
    jobs.push_back(options.job(lane, args.values[i], target.max_attempts));
  }
  core::Vec<std::int64_t> ids(scratch.memory());
  ids.resize(jobs.size());
  if (queue::enqueue(jobs, ids, scratch.memory()) > 0) queue::notify(target);
  return ids_in(scratch.caller(), ids);
}

AWA_SQL_FUNCTION(awa_enqueue_jobs) {
  pg::ScratchContext scratch;
  const entry::Arguments arguments(fcinfo);
  arguments.require(0, "jobs");
  const core::Vec<entry::JobObject> objects = entry::job_objects(arguments.datum(0), scratch.memory());
  pg::require_writable("awa.enqueue_jobs()");
  const pg::AsOwner owner;

  entry::QueuesOfCall queues(scratch.memory());
  core::Vec<queue::NewJob> jobs(scratch.memory());
  jobs.reserve(objects.size());
  for (const entry::JobObject &object : objects) {
    pg::ElementContext context("jobs");
    context.at(jobs.size() + 1);
    const queue::Queue &target = queues.find(object.queue);
    const int shard = queue::shard_for(target, object.ordering_key, object.ordered);
    jobs.push_back(object.options.job(core::lane_id({target.id, object.options.priority, shard}), object.args,
                                      target.max_attempts));
  }
  core::Vec<std::int64_t> ids(scratch.memory());
  ids.resize(jobs.size());
  if (queue::enqueue(jobs, ids, scratch.memory()) > 0) queues.notify_all();
  return ids_in(scratch.caller(), ids);
}
