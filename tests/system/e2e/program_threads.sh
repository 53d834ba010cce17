# SPDX-License-Identifier: Apache-2.0
# Threads that the program creates are tasks of their creators: under tp-run, in all three ways, with
# every function that creates, joins or detaches them. By arithmetic, with the virtual clock.
. "$(dirname "$0")/common.inc"

cat >threads.cpp <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <future>
#include <pthread.h>
#include <thread>
#include <threads.h>
#include <unistd.h>
#include <vector>
using tp::spend;
void require(bool right) {
  if (!right)
    std::abort();
}
void loop() { tbb::parallel_for(0, 64, [](int) { spend(31); }, tbb::simple_partitioner()); }
void first_alone() { spend(200); loop(); }
void nap() {
  const timespec time{0, 20000000};
  nanosleep(&time, nullptr);
}
void* spend_forty(void*) { nap(); spend(40); return nullptr; }
int spend_fifty(void*) { spend(50); return 7; }
void* leave(void*) { spend(30); pthread_exit(nullptr); }
void* join_other(void* other) { spend(5); pthread_join(*static_cast<pthread_t*>(other), nullptr); return nullptr; }
struct AtExit { ~AtExit() { spend(100); } };
thread_local AtExit at_exit;
int main(int, char** argv) {
  const std::string name = argv[1];
  pthread_t id, other;
  if (name == "join") { spend(400); std::thread thread(first_alone); thread.join(); spend(200); }
  if (name == "meanwhile") { spend(400); std::thread thread(first_alone); spend(100); thread.join(); spend(200); }
  if (name == "async") { spend(100); auto value = std::async(std::launch::async, [] { first_alone(); return 1; }); spend(50); value.get(); spend(10); }
  if (name == "in_tasks") tbb::parallel_for(0, 4, [](int) { spend(5); std::thread([] { spend(600); }).join(); }, tbb::simple_partitioner());
  if (name == "in_turn") { for (int i = 0; i < 300; ++i) std::thread([] { spend(10); }).join(); loop(); }
  if (name == "nested") std::thread([] { spend(10); std::thread([] { spend(20); std::thread third([] { spend(40); }); spend(80); third.join(); }).join(); spend(5); }).join();
  if (name == "never_tbb") { std::thread([] { spend(40); }).join(); spend(3); }
  if (name == "detached") { std::thread([] { spend(600); }).detach(); spend(3); loop(); nap(); }
  if (name == "created_detached") {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    require(pthread_create(&id, &attributes, spend_forty, nullptr) == 0);
    spend(3);
    nap(), nap(), nap();
  }
  if (name == "detaches_itself") { std::thread thread([] { pthread_detach(pthread_self()); spend(7); }); nap(); spend(3); nap(); _Exit(0); }
  if (name == "try") {
    require(pthread_create(&id, nullptr, spend_forty, nullptr) == 0);
    spend(1);
    require(pthread_tryjoin_np(id, nullptr) == EBUSY);
    spend(2);
    nap(), nap(), nap();
    require(pthread_tryjoin_np(id, nullptr) == 0);
    spend(4);
  }
  if (name == "timed") {
    require(pthread_create(&id, nullptr, spend_forty, nullptr) == 0);
    const timespec past{1, 0}, future{time(nullptr) + 100, 0};
    require(pthread_timedjoin_np(id, nullptr, &past) == ETIMEDOUT);
    spend(2);
    require(pthread_clockjoin_np(id, nullptr, CLOCK_REALTIME, &future) == 0);
    spend(4);
  }
  if (name == "c11") { thrd_t thread; int value = 0; require(thrd_create(&thread, spend_fifty, nullptr) == thrd_success); spend(2); require(thrd_join(thread, &value) == thrd_success && value == 7); spend(4); }
  if (name == "exits") { require(pthread_create(&id, nullptr, leave, nullptr) == 0); pthread_join(id, nullptr); spend(1); }
  if (name == "at_exit") { std::thread([] { static_cast<void>(&at_exit); (void)*(volatile char*)&at_exit; spend(1); }).join(); spend(10); }
  if (name == "by_another") { require(pthread_create(&id, nullptr, spend_forty, nullptr) == 0); require(pthread_create(&other, nullptr, join_other, &id) == 0); pthread_join(other, nullptr); spend(6); }
  if (name == "refused") {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, std::size_t{1} << 60);
    require(pthread_create(&id, &attributes, spend_forty, nullptr) != 0);
    spend(9);
  }
  if (name == "cancelled_join") {
    require(pthread_create(&id, nullptr, spend_forty, nullptr) == 0);
    require(pthread_create(&other, nullptr, join_other, &id) == 0);
    pthread_cancel(other);
    pthread_join(other, nullptr);
    require(pthread_join(id, nullptr) == 0);
    spend(6);
  }
  if (name == "left_running") { std::thread([] { spend(8); loop(); ::pause(); }).detach(); spend(3); nap(), nap(), nap(); }
}
X
build_stock threads -O1 -g -pthread <threads.cpp

