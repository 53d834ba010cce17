#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Programs that contend for one lock: predicted times on one CPU and on two, and those of runs.

    benchmarks/accuracy/locks/run.py [--prefix DIR] [--analyze FILE] [--runs N] [--only LOCK]

Each program runs pinned to one CPU and on two, with the distribution's libtbb and without recording: the shortest and the
median of N times, in ms. It is recorded in both ways as well, and each recording predicts both times. With two CPUs
(run_check): the predicted time against the elapsed time of the recorded run less its time without a CPU, median of the
recordings. `--analyze`: another tp-analyze.
"""
import argparse
import json
import os
import statistics
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "benchmarks")]
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure
from programs import Program, output

# Lock, percent of each iteration inside, iterations, us of each.
PROGRAMS = (("spin_mutex", 75, 2000, 100), ("spin_mutex", 20, 2000, 100), ("queuing_mutex", 75, 2000, 100),
            ("mutex", 50, 2000, 100), ("std_mutex", 50, 2000, 100), ("std_mutex", 20, 2000, 100),
            ("rw_mutex", 60, 2000, 100), ("spin_rw_mutex", 60, 2000, 100), ("std_shared_mutex", 60, 2000, 100),
            ("spin_mutex", 75, 100_000, 2), ("queuing_mutex", 75, 100_000, 2), ("mutex", 50, 20_000, 10),
            ("std_mutex", 50, 20_000, 10))
PINNED = {1: ["taskset", "-c", "0"], 2: []}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default=f"{ROOT}/build/release/stage")
    parser.add_argument("--analyze")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--only", help="programs with this lock")
    options = parser.parse_args()
    prefix = measure.find_prefix(options.prefix)
    analyze = options.analyze or f"{prefix}/bin/tp-analyze"
    print(f"{'lock':<17} {'in':>4} {'us':>4} | {'1 CPU':>6} {'median':>6} {'2 CPUs':>6} {'median':>6} | predicted from a run on 1: "
          f"1, 2 CPUs, off by; from one on 2 | run check")
    with tempfile.TemporaryDirectory() as work:
        program = Program("contended", prefix, work)
        for lock, percent, iterations, length in PROGRAMS:
            if options.only not in (None, lock):
                continue
            command = [lock, str(percent), str(iterations), str(length), program.rate]
            times = {procs: sorted(float(program.unrecorded(command, PINNED[procs])) for _ in range(options.runs)) for procs in PINNED}
            text, checks = "", []
            for procs in PINNED:
                found = []
                for i in range(3):
                    data = f"{work}/{i}"
                    elapsed = float(program.recorded(command, data, PINNED[procs]))
                    # Only the loop is in the measured times.
                    found.append((elapsed, json.loads(output([analyze, "-q", "-P", "1,2", "--from", "first-use", "--json", "-", data]))))
                    check = json.loads(output([analyze, "-q", "--json", "-", data]))["run_check"]
                    if procs == 2:
                        checks.append(100 * (check["predicted_ns"] / (check["elapsed_ns"] - check["without_cpu_ns"]) - 1))
                profile = min(found, key=lambda each: each[0])[1]
                for run in profile["prediction"]["runs"]:
                    predicted = run["time"] / profile["clock"]["hz"] * 1e3
                    text += f" {predicted:6.1f} {100 * (predicted / times[run['procs']][0] - 1):+6.1f} %"
            print(f"{lock:<17} {percent:>3}% {length:>4} | " +
                  " ".join(f"{times[procs][0]:6.1f} {statistics.median(times[procs]):6.1f}" for procs in PINNED) +
                  f" |{text} | {statistics.median(checks):+.1f} %", flush=True)


if __name__ == "__main__":
    main()
