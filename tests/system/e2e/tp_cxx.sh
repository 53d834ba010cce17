# SPDX-License-Identifier: Apache-2.0
# The third way: compiled by tp-c++, without a change to the source. Same figures, sites with file
# and line.
. "$(dirname "$0")/common.inc"
[ -x "$TP_PREFIX/bin/tp-c++" ] || skip "tp-c++ is not installed"
programs=$here/../programs
for name in taskprof_paper task_group parallel_invoke parallel_reduce; do
  TP_CXX=$cxx "$TP_PREFIX/bin/tp-c++" -std=c++17 -g -O1 "$programs/$name.cpp" -o $name -I"$TP_PREFIX/include" \
    -L"$TP_PREFIX/lib" -Wl,-rpath,"$TP_PREFIX/lib" -ltbb -lpthread 2>err || { fail "$name: $(cat err)"; continue; }
  python3 "$programs/check.py" ./$name --threads 4 --repeat 1 --analyze "$tp_analyze" || fail "$name"
done
finish
