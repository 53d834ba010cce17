# SPDX-License-Identifier: Apache-2.0
# concurrent_priority_queue: one thread at a time does the operations of all, which is a lock. What the operations do is
# in its sections and in the work, each once, by whichever thread; to wait for another thread is neither.
. "$(dirname "$0")/common.inc"
# libtbbmalloc takes a lock of its own when the program ends.
sums() { "$tp_analyze" -q --dump -d "$1" | python3 -B "$here/../../support/lock_sums.py" | grep -v '^pthread_mutex'; }

# To put an element into the queue takes a copy (10), to get one a move (7); comparisons are counted, since how many there
# are is the schedule's. All are done by the operations only.
build queue -O2 <<'X'
#line 2 "queue.cpp"
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <atomic>
#include <cstdio>
#include <cstdlib>
std::atomic<long> compared{0};
struct Item {
  unsigned key = 0;
  bool is_result = false;
  explicit Item(unsigned k, bool result = false) : key(k), is_result(result) {}
  Item(const Item& other) : key(other.key) { tp::spend(10); }
  Item(Item&& other) noexcept : key(other.key) {}
  Item& operator=(Item&& other) noexcept { key = other.key; if (is_result) tp::spend(7); return *this; }
};
struct Less {
  bool operator()(const Item& a, const Item& b) const { ++compared; tp::spend(3); return a.key < b.key; }
};
tbb::concurrent_priority_queue<Item, Less> queue;
int main(int, char** arguments) {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, std::atoi(arguments[1]));
  tbb::parallel_for(0u, 500u, [](unsigned i) {
    tp::spend(1);
    const Item item(i * 2654435761u);
    queue.push(item);
    if (i % 2 == 0) queue.emplace(Item(i * 40503u));
    Item result(0, true);
    if (!queue.try_pop(result)) std::abort();
  }, tbb::simple_partitioner());
  std::printf("%ld\n", 500L * 17 + 3 * compared);
}
X
for threads in 1 2 4 8; do
  held=$("$tp_run" -q --locks all -o queue.data ./queue $threads) || fail "queue: exit status"
  sums queue.data >sums.txt
  same "$threads threads" "concurrent_priority_queue sections=1250 work=$held takes=0 gives=0 locks=1" "$(cat sums.txt)"
  analyze queue.data
  is "p['complete'] and p['work'] == 500 + $held"
  is "(lambda lock: lock['kind'] == 'concurrent_priority_queue' and lock['name'] == 'queue' and lock['acquisitions'] == 1250 and lock['held'] == $held
      and sorted(place['line'] for place in lock['places']) == [27, 28, 30] and lock['bound_kind'] == 'proven'
      and lock['bound_parts']['sections'] == $held and lock['unmatched'] == 0)(p['locks'][0]) and len(p['locks']) == 1"
  is "sum(place['acquisitions'] for place in p['locks'][0]['places'] if place['line'] != 28) == 1000"
  is 'p["span_with_locks"] >= p["locks"][0]["held"]'
  # On one thread that is what limits the program.
  [ $threads -eq 1 ] || is '"by the concurrent_priority_queue queue (queue.cpp" in p["verdict"]["headline"]'
  # Operations cannot share it.
  is '{each["change"] for each in p["locks"][0]["what_if"]} == {"shorter", "split", "gone"}'
  is 'all(lock["wait_blame"] + lock["waited_no_holder"] == lock["waited"] for lock in p["locks"])'
done

"$tp_analyze" -q -d queue.data -o text | tr -s ' \n' ' ' >queue.txt
in_file queue.txt "The operations of the concurrent_priority_queue queue (queue.cpp:30) run one after the other"
in_file queue.txt "make comparisons, copies and moves of its elements faster (half as long: parallelism at most"
! grep -q "shared\|share it" queue.txt || fail "operations cannot share the queue: $(cat queue.txt)"

