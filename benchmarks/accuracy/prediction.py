#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicted against measured time: the benchmarks, recorded on the most threads and run unrecorded.

    benchmarks/accuracy/prediction.py [--pairs N] [--only NAME[,NAME...]] [--small]
                                      [--threads LIST] [--build DIR]

Each program is recorded on the largest number of threads in the list and analyzed by
tp-analyze -P LIST; unmodified, it also runs on the distribution's libtbb on each number of threads.
These two alternate, N times, so that a machine that gets slower affects both sides equally. The
prediction is the elapsed time of the whole process. Shown are medians, and the median and range of
the ratios predicted / measured, pair by pair. On a busy machine elapsed time is more than the
program needs: for one thread the table also shows its CPU time. The table goes to stdout.
"""
import argparse
import os
import statistics
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def predictions(profile, threads):
    """Seconds on each number of threads, or None."""
    runs = {run["procs"]: run["time"] for run in profile["prediction"]["runs"]}
    return [runs[count] / measure.ticks_per_second(profile) for count in threads] if runs else None


def measure_program(program, recording, threads, arguments, pairs):
    """Per number of threads: predicted, wall and CPU seconds, pair by pair; or a message."""
    results, runs, recordings = {count: [] for count in threads}, [], []
    for number in range(pairs):
        recordings.append(measure.Recording(recording.prefix, f"{recording.folder}/{number}"))
        environment = dict(recordings[-1].environment, LD_LIBRARY_PATH=f"{recording.prefix}/lib")
        if measure.Run([program, *arguments, "--threads", str(max(threads))], environment).status != 0:
            return None, "fails under the profiler"
        runs.append([measure.Run([program, *arguments, "--threads", str(count)], dict(os.environ)) for count in threads])
    analyses = measure.side_by_side(lambda each: each.analyze("--explore", "never", "--simulate", "always", "-P",
                                                              ",".join(map(str, threads))), recordings)
    for (profile, message), plain in zip(analyses, runs):
        if profile is None:
            return None, message
        predicted = predictions(profile, threads)
        if predicted is None:
            return None, profile["prediction"]["not_made"]
        for count, seconds, run in zip(threads, predicted, plain):
            results[count].append((seconds, run.wall, run.cpu))
    return results, ""


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n\n", 2)[2],
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pairs", type=int, default=5, help="recordings, and runs of each kind (default 5)")
    options.add_argument("--only", default="", help="programs, separated by commas")
    options.add_argument("--small", action="store_true", help="the sizes of the test: shows that all works")
    options.add_argument("--threads", default="1,2", help="default 1,2")
    options.add_argument("--build", default=os.path.join(ROOT, "build/release"), help="build folder of Taskpath")
    options = options.parse_args()
    build = os.path.abspath(options.build)
    folder = os.path.join(build, "benchmarks/overhead/apps/stock")
    if not os.path.isdir(folder):
        sys.exit(f"tp: error: {folder}: expected the benchmark programs, got no such folder\nhint: scripts/build")
    threads = sorted(int(count) for count in options.threads.split(","))
    names = [name for name in options.only.split(",") if name] or sorted(
        name for name in os.listdir(folder) if not name.endswith(".serial"))
    recording = measure.Recording(measure.find_prefix(os.path.join(build, "stage")), os.path.join(build, "prediction-data"))
    rows = [("program", "threads", "predicted s", "measured s", "cpu s", "ratio", "spread", "to cpu")]
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        recording.remove()
        results, message = measure_program(os.path.join(folder, name), recording, threads,
                                           ["--small"] if options.small else [], options.pairs)
        if results is None:
            rows.append((name, message))
            continue
        for count, found in results.items():
            predicted, wall, cpu = zip(*found)
            ratios = measure.ratios(predicted, wall)
            medians = [statistics.median(values) for values in (predicted, wall, cpu)]
            to_cpu = f"{statistics.median(measure.ratios(predicted, cpu)):.2f}" if count == 1 else "-"
            rows.append((name, str(count), *(f"{value:.3f}" for value in medians), f"{statistics.median(ratios):.2f}",
                         measure.spread(ratios), to_cpu))
    recording.remove()
    print(measure.text_table(rows))
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cpus")


if __name__ == "__main__":
    main()
