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
unset TP_DATA
# What the task had done that called exit() is missing, and the report says so.
"$tp_run" -q -e virtual -o run.exit_in_task ./ends exit_in_task >/dev/null
same "exit_in_task: exit status" 8 $?
analyze run.exit_in_task
is "p['work'] == 1000 and p['trace']['tasks_unfinished'] == 1"
is "['one task had not ended when recording ended' in w['text'] and 'is in no figure' in w['text'] for w in p['warnings'] if w['name'] == 'unfinished'] == [True]"
# A program that gives up its rights can no longer write the end.
if [ "$(id -u)" -eq 0 ]; then
  build_stock gives_up <<'EOF'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <unistd.h>
int main() {
  tbb::parallel_for(0, 1000, [](int) { tp::spend(1); }, tbb::simple_partitioner());
  return setuid(65534);
}
EOF
  "$tp_run" -q -e virtual -o run.gives_up ./gives_up >/dev/null 2>err
  same "setuid: exit status" 0 $?
  in_file err "end.json"
  analyze run.gives_up
  is "not p['complete'] and p['work'] == 1000 and ['could not write to its recording then, as after setuid()' in r for r in p['incomplete_reasons']] == [True]"
fi
# Under tp-run, what ends a process without its destructors ends the recording as well.
while read -r how status work; do
  "$tp_run" -q -e virtual -o "run.$how" ./ends "$how" >/dev/null
  same "$how: exit status" "$status" "$?"
  analyze "run.$how"
  is "p['complete'] and p['work'] >= $work"
done <<X
_exit 5 1000
quick_exit 6 1000
_exit_in_task 9 1000
_exit_with_tasks_running 7 1000
X

# In a child of fork() it ends the child's recording; in one of vfork(), which shares the memory of its
# parent, none. In a signal handler that interrupted malloc, the process ends all the same: late, with
# its own status, and without an end of the recording.
build_stock children <<'EOF'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
extern "C" void* __libc_malloc(std::size_t);
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile bool armed = false;
extern "C" void* malloc(std::size_t size) {
  pthread_mutex_lock(&mutex);
  if (armed) {
    armed = false;
    raise(SIGUSR1);
  }
  void* const memory = __libc_malloc(size);
  pthread_mutex_unlock(&mutex);
  return memory;
}
static void loop(int iterations) {
  tbb::parallel_for(0, iterations, [](int) { tp::spend(1); }, tbb::simple_partitioner());
}
int main(int, char** argv) {
  loop(1000);
  if (std::strcmp(argv[1], "handler") == 0) {
    std::signal(SIGUSR1, [](int) { _exit(3); });
    armed = true;
    void* volatile memory = std::malloc(1);
    std::free(memory);
    return 1;
  }
  const bool shares = std::strcmp(argv[1], "vfork") == 0;
  const pid_t child = shares ? vfork() : fork();
  if (child == 0) {
    if (!shares)
      loop(10);
    _exit(4);
  }
  int status = 0;
  waitpid(child, &status, 0);
  loop(100);
  return WEXITSTATUS(status);
}
EOF
for how in fork vfork; do
  "$tp_run" -q -e virtual -o run.$how ./children $how
  same "$how: exit status" 4 "$?"
  analyze "run.$how"
  is "p['complete'] and p['work'] == 1100"
done
for child in run.fork.*; do
  analyze "$child"
  is "p['complete'] and p['work'] == 10"
done
"$tp_run" -q -e virtual -o run.handler ./children handler
same "handler: exit status" 3 "$?"
analyze run.handler
is "not p['complete'] and p['work'] == 1000"
finish
