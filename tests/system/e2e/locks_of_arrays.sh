# SPDX-License-Identifier: Apache-2.0
# A lock that is an element of an array in static data, and the only one of it that is acquired: if only one thread did,
# other threads may acquire other elements, so that its bound is none of the program's.
. "$(dirname "$0")/common.inc"
cat >array.cpp <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <array>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
struct Shard { long count; std::mutex mutex; };
std::mutex alone, of_threads[8];
std::array<Shard, 8> shards;
struct Base { long first; Shard shards[3]; };
struct Table : Base { char name[64]; Shard one[1]; } table;
Shard grid[2][3];
struct OfClass { static std::mutex mutexes[2]; };
std::mutex OfClass::mutexes[2];
namespace { std::mutex& of_function(int i) { static std::mutex mutexes[5]; return mutexes[i]; } }
int main(int count, char** arguments) {
  const std::string which = count > 1 ? arguments[1] : "";
  std::mutex& mutex = which == "alone" ? alone : which == "member" ? table.one[0].mutex
                      : which == "shard" ? shards[3].mutex : which == "inner" ? table.shards[1].mutex
                      : which == "grid" ? grid[1][2].mutex : which == "class" ? OfClass::mutexes[1]
                      : which == "function" ? of_function(4) : of_threads[2];
  for (int i = 0; i < 10; ++i) // more than the span, which has these sections one after the other
    tbb::parallel_for(0, 2, [&](int) { const std::lock_guard held(mutex); tp::spend(1000); }, tbb::simple_partitioner());
  if (which == "both") std::thread([&] { const std::lock_guard held(mutex); tp::spend(1); }).join();
  _exit(0);
}
X
build array <array.cpp
build plain -g0 <array.cpp
bound() { # NAME PROGRAM WHICH VARIABLE KIND
  TP_EVENT=virtual taskset -c 0 "$tp_run" -q --locks all -o "$1.data" "./$2" "$3" || fail "$1: exit status $?"
  analyze "$1.data"
  is "[(l['variable'], l['bound_kind'], l['bound_parts']['sections'] >= 20000) for l in p['locks'] if l['held'] > 0] == [('$4', '$5', True)]"
  if [ "$5" = proven ]; then is 'p["span_with_locks"] >= 20000'; else is 'p["span_with_locks"] < 20000'; fi
}
bound alone array alone alone proven
bound member array member table proven
bound shard array shard shards if_same_lock
bound element array element of_threads if_same_lock
bound inner array inner table if_same_lock
bound grid array grid grid if_same_lock
bound class array class OfClass::mutexes if_same_lock
bound function array function "(anonymous namespace)::of_function(int)::mutexes" if_same_lock
bound both array both of_threads proven
bound unknown plain element of_threads proven # as far as is known
finish
