# SPDX-License-Identifier: Apache-2.0
# OpenMP where things are unusual: teams that are smaller than asked for, threads of the program with teams of their own, a
# million tasks without a taskwait, ends inside of a region, forks, pauses, full disks, and our library loaded in part.
. "$(dirname "$0")/common.inc"
use_openmp

cat >unusual.cpp <<'X'
#include <tp/causal.h>
#include <tp/virtual_clock.h>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <omp.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
using tp::spend;
static int team_of(int wanted) {
  int size = 0;
  #pragma omp parallel num_threads(wanted)
  {
    spend(10);
    #pragma omp single
    size = omp_get_num_threads();
  }
  return size;
}
static void tasks(int count, int units) {
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < count; ++i) {
    #pragma omp task
    spend(units);
  }
}
int main(int, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  if (is("limit"))  // OMP_THREAD_LIMIT=2
    std::printf("%d 10\n", 10 * team_of(4));
  if (is("dynamic")) {
    omp_set_dynamic(1);
    std::printf("%d 10\n", 10 * team_of(64));
  }
  if (is("inactive")) {
    omp_set_max_active_levels(1);
    int outer = 0;
    #pragma omp parallel num_threads(3)
    {
      spend(10);
      #pragma omp parallel num_threads(3)
      spend(5);
      #pragma omp single
      outer = omp_get_num_threads();
    }
    std::printf("%d 15\n", 15 * outer);
  }
  if (is("threads")) {  // two external threads, each with a team
    spend(3);
    std::thread one([] { tasks(20, 7); }), other([] { spend(100); tasks(10, 9); });
    one.join();
    other.join();
    spend(2);
    std::printf("%d %d\n", 3 + 20 * 7 + 100 + 10 * 9 + 2, 3 + 100 + 9 + 2);
  }
  if (is("million")) {
    tasks(1000000, 1);
    std::puts("1000000 1");
  }
  if (is("pause")) {
    tasks(5, 10);
    tp::pause();
    tasks(5, 1000);
    tp::resume();
    tasks(5, 10);
    std::puts("100 20");
  }
  if (is("fork")) {
    tasks(4, 5);
    if (fork() == 0) {
      tasks(3, 5);
      std::exit(0);
    }
    int status = 0;
    wait(&status);
    tasks(2, 5);
    std::puts("30 10");
    return status;
  }
  if (is("fork_first")) {  // before OpenMP is used
    spend(3);
    if (fork() == 0) {
      tasks(3, 5);
      std::exit(0);
    }
    int status = 0;
    wait(&status);
    tasks(2, 5);
    std::puts("13 8");
    return status;
  }
  if (is("settings")) {  // by functions, not clauses
    omp_set_num_threads(3);
    omp_set_max_active_levels(2);
    #pragma omp parallel
    {
      spend(10);
      omp_set_num_threads(2);
      #pragma omp parallel
      spend(5);
    }
    std::puts("60 15");
  }
  if (is("exit") || is("kill")) {
    #pragma omp parallel num_threads(2)
    {
      spend(10);
      #pragma omp barrier
      #pragma omp master
      {
        if (is("exit"))
          std::exit(3);
        raise(SIGKILL);
      }
    }
  }
}
X

for compiler in $compilers; do
  build_openmp "$compiler" unusual -std=c++17 -O1
  for case in limit dynamic inactive threads million pause fork fork_first settings; do
    rm -rf tp-data*
    limit=
    [ $case != limit ] || limit=2
    env ${limit:+OMP_THREAD_LIMIT=$limit} "$tp_run" -q ./unusual $case >out 2>err || fail "$compiler $case: exit status $?: $(cat err)"
    read -r work span <out
    python3 -B - "$tp_analyze" "$work" "$span" $case 2>err <<'X' || fail "$compiler $case: $(tail -n 1 err)"
