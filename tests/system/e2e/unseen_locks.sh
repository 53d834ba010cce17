# SPDX-License-Identifier: Apache-2.0
# Mutexes in oneTBB's headers are not seen in an unmodified program: the report names the places that
# take them, as far as debug information and symbols show, and does not promise that it scales. What
# flow graphs do inside is not the program's; recompiled, all are seen.
. "$(dirname "$0")/common.inc"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"
cat >locks.cpp <<'X2'
#include <oneapi/tbb/concurrent_hash_map.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <oneapi/tbb/spin_mutex.h>
#include <oneapi/tbb/spin_rw_mutex.h>
#include <tp/virtual_clock.h>
#include <mutex>
tbb::spin_mutex spin;
tbb::spin_rw_mutex shared;
tbb::queuing_mutex queuing;
tbb::concurrent_hash_map<int, int> map;
int main() {
  tbb::parallel_for(0, 64, [](int i) {
    { tbb::spin_mutex::scoped_lock lock(spin); tp::spend(30); }
    { std::lock_guard<tbb::spin_mutex> lock(spin); tp::spend(1); }
    { tbb::spin_rw_mutex::scoped_lock lock(shared, false); tp::spend(1); }
    { tbb::queuing_mutex::scoped_lock lock(queuing); tp::spend(1); }
    { tbb::concurrent_hash_map<int, int>::accessor one; map.insert(one, i % 4); }
  });
}
X2
cat >none.cpp <<'X2'
#include <oneapi/tbb/concurrent_queue.h>
#include <oneapi/tbb/flow_graph.h>
#include <tp/virtual_clock.h>
int main() {
  tbb::flow::graph graph;
  tbb::concurrent_bounded_queue<int> queue;
  tbb::flow::limiter_node<int> limiter(graph, 4);
  tbb::flow::function_node<int, tbb::flow::continue_msg> node(graph, tbb::flow::serial, [&](int i) {
    queue.push(i);
    tp::spend(10);
    return tbb::flow::continue_msg();
  });
  tbb::flow::make_edge(limiter, node);
  tbb::flow::make_edge(node, limiter.decrementer());
  for (int i = 0; i < 10; ++i)
    limiter.try_put(i);
  graph.wait_for_all();
}
X2
unseen() { # PYTHON: of the places, as (kind, file without folder, line)
  is "(lambda found: $1)([(l['kind'], l.get('file', '').rsplit('/')[-1], l.get('line')) for l in p['locks_not_observed']])"
}
warns() { # not?
  is "$1 ('header_locks_not_observed' in [w['name'] for w in p['warnings']])"
}
record() { # PROGRAM
  rm -rf tp-data*
  "$tp_run" -q -- "./$1" || fail "$1: exit status $?"
  analyze tp-data
}
# By names of files: standard input has none.
stock() { # NAME SOURCE FLAG...
  name=$1 source=$2
  shift 2
  "$cxx" -std=c++17 "$@" "$source" -o "$name" -idirafter "$TP_PREFIX/include" -ltbb -lpthread ||
    fail "$name does not build"
}

stock optimized locks.cpp -O2 -g
record optimized
for kind in "'spin_mutex', 'locks.cpp', 14" "'spin_mutex', 'locks.cpp', 15" "'spin_rw_mutex', 'locks.cpp', 16" \
            "'queuing_mutex', 'locks.cpp', 17"; do
  unseen "($kind) in found"
done
unseen "all(name in ('locks.cpp', '') for kind, name, line in found)"
unseen "'accessor of a concurrent_hash_map' in [kind for kind, name, line in found]"
warns ""
is 'p["locks_observed"] == {"onetbb": True, "onetbb_headers": False, "c_library": True}'
is 'p["verdict"]["headline"].startswith("May scale") and "not all locks were seen" in p["verdict"]["headline"]'

stock plain locks.cpp -O0 -g
record plain
unseen "{kind for kind, name, line in found} >= {'spin_mutex', 'spin_rw_mutex', 'queuing_mutex'}"
warns ""

# Nothing says what a stripped program acquires: it is not warned of, and not called observed.
stock stripped locks.cpp -O2 -s
record stripped
unseen "found == []"
is 'not p["locks_observed"]["onetbb_headers"]'

for level in 0 2; do
  stock none$level none.cpp -O$level -g
  record none$level
  unseen "found == []"
  warns not
done

build recompiled <locks.cpp
record recompiled
unseen "found == []"
warns not
is 'p["locks_observed"]["onetbb_headers"] and len(p["locks"]) >= 4'
finish
