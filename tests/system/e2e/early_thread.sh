# SPDX-License-Identifier: Apache-2.0
# A thread that the constructor of a library creates, before that of libtbb has run: the recording is
# where tp-run wants it, and complete.
. "$(dirname "$0")/common.inc"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"
cat >log.cpp <<'X'
#include <pthread.h>
static pthread_t writer;
static void* write_log(void*) { return nullptr; }
extern "C" void log_end() { pthread_join(writer, nullptr); }
__attribute__((constructor)) static void begin() { pthread_create(&writer, nullptr, write_log, nullptr); }
X
"$cxx" -std=c++17 -O1 -shared -fPIC log.cpp -o liblog.so || fail "the library does not build"
build_stock program -Wl,--no-as-needed -L. -llog -Wl,-rpath,"$work" <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
extern "C" void log_end();
int main() {
  tbb::parallel_for(0, 10, [](int) { tp::spend(10); });
  log_end();
}
X
"$tp_run" -q -e virtual -o data -- ./program 2>err || fail "tp-run: $?"
is_empty err
is_missing tp-data
analyze data
is 'p["complete"] and p["work"] == 100'
finish
