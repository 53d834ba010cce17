# SPDX-License-Identifier: Apache-2.0
# Two live processes that want the same data directory: the second uses NAME.PID, and neither
# affects the other.
. "$(dirname "$0")/common.inc"
build_stock slow <<'EOF'
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
#include <cstdio>
#include <unistd.h>
int main() {
  tbb::task_group group;
  group.run([] { tp::spend(10); });
  group.wait();
  std::puts("ready"), std::fflush(stdout);
  std::getchar();
  group.run([] { tp::spend(20); });
  group.wait();
}
EOF
mkfifo first second
# shellcheck disable=SC2031  # for all that follows
export LD_LIBRARY_PATH=$TP_PREFIX/lib
./slow <first >out1 &
exec 3>first
while ! grep -q ready out1; do sleep 0.05; done
./slow <second >out2 &
pid=$!
exec 4>second
while ! grep -q ready out2; do sleep 0.05; done
echo >&3
echo >&4
exec 3>&- 4>&-
wait
unset LD_LIBRARY_PATH
for data in tp-data tp-data.$pid; do
  analyze "$data"
  is 'p["complete"] and p["work"] == 30'
done
finish
