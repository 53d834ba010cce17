#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Records survive section garbage collection, stripping, LTO, static libraries and dlopen, and are
# discarded together with calls that are not kept.
. "$(dirname "$0")/common.inc"
cat > lib.cpp <<'X'
#include <tbb/tbb.h>
extern "C" const void* used() { tbb::parallel_for(0, 1, [](int) {}); return tbb::last_site(); }
void unused_function() { tbb::parallel_sort(static_cast<int*>(nullptr), static_cast<int*>(nullptr)); }
X
cat > main.cpp <<'X'
#include <cstring>
#include <dlfcn.h>
#include <tp/site.h>
#ifndef PLUGIN
extern "C" const void* used();
#endif
int main() {
#ifdef PLUGIN
  void* plugin = dlopen("./lib.so", RTLD_NOW);
  if (!plugin) return 2;
  auto used = reinterpret_cast<const void* (*)()>(dlsym(plugin, "used"));
#endif
  const tp_spawn_site* site = static_cast<const tp_spawn_site*>(used());
  if (site->line != 2 || std::strcmp(site->file, "lib.cpp") || std::strcmp(site->function, "used") ||
      std::strcmp(site->construct, "parallel_for") || !(site->column & TP_SITE_EXPLICIT))
    return 1;
#ifdef PLUGIN
  dlclose(plugin);
  return dlopen("./lib.so", RTLD_NOW | RTLD_NOLOAD) ? 3 : 0;
#endif
}
X
for compiler in $(compilers); do
  export TP_CXX=$compiler
  strict="-O2 -ffunction-sections -fdata-sections -Wl,--gc-sections -Wl,-s"
  # shellcheck disable=SC2086  # several options
  "$TP_CXX_TOOL" $strict lib.cpp main.cpp -o prog && ./prog || fail "$compiler: --gc-sections, strip"
  # shellcheck disable=SC2086  # several options
  "$TP_CXX_TOOL" ${strict% -Wl,-s} lib.cpp main.cpp -o prog
  [ "$(nm -C prog | grep -c 'tp::sites::s_')" -eq 1 ] || fail "$compiler: unused record kept"
  if [ "$compiler" = g++ ]; then
    "$TP_CXX_TOOL" -flto -O2 lib.cpp main.cpp -o prog && ./prog || fail "$compiler: LTO"
  fi
  "$TP_CXX_TOOL" -c lib.cpp && rm -f lib.a && ar rcs lib.a lib.o && "$TP_CXX_TOOL" main.cpp lib.a -o prog &&
    ./prog || fail "$compiler: static library"
  # The stub's inline static variable is unique in the process and would keep the plugin loaded.
  "$TP_CXX_TOOL" -fno-gnu-unique -fPIC -shared lib.cpp -o lib.so 2>/dev/null ||
    "$TP_CXX_TOOL" -fPIC -shared lib.cpp -o lib.so
  "$TP_CXX_TOOL" -DPLUGIN main.cpp -ldl -o prog && ./prog || fail "$compiler: dlopen, dlclose"
  "$TP_CXX_TOOL" -fPIC -shared lib.cpp -o lib.so
  readelf -W --dyn-syms lib.so | grep -q 'sites.*s_' && fail "$compiler: records are exported"
done
finish
