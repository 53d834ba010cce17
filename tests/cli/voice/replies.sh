#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Tools reply to each other in JSON: tp-rewrite --emit to tp-c++, for any characters in a file's
# name.
set -u
[ -n "${TP_REWRITE:-}" ] || { echo "skip: no tp-rewrite"; exit 0; }
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
mkdir -p prefix/include/tp bin
cp -r "$here/../rewriter/stub/include/." prefix/include/
cp "$here"/../../../profiler-lib/include/tp/{site,called_at}.h prefix/include/tp/
export TP_PREFIX=$work/prefix TP_CXX=g++ LC_ALL=C

# reply STATUS JSON ARG...: checks the reply of tp-rewrite --emit.
reply() {
  local expected=$1 json=$2 status=0
  shift 2
  "$TP_REWRITE" --emit copy.cpp "$@" >out 2>err || status=$?
  [ $status -eq "$expected" ] || fail "$*: exit status $status, expected $expected: $(cat err)"
  [ ! -s err ] || fail "$*: stderr: $(cat err)"
  python3 -c 'import json, sys; got = json.load(open("out")); want = json.loads(sys.argv[1]); want["schema"] = "taskpath.rewrite/1"
assert {k: got.get(k) for k in want} == want and set(got) <= {*want, "reason"}, got' "$json" || fail "$*: $(cat out)"
}
echo '#include <tbb/tbb.h>
int main() { tbb::parallel_for(0, 1, [](int) {}); }' >'tp: error: "a".cpp'
sed 's/(int) {}/(int) {/' 'tp: error: "a".cpp' >bad.cpp
echo 'int main() {}' >none.cpp
reply 0 '{"result": "tagged"}' 'tp: error: "a".cpp'
grep -q tp::site copy.cpp || fail "no tag in the copy"
reply 0 '{"result": "nothing_to_tag"}' none.cpp
reply 2 '{"result": "failed", "object": "bad.cpp"}' bad.cpp
reply 2 '{"result": "failed", "object": "missing.cpp", "reason": "no such source file"}' missing.cpp
# shellcheck disable=SC2030,SC2031  # the subshell's own count is its exit status
(failures=0; ulimit -S -t 1; printf '#include <tbb/tbb.h>\nint size(int (*)());\nint main() {\n#pragma omp parallel for num_threads(size([] { return 1;  2))\n  for (int i = 0; i < 3; ++i) tbb::parallel_for(0, 1, [](int) {});\n}\n' >endless.cpp
 reply 2 '{"result": "failed", "object": "endless.cpp", "reason": "cannot be parsed within 1 s of CPU time"}' endless.cpp -- -fopenmp
 exit $failures) || fail "endless.cpp"

# tp-c++ uses the reply, and works without one.
cp "$TP_CXX_TOOL" bin/tp-c++
cat >bin/tp-rewrite <<'X'
#!/bin/bash
cat "$REPLY"; echo 'tp: error: not this' >&2; exit 2
X
chmod +x bin/tp-rewrite
# note REPLY TEXT: checks the one line that tp-c++ writes.
note() {
  printf '%s' "$1" >reply
  REPLY=$work/reply bin/tp-c++ -c 'tp: error: "a".cpp' -o a.o 2>err || fail "reply $1: does not compile"
  [ "$(cat err)" = "$2" ] || fail "reply $1: expected '$2', got: $(cat err)"
}
name='tp: error: "a".cpp'
note '{"schema":"taskpath.rewrite/1","result":"failed","object":"tp: error: \"a\".cpp","reason":"tp: error: hint: \"quoted\""}' \
  "tp: $name: compiled untagged: tp: error: hint: \"quoted\""
note '{"schema":"taskpath.rewrite/1","result":"failed","object":"/tmp","reason":"full"}' "tp: $name: compiled untagged: /tmp: full"
note '{"schema":"taskpath.rewrite/1","result":"nothing_to_tag"}' ''
for odd in '' '{' '[]' '{"schema":"other/1","result":"tagged"}' '{"schema":"taskpath.rewrite/1"}' '{"schema":7,"result":[]}'; do
  note "$odd" "tp: $name: compiled untagged: tp-rewrite ended with status 2"
done
rm bin/tp-rewrite
note x "tp: $name: compiled untagged: tp-rewrite cannot be run: No such file or directory"

# $TP_CXX: a path with a blank is one compiler, for the compilation and for the query of tp-rewrite;
# other blanks separate words.
mkdir 'my tools' && printf '#!/bin/bash\necho "$*" >>"$LOG"\nexec g++ "$@"\n' >'my tools/c++' && chmod +x 'my tools/c++'
export LOG=$work/log
for compiler in "$work/my tools/c++" "env LANG=C $work/plain"; do
  ln -sf 'my tools/c++' plain
  rm -f log
  TP_CXX=$compiler "$TP_CXX_TOOL" -c "$name" -o a.o 2>err && [ ! -s err ] || fail "TP_CXX=$compiler: $(cat err)"
  [ "$(grep -c . log)" -eq 2 ] && grep -q -- '-dM' log || fail "TP_CXX=$compiler: asked and compiled: $(cat log)"
done
# shellcheck disable=SC2031
[ $failures -eq 0 ]
