#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# run_case.sh NAME: tp-rewrite turns NAME.cpp into NAME.expected.cpp and leaves the latter
# unchanged; both compile, run and exit with 0. TP_UPDATE_GOLDEN=1 writes the expected file first
# (scripts/update-golden).
. "$(dirname "$0")/common.inc"
name=$1
flags=$(sed -n '1s|^// flags: *||p' "$here/$name.cpp")
cp "$here/$name.cpp" .

# shellcheck disable=SC2086  # several options
"$TP_REWRITE" -q "$name.cpp" -- $flags > out.cpp || fail "tp-rewrite failed"
if [ -n "${TP_UPDATE_GOLDEN:-}" ]; then cp out.cpp "$here/$name.expected.cpp"; fi
diff -u "$here/$name.expected.cpp" out.cpp || fail "not as expected"

mv out.cpp "$name.cpp"
# shellcheck disable=SC2086  # several options
"$TP_REWRITE" -q "$name.cpp" -- $flags > again.cpp
cmp "$name.cpp" again.cpp || fail "not idempotent"

compiles() {  # compiler file
  # shellcheck disable=SC2086  # several options
  if ! $1 -pedantic-errors $flags -isystem "$TP_PREFIX/include" "$2" -o prog; then
    fail "$1 cannot compile $2"
  elif ! ./prog > "$2.out"; then
    fail "$1: $2 runs differently"
  fi
}
for compiler in "g++ -std=c++17" "g++ -std=c++20" "clang++-19 -std=c++17"; do
  case "$flags $compiler" in
    *-fopenmp*clang*) continue ;;  # no libomp
    *-std=*-std=*) compiler=${compiler%% -std*} ;;
  esac
  cp "$here/$name.cpp" original.cpp
  compiles "$compiler" original.cpp
  compiles "$compiler" "$name.cpp"
  cmp original.cpp.out "$name.cpp.out" || fail "$compiler: other output"
done
finish
