# SPDX-License-Identifier: Apache-2.0
# A program with a window, a QThread, QtConcurrent and oneTBB: a complete recording, with Qt's threads as
# tasks of the code that starts them. By arithmetic, with the virtual clock; then by that of the machine.
. "$(dirname "$0")/common.inc"
modules="Qt5Concurrent Qt5Widgets"
# shellcheck disable=SC2086  # several words
flags=$(pkg-config --cflags --libs $modules 2>/dev/null) || skip "no qtbase5-dev"
cat >window.cpp <<'X'
#line 2 "window.cpp"
#include <QApplication>
#include <QFutureWatcher>
#include <QLabel>
#include <QThread>
#include <QTimer>
#include <QtConcurrent>
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
void loop(int each) {
  tbb::parallel_for(0, 64, [=](int) { tp::spend(each); }, tbb::simple_partitioner()); // 11
}
struct Thread : QThread {
  void run() override { tp::spend(1000); loop(20); } // 14
};
int main(int count, char** words) {
  QApplication application(count, words);
  QLabel label("working");
  label.show();
  loop(1);
  QFutureWatcher<int> watcher;
  QObject::connect(&watcher, &QFutureWatcher<int>::finished, [&] {
    tp::spend(3);
    Thread thread;
    thread.start();
    thread.wait();
    loop(1);
    label.setText(QString::number(watcher.result()));
    QTimer::singleShot(20, &application, [] { QCoreApplication::exit(5); });
  });
  QTimer::singleShot(0, [&] {
    watcher.setFuture(QtConcurrent::run([] { tp::spend(200); loop(10); return 7; }));
  });
  return application.exec();
}
X
# shellcheck disable=SC2086  # several words
build_stock window -DQT_NO_KEYWORDS -fPIC -Wl,--no-as-needed $flags <window.cpp
export QT_QPA_PLATFORM=offscreen XDG_RUNTIME_DIR=$work
timeout 120 ./window
same "without tp-run" 5 $?
timeout 120 "$tp_run" -q -e virtual -o window.data ./window
same "exit status" 5 $?
analyze window.data
is 'p["complete"] and p["work"] == 64 + 200 + 640 + 3 + 1000 + 1280 + 64'
# QThread::wait() and the pool wait by condition variables: a thread begins after its creation; what comes after its end is not ordered by it.
is 'p["span"] == 1 + 3 + 1000 + 20'
is '{w["name"] for w in p["warnings"]} & {"conservation", "not_counted", "unfinished", "never_begun"} == set()'
timeout 120 "$tp_run" -q -e auto -o real.data ./window
same "real: exit status" 5 $?
analyze real.data
is 'p["complete"] and 0 < p["span"] <= p["span_with_latency"]'
finish
