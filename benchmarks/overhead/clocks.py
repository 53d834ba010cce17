#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The cost of reading each work clock, and of each event with that clock: ns of CPU time.

    benchmarks/overhead/clocks.py [--build DIR] [--repetitions N]

Runs micro_clocks and, once with each clock that works on this machine, micro_hooks (Google
Benchmark), N times each. Each cell is the minimum of the repetitions and, in brackets, their
median: other load on the machine only ever adds time. The tables go to stdout.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NO_RSEQ = {"GLIBC_TUNABLES": "glibc.pthread.rseq=0"}

# The clock that must be in use, the settings that choose it, and whether perf_event_open must fail
# for that.
SOURCES = [
    ("perf-user", {"TP_EVENT": "instructions"}, False),
    ("tsc-rseq", {"TP_EVENT": "tsc"}, False),
    ("tsc-perf-page", {"TP_EVENT": "tsc", **NO_RSEQ}, False),
    ("perf-read", {"TP_EVENT": "task-clock"}, False),
    ("thread-cpu", {"TP_EVENT": "tsc", **NO_RSEQ}, True),
    ("virtual", {"TP_EVENT": "virtual"}, False),
]


def benchmark(command, settings, repetitions):
    """{name: ([ns of each repetition], label, error)} of one program."""
    ran = subprocess.run([*command, "--benchmark_format=json", f"--benchmark_repetitions={repetitions}"],
                         env=dict(os.environ, **settings), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if ran.returncode != 0:
        sys.exit(f"{command[-1]}: exit status {ran.returncode}: {ran.stderr.strip()}")
    results = {}
    for run in json.loads(ran.stdout)["benchmarks"]:
        if run["run_type"] == "iteration":
            times = results.setdefault(run["run_name"], ([], run.get("label"), run.get("error_message")))[0]
            times.append(run["cpu_time"] if "error_message" not in run else 0)
    return results


def cell(times):
    return f"{min(times):.1f} ({statistics.median(times):.1f})"


def print_readings(folder, repetitions):
    print("One reading, ns")
    for name, (times, _, error) in benchmark([f"{folder}/micro/micro_clocks"], {}, repetitions).items():
        print(f"{name:28} {error or cell(times)}")


def print_events(folder, injector, repetitions):
    print("\nOne event, its readings included, ns")
    columns = None
    for clock, settings, denied in SOURCES:
        if denied and not os.access(injector, os.X_OK):
            print(f"{clock:14} not measured: {injector} is not built")
            continue
        command = [injector, "--open", "EACCES", "--"] if denied else []
        results = benchmark(command + [f"{folder}/micro/micro_hooks", "--benchmark_filter=event"], settings, repetitions)
        if columns is None:
            columns = list(results)
            print(f"{'clock':14} " + " ".join(f"{name.removeprefix('event/'):>18}" for name in columns))
        used = results[columns[0]][1]
        cells = [f"{cell(results[name][0]):>18}" for name in columns]
        print(f"{clock:14} " + (" ".join(cells) if used == clock else f"does not work here ({used} would be used)"))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=f"{ROOT}/build/release")
    parser.add_argument("--repetitions", type=int, default=9)
    options = parser.parse_args()
    folder = f"{options.build}/benchmarks"
    if not os.access(f"{folder}/micro/micro_hooks", os.X_OK):
        sys.exit(f"{folder}/micro/micro_hooks: not found\nhint: scripts/build")
    print_readings(folder, options.repetitions)
    print_events(folder, f"{options.build}/tests/system/e2e/inject_faults", options.repetitions)
    print(f"\nLoad average {os.getloadavg()[0]:.1f} on {os.cpu_count()} CPUs at the end.")


if __name__ == "__main__":
    main()
