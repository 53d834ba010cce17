#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs with one planted limit that the task graph does not show: is it named first, and is the time right?

    benchmarks/accuracy/planted_limits/run.py [--prefix DIR] [--programs DIR] [--runs N] [--only NAME,...] [--check]

Each program is recorded with tp-run as it is. The advice of its report must name the line that is marked
`planted` in its source. The time that is predicted for the CPUs of the machine is compared with the elapsed time
of this very run, less the estimate of the time without a CPU (run_check in the JSON), where the report says that steps
waited for other threads with these waits. The table goes to stdout,
with medians of the runs. --check: exit status 1 unless every limit is named first and every time is within 10
percent. Files are written to $PLANTED_FILES, or the current folder, which must be on a disk.
"""
import argparse
import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


def profile(options, name, folder):
    environment = dict(os.environ, PLANTED_FILES=os.environ.get("PLANTED_FILES", folder))
    subprocess.run([f"{options.prefix}/bin/tp-run", "-q", "-o", f"{folder}/data", "--", f"{options.programs}/{name}"],
                   check=True, stdout=subprocess.DEVNULL, env=environment)
    result = subprocess.run([f"{options.prefix}/bin/tp-analyze", "-q", "-o", folder, "--json", "-", f"{folder}/data"],
                            check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(result.stdout)


def planted_line(name):
    lines = [number for number, line in enumerate(open(f"{HERE}/{name}.cpp"), 1) if line.rstrip().endswith("// planted")]
    assert len(lines) == 1, f"{name}.cpp: expected one line that ends in // planted, got {len(lines)}"
    return lines[0]


def names_first(found, name, line):
    """Whether the advice, or the check of the run that comes before it, names the line."""
    texts = (found["run_check"]["text"], found["verdict"]["detail"], found["advice"])
    return any(f"{name}.cpp:{line}" in text for text in texts)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--prefix", default=os.path.join(ROOT, "build/release/stage"), help="where Taskpath is installed")
    parser.add_argument("--programs", help="folder of the programs (default: that of the build tree)")
    parser.add_argument("--runs", type=int, default=5, help="of each program (default 5)")
    parser.add_argument("--only", help="names, separated by commas")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--texts", action="store_true", help="show what the first run's report says")
    options = parser.parse_args()
    options.programs = options.programs or os.path.join(os.path.dirname(options.prefix), "benchmarks/accuracy/planted_limits")
    names = options.only.split(",") if options.only else sorted(os.path.basename(path)[:-4] for path in glob.glob(f"{HERE}/*.cpp"))
    wrong = 0
    print(f"{'program':<18} {'line':>4} {'named':>6} {'elapsed s':>10} {'without CPU':>12} "
          f"{'on CPUs':>8} {'predicted':>10} {'off by':>7}  range")
    for name in names:
        line, found = planted_line(name), []
        for _ in range(options.runs):
            with tempfile.TemporaryDirectory(dir=os.environ.get("PLANTED_FILES", ".")) as folder:
                found.append(profile(options, name, folder))
        checks = [each["run_check"] for each in found]
        named = sum(names_first(each, name, line) for each in found)
        for check in checks:
            check["predicted_ns"] = check["predicted_with_waits_ns"] or check["predicted_ns"]
        errors = [check["predicted_ns"] / max(check["elapsed_ns"] - check["without_cpu_ns"], 1) - 1 for check in checks]
        error = statistics.median(errors)
        wrong += named < options.runs or abs(error) > 0.1
        column = {key: statistics.median(check[key] for check in checks) / 1e9 for key in ("elapsed_ns", "without_cpu_ns", "predicted_ns")}
        print(f"{name:<18} {line:>4} {named:>4}/{options.runs} {column['elapsed_ns']:>10.2f} {column['without_cpu_ns']:>12.2f} "
              f"{statistics.median((check['elapsed_ns'] - check['without_cpu_ns']) / 1e9 for check in checks):>8.2f} "
              f"{column['predicted_ns']:>10.2f} {100 * error:>+6.1f}%  {100 * min(errors):+.0f} to {100 * max(errors):+.0f}%", flush=True)
        if options.texts:
            for text in (found[0]["verdict"]["headline"], found[0]["run_check"]["text"], found[0]["verdict"]["detail"], found[0]["advice"]):
                print("   ", text)
    return 1 if options.check and wrong else 0


sys.exit(main())
