// SPDX-License-Identifier: Apache-2.0
// The information about a spawn site in the type of its task (RTTI, also in stripped programs): the
// function that contains the body, and the construct. Called by site_resolver and site_table, for
// sites that neither tp-c++ nor a header tagged.
#pragma once

#include <string>

namespace tp::analysis {

struct TaskType {
  // The function around the body's lambda, else the body's class, as demangled. Empty: unknown, or
  // a library's.
  std::string body;
  // The body's type itself. Empty: as `body`.
  std::string code;
  // Name of the construct. Empty: unknown, or that of the task's context.
  std::string construct;
};

// The function around the lambda that a std::thread or std::async runs, else the class of the function
// object; empty: not known. `type`: the demangled name of the type of its std::thread::_State.
std::string look_at_thread_type(const std::string& type);

// `type` is the demangled name. Both fields are empty if it is not a task type of oneTBB.
TaskType look_at_task_type(const std::string& type);

} // namespace tp::analysis
