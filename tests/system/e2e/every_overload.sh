# SPDX-License-Identifier: Apache-2.0
# Every overload of every function that tp-rewrite knows takes a site: this test reads the headers,
# since calling all overloads would take minutes. (Those that return a `Result` exist for their
# addresses only.) The exception is parallel_invoke of any number of functions: a default argument
# cannot follow a parameter pack.
. "$(dirname "$0")/common.inc"
python3 - "$TP_PREFIX/include/oneapi/tbb" <<'X' || fail "overloads"
import re, sys
NAMES = {"parallel_for.h": "parallel_for", "parallel_for_each.h": "parallel_for_each|add",
         "parallel_reduce.h": "parallel_reduce|parallel_deterministic_reduce", "parallel_scan.h": "parallel_scan",
         "parallel_sort.h": "parallel_sort", "parallel_invoke.h": "parallel_invoke", "parallel_pipeline.h": "parallel_pipeline",
         "task_group.h": "run|run_and_wait", "task_arena.h": "enqueue", "collaborative_call_once.h": "collaborative_call_once"}
found, without = set(), []
count = 0
for header, names in NAMES.items():
    text = re.sub("//.*", "", open(f"{sys.argv[1]}/{header}").read())
    for name, parameters in re.findall(rf"\n(?!Result )[^\n;{{}}=]*[\w>&]\s+({names})\s*\(([^;{{}}]*)\)[^;{{}}()]*\{{", text):
        count += 1
        found.add(name)
        if "TP_SITE_PARAM" not in parameters and "::tp::" not in parameters:
            without.append((name, " ".join(parameters.split())))
missing = set("|".join(NAMES.values()).split("|")) - found
if without != [("parallel_invoke", "Fs&&... fs")] or missing or count < 90:
    sys.exit(f"{count} overloads; without a site: {without}; not found: {missing}")
X
finish
