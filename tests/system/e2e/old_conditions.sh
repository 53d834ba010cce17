# SPDX-License-Identifier: Apache-2.0
# A library that was linked without versions of symbols gets the C library's oldest condition variables, whose
# layout is another one (valgrind's drd is such a library). It must get all of their functions.
. "$(dirname "$0")/common.inc"
[ "$(uname -m)" = x86_64 ] || skip "no older condition variables here"
cat >old.c <<'X'
#include <pthread.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed;
static int ready, awaited;
void begin(void) { pthread_cond_init(&changed, 0); }
void await(void) { pthread_mutex_lock(&mutex); awaited = 1; while (!ready) pthread_cond_wait(&changed, &mutex); pthread_mutex_unlock(&mutex); }
int announce(void) { pthread_mutex_lock(&mutex); int go = awaited; if (go) { ready = 1; pthread_cond_signal(&changed); } pthread_mutex_unlock(&mutex); return go; }
X
gcc -shared -fPIC -nostdlib -O1 old.c -o libold.so || fail "libold.so does not build"
build_stock waits -L. -Wl,-rpath,"$PWD" -Wl,--no-as-needed -lold <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <cstdio>
#include <thread>
#include <unistd.h>
extern "C" { void begin(); void await(); int announce(); }
int main() {
  tbb::parallel_for(0, 2, [](int) {});
  begin();
  std::thread other(await);
  while (!announce()) usleep(1000);
  other.join();
  std::puts("woken");
}
X
same "stock" woken "$(timeout 20 ./waits)"
same "recorded" woken "$(timeout 20 "$tp_run" -q --locks all -o waits.data ./waits)"
finish
