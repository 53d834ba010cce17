# SPDX-License-Identifier: Apache-2.0
# Debug information in files of its own: below a folder of --debug-dir or TP_DEBUG_DIR by build id or
# by .gnu_debuglink, with what dwz moved to another file, and from debuginfod. A server is asked only
# if DEBUGINFOD_URLS is set, for modules of the user without debug information here, and says so.
. "$(dirname "$0")/common.inc"
[ -e /usr/include/oneapi/tbb/version.h ] || skip "no libtbb-dev"
cat >prog.cpp <<'X'
#include <oneapi/tbb/parallel_for.h>
int main() {
  tbb::parallel_for(0, 1000, [](int) {});
}
X
"$cxx" -std=c++17 -O2 -g prog.cpp -o whole -ltbb || fail "does not build"
sed 's/1000/1001/' prog.cpp >other.cpp
"$cxx" -std=c++17 -O2 -g other.cpp -o other -ltbb || fail "does not build"
id=$(readelf -n whole | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug whole whole.debug
strip -o prog whole
"$tp_run" -q -o data -- ./prog || fail "tp-run: $?"

# found_by EXPECTED ARG...: checks how tp-analyze finds the one site.
found_by() {
  local expected=$1
  shift
  rm -f profile.json
  "$tp_analyze" -o analysis --json profile.json data "$@" >out 2>err || fail "tp-analyze $*: $(cat err)"
  same "$* ${TP_DEBUG_DIR-}" "$expected" "$(python3 -c 'import json
site, = json.load(open("profile.json"))["sites"][1:]
print(*site["found_by"], site["file"].split("/")[-1] if site["line"] else "-", site["line"])')"
}
unset DEBUGINFOD_URLS TP_DEBUG_DIR
found_by "type - 0"
same "asked" 0 "$(grep -c debuginfod err)"

# By build id, in a tree of the user's.
mkdir -p "tree/.build-id/${id:0:2}" && cp whole.debug "tree/.build-id/${id:0:2}/${id:2}.debug"
found_by "debug_info prog.cpp 3" --debug-dir tree
found_by "debug_info prog.cpp 3" --debug-dir "$work" --debug-dir tree
TP_DEBUG_DIR=/nowhere:$work/tree found_by "debug_info prog.cpp 3"
TP_DEBUG_DIR=$work/tree found_by "type - 0" --debug-dir /nowhere

# By debug link: the folder has the layout of the file system.
cp prog linked && objcopy --add-gnu-debuglink=whole.debug linked
mkdir -p "mirror$work" && mv linked prog && cp whole.debug "mirror$work/whole.debug" && rm whole.debug
found_by "type - 0"
found_by "debug_info prog.cpp 3" --debug-dir mirror

# The program itself, where it is not at its place: the layout of the file system, or by build id.
mkdir -p "moved$work" "by_id/.build-id/${id:0:2}"
cp whole "moved$work/prog" && cp whole "by_id/.build-id/${id:0:2}/${id:2}" && mv prog kept
found_by "type - 0"
found_by "debug_info prog.cpp 3" --debug-dir moved
found_by "debug_info prog.cpp 3" --debug-dir by_id
cp other "moved$work/prog" # of another build
found_by "type - 0" --debug-dir moved
mv kept prog

# Two programs' common descriptions in a third file.
if command -v dwz >/dev/null; then
  cp whole one && cp other two
  if dwz -m common.debug one two 2>dwz.err && [ -e common.debug ]; then
    readelf -S one | grep -q gnu_debugaltlink || fail "dwz: no .gnu_debugaltlink"
    objcopy --only-keep-debug one one.debug
    mkdir -p "dwz/.build-id/${id:0:2}" && cp one.debug "dwz/.build-id/${id:0:2}/${id:2}.debug"
    common=$(readelf -n common.debug | sed -n 's/.*Build ID: //p')
    mkdir -p "dwz/.build-id/${common:0:2}" && mv common.debug "dwz/.build-id/${common:0:2}/${common:2}.debug"
    found_by "debug_info prog.cpp 3" --debug-dir dwz
  else
    echo "dwz is not tried: $(cat dwz.err)"
  fi
fi

# debuginfod, with a folder instead of a server.
mkdir -p "store/buildid/$id" && cp mirror"$work"/whole.debug "store/buildid/$id/debuginfo"
export DEBUGINFOD_URLS=file://$work/store DEBUGINFOD_CACHE_PATH=$work/cache
if ldconfig -p | grep -q libdebuginfod.so.1; then
  found_by "debug_info prog.cpp 3"
  in_file err "asking debuginfod for the debug information of prog"
  same "asked for the user's modules" 1 "$(grep -c debuginfod err)"
fi
rm -rf cache
found_by "debug_info prog.cpp 3" --debug-dir mirror
same "asked although the file is here" 0 "$(grep -c debuginfod err)"
export DEBUGINFOD_URLS=file://$work/empty
found_by "type - 0"
# No request without the variable, whatever its value was for other programs.
python3 -c 'import socket
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
server.settimeout(60)
print(server.getsockname()[1], flush=True)
server.accept()
print("asked", flush=True)' >server & server=$!
until [ -s server ]; do sleep 0.1; done
DEBUGINFOD_URLS=http://127.0.0.1:$(head -n 1 server)
export -n DEBUGINFOD_URLS
found_by "type - 0"
grep -q asked server && fail "a server was asked"
export DEBUGINFOD_URLS DEBUGINFOD_CACHE_PATH=$work/another DEBUGINFOD_TIMEOUT=5
found_by "type - 0"
if ldconfig -p | grep -q libdebuginfod.so.1; then in_file server asked; fi
kill $server 2>/dev/null
finish
