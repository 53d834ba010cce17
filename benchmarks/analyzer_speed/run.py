#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Speed and memory of tp-analyze.

    benchmarks/analyzer_speed/run.py [--build DIR] [--steps N,N..] [--shapes NAME,..]
                                     [--analyze FILE,FILE..] [--scenarios]

Records each shape with each number of steps. Analyzes it with the default options, and without the
simulation and the questions that need more readings: then one reading remains, and one more for
each grain size that is tried. Several analyzers run in turn. CPU time is the user and system time
of all threads. Peak memory includes the mapped trace, which is also listed separately and is not
part of the bytes per step. The recordings are removed at the end.
--scenarios: what-if of eight regions, each alone and all together, by eight factors, against one
region and one factor.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ONE_SCENARIO = ["--region", "fib.cpp:1", "--factors", "2"]
SHAPES = ["fib", "flat_loop", "deep_chain", "nested_loops"]
READINGS = {"default": [], "no what-if": ["--explore", "never", "--simulate", "never", "-j", "1"]}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--steps", default="1000000,10000000", help="numbers of steps, by commas")
    parser.add_argument("--shapes", default=",".join(SHAPES))
    parser.add_argument("--analyze", help="analyzers to compare, by commas; default: the build's")
    parser.add_argument("--repetitions", type=int, default=3, help="the fastest counts; pairs, with --scenarios")
    parser.add_argument("--scenarios", action="store_true", help="only the cost of many scenarios over that of one")
    return parser.parse_args()


def analyzed(analyzer, options, trace, scratch):
    """(CPU seconds, peak memory in bytes, profile)"""
    with open(scratch / "profile.json", "w+") as out:
        child = subprocess.Popen([analyzer, "-q", *options, "--json", "-", trace, scratch / "profile.csv"], stdout=out)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            raise SystemExit(f"tp: error: {analyzer}: {trace}: expected status 0, got {child.returncode}")
        out.seek(0)
        return used.ru_utime + used.ru_stime, used.ru_maxrss * 1024, json.load(out)


def recorded(args, shape, steps, scratch):
    trace = scratch / f"{shape}-{steps}"
    subprocess.run([args.build / "benchmarks/analyzer_speed/record_shape", shape, str(steps)], check=True,
                   env={**os.environ, "TP_DATA": str(trace)})
    return trace


def measure_scenarios(args, analyzer, steps, scratch):
    trace, pairs = recorded(args, "regions", steps, scratch), []
    for _ in range(args.repetitions):
        one, _, _ = analyzed(analyzer, READINGS["no what-if"] + ONE_SCENARIO, trace, scratch)
        many, _, profile = analyzed(analyzer, READINGS["no what-if"], trace, scratch)
        pairs.append((many / one, one, many))
    ratios = sorted(ratio for ratio, _, _ in pairs)
    _, one, many = sorted(pairs)[len(pairs) // 2]
    scenarios = sum(len(curve["points"]) for curve in profile["what_if"]["curves"])
    print(f"{scenarios} scenarios, {profile['trace']['steps']} steps: {statistics.median(ratios):.2f} times one scenario "
          f"({ratios[0]:.2f} to {ratios[-1]:.2f}; {one:.2f} and {many:.2f} s of CPU)", flush=True)


def measure(args, analyzers, shape, steps, scratch):
    trace = recorded(args, shape, steps, scratch)
    size = sum(file.stat().st_size for file in trace.glob("*.tps"))
    for name, options in READINGS.items():
        best = {}
        for _ in range(args.repetitions):
            for analyzer in analyzers:
                cpu, peak, profile = analyzed(analyzer, options, trace, scratch)
                before = best.get(analyzer)
                best[analyzer] = min(before, (cpu, peak)) if before else (cpu, peak)
                found = profile["trace"]
        for analyzer, (cpu, peak) in best.items():
            print(f"{shape:13} {name:12} {found['steps']:>11} {found['records']:>11} {cpu:8.2f} "
                  f"{found['steps'] / cpu / 1e6:9.2f} {found['records'] / cpu / 1e6:9.2f} {peak / 1e6:9.1f} "
                  f"{size / 1e6:9.1f} {max(peak - size, 0) / found['steps']:9.1f}  {analyzer}", flush=True)
    for file in trace.iterdir():
        file.unlink()


def main():
    args = arguments()
    analyzers = args.analyze.split(",") if args.analyze else [str(args.build / "analyzer/tp-analyze")]
    if args.scenarios:
        with tempfile.TemporaryDirectory() as scratch:
            for steps in args.steps.split(","):
                measure_scenarios(args, analyzers[0], int(steps), pathlib.Path(scratch))
        return
    print(f"{'shape':13} {'':12} {'steps':>11} {'records':>11} {'cpu s':>8} {'M steps/s':>9} {'M rec./s':>9} "
          f"{'peak MB':>9} {'trace MB':>9} {'B/step':>9}  analyzer")
    with tempfile.TemporaryDirectory() as scratch:
        for shape in args.shapes.split(","):
            for steps in args.steps.split(","):
                measure(args, analyzers, shape, int(steps), pathlib.Path(scratch))


if __name__ == "__main__":
    main()
