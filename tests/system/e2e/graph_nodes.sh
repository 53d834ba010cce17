# SPDX-License-Identifier: Apache-2.0
# Nodes of flow graphs: one thread at a time does with a node's messages what all ask for, which is a lock. What it does, as
# copying messages, is in its sections and in the work, each once, by whichever thread; to wait for another thread is neither.
. "$(dirname "$0")/common.inc"
sums() { "$tp_analyze" -q --dump -d "$1" | python3 -B "$here/../../support/lock_sums.py" | grep '^flow_graph_node'; }
# locks CONDITION, of `of`: locks by node and variable, as in "queue_node orders".
locks() { is "(lambda of: $1)({f\"{lock.get('node', '')} {lock['variable']}\": lock for lock in p['locks']})"; }

# Messages are copied into the queue and out of it, within operations only. How often, when the queue grows, is the schedule's.
cat >queue.cpp <<'X'
#line 2 "queue.cpp"
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
std::atomic<long> copies{0}, assigned{0};
struct Message {
  Message() = default;
  Message(const Message&) { ++copies; tp::spend(10); }
  Message& operator=(const Message&) { ++assigned; tp::spend(7); return *this; }
};
int main(int, char** arguments) {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::atoi(arguments[1]));
  tbb::flow::graph graph;
  tbb::flow::queue_node<Message> orders(graph);
  const Message message;
  tbb::parallel_for(0, 500, [&](int) {
    tp::spend(1);
    orders.try_put(message);
    Message result;
    if (!orders.try_get(result)) std::abort();
  }, tbb::simple_partitioner());
  graph.wait_for_all();
  std::printf("%ld\n", 10 * copies + 7 * assigned);
}
X
build queue -O2 <queue.cpp
for threads in 1 2 4 8; do
  held=$("$tp_run" -q --locks all -o queue.data ./queue $threads) || fail "queue: exit status"
  same "$threads threads" "work=$held takes=0 gives=0 locks=1" "$(sums queue.data | cut -d ' ' -f 3-)"
  analyze queue.data
  is "p['complete'] and p['work'] == 500 + $held and $held >= 17 * 500"
  # A place is that of the node, wherever it is used. Each time that the graph looks for a receiver is an operation, too.
  locks "(lambda lock: lock['kind'] == 'flow_graph_node' and lock['held'] == $held and lock['acquisitions'] >= 1000 and lock['objects'] == 1
      and [(place['line'], place['kinds']) for place in lock['places']] == [(18, ['flow_graph_node'])] and lock['bound_kind'] == 'proven'
      and lock['bound_parts']['sections'] == $held and lock['unmatched'] == 0)(of['queue_node orders'])"
  is 'p["span_with_locks"] >= '"$held"
  [ $threads -eq 1 ] || is '"by the queue_node orders (queue.cpp:18)" in p["verdict"]["headline"]'
  # Operations cannot share it.
  locks '{each["change"] for each in of["queue_node orders"]["what_if"]} == {"shorter", "split", "gone"}'
  is 'all(lock["wait_blame"] + lock["waited_no_holder"] == lock["waited"] for lock in p["locks"])'
done
"$tp_analyze" -q -d queue.data -o text | tr -s ' \n' ' ' >queue.txt
in_file queue.txt "The operations of the queue_node orders (queue.cpp:18) run one after the other"
in_file queue.txt "send large messages by std::shared_ptr or pointer (half as long: parallelism at most"
in_file queue.txt "or divide them among several nodes (into 4: parallelism at most"

# One thread does what another one asks for: the first has the node until both others have asked, of whom the one that
# asked first does both.
cat >batch.cpp <<'X'
#line 2 "batch.cpp"
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <atomic>
#include <chrono>
#include <thread>
std::atomic<int> asked{0};
std::atomic<bool> is_busy{false};
void pass(int ms) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(ms);
  while (std::chrono::steady_clock::now() < end) std::this_thread::yield();
}
struct Message {
  int key = 0;
  Message() = default;
  explicit Message(int k) : key(k) {}
  Message(const Message& other) : key(other.key) {
    if (key == 0) { is_busy = true; while (asked < 2) std::this_thread::yield(); pass(50); }
    if (key != 0) pass(20);
    tp::spend(10u << key);
  }
  Message& operator=(const Message&) = default;
};
tbb::flow::graph graph;
tbb::flow::buffer_node<Message> buffer(graph);
int main() {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, 3);
  tbb::task_arena arena(3);
  const Message zero(0), one(1), two(2);
  arena.execute([&] {
    tbb::task_group group;
    group.run([&] {
      while (!is_busy) std::this_thread::yield();
      tp::spend(1000); asked = 1;
      buffer.try_put(one);
    });
    group.run([&] {
      while (asked < 1) std::this_thread::yield();
      pass(25); tp::spend(2000); asked = 2;
      buffer.try_put(two);
    });
    buffer.try_put(zero);
    group.wait();
  });
  graph.wait_for_all();
}
X
build batch -O2 <batch.cpp
works_of() { # DIR: of the sections of the node in which something was done
  "$tp_analyze" -q --dump -d "$1" | python3 -c 'import re, sys
kinds, works = {}, []
for line in sys.stdin:
    fields = dict(re.findall(r"(\w+)=(\S+)", line))
    if " lock slot=" in line:
        kinds[fields["slot"]] = fields["kind"]
    elif " Section " in line and kinds[fields["slot"]] == "flow_graph_node" and int(fields["work"]) > 0:
        works.append(int(fields["work"]))
print(*sorted(works))'
}
# On a busy machine the second may come too late.
for ((try = 0; try < 5; try++)); do
  rm -rf batch.data
  "$tp_run" -q --locks all -o batch.data ./batch || fail "batch: exit status"
  [ "$(works_of batch.data)" != "10 60" ] || break
