// SPDX-License-Identifier: Apache-2.0
// What callgrind counts for the gate (the script `run`) of OpenMP: as events.cpp, with the OpenMP tool between the program
// and the hooks, and with a library in libomp's place that only reports.
//
//   gate_openmp_events NAME    calls gate_NAME once
#include "fake_libomp.h"

#include <cstring>

extern "C" fake::StartTool ompt_start_tool;

namespace {
using namespace tp::omp;

constexpr int kBatch = 64;
constexpr int kEvents = 12800;

void in_region(void (*function)(int*, int*)) {
  __kmpc_fork_call(nullptr, 0, function);
}
} // namespace

// After gate_, the names are those of the figures. callgrind finds the functions by name, so they
// are not inlined.
#define GATE(name) extern "C" [[gnu::noipa]] void gate_##name()

// Created by one call each, run in a taskwait by the thread itself.
GATE(openmp_task) {
  in_region([](int*, int*) {
    static fake::Task tasks[kBatch];
    for (int batch = 0; batch < kEvents / kBatch; ++batch) {
      for (fake::Task& each : tasks)
        __kmpc_omp_task(nullptr, 0, &each);
      fake::run_tasks(tasks, kBatch);
    }
  });
}

// Of one iteration each.
GATE(openmp_chunk) {
  in_region([](int*, int*) {
    fake::loop(Endpoint::Begin);
    for (int i = 0; i < kEvents; ++i)
      __kmpc_dispatch_next_4(nullptr, 0, nullptr, nullptr, nullptr, nullptr);
    fake::loop(Endpoint::End);
  });
}

// Of two threads, of which one comes.
GATE(openmp_region) {
  for (int i = 0; i < kEvents; ++i)
    in_region([](int*, int*) {});
}

int main(int argc, char** argv) {
  fake::start(ompt_start_tool);
  if (argc != 2)
    return 2;
  if (std::strcmp(argv[1], "openmp_task") == 0)
    gate_openmp_task();
  else if (std::strcmp(argv[1], "openmp_chunk") == 0)
    gate_openmp_chunk();
  else if (std::strcmp(argv[1], "openmp_region") == 0)
    gate_openmp_region();
  else
    return 2;
}
