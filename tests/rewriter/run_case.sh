#!/bin/bash
# run_case.sh NAME: tp-rewrite turns NAME.cpp into NAME.expected.cpp, leaves that alone, and both compile, run and exit
# with 0. TP_BLESS=1 writes the expected file instead: read it before you commit it.
. "$(dirname "$0")/common.inc"
name=$1
flags=$(sed -n '1s|^// flags: *||p' "$here/$name.cpp")
cp "$here/$name.cpp" .

"$TP_REWRITE" -q "$name.cpp" -- $flags > out.cpp || fail "tp-rewrite failed"
if [ -n "${TP_BLESS:-}" ]; then cp out.cpp "$here/$name.expected.cpp"; fi
diff -u "$here/$name.expected.cpp" out.cpp || fail "not as expected"

mv out.cpp "$name.cpp"
"$TP_REWRITE" -q "$name.cpp" -- $flags > again.cpp
cmp "$name.cpp" again.cpp || fail "not idempotent"

compiles() {  # compiler file
  if ! "$1" $flags -isystem "$TP_PREFIX/include" "$2" -o prog; then
    fail "$1 cannot compile $2"
  elif ! ./prog; then
    fail "$1: $2 runs differently"
  fi
}
compiles g++ "$here/$name.cpp"
for compiler in $(compilers); do
  case "$flags $compiler" in
    *-fopenmp*clang*|*c++20*"clang++") continue ;;  # no libomp; clang 14 and libstdc++ coroutines
  esac
  compiles "$compiler" "$name.cpp"
done
finish
