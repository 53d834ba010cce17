#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs with locks on real clocks: predicted times against those of runs.

    benchmarks/accuracy/locks/varied.py [--prefix DIR] [--analyze FILE] [--programs N] [--rounds N] [--first SEED] [--threads N]
                                        [--procs N] [--data DIR]

Kind and number of the locks, how long they are held (1 us to 1 ms) and how long each iteration works without them are drawn
at random. In each round the program runs, with the distribution's libtbb and without recording, and is recorded, one after
the other. For each program, in percent: the time
predicted from the recording for as many CPUs as it has threads, or as there are, or --procs, over that of the run of the same round (median
of the rounds), and over the time of the recorded run less its time without a CPU. Predicted is one thread per CPU: with more
threads than CPUs the first run has as many threads as CPUs, and another column compares with one that has them all. With
--data, recordings stay there, and a second call with the same folder only analyzes them.
"""
import argparse
import json
import os
import random
import statistics
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "benchmarks")]
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure
from programs import Program, output

KINDS = ["spin_mutex", "queuing_mutex", "mutex", "rw_mutex", "std_mutex", "shared_mutex"]
LENGTH = 150  # ms of work for each CPU


def drawn(seed, threads, procs):
    chance = random.Random(seed)
    kind, locks = chance.choice(KINDS), chance.choice([1, 1, 1, 2, 4])
    inside = round(10 ** chance.uniform(0, 3), 1)
    outside = round(inside * procs / 2 * 10 ** chance.uniform(-0.7, 0.7), 1)
    iterations = max(10 * procs, int(1e3 * procs * LENGTH / (inside + outside)))
    return [kind, str(locks), str(inside), str(outside), str(iterations), str(threads)]


def record(options, prefix, folder):
    program, found = Program("varied", prefix, folder), []
    for number in range(options.programs):
        procs = options.procs
        numbers = drawn(options.first + number, options.threads, procs)
        times, crowded = [], []
        for each in range(options.rounds):
            times.append(float(program.unrecorded([*numbers[:5], str(procs), program.rate])))
            if len(os.sched_getaffinity(0)) < options.threads:
                crowded.append(float(program.unrecorded([*numbers, program.rate])))
            program.recorded([*numbers, program.rate], f"{folder}/{number}.{each}")
        found.append({"numbers": numbers, "times": times, "crowded": crowded})
    with open(f"{folder}/times.json", "w") as file:
        json.dump({"procs": options.procs, "programs": found}, file)


def summary(name, ratios):
    print(f"{name}: median {statistics.median(ratios):+.1f} %, {sum(abs(each) <= 10 for each in ratios)} of {len(ratios)} within "
          f"10 %, {sum(each < -20 for each in ratios)} below -20 %, from {min(ratios):+.1f} to {max(ratios):+.1f} %")


def analyze(tool, folder):
    with open(f"{folder}/times.json") as file:
        recorded = json.load(file)
    programs, procs = recorded["programs"], recorded["procs"]
    profiles = iter(measure.side_by_side(lambda data: json.loads(output(
        [tool, "-q", "-o", folder, "-P", str(procs), "--from", "first-use", "--json", "-", f"{folder}/{data}"])),
        [f"{number}.{each}" for number, program in enumerate(programs) for each in range(len(program["times"]))]))
    print(f"{'lock':<13} {'locks':>5} {'inside':>7} {'outside':>7} {'threads':>7} | {'ms':>7} | predicted over measured, % | "
          f"over the recorded run's without waits for a CPU | over that of a run with all threads")
    all_runs, all_checks, long_runs, all_crowded = [], [], [], []
    for program in programs:
        threads, predicted, checks, crowded = int(program["numbers"][5]), [], [], []
        for each, time in enumerate(program["times"]):
            profile = next(profiles)
            run = next(run for run in profile["prediction"]["runs"] if run["procs"] == procs)
            predicted.append(100 * (run["time"] / profile["clock"]["hz"] * 1e3 / time - 1))
            if program["crowded"]:
                crowded.append(100 * (run["time"] / profile["clock"]["hz"] * 1e3 / program["crowded"][each] - 1))
            check = profile.get("run_check")
            if check and check["procs"] == procs and not check["not_made"]:
                checks.append(100 * (check["predicted_ns"] / (check["elapsed_ns"] - check["without_cpu_ns"]) - 1))
        kind, locks, inside, outside, _, _ = program["numbers"]
        all_runs.append(statistics.median(predicted))
        if float(inside) > 5:
            long_runs.append(statistics.median(predicted))
        if checks:
            all_checks.append(statistics.median(checks))
        print(f"{kind:<13} {locks:>5} {inside:>7} {outside:>7} {threads:>7} | {statistics.median(program['times']):>7.1f} | "
              f"{statistics.median(predicted):+6.1f} ({min(predicted):+.0f} to {max(predicted):+.0f}) | " +
              (f"{statistics.median(checks):+6.1f}" if checks else "-") + " | " +
              (f"{statistics.median(crowded):+6.1f}" if crowded else "-"), flush=True)
        if crowded:
            all_crowded.append(statistics.median(crowded))
    summary("all", all_runs)
    if long_runs:
        summary("held for more than 5 us", long_runs)
    if all_checks:
        summary("run check", all_checks)
    if all_crowded:
        summary("over runs with all threads", all_crowded)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default=f"{ROOT}/build/release/stage")
    parser.add_argument("--analyze")
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--procs", type=int, help="CPUs to predict for, and threads of the runs that are compared with")
    parser.add_argument("--data")
    options = parser.parse_args()
    options.procs = options.procs or min(options.threads, len(os.sched_getaffinity(0)))
    measure.record_and_analyze(options, record, analyze)


if __name__ == "__main__":
    main()
