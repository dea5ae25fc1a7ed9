// The argument of enqueue_jobs: an array of objects with the arguments of enqueue as keys.
#pragma once

#include "core/containers.hpp"
#include "entry/job_options.hpp"
#include "queue/queues.hpp"

namespace awa::entry {

struct JobObject {
  std::string_view queue;
  JobOptions options;
  Datum args = 0;  // jsonb
  std::string_view ordering_key;
  bool ordered = false;
};

// Errors: 22023 for anything that is not an array of objects, an unknown key, a value of the wrong type or out of range;
// 22004 when queue or kind is missing; 0A000 for what is not supported yet. The DETAIL names the element.
core::Vec<JobObject> job_objects(Datum jobs, core::Memory &memory);

// The queues that a call produces for, each looked up and locked once.
class QueuesOfCall {
 public:
  explicit QueuesOfCall(core::Memory &memory) : queues_(memory) {}
  // Errors: 42704.
  const queue::Queue &find(std::string_view name);
  void notify_all();

 private:
  struct Named {
    std::string_view name;
    queue::Queue queue;
  };
  core::Vec<Named> queues_;
};

}  // namespace awa::entry
