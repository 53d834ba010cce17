# SPDX-License-Identifier: Apache-2.0
# Python with multiprocessing, by two of its start methods: every process has a complete recording, with the
# work of its jobs; and Python's threads, and Qt's where PyQt5 is installed, are on the critical path. By
# arithmetic, with the virtual clock: a job is a loop of 64 tasks of one unit each.
. "$(dirname "$0")/common.inc"
python=/usr/bin/python3 # others may be scripts that start one
[ -x $python ] || skip "no $python"
build_stock libjob.so -shared -fPIC <<'X'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
extern "C" void job() { tbb::parallel_for(0, 64, [](int) { tp::spend(1); }, tbb::simple_partitioner()); }
X
cat >processes.py <<'X'
import ctypes, multiprocessing, sys, threading
library = ctypes.CDLL("./libjob.so")
def job(_):
    library.job()
if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    library.job()
    with multiprocessing.Pool(2) as pool:
        pool.map(job, range(4))
        pool.close()
        pool.join()
    process = multiprocessing.Process(target=job, args=(0,))
    process.start()
    process.join()
    thread = threading.Thread(target=job, args=(0,))
    thread.start()
    thread.join()
X
for method in fork spawn; do
  timeout 120 "$tp_run" -q -e virtual -o "data.$method" $python processes.py "$method" || fail "$method: exit status"
  others=0
  for data in data."$method" data."$method".*; do
    analyze "$data"
    is 'p["complete"]'
    [ "$data" != "data.$method" ] || is 'p["work"] == 128 and p["span"] == 2'
    [ "$data" = "data.$method" ] || others=$((others + $(python3 -c 'import json; print(json.load(open("profile.json"))["work"])')))
  done
  same "$method: work of the children" $((5 * 64)) "$others"
done

# Threads of Qt: a pool's, and one that the program runs and waits for. Without a screen.
$python -c 'import PyQt5.QtCore' 2>/dev/null || finish
cat >qt.py <<'X'
import ctypes
from PyQt5.QtCore import QCoreApplication, QRunnable, QThread, QThreadPool, QTimer
library = ctypes.CDLL("./libjob.so")
class Job(QRunnable):
    def run(self):
        library.job()
class Thread(QThread):
    def run(self):
        library.job()
        library.job()
application = QCoreApplication([])
library.job()
def work():
    pool = QThreadPool()
    for _ in range(4):
        pool.start(Job())
    pool.waitForDone()
    thread = Thread()
    thread.start()
    thread.wait()
    library.job()
    application.quit()
QTimer.singleShot(0, work)
application.exec_()
X
QT_QPA_PLATFORM=offscreen timeout 120 "$tp_run" -q -e virtual -o qt.data $python qt.py || fail "Qt: exit status"
analyze qt.data
is 'p["complete"] and p["work"] == 8 * 64'
finish
