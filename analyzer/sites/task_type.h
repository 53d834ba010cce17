// What the type of a task tells about its spawn site: the function in which its body is written, and the construct. RTTI has
// it in stripped programs too. Called by site_resolver, for sites that nobody tagged.
#pragma once

#include <string>

namespace tp::analysis {

struct TaskType {
  std::string
      body; // the function around the body's lambda, else the body's class, as demangled; may be empty
  std::string construct; // name as in trace_format.h; empty where only the task's context tells it
};

// `type` is demangled.
TaskType look_at_task_type(const std::string& type);

} // namespace tp::analysis
