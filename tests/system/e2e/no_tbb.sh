# SPDX-License-Identifier: Apache-2.0
# Loading the library is not using it: no data directory. A program that loads it late is recorded
# nevertheless.
. "$(dirname "$0")/common.inc"
echo 'int main() { return 5; }' | build_stock idle -Wl,--no-as-needed
as_stock ./idle
is_empty err
is_missing tp-data
build_stock late -ldl <<'EOF'
#include <dlfcn.h>
#include <cstdio>
int main(int, char** argv) {
  for (int turn = 0; turn < 3; ++turn) {
    void* library = dlopen("./libwork.so", RTLD_NOW);
    if (library == nullptr) return std::printf("%s\n", dlerror()), 1;
    const int value = reinterpret_cast<int (*)()>(dlsym(library, "work"))();
    std::printf("%d\n", value);
    if (argv[1] == nullptr) dlclose(library);
  }
}
EOF
build_stock libwork.so -shared -fPIC <<'EOF'
#include <oneapi/tbb/task_group.h>
#include <tp/virtual_clock.h>
extern "C" int work() {
  tbb::task_group group;
  for (int i = 0; i < 5; ++i) group.run([] { tp::spend(10); });
  group.wait();
  return 42;
}
EOF
# `late` itself must not be linked with libtbb.
"$cxx" -x c++ - -o late -ldl <<<'#include <dlfcn.h>
#include <cstdio>
int main(int argc, char**) {
  for (int turn = 0; turn < 3; ++turn) {
    void* library = dlopen("./libwork.so", RTLD_NOW);
    if (library == nullptr) return std::printf("%s\n", dlerror()), 1;
    std::printf("%d\n", reinterpret_cast<int (*)()>(dlsym(library, "work"))());
    if (argc == 1) dlclose(library);
  }
}'
for argument in "" keep; do
  rm -rf tp-data tp-data.old
  # Not compared: the distribution's library, which is really unloaded, sometimes deadlocks if it is
  # loaded again while a thread from before still starts.
  ours ./late $argument
  same "exit status" 0 "$status"
  same "output" "42 42 42" "$(tr '\n' ' ' <out | sed 's/ $//')"
  is_empty err
  analyze tp-data
  is 'p["complete"] and p["work"] == 150'
done
finish
