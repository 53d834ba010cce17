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

# The operations of a priority queue, which are not inlined.
cat >queue.cpp <<'X2'
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
tbb::concurrent_priority_queue<int> queue;
int main() {
  tbb::parallel_for(0, 64, [](int i) {
    tp::spend(10); queue.push(i);
    queue.emplace(i);
    if (!queue.try_pop(i)) return;
  });
}
X2
stock queue queue.cpp -O2 -g
record queue
unseen "{('concurrent_priority_queue', 'queue.cpp', line) for line in (7, 9)} <= set(found) and all(kind == 'concurrent_priority_queue' and (name, line) in (('queue.cpp', 7), ('queue.cpp', 8), ('queue.cpp', 9)) for kind, name, line in found)"
warns ""
is 'p["verdict"]["headline"].startswith("May scale") and "not all locks were seen" in p["verdict"]["headline"]'
stock plain_queue queue.cpp -O0 -g
record plain_queue
unseen "found == [('concurrent_priority_queue', '', None)]"
warns ""

build recompiled <locks.cpp
record recompiled
unseen "found == []"
warns not
is 'p["locks_observed"]["onetbb_headers"] and len(p["locks"]) >= 4'

# A library that creates no tasks: linked, or loaded by the program.
cat >plugin.cpp <<'X2'
#include <oneapi/tbb/spin_mutex.h>
#include <tp/virtual_clock.h>
static tbb::spin_mutex hidden;
extern "C" void section() {
#line 20 "plugin.cpp"
  tbb::spin_mutex::scoped_lock lock(hidden);
  tp::spend(10);
}
X2
cat >host.cpp <<'X2'
#include <oneapi/tbb/parallel_for.h>
#include <dlfcn.h>
#ifdef LINKED
extern "C" void section();
#endif
int main() {
#ifndef LINKED
  auto* const section = reinterpret_cast<void (*)()>(dlsym(dlopen("./libplugin.so", RTLD_NOW), "section"));
#endif
  tbb::parallel_for(0, 400, [&](int) { section(); }, tbb::simple_partitioner());
}
X2
plugin() { # FLAG: where our headers are, before the distribution's or behind them
  "$cxx" -std=c++17 -O1 -g -shared -fPIC plugin.cpp -o libplugin.so "$1" "$TP_PREFIX/include" || fail "the plugin does not build"
}
plugin -idirafter
build host -ldl <host.cpp
build linked -DLINKED -L. -Wl,-rpath,"$PWD" -Wl,--no-as-needed -lplugin <host.cpp
for program in host linked; do
  rm -rf tp-data*
  TP_EVENT=virtual "$tp_run" -q -- "./$program" || fail "$program: exit status $?"
  analyze tp-data
  unseen "found == [('spin_mutex', 'plugin.cpp', 20)]"
  warns ""
  is 'p["verdict"]["headline"].startswith("May scale") and "not all locks were seen" in p["verdict"]["headline"]'
  rm profile.json
  (cd / && "$tp_analyze" -q --json "$folder_of_test/profile.json" -d "$folder_of_test/tp-data" -o "$folder_of_test/analysis" >"$folder_of_test/elsewhere.out" 2>&1) ||
    fail "tp-analyze in another folder: exit status $?"
  unseen "found == [('spin_mutex', 'plugin.cpp', 20)]"
done
plugin -I
rm -rf tp-data*
TP_EVENT=virtual "$tp_run" -q -- ./host || fail "host: exit status $?"
analyze tp-data
unseen "found == []"
warns not
is 'p["span_with_locks"] == 4000'

# A library that calls the C library past tp-run. What it has not called is not missing.
cat >past.cpp <<'X2'
#include <tp/virtual_clock.h>
#include <mutex>
static std::mutex hidden;
extern "C" void section() {
  std::lock_guard lock(hidden);
  tp::spend(10);
}
extern "C" void other() {}
X2
cat >past_host.cpp <<'X2'
#include <oneapi/tbb/parallel_for.h>
#include <dlfcn.h>
#include <cstdlib>
int main(int argc, char** argv) {
  void* const plugin = dlopen("./libpast.so", std::atoi(argv[1]));
  auto* const section = reinterpret_cast<void (*)()>(dlsym(plugin, argv[2]));
  tbb::parallel_for(0, 400, [&](int) { section(); }, tbb::simple_partitioner());
}
X2
build past_host -ldl <past_host.cpp
for linked in lazy now; do
  "$cxx" -std=c++17 -O1 -g -shared -fPIC past.cpp -o libpast.so -I "$TP_PREFIX/include" -Wl,-z,$linked || fail "the plugin does not build"
  for case in "1 section" "2 section" "9 section past" "10 section past" "9 other"; do # RTLD_LAZY 1, RTLD_NOW 2, RTLD_DEEPBIND 8
    read -r flags function past <<<"$case"
    [ "$linked $function" != "now other" ] || continue # all that it might call has been looked up
    rm -rf tp-data*
    TP_EVENT=virtual "$tp_run" -q -- ./past_host "$flags" "$function" || fail "past_host: exit status $?"
    analyze tp-data
    is "('locks_past_tp_run' in [w['name'] for w in p['warnings']]) == ('$past' != '')"
    is "'$function' == 'other' or ('$past' == '') == (p['span_with_locks'] == 4000)"
    is "'$past' == '' or ('not all locks were seen' in p['verdict']['headline'] and 'libpast.so' in str(p['warnings']))"
  done
done
finish