import json, resource, subprocess, sys
analyze, work, span, case = sys.argv[1:]
subprocess.run([analyze, "-q", "--json", "profile.json", "-o", "analysis", "--simulate", "never"], check=True, stdout=subprocess.DEVNULL)
profile = json.load(open("profile.json"))
assert (profile["work"], profile["span"]) == (int(work), int(span)), (profile["work"], profile["span"], work, span)
assert profile["complete"] or case == "pause", profile["incomplete_reasons"]
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
assert most < 400_000, f"{most} KiB of memory"
X
    [[ $case == fork* ]] || continue
    analyze tp-data.* # of the child
    is "p['complete'] and (p['work'], p['span'], p['trace']['forks']) == (15, 5, 1)"
  done
  for case in exit kill; do
    rm -rf tp-data*
    expected=137
    [ $case != exit ] || expected=3
    bash -c '"$@"; exit $?' bash "$tp_run" -q ./unusual $case >out 2>err # which says that it was killed
    same "$compiler $case: status" $expected $?
    "$tp_analyze" -q --json profile.json -o analysis >out 2>err || fail "$compiler $case: not readable: $(cat err)"
    python3 -B -c 'import json; p = json.load(open("profile.json")); assert p["work"] <= 20 and (not p["complete"] or p["trace"]["tasks_unfinished"] > 0), (p["complete"], p["work"])' 2>err ||
      fail "$compiler $case: $(tail -n 1 err)"
  done
  rm -rf tp-data*
  "$tp_run" -q --max-size 300K ./unusual million >out 2>err || fail "$compiler --max-size: exit status $?"
  in_file out "1000000 1"
  "$tp_analyze" -q --json profile.json -o analysis >out 2>err || fail "$compiler --max-size: not readable: $(cat err)"
  python3 -B -c 'import json; assert not json.load(open("profile.json"))["complete"]' || fail "$compiler --max-size: complete"
done

