# SPDX-License-Identifier: Apache-2.0
# Plugins that are unloaded before the program ends: their sites keep their names, even if the next
# plugin was loaded at the same addresses. Sites of a plugin that was deleted before the analysis
# are module and offset, which the profile reports.
. "$(dirname "$0")/common.inc"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"
plugin() { # NAME FUNCTION, and code in front of it on stdin
  { cat; cat <<X
#include <oneapi/tbb/parallel_for.h>
extern "C" void work() {
  tbb::parallel_for(0, 100, [](int) {});
}
X
  } >"$1.cpp"
  "$cxx" -std=c++17 -O1 -g -fPIC -shared -fno-gnu-unique "$1.cpp" -o "$1.so" -ltbb || fail "$1 does not build"
}
plugin first <<X
X
plugin second <<X
int filler(int x) { return x * 3 + 1; }

X
cat >main.cpp <<'X'
#include <dlfcn.h>
#include <link.h>
#include <cstdio>
static unsigned long run(const char* file) {
  void* plugin = dlopen(file, RTLD_NOW);
  link_map* map = nullptr;
  dlinfo(plugin, RTLD_DI_LINKMAP, &map);
  const unsigned long base = map->l_addr;
  reinterpret_cast<void (*)()>(dlsym(plugin, "work"))();
  dlclose(plugin);
  return dlopen(file, RTLD_NOW | RTLD_NOLOAD) == nullptr ? base : 0; // 0: it is still there
}
int main() {
  const unsigned long first = run("./first.so"), second = run("./second.so");
  std::puts(first != 0 && first == second ? "same place" : "other places");
}
X
"$cxx" main.cpp -o main -ldl || fail "main does not build"
"$tp_run" -q -- ./main >out 2>err || fail "exit status $?: $(cat err)"
grep -q "same place" out || echo "the plugins came to different places: less is tried"
analyze tp-data
is '{(s["file"].split("/")[-1], s["line"], *s["found_by"]) for s in p["sites"][1:]} == {("first.cpp", 3, "debug_info"), ("second.cpp", 5, "debug_info")}'
rm second.so
analyze tp-data
is '[(s["file"].split("+")[0], s["found_by"]) for s in p["sites"][1:] if s["line"] == 0] == [("work::{lambda(int)#1}@second.so", ["type"])]'
finish
