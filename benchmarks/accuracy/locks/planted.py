#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Six programs whose lock limits them: is it named first, by its line, and are the predicted times right, also that of the
program once it is fixed?

    benchmarks/accuracy/locks/planted.py [--prefix DIR] [--analyze FILE] [--rounds N] [--only PROGRAM] [--procs LIST]
                                         [--record-on N] [--data DIR]
    benchmarks/accuracy/locks/planted.py --starts [--rounds N]

Each round runs the program on one CPU and on two (--procs), as it is and fixed, with the distribution's libtbb and without
recording, and records it on the most of them (--record-on), one after the other: what is compared is of the same moment. The
median over all rounds, with the quartiles, of: predicted time on so many CPUs over the measured one; of the predicted time over
that of the recorded run, less its time without a CPU (run_check); the same with the predicted time of what was fixed (split,
shorter, shared, by the program), on the most CPUs; and of what recording costs, the time of the recorded run over that of the
other one. With --data, recordings stay there, and a second call with the same folder only analyzes them. --starts: what the
start of the second thread adds to the times of the fixed programs, which no prediction contains: these on two CPUs, as above
and after 200 iterations without a lock, and the same work as that of `standard`, fixed, without a lock.
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

# What was fixed; None: by other means than a what-if asks about.
PROGRAMS = {"spin": ("split", 4), "standard": ("shorter", 8), "readers": ("shared", 1), "accessor": ("split", 8),
            "handover": None, "shards": ("gone", 1)}
ITERATIONS, LENGTH = 1000, 100


def on_cpus(count):
    return ["taskset", "-c", ",".join(map(str, sorted(os.sched_getaffinity(0))[:count]))]


def record(options, prefix, folder):
    program, times = Program("planted", prefix, folder), {}
    for number in range(options.rounds):
        for name in PROGRAMS:
            if options.only in (None, name):
                end = [str(ITERATIONS), str(LENGTH), program.rate]
                found = {f"{procs}.{fixed}": float(program.unrecorded([name, fixed, *end], on_cpus(procs)))
                         for procs in options.procs for fixed in "01"}
                found["recorded"] = float(program.recorded([name, "0", *end], f"{folder}/{name}.{number}",
                                                           on_cpus(options.record_on)))
                times[f"{name}.{number}"] = found
    with open(f"{folder}/times.json", "w") as file:
        json.dump(times, file)


def starts(options, prefix, folder):
    program, names = Program("planted", prefix, folder), [name for name, fixed in PROGRAMS.items() if fixed] + ["unlocked"]
    times = {(name, before): [] for name in names for before in ("0", "200")}
    for _ in range(options.rounds):
        for (name, before), found in times.items():
            found.append(float(program.unrecorded([name, "1", str(ITERATIONS), str(LENGTH), program.rate, before])))
    print(f"{'fixed':<10} | ms on 2 CPUs: median (least to most) | when all threads are there")
    for name in names:
        print(f"{name:<10} | " + " | ".join(f"{statistics.median(each):6.1f} ({min(each):.1f} to {max(each):.1f})"
                                            for each in (times[name, "0"], times[name, "200"])), flush=True)


def line_of(name):
    with open(f"{HERE}/planted.cpp") as source:
        return next(number for number, line in enumerate(source, 1) if line.rstrip().endswith(f"// the lock of {name}"))


def quartiles(values):
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else values * 3
    return f"{100 * (middle - 1):+6.1f} ({100 * (low - 1):+.0f} to {100 * (high - 1):+.0f})"


def analyze(options, tool, folder):
    with open(f"{folder}/times.json") as file:
        times = json.load(file)
    most, wanted = options.procs[-1], ",".join(map(str, options.procs))
    print(f"{'program':<10} | measured ms on {wanted}; fixed on {most} | named first | predicted over measured, %: on "
          f"{wanted}, on {options.record_on} by run check, fixed on {most} | recorded on {options.record_on} over not recorded, %")
    for name, fixed in PROGRAMS.items():
        rounds = {number: found for number, found in times.items() if number.startswith(name + ".")}
        if not rounds:
            continue
        ratios, named = {**{str(procs): [] for procs in options.procs}, "check": [], "fixed": [], "cost": []}, 0
        profiles = measure.side_by_side(lambda number: json.loads(output(
            [tool, "-q", "-o", folder, "-P", wanted, "--what-if-mode", "optimize", "--from", "first-use", "--json", "-",
             f"{folder}/{number}"])), rounds)
        for profile, found in zip(profiles, rounds.values()):
            if f"{options.record_on}.0" in found:
                ratios["cost"].append(found["recorded"] / found[f"{options.record_on}.0"])
            lock = max(profile["locks"], key=lambda each: each["bound"])
            finding = profile["findings"][0] if profile["findings"] else {}
            named += finding.get("shape") == "lock" and finding.get("line") == line_of(name)
            for run in profile["prediction"]["runs"]:
                ratios[str(run["procs"])].append(run["time"] / profile["clock"]["hz"] * 1e3 / found[f"{run['procs']}.0"])
            check = profile["run_check"]
            if check["procs"] == options.record_on and not check["not_made"]:
                ratios["check"].append(check["predicted_ns"] / (check["elapsed_ns"] - check["without_cpu_ns"]))
            for change in lock["what_if"]:
                if fixed == (change["change"], change["factor"]):
                    ratios["fixed"] += [each["time"] / profile["clock"]["hz"] * 1e3 / found[f"{most}.1"]
                                        for each in change.get("predicted", []) if each["procs"] == most]
        measured = [statistics.median(found[key] for found in rounds.values())
                    for key in [f"{procs}.0" for procs in options.procs] + [f"{most}.1"]]
        print(f"{name:<10} | " + " ".join(f"{each:7.1f}" for each in measured) + f" | {named} of {len(rounds)} | " +
              " | ".join(quartiles(each) if each else "-" for each in ratios.values()), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default=f"{ROOT}/build/release/stage")
    parser.add_argument("--analyze")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--only", choices=PROGRAMS)
    parser.add_argument("--data")
    parser.add_argument("--procs", default="1,2", help="CPUs to run on, and to predict for (default 1,2)")
    parser.add_argument("--record-on", type=int, help="CPUs to record on (default: the most of --procs)")
    parser.add_argument("--starts", action="store_true")
    options = parser.parse_args()
    options.procs = sorted(int(count) for count in options.procs.split(","))
    options.record_on = options.record_on or options.procs[-1]
    if options.starts:
        with tempfile.TemporaryDirectory() as folder:
            starts(options, measure.find_prefix(options.prefix), folder)
        return
    measure.record_and_analyze(options, record, lambda tool, folder: analyze(options, tool, folder))


if __name__ == "__main__":
    main()
