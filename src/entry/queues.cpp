// create_queue, alter_queue, drop_queue, pause_queue, resume_queue, purge_queue, channel.

#include "queue/queues.hpp"

#include "entry/arguments.hpp"
#include "outcome/managing.hpp"
#include "pg/boundary.hpp"
#include "pg/cached_table.hpp"
#include "pg/memory.hpp"
#include "pg/transaction.hpp"
#include "queue/queue_admin.hpp"

namespace {

namespace pg = awa::pg;
namespace queue = awa::queue;
using awa::entry::Arguments;

enum class Nulls : std::uint8_t { refused, unchanged };

// Arguments 1 to 11 of create_queue and alter_queue, checked. Settings that may be none are null or 0 for none.
queue::QueueSettings settings_of(const Arguments &arguments, Nulls nulls) {
  const auto may_be_null = [&](int position, const char *name) {
    if (nulls == Nulls::refused) arguments.require(position, name);
  };
  may_be_null(1, "enqueue_shards");
  arguments.optional_int4(1, "enqueue_shards", 1, 64);
  may_be_null(2, "max_attempts");
  arguments.optional_int4(2, "max_attempts", 1, 1000);
  arguments.optional_interval(3, "deadline", Arguments::Zero::allowed);
  may_be_null(4, "stale_after");
  arguments.optional_interval(4, "stale_after", Arguments::Zero::refused);
  arguments.optional_interval(5, "aging", Arguments::Zero::allowed);
  may_be_null(6, "backoff_base");
  arguments.optional_interval(6, "backoff_base", Arguments::Zero::refused);
  may_be_null(7, "backoff_cap");
  arguments.optional_interval(7, "backoff_cap", Arguments::Zero::refused);
  may_be_null(8, "dead_letter");
  may_be_null(9, "notify");
  may_be_null(10, "failed_retention");
  arguments.optional_interval(10, "failed_retention", Arguments::Zero::refused);
  may_be_null(11, "dead_letter_retention");
  arguments.optional_interval(11, "dead_letter_retention", Arguments::Zero::refused);

  queue::QueueSettings settings;
  for (int i = 0; i < queue::QueueSettings::kCount; ++i) {
    settings.values[i] = arguments.datum(i + 1);
    settings.nulls[i] = arguments.is_null(i + 1);
  }
  return settings;
}

}  // namespace

AWA_SQL_FUNCTION(awa_create_queue) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const auto name = arguments.queue_name(0);
  const auto settings = settings_of(arguments, Nulls::refused);
  pg::require_writable("awa.create_queue()");
  return pg::datum(queue::create_queue(name, settings));
}

AWA_SQL_FUNCTION(awa_alter_queue) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const auto name = arguments.queue_name(0);
  const auto settings = settings_of(arguments, Nulls::unchanged);
  pg::require_writable("awa.alter_queue()");
  return pg::datum(queue::alter_queue(name, settings));
}

AWA_SQL_FUNCTION(awa_drop_queue) {
  pg::ScratchContext scratch;
  const Arguments arguments(fcinfo);
  const auto name = arguments.queue_name(0);
  const bool force = arguments.boolean(1, "force");
  pg::require_writable("awa.drop_queue()");
  if (force) {
    awa::outcome::drop_queue_by_force(name, scratch.memory());
  } else {
    queue::drop_held(queue::hold_to_drop(name), name);
  }
  return pg::datum(true);
}

AWA_SQL_FUNCTION(awa_pause_queue) {
  pg::ScratchContext scratch;
  const auto name = Arguments(fcinfo).queue_name(0);
  pg::require_writable("awa.pause_queue()");
  return pg::datum(queue::pause_queue(name));
}

AWA_SQL_FUNCTION(awa_resume_queue) {
  pg::ScratchContext scratch;
  const auto name = Arguments(fcinfo).queue_name(0);
  pg::require_writable("awa.resume_queue()");
  return pg::datum(queue::resume_queue(name));
}

AWA_SQL_FUNCTION(awa_purge_queue) {
  pg::ScratchContext scratch;
  const auto name = Arguments(fcinfo).queue_name(0);
  pg::require_writable("awa.purge_queue()");
  return pg::datum(queue::purge_queue(name, scratch.memory()));
}

AWA_SQL_FUNCTION(awa_channel) {
  pg::ScratchContext scratch;
  const auto name = Arguments(fcinfo).queue_name(0);
  char channel[queue::kChannelSize];
  queue::channel_name(queue::find(name).id, channel);
  const pg::InContext caller(scratch.caller());
  return pg::text_datum(channel);
}

// A trigger of awa.queues: what sessions know of queues does not hold any more.
AWA_SQL_FUNCTION(awa_queues_changed) {
  if (!CALLED_AS_TRIGGER(fcinfo)) {
    pg::raise({.sqlstate = ERRCODE_E_R_I_E_TRIGGER_PROTOCOL_VIOLATED,
               .message = "awa.queues_changed() is a trigger of awa.queues"});
  }
  pg::CachedTable::announce_change(RelationGetRelid(reinterpret_cast<TriggerData *>(fcinfo->context)->tg_relation));
  return Datum{0};
}
