// What callgrind counts for the gate (run): one function per kind of event, which calls the hooks as libtbb does around
// kEvents events between which nothing happens. No oneTBB, one thread; with TP_EVENT=virtual the clock is a counter of the
// program's own, so that the same instructions are executed each time.
//
//   gate_events [DIVISOR]    all functions once, with a DIVISOR-th of the events
#include "fake_scheduler.h"

#include <cstdlib>

using namespace tp::test;

namespace {
constexpr unsigned kTaskGroup = 8 | 64; // traits of a task_group's context
constexpr int kBatch = 64;
int batches = 12800 / kBatch;

template <typename Event>
void repeat(Event event) {
  for (int i = 0; i < batches * kBatch; ++i)
    event();
}
} // namespace

// Their names, after gate_, are those of the figures. Callgrind finds them by name: they are not inlined.
#define GATE(name) extern "C" [[gnu::noipa]] void gate_##name()

// A task: spawn, begin, end; the waits that run 64 of them each are included.
GATE(task) {
  static FakeTask all[kBatch];
  for (int batch = 0; batch < batches; ++batch) {
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

// A task that is waited for at once.
GATE(task_and_wait) {
  FakeTask task;
  repeat([&] {
    FakeContext group{0, kTaskGroup};
    spawn(task, group);
    wait(group, [&] { run(task, group, [] {}); });
    tp_on_context_end(&group.word);
  });
}

// A wait with nothing to wait for.
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
  if (argc > 1)
    batches /= std::atoi(argv[1]);
  start();
  gate_task();
  gate_task_and_wait();
  gate_wait();
  gate_loop_body();
  gate_region();
  gate_call_site();
  gate_edge();
}