# figures NAME: work, span, whether the recording is complete, warnings; not those about locks, nor about loops
figures() {
  "$tp_run" -q -e virtual -o data "$@" || fail "$2: exit status"
  "$tp_analyze" -q data --json p.json --format csv >/dev/null || fail "$2: tp-analyze"
  python3 -c 'import json
p = json.load(open("p.json"))
print(p["work"], p["span"], p["complete"], *(w["name"] for w in p["warnings"] if "locks" not in w["name"] and w["name"] != "split_unknown"))'
}
tasks=$((64 * 31))
while read -r name work span; do
  same "$name" "$work $span True" "$(figures ./threads "$name")"
done <<X
join $((800 + tasks)) 831
meanwhile $((900 + tasks)) 831
async $((360 + tasks)) 341
in_tasks 2420 605
in_turn $((3000 + tasks)) 3031
nested 155 115
never_tbb 43 43
detached $((603 + tasks)) 600
created_detached 43 40
detaches_itself 10 7
try 47 44
timed 46 44
c11 56 54
exits 31 31
at_exit 111 111
by_another 51 46
refused 9 9
left_running $((11 + tasks)) 39
X
# Whether the cancellation comes before the five units are spent is open.
case $(figures ./threads cancelled_join) in
"46 46 True" | "51 46 True") ;;
*) fail "cancelled_join: $(figures ./threads cancelled_join)" ;;
esac

# Rows: by the place of creation; a plain start function and a lambda's function name the code.
cat >named.cpp <<'X'
#line 2 "named.cpp"
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <future>
#include <pthread.h>
#include <thread>
void* decode(void*) { tp::spend(40); return nullptr; }
struct Render {
  void operator()() const { tp::spend(50); }
};
struct Load {
  void run() { tp::spend(60); }
};
template <class Code>
void in_background(Code code) {
  std::thread(code).join();
}
int main() {
  pthread_t id;
  pthread_create(&id, nullptr, decode, nullptr); // 20
  pthread_join(id, nullptr);
  std::thread(Render()).join(); // 22
  Load load;
  std::thread(&Load::run, &load).join(); // 24
  std::async(std::launch::async, [] { tp::spend(70); }).get(); // 25
  in_background([] { tp::spend(80); }); // 26
  in_background([] { tp::spend(90); }); // 27
  tbb::parallel_for(0, 2, [](int) { tp::spend(1); });
}
X
build_stock named -O1 -g -pthread <named.cpp
figures ./named >/dev/null
same "rows of threads" "20 decode 40
22 Render 50
24 Load 60
25 main 70
26 main 80
27 main 90" "$(python3 -c 'import json
for s in sorted(json.load(open("p.json"))["sites"], key=lambda s: s["line"]):
    if "thread" in s["constructs"]:
        print(s["line"], *s["functions"], s["work"])')"

# In ways 2 and 3 the program records by itself: then the report says that threads are not seen. Under
# tp-run they are.
build threads.ours -O1 -pthread <threads.cpp
same "way 2 under tp-run" "$((800 + tasks)) 831 True" "$(figures ./threads.ours join)"
rm -rf data
TP_DATA=data TP_EVENT=virtual ./threads.ours join || fail "way 2: exit status"
"$tp_analyze" -q data --json p.json --format csv >/dev/null || fail "way 2: tp-analyze"
same "way 2 without tp-run" "threads" "$(python3 -c 'import json
print(*(w["name"] for w in json.load(open("p.json"))["warnings"] if "locks" not in w["name"] and w["name"] != "split_unknown"))')"
finish