done
same "sections of a batch" "10 60" "$(works_of batch.data)"
analyze batch.data
is 'p["complete"] and p["work"] == 3070'
locks '"buffer_node buffer" in of'
is '(lambda lock: lock["contended"] >= 2 and (lock["held"], lock["bound_parts"]["sections"]) == (70, 70))(p["locks"][0])'
# Two threads wait for 50 ms, and one of them for the operations of the other.
is '(lambda lock: lock["waited_no_holder"] == 0 and lock["wait_blame"] == lock["waited"] and lock["waited_ns"] > 100e6)(p["locks"][0])'

# Every kind of node with such a lock, by its class, variable and line, in all ways in which it can be made.
cat >kinds.cpp <<'X'
#line 2 "kinds.cpp"
#define TBB_PREVIEW_FLOW_GRAPH_FEATURES 1
#include <oneapi/tbb/flow_graph.h>
#include <memory>
#include <tuple>
#include <vector>
using namespace tbb::flow;
using Pair = std::tuple<int, int>;
graph graph_of_all;
queue_node<int> global(graph_of_all);
struct Member {
  sequencer_node<int> sequence;
  explicit Member(graph& g) : sequence(g, [](int i) { return static_cast<std::size_t>(i); }) {}
};
int main() {
  graph g;
  buffer_node<int> buffer(g);
  priority_queue_node<int> urgent{g};
  function_node<int, int> serial_body(g, serial, [](int i) { return i; });
  multifunction_node<int, Pair> many(g, serial, [](int, auto&) {});
  async_node<int, int> async(g, serial, [](int i, auto& gateway) { gateway.try_put(i); });
  join_node<Pair> pairs(g);
  join_node<Pair, key_matching<int>> keys(g, [](int i) { return i; }, [](int i) { return i; });
  indexer_node<int, int> either(g);
  auto owned = std::make_unique<queue_node<int>>(g);
  Member member(g);
  std::vector<std::unique_ptr<buffer_node<int>>> several;
  for (int i = 0; i < 3; ++i) several.push_back(std::make_unique<buffer_node<int>>(g));
  queue_node<int> copy(*owned);
  queue_node<int> received(follows(serial_body));
  for (auto* queue : {&global, owned.get(), static_cast<queue_node<int>*>(&member.sequence), &copy, &received}) queue->try_put(0);
  buffer.try_put(1); urgent.try_put(1); serial_body.try_put(1); many.try_put(1); async.try_put(1);
  for (auto& each : several) each->try_put(1);
  input_port<0>(pairs).try_put(1); input_port<1>(pairs).try_put(2);
  input_port<0>(keys).try_put(1); input_port<1>(keys).try_put(1);
  input_port<0>(either).try_put(1);
  g.wait_for_all();
  graph_of_all.wait_for_all();
}
X
build kinds <kinds.cpp
"$tp_run" -q --locks all -o kinds.data ./kinds || fail "kinds: exit status"
analyze kinds.data
cat >places.py <<'X'
import json
rows = [lock for lock in json.load(open("profile.json"))["locks"] if lock["kind"] == "flow_graph_node"]
print(*sorted(f"{lock['node']} {lock['variable']} {lock['line']} {lock['objects']} {lock['bound_kind']}" for lock in rows), sep="\n")
X
same "nodes" "async_node async 21 1 proven
buffer_node  28 3 proven
buffer_node buffer 17 1 proven
buffer_node copy 29 1 proven
function_node serial_body 19 1 proven
indexer_node either 24 1 proven
join_node keys 23 4 proven
join_node pairs 22 3 proven
multifunction_node many 20 1 proven
priority_queue_node urgent 18 1 proven
queue_node global 10 1 proven
queue_node owned 25 1 proven
queue_node received 30 1 proven
sequencer_node sequence 13 1 proven" "$(python3 places.py)"

