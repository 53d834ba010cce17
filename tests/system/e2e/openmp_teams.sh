# SPDX-License-Identifier: Apache-2.0
# Leagues of teams, and loops that distribute deals out to them. clang's are loops, as far as they can be divided; g++'s are part
# of the teams' code: how they could be divided further is not known, and said so.
. "$(dirname "$0")/common.inc"
use_openmp
export KMP_TEAMS_THREAD_LIMIT=8 # whatever number of CPUs there is

cat >teams.cpp <<'X'
#include <tp/virtual_clock.h>
#include <cstring>
using tp::spend;
int main(int, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  if (is("distribute"))
    #pragma omp teams distribute num_teams(2)
    for (int i = 0; i < 100; ++i) spend(1);
  if (is("chunked"))
    #pragma omp teams distribute num_teams(2) dist_schedule(static, 3)
    for (int i = 0; i < 100; ++i) spend(1);
  if (is("one_team"))
    #pragma omp teams distribute
    for (int i = 0; i < 100; ++i) spend(1);
  if (is("idle")) // teams without an iteration
    #pragma omp teams distribute num_teams(4)
    for (int i = 0; i < 2; ++i) spend(10);
  if (is("simd"))
    #pragma omp teams distribute simd num_teams(2)
    for (long i = 100; i > 0; --i) spend(1);
  if (is("both")) // one loop, divided twice
    #pragma omp teams distribute parallel for num_teams(2)
    for (int i = 0; i < 100; ++i) spend(1);
  if (is("both_chunked"))
    #pragma omp teams distribute parallel for num_teams(2) dist_schedule(static, 5)
    for (int i = 0; i < 100; ++i) spend(1);
  if (is("both_chunks")) // of which each can be a team's
    #pragma omp teams distribute parallel for num_teams(2) dist_schedule(static, 7)
    for (int i = 0; i < 140; ++i) spend(10);
  if (is("both_one"))
    #pragma omp teams distribute parallel for
    for (int i = 0; i < 100; ++i) spend(1);
  if (is("nested")) // two loops
    #pragma omp teams num_teams(2)
    {
      spend(10);
      #pragma omp distribute
      for (unsigned i = 0; i < 20; ++i) {
        spend(2);
        #pragma omp parallel for schedule(dynamic)
        for (int k = 0; k < 4; ++k) spend(1);
      }
    }
  if (is("two"))
    #pragma omp teams num_teams(2)
    {
      spend(10);
      #pragma omp distribute
      for (int i = 0; i < 100; ++i) spend(1);
      #pragma omp distribute dist_schedule(static, 1)
      for (int i = 0; i < 10; ++i) spend(3);
    }
  if (is("reduction")) {
    int sum = 0;
    #pragma omp teams distribute num_teams(2) reduction(+ : sum)
    for (int i = 0; i < 100; ++i) { spend(1); sum += i; }
    if (sum != 4950) return 1;
  }
}
X
run() { # CASE WORK SPAN: - if the number of CPUs decides it
  analyze_openmp "$compiler" teams "$1"
  is_empty err
  is "p['work'] == $2 and '$1'"
  [ "$3" = - ] || is "p['span'] == $3 and '$1'"
  # Rows have lines of the user's.
  is "[s['name'] for s in p['sites'] if s['line'] == 0] == ['main'] and 'omp_teams' in [c for s in p['sites'] for c in s['constructs']] and '$1'"
  is "[w['name'] for w in p['warnings'] if w['name'] in ('threads', 'never_begun', 'unfinished', 'conservation', 'unsized', 'unequal_iterations')] == [] and '$1'"
}
says_nothing_of_regions() {
  "$tp_analyze" -P 8 --top 9 -v -o analysis tp-data 2>&1 | tr -s ' \n' ' ' >report
  in_file report "league of teams at teams.cpp:"
  ! grep -q -e "parallel region" -e OMP_NUM_THREADS -e "implicit task" report || fail "$compiler $1: $(cat report)"
}
for compiler in $compilers; do
  build_openmp "$compiler" teams -O1 -w
  # Work, span, divisible span; teams, and of distributed loops body calls and iterations.
  while read -r case work span divisible teams calls iterations; do
    run "$case" "$work" "$span"
    if [ "$compiler" = clang ]; then
      is "(p['divisible_is_known'], p['divisible_span']) == (True, $divisible) and '$case'"
      [ "$calls" = - ] || is "[(s['tasking']['body_calls'], s['tasking']['iterations']) for s in p['sites'] if 'omp_distribute' in s['constructs']] == [($calls, $iterations)] and '$case'"
      # What a team has of a loop is a task of the team.
      [ "$teams" = - ] || is "sum(s['invocations'] for s in p['sites']) == 2 * $teams and '$case'"
    else
      is "(p['divisible_is_known'], p['divisible_not_known_because']) == (False, 'hidden_loops') and '$case'"
      is "[w['certain'] for w in p['warnings'] if w['name'] == 'split_unknown'] == [False] and '$case'"
      "$tp_analyze" -q -o analysis tp-data --check 'divisible_parallelism>=10' >check.out 2>&1
      same "$compiler, $case: --check of divisible_parallelism" 2 $?
      [ "$teams" = - ] || is "sum(s['invocations'] for s in p['sites']) == $teams and '$case'"
    fi
  done <<'X'