# The places of a child that was forked after regions ran are those of what it runs itself, also where its first task is
# created where the last one before the fork was.
cat >fork_places.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>
using tp::spend;
[[gnu::noinline]] void tasks(int count) {
  #pragma omp parallel num_threads(2)
  #pragma omp master
  for (int i = 0; i < count; ++i) {
    #pragma omp task
    spend(100);
  }
}
[[gnu::noinline]] void loop(int count) {
  #pragma omp parallel num_threads(2)
  #pragma omp for schedule(dynamic)
  for (int i = 0; i < count; ++i) spend(10);
}
[[gnu::noinline]] void taskloop(int count) {
  #pragma omp parallel num_threads(2)
  #pragma omp master
  #pragma omp taskloop
  for (int i = 0; i < count; ++i) spend(1);
}
int main(int count, char**) {
  loop(2);
  taskloop(2);
  tasks(2);
  if (fork() == 0) {
    if (count > 1) taskloop(6);
    tasks(4);
    loop(5);
    std::exit(0);
  }
  int status = 0;
  wait(&status);
  tasks(1);
  return status;
}
X
for compiler in $compilers; do
  build_openmp "$compiler" fork_places -std=c++17 -O1
  for argument in "" more; do
    rm -rf data
    TP_DATA=data/%p "$tp_run" -q ./fork_places ${argument:+"$argument"} 2>err || fail "$compiler fork_places: exit status $?: $(cat err)"
    for directory in data/*; do
      analyze "$directory"
      is 'p["complete"]'
      is "{(s['functions'][0].split('(')[0], c, s['exclusive_work']) for s in p['sites'] for c in s['constructs'] if s['exclusive_work']} == {('tasks', 'omp_task', 300), ('loop', 'omp_for', 20), ('taskloop', 'omp_taskloop', 2)} if p['trace']['forks'] == 0 else {('tasks', 'omp_task', 400), ('loop', 'omp_for', 50)} | ({('taskloop', 'omp_taskloop', 6)} if '$argument' else set())"
    done
    same "$compiler fork_places: data directories" 2 "$(find data -mindepth 1 -maxdepth 1 | wc -l)"
  done
done

# What a thread does before its first use of OpenMP can be left out, also where the recording has begun before, in a marked
# region: use begins with a parallel region, or with a task outside of all.
cat >first_use.cpp <<'X'
#include <tp/causal.h>
#include <tp/virtual_clock.h>
#include <cstring>
int main(int, char** arguments) {
  {
    tp::CausalRegion before("before");
    tp::spend(1000);
  }
  if (std::strcmp(arguments[1], "task") == 0) {
    #pragma omp task
    tp::spend(10);
    #pragma omp taskwait
  } else {
    #pragma omp parallel num_threads(2)
    #pragma omp single
    tp::spend(10);
  }
}
X
for compiler in $compilers; do
  build_openmp "$compiler" first_use -std=c++17 -O1
  for first in region task; do
    rm -rf tp-data*
    "$tp_run" -q ./first_use $first 2>err || fail "$compiler first_use $first: exit status $?: $(cat err)"
    analyze tp-data
    is "(p['work'], p['span']) == (1010, 1010)"
    "$tp_analyze" -q --from first-use --json profile.json -o analysis >out 2>err || fail "$compiler first_use $first: $(cat err)"
    is "(p['work'], p['span'], p['left_out_work']) == (10, 10, 1000)"
  done
done

# A nested lock that its owner sets again is not waited for. Loops with schedule(runtime) have libgomp's default.
cat >nested_lock.cpp <<'X'
#include <omp.h>
#include <tp/virtual_clock.h>
#include <cstdio>
int main() {
  omp_nest_lock_t lock;
  omp_init_nest_lock(&lock);
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < 20; ++i) {
    omp_set_nest_lock(&lock);
    omp_set_nest_lock(&lock);
    tp::spend(10);
    omp_unset_nest_lock(&lock);
    omp_unset_nest_lock(&lock);
  }
  omp_sched_t kind;
  int chunk;
  omp_get_schedule(&kind, &chunk);
  std::printf("%x\n", static_cast<unsigned>(kind) & 0xff);
}
X
for compiler in $compilers; do
  build_openmp "$compiler" nested_lock -std=c++17 -O1
  rm -rf data
  "$tp_run" -q -o data ./nested_lock >out 2>err || fail "$compiler nested_lock: exit status $?: $(cat err)"
  analyze data
  is "p['work'] == 200"
  is "[(l['kind'], l['acquisitions'], l['contended'], l['held']) for l in p['locks']] == [('omp_nest_lock', 20, 0, 200)]"
  [ "$compiler" != gcc ] || same "schedule(runtime) of g++" 2 "$(cat out)"
done

# What libomp does not support in programs of g++, and finds out late.
cat >scans.cpp <<'X'
#include <cstdio>
int main() {
  int sum = 0, sums[8];
  #pragma omp parallel for reduction(inscan, +: sum) num_threads(2)
  for (int i = 0; i < 8; ++i) {
    sum += i;
    #pragma omp scan inclusive(sum)
    sums[i] = sum;
  }
  std::printf("%d\n", sums[7]);
}
X
build_openmp gcc scans -std=c++17 -O1
"$tp_run" -q -o scans_data ./scans >out 2>err
same "scan: exit status" 1 $?
same "scan: messages" 1 "$(grep -c '^tp: error: OpenMP: the program uses scan' err)"
in_file err 'hint: tp-run --no-openmp, or compile it with clang++'
"$tp_run" -q --no-openmp -o scans_data ./scans >out 2>err
same "scan without libomp" 28 "$(cat out)"

# libomp's own locks are not the program's, also where the recording began before OpenMP was used.
cat >own_locks.cpp <<'X'
#include <mutex>
#include <thread>
std::mutex mutex;
int main() {
  int x = 0;
  std::thread([&] { const std::lock_guard lock(mutex); ++x; }).join();
  #pragma omp parallel num_threads(2)
  for (int i = 0; i < 10; ++i) {
    const std::lock_guard lock(mutex);
    ++x;
  }
  return x == 21 ? 0 : 1;
}
X
for compiler in $compilers; do
  build_openmp "$compiler" own_locks -std=c++17 -O1
  rm -rf tp-data*
  "$tp_run" -q --locks all ./own_locks 2>err || fail "$compiler own_locks: exit status $?: $(cat err)"
  analyze tp-data
  is '[(lock["kind"], lock["acquisitions"], lock["places"][0]["functions"][0][:4]) for lock in p["locks"]] == [("pthread_mutex", 21, "main")]'
done

# Without our entry points: as libomp loads a tool. Figures are the same.
if [[ $compilers == *clang* ]]; then
  rm -rf tp-data*
  LD_LIBRARY_PATH=$TP_PREFIX/lib:$(dirname "$libomp") LD_PRELOAD=$TP_PREFIX/lib/libtbb.so.12 OMP_TOOL_LIBRARIES=$TP_PREFIX/lib/libtaskpath-ompt.so ./unusual inactive >out 2>err ||
    fail "without entry points: exit status $?: $(cat err)"
  read -r work span <out
  "$tp_analyze" -q --json profile.json -o analysis >out 2>err || fail "without entry points: $(cat err)"
  same "without entry points: work, span" "$work $span" "$(python3 -B -c 'import json; p = json.load(open("profile.json")); print(p["work"], p["span"])')"
  # Entry points, and no tool: nothing of OpenMP is recorded, and nothing breaks.
  LD_LIBRARY_PATH=$TP_PREFIX/lib:$(dirname "$libomp") LD_PRELOAD=$TP_PREFIX/lib/libtaskpath-ompt.so OMP_TOOL=disabled ./unusual threads >out 2>err ||
    fail "entry points alone: exit status $?: $(cat err)"
  in_file out "335 114"
fi
# Runtimes that tp-run refuses: each with the cause, and the program runs.
"$cxx" -g -O1 -pthread "${includes[@]}" -fopenmp -c unusual.cpp -o unusual.o &&
  "$cxx" unusual.o "$("$cxx" -print-file-name=libgomp.a)" -ldl -lpthread -o linked_statically || fail "static libgomp does not link"
"$tp_run" ./linked_statically threads >out 2>err || fail "static libgomp: exit status $?"
in_file out "335 114"
in_file err "OpenMP is not recorded: ./linked_statically contains an OpenMP runtime that was linked statically"
old=/usr/lib/llvm-14/lib/libomp.so.5
if [ -r $old ]; then
  build_openmp gcc unusual -std=c++17 -O1
  TP_LIBOMP=$old "$tp_run" ./unusual threads >out 2>err || fail "libomp 14: exit status $?"
  in_file out "335 114"
  in_file err "OpenMP is not recorded: $old: expected libomp of LLVM 16 or newer, got another file"
fi
# A program that is a tool itself keeps its own: libomp finds it first.
if [[ $compilers == *clang* ]]; then
  clang++-19 -g -O1 -fopenmp "${includes[@]}" -L"$(dirname "$libomp")" -x c++ - -o own_tool <<'X' || fail "own tool: does not build"
#include <cstdio>
#include <omp-tools.h>
static int regions;
static void begin(ompt_data_t*, const ompt_frame_t*, ompt_data_t*, unsigned, int, const void*) { ++regions; }
static int start(ompt_function_lookup_t lookup, int, ompt_data_t*) {
  reinterpret_cast<ompt_set_callback_t>(lookup("ompt_set_callback"))(ompt_callback_parallel_begin, reinterpret_cast<ompt_callback_t>(&begin));
  return 1;
}
static void stop(ompt_data_t*) {}
extern "C" ompt_start_tool_result_t* ompt_start_tool(unsigned, const char*) {
  static ompt_start_tool_result_t result = {start, stop, {}};
  return &result;
}
int main() {
  #pragma omp parallel
  {}
  std::printf("%d regions\n", regions);
}
X
  LD_LIBRARY_PATH=$(dirname "$libomp") "$tp_run" ./own_tool >out 2>err || fail "own tool: exit status $?: $(cat err)"
  in_file out "1 regions"
  in_file err "OpenMP is not recorded: ./own_tool is an OpenMP tool itself"
fi
# A library with OpenMP that the program loads itself is seen if the program is linked with a runtime.
"$cxx" -g -O1 -fopenmp -shared -fPIC "${includes[@]}" -x c++ - -o plugin.so <<'X' || fail "plugin: does not build"
#include <tp/virtual_clock.h>
extern "C" void run() {
  #pragma omp parallel num_threads(2)
  #pragma omp single
  for (int i = 0; i < 5; ++i) {
    #pragma omp task
    tp::spend(10);
  }
}
X
"$cxx" -g -O1 -fopenmp -Wl,--no-as-needed -x c++ - -o loads_plugin -ldl <<'X' || fail "program with a plugin: does not build"
#include <dlfcn.h>
int main() {
  void* const plugin = dlopen("./plugin.so", RTLD_NOW);
  reinterpret_cast<void (*)()>(dlsym(plugin, "run"))();
}
X
rm -rf tp-data*
"$tp_run" -q ./loads_plugin >out 2>err || fail "program with a plugin: exit status $?: $(cat err)"
"$tp_analyze" -q --json profile.json -o analysis >out 2>err || fail "program with a plugin: $(cat err)"
same "program with a plugin: work, span" "50 10" "$(python3 -B -c 'import json; p = json.load(open("profile.json")); print(p["work"], p["span"])')"
# Else one line says that it is not recorded, and what helps; not with --no-openmp, and not of a program without such a library.
"$cxx" -g -O1 -x c++ - -o loads_alone -ldl <<'X' || fail "program that loads OpenMP: does not build"
#include <dlfcn.h>
#include <cstdio>
int main(int count, char**) {
  if (count == 1) {
    void* const plugin = dlopen("./plugin.so", RTLD_NOW);
    reinterpret_cast<void (*)()>(dlsym(plugin, "run"))();
  }
  std::puts("done");
}
X
# loads_alone_says COUNT ARGUMENTS-OF-TP-RUN...
loads_alone_says() {
  local count=$1
  shift
  rm -rf tp-data*
  "$tp_run" -q "$@" >out 2>err || fail "tp-run $*: exit status $?: $(cat err)"
  in_file out "done"
  same "tp-run $*: warnings of a library with OpenMP" "$count" "$(grep -c "OpenMP: not recorded: .*libgomp.* was loaded while the program ran.*--no-as-needed" err)"
}
loads_alone_says 1 ./loads_alone
loads_alone_says 0 ./loads_alone nothing
in_file err "nothing was recorded: ./loads_alone does not use libtbb.so.12, or did not need to load it, and is not linked with OpenMP"
loads_alone_says 0 --no-openmp ./loads_alone
loads_alone_says 1 sh -c './loads_alone; true'
loads_alone_says 0 sh -c './loads_alone nothing; true'
# A runtime that the user has preloaded was not loaded meanwhile.
for arguments in "" nothing; do
  rm -rf tp-data*
  LD_PRELOAD=$("$cxx" -print-file-name=libgomp.so.1) "$tp_run" -q ./loads_alone ${arguments:+"$arguments"} >out 2>err ||
    fail "preloaded libgomp: exit status $?: $(cat err)"
  in_file out "done"
  same "preloaded libgomp: warnings" "$([ -n "$arguments" ] && echo 0 || echo 1) 0" "$(grep -c "OpenMP: not recorded: .*libgomp.so.1 is in LD_PRELOAD.*--no-as-needed" err) $(grep -c "while the program ran" err)"
done
# In a program without OpenMP.
rm -rf tp-data*
LD_PRELOAD=$TP_PREFIX/lib/libtaskpath-ompt.so LD_LIBRARY_PATH=$TP_PREFIX/lib bash -c 'echo fine' >out 2>err || fail "without OpenMP: exit status $?"
in_file out fine
finish