# One thread does what another one asks for: the first has the queue until both others have asked, of whom the one that
# asked first does both.
cat >batch.cpp <<'X'
#include <oneapi/tbb/concurrent_priority_queue.h>
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
struct Item {
  int key;
  explicit Item(int k) : key(k) {}
  Item(Item&&) noexcept = default;
  Item& operator=(Item&&) noexcept = default;
  Item(const Item& other) : key(other.key) {
    if (key == 0) { is_busy = true; while (asked < 2) std::this_thread::yield(); pass(50); }
    if (key != 0) pass(20);
    tp::spend(10u << key);
  }
  bool operator<(const Item& other) const { return key < other.key; }
};
tbb::concurrent_priority_queue<Item> queue;
int main() {
  tbb::global_control control(tbb::global_control::max_allowed_parallelism, 3);
  tbb::task_arena arena(3);
  const Item zero(0), one(1), two(2);
  arena.execute([&] {
    tbb::task_group group;
    group.run([&] {
      while (!is_busy) std::this_thread::yield();
      tp::spend(1000); asked = 1;
      queue.push(one);
    });
    group.run([&] {
      while (asked < 1) std::this_thread::yield();
      pass(25); tp::spend(2000); asked = 2;
      queue.push(two);
    });
#line 50
    queue.push(zero);
    group.wait();
  });
}
X
build batch -O2 <batch.cpp
works_of() { # DIR: of each section of the queue
  "$tp_analyze" -q --dump -d "$1" | python3 -c 'import re, sys
kinds, works = {}, []
for line in sys.stdin:
    fields = dict(re.findall(r"(\w+)=(\S+)", line))
    if " lock slot=" in line:
        kinds[fields["slot"]] = fields["kind"]
    elif " Section " in line and kinds[fields["slot"]] == "concurrent_priority_queue":
        works.append(int(fields["work"]))
print(*sorted(works))'
}
# On a busy machine the second may come too late.
for ((try = 0; try < 5; try++)); do
  rm -rf batch.data
  "$tp_run" -q --locks all -o batch.data ./batch || fail "batch: exit status"
  [ "$(works_of batch.data)" != "0 10 60" ] || break
done
same "sections of a batch" "0 10 60" "$(works_of batch.data)"
analyze batch.data
is 'p["complete"] and p["work"] == 3070'
is '(lambda lock: (lock["acquisitions"], lock["contended"], lock["held"], lock["bound_parts"]["sections"]) == (3, 2, 70, 70))(p["locks"][0])'
# Who waits does so for the one that has the queue, and then for the one that does the operation.
is '(lambda lock: lock["waited_no_holder"] == 0 and lock["wait_blame"] == lock["waited"])(p["locks"][0])'
is '(lambda ns: ns[50] > 90e6 and 15e6 < max(ns[one] for one in ns if one != 50) < 90e6 and sorted(ns.values())[0] == 0)(
    {place["line"]: place["wait_blame_ns"] for place in p["locks"][0]["places"]})'
# With a clock that goes on, too.
for ((try = 0; try < 5; try++)); do
  rm -rf batch.data
  TP_EVENT=auto "$tp_run" -q --locks all -o batch.data ./batch || fail "batch, with a clock: exit status"
  works=$(works_of batch.data)
  [[ $works != "0 "* ]] || break
done
[[ $works == "0 "[1-9]*" "[1-9]* ]] || fail "with a clock: sections $works"

# An operation that contains a loop.
build nested -O2 <<'X'
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
struct Item {
  Item() = default;
  Item(const Item&) {
    tp::spend(1);
    tbb::parallel_for(0, 10, [](int) { tp::spend(5); }, tbb::simple_partitioner());
    tp::spend(2);
  }
  Item& operator=(const Item&) = default;
  bool operator<(const Item&) const { return false; }
};
int main() {
  tbb::concurrent_priority_queue<Item> queue(10);
  tbb::parallel_for(0, 1, [](int) {});
  queue.push(Item());
  tp::spend(100);
}
X
"$tp_run" -q --locks all -o nested.data ./nested || fail "nested: exit status"
same "nested" "concurrent_priority_queue sections=0 work=0 takes=1 gives=1 locks=1" "$(sums nested.data)"
analyze nested.data
is 'p["work"] == 153 and p["locks"][0]["held"] == 8'
finish