distribute 100 50 1 2 2 100
chunked 100 51 1 2 2 100
one_team 100 100 1 1 1 100
idle 20 10 10 4 2 2
simd 100 50 1 2 2 100
both 100 - 1 - - -
both_chunked 100 - 1 - - -
both_chunks 1400 - 10 - - -
both_one 100 - 1 - - -
nested 140 - 13 - 2 20
two 150 75 14 - - -
reduction 100 50 1 2 2 100
X
  if [ "$compiler" = gcc ]; then # what gives regions in teams more threads, by libomp
    run both 100 -
    is "['thread_limit(N) or OMP_TEAMS_THREAD_LIMIT=N, with KMP_TEAMS_THREAD_LIMIT as large as N' in w['text'] for w in p['warnings'] if w['name'] == 'split_unknown'] == [True]"
  fi
  for case in distribute one_team; do
    run $case 100 -
    says_nothing_of_regions $case
  done
  in_file report 'let teams be more by num_teams or OMP_NUM_TEAMS'
  [ "$compiler" = clang ] || in_file report 'with loops split as in this run (1 team)'
done
# A doacross loop of a region with one thread in a league: libomp 19 by itself ends the program.
cat >alone.cpp <<'X'
#include <omp.h>
#include <tp/virtual_clock.h>
int main() {
  int sums[2] = {};
  #pragma omp teams num_teams(2) thread_limit(4)
  #pragma omp parallel num_threads(1)
  {
    int& sum = sums[omp_get_team_num()];
    #pragma omp for ordered(1) schedule(dynamic)
    for (int i = 0; i < 10; ++i) {
      tp::spend(3);
      #pragma omp ordered depend(sink: i - 1)
      sum += i;
      tp::spend(2);
      #pragma omp ordered depend(source)
    }
    tp::spend(1);
  }
  return sums[0] == 45 && sums[1] == 45 ? 0 : 1;
}
X
for compiler in $compilers; do
  build_openmp "$compiler" alone -O1
  OMP_NUM_THREADS=8 analyze_openmp "$compiler" alone
  is_empty err
  is "p['complete'] and (p['work'], p['span']) == (102, 51)"
done

# A league of one team, after one in which a team had an inactive region: libomp reports it with what is left of that region.
cat >left_over.cpp <<'X'
#include <omp.h>
#include <tp/virtual_clock.h>
int main() {
  #pragma omp teams num_teams(3) thread_limit(8)
  {
    if (omp_get_team_num() == 0) {
      tp::spend(11);
      #pragma omp parallel num_threads(2) if(0)
      tp::spend(62);
    } else
      tp::spend(28);
  }
  tp::spend(1);
  #pragma omp teams num_teams(1) thread_limit(8)
  tp::spend(60);
  tp::spend(54);
}
X
for compiler in $compilers; do
  build_openmp "$compiler" left_over -O1
  KMP_TEAMS_THREAD_LIMIT=64 OMP_NUM_THREADS=8 analyze_openmp "$compiler" left_over
  is "p['complete'] and (p['work'], p['span']) == (11 + 62 + 2 * 28 + 1 + 60 + 54, 11 + 62 + 1 + 60 + 54)"
done

# Regions inside of a team's region that have one thread, of which libomp reports other things than it should.
cat >inside.cpp <<'X'
#include <omp.h>
#include <tp/virtual_clock.h>
#include <cstring>
using tp::spend;
int main(int count, char** arguments) {
  const auto is = [&](const char* name) { return std::strcmp(arguments[1], name) == 0; };
  if (is("inactive")) { // the second level
    #pragma omp teams num_teams(2) thread_limit(4)
    #pragma omp parallel num_threads(2)
    {
      spend(1);
      #pragma omp parallel num_threads(3)
      spend(10);
      spend(100);
      #pragma omp barrier
      spend(omp_get_thread_num() == 0 ? 1000 : 10000);
    }
  }
  if (is("if0")) {
    #pragma omp teams num_teams(2) thread_limit(4)
    #pragma omp parallel num_threads(2)
    {
      spend(1);
      #pragma omp parallel if(count > 2)
      {
        #pragma omp for
        for (int i = 0; i < 10; ++i) spend(1);
        #pragma omp task
        spend(20);
      }
      #pragma omp parallel if(count > 2)
      spend(100);
      #pragma omp single
      spend(1000);
    }
  }
  if (is("untied")) { // libomp defers tasks there
    #pragma omp teams num_teams(2) thread_limit(4)
    #pragma omp parallel num_threads(1)
    {
      #pragma omp task untied
      spend(10);
      #pragma omp task
      {
        spend(100);
        #pragma omp taskyield
        spend(1000);
      }
    }
  }
  if (is("after")) // a league of one team, with what libomp keeps of regions that have ended
    for (int i = 0; i < 50; ++i) {
      #pragma omp parallel num_threads(4)
      {
        #pragma omp single
        for (int k = 0; k < 8; ++k)
          #pragma omp task
          {
            #pragma omp parallel num_threads(1)
            spend(10);
          }
      }
      #pragma omp teams num_teams(1) thread_limit(8)
      spend(1000);
    }
}
X
for compiler in $compilers; do
  build_openmp "$compiler" inside -O1
  while read -r case work span; do
    OMP_NUM_THREADS=8 analyze_openmp "$compiler" inside "$case"
    is_empty err
    is "p['complete'] and (p['work'], p['span']) == ($work, $span) and '$case'"
    is "[w['name'] for w in p['warnings'] if w['name'] in ('never_begun', 'unfinished', 'conservation', 'attribution')] == [] and '$case'"
  done <<'X'
inactive 22444 10111
if0 2524 1131
untied 2220 1100
after 54000 50500
X
done
finish
