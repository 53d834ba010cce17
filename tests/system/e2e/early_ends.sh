# SPDX-License-Identifier: Apache-2.0
# A process that ends in any way leaves a readable recording; it is complete only if the process
# ended in an orderly way.
. "$(dirname "$0")/common.inc"
build_stock ends <<'EOF'
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <unistd.h>
int main(int, char** argv) {
  const auto is = [&](const char* how) { return std::strcmp(argv[1], how) == 0; };
  tbb::parallel_for(0, 1000, [](int) { tp::spend(1); }, tbb::simple_partitioner());
  std::puts("before");
  std::fflush(stdout);
  if (is("tasks_running") || is("_exit_with_tasks_running")) {
    // No wait joins these: some run when main ends, others have not begun.
    static std::atomic<int> running{0};
    auto* arena = new tbb::task_arena(3, 0);
    for (int i = 0; i < 20; ++i)
      arena->enqueue([] {
        ++running;
        for (;;) usleep(1000);
      });
    while (running == 0) usleep(100);
    if (is("_exit_with_tasks_running")) _exit(7);
    return 10;
  }
  if (is("return")) return 3;
  if (is("exit")) std::exit(4);
  if (is("_exit")) _exit(5);
  if (is("quick_exit")) std::quick_exit(6);
  if (is("abort")) std::abort();
  if (is("terminate")) std::terminate();
  if (is("throw")) throw 1;
  if (is("kill")) raise(SIGKILL);
  if (is("segv")) raise(SIGSEGV);
  tbb::task_group group;
  // On this thread: exit() in a worker thread sometimes crashes the distribution's library, so that
  // there is nothing to compare with.
  group.run_and_wait([&] {
    tp::spend(7);
    if (is("exit_in_task")) std::exit(8);
    if (is("_exit_in_task")) _exit(9);
    if (is("throw_in_task")) throw 1;
  });
}
EOF
ulimit -c 0
for how in tasks_running _exit_with_tasks_running return exit _exit quick_exit abort terminate throw kill segv exit_in_task _exit_in_task throw_in_task; do
  export TP_DATA=data.$how
  as_stock ./ends $how
  analyze data.$how
  case $how in
    tasks_running) is 'p["complete"] and p["work"] == 1000 and p["trace"]["tasks_unfinished"] > 0' ;;
    return | exit) is 'p["complete"] and p["work"] == 1000' ;;
    exit_in_task) is 'p["work"] >= 1000' ;;  # the step that called exit() may be missing
    quick_exit | throw | _exit | abort | terminate | kill | segv | *) is 'not p["complete"] and p["work"] >= 1000' ;;
  esac
done
finish
