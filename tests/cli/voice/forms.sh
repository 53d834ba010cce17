#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# The same questions to every tool: -h, -V, -q, -v, --color, an unknown option, a missing value, an
# invalid choice. One table.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset TP_DATA TP_EVENT TP_CXX NO_COLOR LD_PRELOAD LD_LIBRARY_PATH
failures=0
fail() { echo "FAILED: $*"; failures=$((failures + 1)); }
path_of() {
  case $1 in
    tp-run | tp-doctor | tp-config) echo "$TP_TEST_PREFIX/bin/$1" ;;
    tp-analyze) echo "$TP_ANALYZE" ;;
    tp-diff) echo "$TP_DIFF" ;;
    tp-report) echo "${TP_REPORT:-}" ;;
    tp-rewrite) echo "${TP_REWRITE:-}" ;;
    tp-c++) echo "${TP_CXX_TOOL:-}" ;;
  esac
}

# run TOOL ARG...: runs the tool; sets status, and writes out and err.
run() {
  local path
  path=$(path_of "$1")
  shift
  status=0
  "$path" "$@" >out 2>err </dev/null || status=$?
}
# refused STATUS TEXT TOOL ARG...: checks for the error, the hint, and nothing else.
refused() {
  local expected=$1 text=$2
  shift 2
  run "$@"
  [ $status -eq "$expected" ] || fail "$*: exit status $status, expected $expected"
  printf 'tp: error: %s\nhint: %s --help\n' "$text" "$1" | cmp -s - err || fail "$*: expected '$text', got: $(cat err)"
  [ ! -s out ] || fail "$*: stdout: $(cat out)"
}

general='General:
  -h, --help                  Show this help
  -V, --version               Show the version
  -q, --quiet                 Print errors and warnings only
  -v, --verbose               Print more details
      --color auto|always|never
                              When to use colors (default: auto)'

# Tool, status for wrong usage, an option with a value, the type of the value.
while read -r tool wrong option type; do
  [ "$tool" != tp-report ] || [ -n "$(path_of tp-report)" ] || continue # built only where there is node
  [ -n "$(path_of "$tool")" ] || continue
  long=--help
  [ "$tool" != tp-c++ ] || long=--tp-help # --help is the compiler's
  for help in -h $long; do
    run "$tool" "$help"
    [ $status -eq 0 ] && [ ! -s err ] || fail "$tool $help: exit status $status: $(cat err)"
    head -n 3 out | tail -n 1 | grep -qF "Usage: $tool " || fail "$tool $help: usage: $(head -n 3 out)"
    head -n 1 out | grep -qE '^[A-Z].*\.$' || fail "$tool $help: the first line is not a sentence: $(head -n 1 out)"
    grep -q '^Exit status:$' out || fail "$tool $help: no exit statuses"
    grep -qE "^  $wrong +[a-z]" out || fail "$tool $help: exit status $wrong is not in: $(sed -n '/^Exit/,$p' out)"
    ! grep -nE 'TEXT|REQUIRED|INT|UINT|Positionals|Excludes|OPTIONS:|.{81}' out || fail "$tool $help: words of the parser, or long lines"
    [ "$tool" = tp-c++ ] || [[ $(cat out) == *"$general"* ]] || fail "$tool $help: other common options: $(cat out)"
    # Options in sentence case.
    ! grep -nE '^ +-[^ ]*,? .*  +[a-z]' out | grep -v "TP_" || fail "$tool $help: a text in small letters"
  done
  run "$tool" -V
  [ $status -eq 0 ] && sed "s/^${tool//+/[+]} //" out | grep -qxE '[0-9]+\.[0-9]+\.[0-9]+' && [ ! -s err ] || fail "$tool -V: $status: $(cat out err)"
  [ "$tool" = tp-c++ ] && continue
  refused "$wrong" "unknown option '--bogus'" "$tool" --bogus
  refused "$wrong" "unknown option '-Z'" "$tool" -q -Z
  refused "$wrong" '--color: missing value: expected auto|always|never' "$tool" --color
  refused "$wrong" "--color: expected auto|always|never, got 'pink'" "$tool" --color pink
  [ "$option" = - ] || refused "$wrong" "$option: missing value: expected $type" "$tool" "$option"
done <<'TABLE'
tp-run     125 --max-size SIZE
tp-analyze 2   --top      N
tp-diff    2   --json     FILE|-
tp-report  2   --output   FILE
tp-doctor  2   -
tp-config  2   -
tp-rewrite 2   -p         BUILD_DIR
tp-c++     127 -
TABLE

# Other invalid options, with errors in the same form.
refused 125 '--paused: takes no value' tp-run --paused=1 true
refused 125 'no program given' tp-run -q
refused 2 "unexpected argument 'x'" tp-doctor x
refused 2 "unexpected argument 'x'" tp-config x
refused 2 'no option given' tp-config -q
refused 2 "unexpected argument 'c'" tp-diff a b c
refused 2 '--top: given more than once' tp-analyze --top 1 --top 2
refused 2 'BASE NEW: expected two profiles, got none' tp-diff
if [ -n "${TP_REWRITE:-}" ]; then
  refused 2 'no source file given' tp-rewrite
  refused 2 '--diff: cannot be used with --out' tp-rewrite --out x --diff a.cpp
fi

# missing STATUS OBJECT TOOL ARG...: an object that does not exist. Checks for its name first, then
# the error; a hint; the status. -q does not hide it.
missing() { # STATUS OBJECT TOOL ARG...
  local expected=$1 object=$2
  shift 2
  run "$@"
  [ $status -eq "$expected" ] || fail "$*: exit status $status, expected $expected"
  head -n 1 err | grep -q "^tp: error: $object: " || fail "$*: $(cat err)"
  [ "$(grep -vc '^tp: error: \|^hint: ' err)" -eq 0 ] || fail "$*: more than an error and a hint: $(cat err)"
}
missing 127 ./nothing tp-run -q ./nothing
missing 2 nowhere tp-analyze -q nowhere
missing 2 nowhere tp-diff -q nowhere nowhere
if [ -n "${TP_REWRITE:-}" ]; then
  missing 2 none.cpp tp-rewrite -q none.cpp
  TP_CXX=no-such-compiler missing 127 no-such-compiler tp-c++ -q -c a.cpp
fi

# Colors on request, also in errors.
run tp-analyze --color always nowhere
grep -q $'^\033\[1;31mtp: error: \033\[0mnowhere: ' err || fail "--color always: $(cat -v err)"
# Help that cannot be written.
status=0
"$(path_of tp-analyze)" --help >/dev/full 2>err || status=$?
[ $status -eq 2 ] && grep -q '^tp: error: standard output: cannot be written' err || fail "help to a full device: $status: $(cat err)"
[ $failures -eq 0 ]
