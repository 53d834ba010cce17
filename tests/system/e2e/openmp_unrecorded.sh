# SPDX-License-Identifier: Apache-2.0
# OpenMP that ran and was not recorded: the profile says so, and promises nothing. And OpenMP in programs that are started
# by the one which tp-run starts: it is recorded, and where that is refused, the reason is that of the right program.
. "$(dirname "$0")/common.inc"
use_openmp

cat >mixed.cpp <<'X'
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <cstdio>
int main(int count, char** arguments) {
  tbb::task_group group;
  for (int i = 0; i < 4; ++i) group.run([] { tp::spend(10); });
  group.wait();
  const int threads = count > 1 ? arguments[1][0] - '0' : 2;
  if (threads > 0) {
    #pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (int i = 0; i < 100; ++i) tp::spend(10);
  }
  std::printf("done %s\n", arguments[0]);
  return 3;
}
X
build_mixed() {
  build_openmp "$1" mixed -O1 -std=c++17 -L"$TP_PREFIX/lib" -Wl,-rpath,"$TP_PREFIX/lib" -ltbb
}
# is_missing_from REASON, is_all_there: of the profile of tp-data
is_missing_from() {
  analyze tp-data
  is "not p['span_is_exact'] and 'OpenMP ran and was not recorded' in p['verdict']['headline'] and p['verdict']['detail'] == ''"
  is "p['prediction']['not_made'] == 'OpenMP ran and was not recorded' and p['speedup_bounds'] == [] and p['findings'] == []"
  is "p['what_if']['changes'] == [] and p['what_if']['not_explored'] == 'OpenMP ran and was not recorded'"
  is "[w['certain'] and '$1' in w['text'] for w in p['warnings'] if w['name'] == 'openmp_not_recorded'] == [True]"
  for check in 'parallelism>=1.5' 'parallelism<1.5' 'span<9' 'divisible_parallelism>2' 'work<99999' 'burdened_parallelism<1'; do
    "$tp_analyze" -q -o analysis tp-data --check "$check" >check.out 2>&1
    same "--check '$check' without OpenMP ($1)" 2 $?
    in_file check.out "OpenMP ran and was not recorded"
  done
  "$tp_analyze" -q -o analysis tp-data --check 'tasks>=4' >check.out 2>&1 || fail "--check tasks: exit status $?"
}
is_all_there() {
  analyze tp-data
  is "p['span_is_exact'] and not any(w['name'] == 'openmp_not_recorded' for w in p['warnings'])"
}

