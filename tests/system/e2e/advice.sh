# SPDX-License-Identifier: Apache-2.0
# The advice for each shape of problem, in reports of at most 25 lines: tests/system/advice has programs
# with one problem each, and what their report has to advise. Where the clock is one of time every figure in it is N: the
# advice for a lock and for blocking says what is known, that the code slept.
. "$(dirname "$0")/common.inc"
one=$(taskset -cp $$ | sed 's/.*[: ]\([0-9]*\).*/\1/') # the first CPU that may be used
[ -x "$TP_PREFIX/bin/tp-c++" ] || skip "tp-c++ is not installed"
words() { tr -s ' \n' ' ' <"$1" | sed 's/ $//'; }
for source in "$here"/../advice/*.cpp; do
  name=$(basename "$source" .cpp)
  cp "$source" .
  TP_CXX=$cxx "$TP_PREFIX/bin/tp-c++" -q -std=c++17 -O2 -g "$name.cpp" -o "$name" -ltbb -lpthread || fail "$name: it does not compile"
  event=virtual
  ! grep -q "clock of this case is one of time" "$name.cpp" || event=auto
  # On one CPU there are few schedules, on which the prediction depends a little: a graph has two.
  one_cpu=()
  [ $event = auto ] || one_cpu=(taskset -c "$one")
  "${one_cpu[@]}" "$tp_run" -q -e $event -o "$name.data" "./$name" >out 2>&1 || fail "$name: tp-run: $(cat out)"
  "$tp_analyze" -q -P 8 --json "$name.json" "$name.data" "$name.csv" >report || fail "$name: tp-analyze"
  # With a target that asks for several changes, too.
  "$tp_analyze" -q --target 64 -o csv "$name.data" >target || fail "$name: tp-analyze --target"
  for each in report target; do
    [ "$(wc -l <"$each")" -le 25 ] || fail "$name: more than 25 lines: $(cat "$each")"
  done
  if [ $event = auto ]; then
    sed -i -E 's/[0-9]+(\.[0-9]+)? %/N %/g; s/[0-9]+(\.[0-9]+)? (us|ms|s)([ ,.)]|$)/N ms\3/g; s/[0-9]+ ns/N ns/g' report
  fi

  # Each paragraph is one of the texts that are right: how much of the time without a CPU is sleep depends
  # on what else the machine does.
  found=
  while IFS= read -r expected; do
    case $(words report) in
      *" $expected"*) found=yes ;;
    esac
  done < <(awk -v RS= '{ gsub(/[ \n]+/, " "); print }' "${source%.cpp}.txt")
  [ "$found" ] || fail "$name: the report does not advise '$(cat "${source%.cpp}.txt")': $(cat report)"
  python3 - "$name.json" "$name.cpp" <<'END' || fail "$name: the first finding names no line of the program"
import json, sys
finding = json.load(open(sys.argv[1]))["findings"][0]
assert finding["file"] == sys.argv[2] and 0 < finding["line"] <= len(open(sys.argv[2]).readlines()), finding
END
done
finish
