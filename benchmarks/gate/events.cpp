// SPDX-License-Identifier: Apache-2.0
// What callgrind counts for the gate (the script `run`): one function per kind of event, which
// calls the hooks as libtbb does, around kEvents events with nothing between them. It uses no
// oneTBB and one thread. With TP_EVENT=virtual the clock is a counter of this program, so that each
// run executes the same instructions.
//
//   gate_events NAME    calls gate_NAME once
#include "fake_scheduler.h"

#include <cstring>
#include <initializer_list>
#include <utility>

using namespace tp::test;

namespace {
constexpr unsigned kTaskGroup = 8 | 64; // traits of a task_group's context
constexpr int kBatch = 64;
constexpr int kEvents = 12800;

template <typename Event>
void repeat(Event event) {
  for (int i = 0; i < kEvents; ++i)
    event();
}
} // namespace

// After gate_, the names are those of the figures. callgrind finds the functions by name, so they
// are not inlined.
#define GATE(name) extern "C" [[gnu::noipa]] void gate_##name()

// A task: spawn, begin, end. Includes the waits, each of which runs 64 of these tasks.
GATE(task) {
  static FakeTask all[kBatch];
  for (int batch = 0; batch < kEvents / kBatch; ++batch) {
    FakeContext group{0, kTaskGroup};
    for (FakeTask& task : all)
      spawn(task, group);
    wait(group, [&] {
      for (int i = kBatch; i-- > 0;)
        run(all[i], group, [] {});
    });
    tp_on_context_end(&group.word);
  }
}

// A task, and a wait for it immediately after its spawn.
GATE(task_and_wait) {
  FakeTask task;
  repeat([&] {
    FakeContext group{0, kTaskGroup};
    spawn(task, group);
    wait(group, [&] { run(task, group, [] {}); });
    tp_on_context_end(&group.word);
  });
}

// A wait with no task to wait for.
GATE(wait) {
  FakeContext group{0, kTaskGroup};
  repeat([&] { wait(group, [] {}); });
  tp_on_context_end(&group.word);
}

GATE(loop_body) {
  repeat([] {
    tp_on_loop_begin();
    tp_on_loop_end(64, 1);
  });
}

GATE(region) {
  static tp_region region{"region", "file.cpp", 1, 0, 0};
  repeat([] {
    tp_region_begin(&region);
    tp_region_end(&region);
  });
}

GATE(call_site) {
  static const struct {
    const char *file, *function;
    unsigned line, column;
  } site{"file.cpp", "main", 1, 1};
  repeat([] { tp_leave_site(tp_enter_site(&site)); });
}

// An edge, from the release of one message to its acquisition.
GATE(edge) {
  repeat([] { tp_on_acquire(tp_on_release(0), 0); });
}

int main(int argc, char** argv) {
  start();
  for (const auto& [name, function] : std::initializer_list<std::pair<const char*, void (*)()>>{
           {"task", gate_task},
           {"task_and_wait", gate_task_and_wait},
           {"wait", gate_wait},
           {"loop_body", gate_loop_body},
           {"region", gate_region},
           {"call_site", gate_call_site},
           {"edge", gate_edge}})
    if (argc == 2 && std::strcmp(argv[1], name) == 0) {
      function();
      return 0;
    }
  return 2;
}
