#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Functions by samples, compared with what programs measure themselves.

    benchmarks/accuracy/functions/run.py [--prefix DIR] [--runs N] [--only NAME[,NAME...]]

shares      thirteen functions with known shares (two programs): how many of all true shares are inside their 95 % intervals
differing   a loop whose parts differ: the what-if of its heavy function, and the edited program
phases      a code segment in part of which the thread switches often, and is sampled less often
beat        a program that repeats itself at exact times: the share of a function that has 60 %
simulated   the same without a program: beats of 0.05 to 450 ms, by how much periods change
steps       functions that only one loop runs: the part of their work that is under another one
cost        CPU time with samples, divided by that without, in pairs: the demo program image_pipeline
costs       the same for a loop of short tasks on 1, 2 and 8 threads, by rate, source and what is known of the stack
"""
import argparse
import json
import math
import os
import resource
import statistics
import subprocess
import sys
import tempfile

from bench import Bench

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))


def shares(bench, runs):
    measure_shares("shares", bench, bench.build(f"{HERE}/shares.cpp"), runs)
    subprocess.run(["c++", "-O2", "-g", "-fPIC", "-shared", f"{HERE}/elsewhere_library.cpp", "-o", f"{bench.folder}/libelsewhere.so"],
                   check=True)
    program = bench.build(f"{HERE}/elsewhere.cpp", f"-L{bench.folder}", f"-Wl,-rpath,{bench.folder}", libraries=["-lelsewhere"])
    measure_shares("elsewhere", bench, program, runs)


def measure_shares(title, bench, program, runs):
    inside, total, squares, widths = {}, 0, [], []
    for _ in range(runs):
        true = json.loads(bench.record([program, "60000"])[0])
        profile, found = bench.analyze()
        all_true, all_found = sum(true.values()), sum(found[name]["work"] for name in true)
        for name, ns in true.items():
            low, high = found[name]["work_interval"]
            share, estimate = ns / all_true, found[name]["work"] / all_found
            of_all, samples = found[name]["work"] / profile["work"], profile["sampling"]["in_steps"]
            widths.append((high - low) / profile["work"] / math.sqrt(of_all * (1 - of_all) / samples))
            inside[name] = inside.get(name, 0) + (low / all_found <= share <= high / all_found)
            total += 1
            error = (high - found[name]["work"]) / all_found / 1.96
            if error > 0:
                squares.append(((estimate - share) / error) ** 2)
    least = min(inside, key=inside.get)
    print(f"{title}: {sum(inside.values())} of {total} true shares inside ({100 * sum(inside.values()) / total:.1f} %; fewest: "
          f"{least}, {inside[least]} of {runs}), mean square of z "
          f"{statistics.mean(squares):.2f}; widths of intervals in sqrt(p (1 - p) / n): median {statistics.median(widths):.2f}, "
          f"{sum(width > 4 for width in widths)} above 4, at most {max(widths):.3f}", flush=True)


def differing(bench, _):
    program = bench.build(f"{HERE}/differing.cpp")
    bench.record([program])
    profile, found = bench.analyze("--what-if-mode", "optimize", "--factors", "2,8")
    print(f"differing: parallelism {profile['parallelism']}, heavy {found['heavy']['critical_percent']} % of the critical path")
    for point in found["heavy"]["points"]:
        bench.record([program, str(point["factor"])])
        real = bench.analyze()[0]["parallelism"]
        print(f"  heavy {point['factor']}x: predicted {point['parallelism']}, edited program {real}, "
              f"error {100 * (point['parallelism'] / real - 1):+.1f} %")


def phases(bench, runs):
    program, inside, sparse, errors = bench.build(f"{HERE}/phases.cpp"), 0, [], []
    for seed in range(runs):
        true = json.loads(bench.record([program, str(seed)], None)[0])
        profile, found = bench.analyze()
        share = true["switching"] / (true["plain"] + true["switching"])
        whole = sum(found[name]["work"] for name in true)
        low, high = (end / whole for end in found["switching"]["work_interval"])
        inside += low <= share <= high
        errors.append(100 * (found["switching"]["work"] / whole - share))
        sparse.append(100 * profile["sampling"]["sparse_ns"] / profile["sampling"]["cpu_ns"])
    print(f"phases: {inside} of {runs} intervals contain the share; error in points: median {statistics.median(errors):+.1f}, "
          f"{min(errors):+.1f} to {max(errors):+.1f}; sampled less often in {statistics.median(sparse):.0f} % of the CPU time (median)")


def beat(bench, runs):
    program = bench.build(f"{HERE}/beat.cpp")
    for period in ("1000000", "500000", "337000"):
        inside, estimates = 0, []
        for _ in range(max(runs // 4, 3)):
            bench.record([program, period])
            _, found = bench.analyze()
            whole = found["alpha"]["work"] + found["beta"]["work"]
            low, high = (end / whole for end in found["alpha"]["work_interval"])
            inside += low <= 0.6 <= high
            estimates.append(100 * found["alpha"]["work"] / whole)
        print(f"beat of {period} ns: {inside} of {len(estimates)} intervals contain 60 %, "
              f"estimates {min(estimates):.1f} to {max(estimates):.1f} %")


def simulated_beats(bench, _):
    program = bench.build(f"{HERE}/simulated_beats.cpp", "-std=c++20")
    for spread in ("0", "0.1", "0.35", "0.42", "0.6"):
        print(subprocess.run([program, spread], check=True, stdout=subprocess.PIPE, text=True).stdout, end="", flush=True)


def steps(bench, _):
    program = bench.build(f"{HERE}/steps.cpp")
    bench.record([program], "4000")
    profile, _ = bench.analyze("--export", f"folded:{bench.folder}/stacks.folded")
    right, wrong, places = 0, 0, {}
    with open(f"{bench.folder}/stacks.folded", encoding="utf-8") as file:
        stacks = [line.rsplit(" ", 1) for line in file]
    for stack, work in stacks:
        frames = stack.split(";")
        for function in ("long_steps", "middle_steps", "short_steps"):
            if any(frame.startswith(function) for frame in frames):
                places.setdefault(function, {}).setdefault(frames[1] if len(frames) > 1 else "", 0)
                places[function][frames[1]] += int(work)
    for found in places.values():
        right += max(found.values())
        wrong += sum(found.values()) - max(found.values())
    print(f"steps: {profile['sampling']['in_steps']} samples in steps, {profile['sampling']['between_steps']} between "
          f"them; {wrong} of {right + wrong} work under another loop")


def cost(bench, runs):
    program, ratios = bench.build(f"{ROOT}/benchmarks/demo/image_pipeline.cpp"), []
    for _ in range(runs):
        without = bench.record([program], "off")[1]
        ratios.append(bench.record([program])[1] / without)
    print(f"cost: CPU time with samples / without: median {statistics.median(ratios):.3f}, {min(ratios):.3f} to "
          f"{max(ratios):.3f} ({runs} pairs)")


def costs(bench, runs):
    program = bench.build(f"{HERE}/costs.cpp")
    inject = f"{ROOT}/build/release/tests/system/e2e/inject_faults"
    configurations = {"off": ["--sample", "off"], "1000, 4 KiB": ["--sample", "1000"], "4000, 4 KiB": ["--sample", "4000"],
                      "1000, 1 KiB": ["--sample", "1000", "--call-graph", "dwarf,1024"],
                      "1000, 16 KiB": ["--sample", "1000", "--call-graph", "dwarf,16384"],
                      "1000, fp": ["--sample", "1000", "--call-graph", "fp"],
                      "1000, none": ["--sample", "1000", "--call-graph", "none"]}
    if os.path.exists(inject):
        configurations["timers, 4 KiB"] = ["--sample", "1000"]

    def cpu_time(name, threads):
        prefix = [inject, "--open", "EPERM", "--"] if name.startswith("timers") else []
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*prefix, f"{bench.prefix}/bin/tp-run", "-q", *configurations[name], "-o", f"{bench.folder}/data", "--",
                        program, threads], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    for threads in ("1", "2", "8"):
        ratios, lost = {name: [] for name in configurations}, {name: 0 for name in configurations}
        for _ in range(runs):
            without = cpu_time("off", threads)
            for name, found in ratios.items():
                found.append(cpu_time(name, threads) / without)
                with open(f"{bench.folder}/data/end.json", encoding="utf-8") as file:
                    lost[name] += json.load(file).get("sampling", {}).get("lost", 0)
        for name, found in ratios.items():
            low, middle, high = statistics.quantiles(found, n=4)
            print(f"costs: {threads} threads, {name}: {middle:.3f} ({low:.3f} to {high:.3f}), {lost[name]} samples lost")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", default=f"{ROOT}/build/release/stage", help="an installed Taskpath")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--only", default="shares,differing,beat,steps,cost")
    arguments = parser.parse_args()
    all_parts = {"shares": shares, "differing": differing, "phases": phases, "beat": beat, "simulated": simulated_beats, "steps": steps,
                 "cost": cost, "costs": costs}
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(arguments.prefix), folder)
        for name in arguments.only.split(","):
            if name not in all_parts:
                sys.exit(f"tp: error: --only: expected one of {', '.join(all_parts)}, got '{name}'")
            all_parts[name](bench, arguments.runs)


if __name__ == "__main__":
    main()
