// Three spawns on one line, with tabs and letters of several bytes.
#include <tbb/tbb.h>

int main() {
	tbb::task_group g;	g.run([] {}); g.run([] {}); g.run([] {}); int after = __LINE__;
  const char* s = "äöü"; g.run([] {}); g.run([s] { (void)"€"; }); int end = __LINE__;
  return after == 5 && end == 6 ? 0 : 1;
}
