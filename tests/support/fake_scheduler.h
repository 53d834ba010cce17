// SPDX-License-Identifier: Apache-2.0
// Calls the hooks as libtbb does, without oneTBB: tasks and contexts are a few words of memory. For
// tests and benchmarks of the runtime; they link tp_runtime themselves.
#pragma once

#include "tp/hooks.h"

#include <cstdint>

namespace tp::test {

struct FakeTask {
  virtual ~FakeTask() = default;
  std::uint64_t words[2] = {};
  operator tp_task() {
    static const char caller = 0;
    return {words, *reinterpret_cast<const void* const*>(this), &caller};
  }
};

struct FakeContext {
  std::uint64_t word = 0;
  unsigned traits = TP_CONSTRUCT_PARALLEL_FOR | TP_CONTEXT_EXCLUSIVE;
  operator tp_context() { return {&word, traits}; }
};

// The calling thread's first oneTBB call.
inline void start() {
  tp_on_external_thread();
  tp_on_scheduler_ready();
}
inline void spawn(const tp_task& task, const tp_context& context) {
  tp_on_spawn(&task, &context);
  tp_on_spawn_end();
}
template <typename Meanwhile>
void wait(const tp_context& context, Meanwhile meanwhile) {
  tp_on_wait(nullptr, nullptr, &context);
  meanwhile();
  tp_on_wait_end(0);
}
template <typename Body>
void run(const tp_task& task, const tp_context& context, Body body) {
  tp_frame frame;
  tp_on_task_begin(&frame, &task, &context, 0);
  body();
  tp_on_task_end(&frame, 0);
}

} // namespace tp::test