cat >script.sh <<'X'
#!/bin/sh
exec ./mixed "$@"
X
chmod +x script.sh
for compiler in $compilers; do
  build_mixed "$compiler"
  for threads in 2 1 0; do
    rm -rf tp-data*
    LD_LIBRARY_PATH=$(dirname "$libomp") "$tp_run" -q --no-openmp ./mixed $threads >out 2>err
    same "$compiler --no-openmp $threads: exit status" 3 $?
    if [ $threads = 2 ]; then
      is_missing_from "--no-openmp"
    else # without threads of its own it is serial, and recorded as such
      is_all_there
      is "p['work'] == (40 if $threads == 0 else 1040)"
    fi
  done
  rm -rf tp-data*
  LD_LIBRARY_PATH=$(dirname "$libomp") OMP_TOOL=disabled "$tp_run" -q ./mixed >out 2>err
  is_missing_from "OMP_TOOL=disabled"

  # Behind programs that start it: as if tp-run had started it itself.
  ln -sf mixed other_name
  for launcher in "./mixed" "env X=1 ./mixed" "nice ./mixed" "timeout 60 ./mixed" "./script.sh" "./other_name" "env -C . nice ./other_name"; do
    rm -rf tp-data*
    # shellcheck disable=SC2086  # words
    LD_LIBRARY_PATH=$(dirname "$libomp") "$tp_run" -q $launcher >out 2>err
    same "$compiler, $launcher: exit status" 3 $?
    is_empty err
    same "$compiler, $launcher: output" "done ./$([[ $launcher == *other_name ]] && echo other_name || echo mixed)" "$(cat out)"
    is_all_there
    is "(p['work'], p['divisible_span']) == (1040, 20) and p['run']['openmp']['runtime'] == '$libomp' and '$launcher'"
  done
  rm -rf data
  LD_LIBRARY_PATH=$(dirname "$libomp") "$tp_run" -q -o data/%p sh -c './mixed; ./mixed 1; true' >out 2>err || fail "$compiler, sh -c: exit status $?"
  is_empty err
  same "$compiler, sh -c: outputs" 2 "$(grep -c '^done ./mixed' out)"
  for folder in data/*; do
    analyze "$folder"
    is "p['work'] == 1040 and p['span_is_exact']"
  done
done

# Refused behind a launcher: said of each program that uses OpenMP.
build_mixed gcc
rm -rf tp-data*
OMP_TOOL=disabled "$tp_run" -q sh -c './mixed 2; true' >out 2>err || fail "refused in sh: exit status $?"
same "refused in sh: warnings" 1 "$(grep -c 'OpenMP is not recorded: OMP_TOOL=disabled is set' err)"
is_missing_from "OMP_TOOL=disabled"
"$tp_run" -q --no-openmp sh -c './mixed; true' >out 2>err || fail "--no-openmp sh: exit status $?"
is_empty err

# Loaded while the program runs: said by the process that used it, whatever has started it.
"$cxx" -g -O1 -fopenmp -shared -fPIC "${includes[@]}" -x c++ - -o plugin.so <<'X' || fail "plugin: does not build"
#include <tp/virtual_clock.h>
extern "C" void run(int threads) {
  #pragma omp parallel for num_threads(threads)
  for (int i = 0; i < 100; ++i) tp::spend(10);
}
X
build loads -ldl <<'X'
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <dlfcn.h>
int main(int count, char**) {
  tbb::task_group group;
  for (int i = 0; i < 4; ++i) group.run([] { tp::spend(10); });
  group.wait();
  void* const plugin = dlopen("./plugin.so", RTLD_NOW);
  reinterpret_cast<void (*)(int)>(dlsym(plugin, "run"))(count);
}
X
for launcher in "" env; do
  rm -rf tp-data*
  "$tp_run" -q $launcher ./loads more >out 2>err || fail "$launcher loads: exit status $?: $(cat err)"
  same "$launcher loads: warnings" 1 "$(grep -c "OpenMP: not recorded: .*libgomp.* was loaded while the program ran.*--no-as-needed" err)"
  is_missing_from libgomp
  rm -rf tp-data*
  "$tp_run" -q $launcher ./loads >out 2>err || fail "$launcher loads, one thread: exit status $?: $(cat err)"
  is_empty err
  is_all_there
done
# Of a program without oneTBB nothing is counted from its first call on.
cat >alone.cpp <<'X'
#include <tp/virtual_clock.h>
int main() {
  tp::spend(100);
  #pragma omp parallel num_threads(2)
  tp::spend(10);
}
X
build_openmp gcc alone -O1
rm -rf tp-data*
"$tp_run" -q --no-openmp ./alone >out 2>err || fail "alone: exit status $?: $(cat err)"
"$tp_analyze" -q -v -o analysis 2>err | tr '\n' ' ' >out || fail "alone: $(cat err)"
in_file out "OpenMP ran and was not recorded"
! grep -q "oneTBB *call\|called oneTBB" out || fail "alone: $(cat out)"
# A runtime in the program itself.
"$cxx" -g -O1 -pthread "${includes[@]}" -fopenmp -c mixed.cpp -std=c++17 -o mixed.o &&
  "$cxx" mixed.o "$("$cxx" -print-file-name=libgomp.a)" -L"$TP_PREFIX/lib" -Wl,-rpath,"$TP_PREFIX/lib" -ltbb -ldl -lpthread -o linked_statically ||
  fail "static libgomp does not link"
rm -rf tp-data*
"$tp_run" -q ./linked_statically >out 2>err
is_missing_from "linked statically"
rm -rf tp-data*
"$tp_run" -q ./linked_statically 1 >out 2>err
is_all_there
finish