# A body of the lightweight policy runs in the operation of the node that sends it a message, also if it contains a loop. The
# second graph's node has the address of the first one's.
cat >bodies.cpp <<'X'
#line 2 "bodies.cpp"
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
using namespace tbb::flow;
void run(int units) {
  graph g;
  queue_node<int> queue(g);
  function_node<int, continue_msg, lightweight> last(g, serial, [units](int) noexcept {
    tp::spend(units);
    if (units == 5) tbb::parallel_for(0, 10, [](int) { tp::spend(1); }, tbb::simple_partitioner());
    return continue_msg();
  });
  make_edge(queue, last);
  for (int i = 0; i < 20; ++i) queue.try_put(i);
  g.wait_for_all();
}
int main() {
  run(3);
  run(5);
}
X
build bodies -O2 <bodies.cpp
"$tp_run" -q --locks all -o bodies.data ./bodies || fail "bodies: exit status"
analyze bodies.data
is 'p["complete"] and p["work"] == 360'
# On the path through a section, of ten iterations there is one.
locks '(lambda lock: (lock["objects"], lock["held"], lock["bound"], lock["bound_kind"], lock["unmatched"]) == (2, 180, 180, "proven", 0))(
    of["queue_node queue"])'
locks 'of["function_node last"]["held"] == 0'

# A reserving join asks its queues for messages while these, in their operations, may say to it that they have some.
cat >reserving.cpp <<'X'
#line 2 "reserving.cpp"
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
using namespace tbb::flow;
using Pair = std::tuple<int, int>;
int main() {
  graph g;
  queue_node<int> left(g);
  queue_node<int> right(g);
  join_node<Pair, reserving> pairs(g);
  function_node<Pair> last(g, unlimited, [](const Pair&) { tp::spend(10); });
  make_edge(left, input_port<0>(pairs));
  make_edge(right, input_port<1>(pairs));
  make_edge(pairs, last);
  tbb::parallel_for(0, 200, [&](int i) { (i % 2 == 0 ? left : right).try_put(i); tp::spend(1); });
  g.wait_for_all();
}
X
build reserving -O2 <reserving.cpp
for on in 0 0-1; do
  rm -rf reserving.data
  "$tp_run" -q --locks all -o reserving.data -- taskset -c $on ./reserving || fail "reserving: exit status"
  analyze reserving.data
  is 'p["complete"] and p["work"] == 1200'
  locks '{"queue_node left", "queue_node right", "join_node pairs"} <= set(of)'
  is 'all(lock["held"] == 0 for lock in p["locks"])'
done

# Most acquisitions of a node that no thread waits for are only counted, and no report of an ordinary graph speaks of them.
cat >chain.cpp <<'X'
#line 2 "chain.cpp"
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
using namespace tbb::flow;
int main() {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, 1);
  graph g;
  function_node<int, int> first(g, serial, [](int i) { return i; });
  function_node<int, int> second(g, serial, [](int i) { for (volatile int j = 0; j < 20000; j = j + 1) {} return i; });
  make_edge(first, second);
  for (int i = 0; i < 30000; ++i) { first.try_put(i); g.wait_for_all(); }
}
X
build chain -O2 <chain.cpp
TP_EVENT=auto "$tp_run" -q -o chain.data ./chain || fail "chain: exit status"
analyze chain.data
is 'p["complete"]'
locks 'all(60000 - 512 <= lock["acquisitions"] <= 60000 and lock["contended"] == 0 and lock["held_is_estimate"] and lock["bound_kind"] == "estimate"
    for lock in (of["function_node first"], of["function_node second"]))'
is '"function_node" not in p["verdict"]["headline"]'

# concurrent_lru_cache has the same mechanism.
build cache -O2 <<'X'
#line 2 "cache.cpp"
#define TBB_PREVIEW_CONCURRENT_LRU_CACHE 1
#include <oneapi/tbb/concurrent_lru_cache.h>
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
struct Key {
  int number;
  bool operator<(const Key& other) const { return number < other.number; }
};
int make(Key key) { tp::spend(100); return key.number; }
int main() {
  tbb::concurrent_lru_cache<Key, int> cache(make, 4);
  tbb::parallel_for(0, 100, [&](int i) { tp::spend(1); auto handle = cache[Key{i}]; });
}
X
"$tp_run" -q --locks all -o cache.data ./cache || fail "cache: exit status"
analyze cache.data
is 'p["complete"] and p["work"] == 10100'
is '[(lock["kind"], lock["acquisitions"], sorted(place["line"] for place in lock["places"]), lock["bound_kind"]) for lock in p["locks"]
     if lock["kind"] != "spin_mutex"] == [("concurrent_lru_cache", 200, [13], "proven")]'
finish
