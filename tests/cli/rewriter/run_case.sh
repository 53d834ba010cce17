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

# The standard that a case names replaces that of a compiler.
standard_of() { case $flags in *-std=*) ;; *) echo "-std=$1" ;; esac; }
compile() {  # FILE COMPILER OPTION...
  local file=$1
  shift
  # shellcheck disable=SC2086  # several options
  "$@" -pedantic-errors $flags -isystem "$TP_PREFIX/include" "$file" -o prog || fail "$1 cannot compile $file"
}
runs() { compile "$@" && { ./prog >"$1.out" || fail "$2: $1 does not run"; }; }

# shellcheck disable=SC2046  # none or one
{
  cp "$here/$name.cpp" original.cpp
  runs original.cpp g++ $(standard_of c++17)
  runs "$name.cpp" g++ $(standard_of c++17)
  cmp original.cpp.out "$name.cpp.out" || fail "g++: other output"
  case $flags in *-std=*) ;; *) compile "$name.cpp" g++ -std=c++20 -fsyntax-only ;; esac
  case $flags in *-fopenmp*) finish ;; esac  # no libomp for clang++
  runs "$name.cpp" clang++-19 $(standard_of c++17)
  cmp original.cpp.out "$name.cpp.out" || fail "clang++-19: other output"
}
finish
