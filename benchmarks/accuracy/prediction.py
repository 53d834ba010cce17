#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Predicted against measured time: the benchmarks, recorded on the most threads and run unrecorded.

    benchmarks/accuracy/prediction.py [--pairs N] [--only NAME[,NAME...]] [--small]
                                      [--threads LIST] [--record-on LIST] [--build DIR]

Each program is recorded on the largest number of threads in the list (--record-on) and analyzed by
tp-analyze -P LIST; unmodified, it also runs on the distribution's libtbb on each number of threads.
These two alternate, N times, so that a machine that gets slower affects both sides equally. The
prediction is the elapsed time of the whole process. Shown are medians, and the median and range of
the ratios predicted / measured, pair by pair. On a busy machine elapsed time is more than the
program needs: for one thread the table also shows its CPU time. The table goes to stdout.
"""
import argparse
import os
import shutil
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


def run_pairs(program, folder, options, prefix):
    """A recording on each number of threads of options.record_on, and plain runs, options.pairs times: (number of threads,
    recording, plain runs) of each; or a message."""
    results = []
    arguments = ["--small"] if options.small else []
    for number in range(options.pairs):
        recordings = []
        for count in options.record_on:
            recording = measure.Recording(prefix, f"{folder}/{number}.{count}")
            environment = dict(recording.environment, LD_LIBRARY_PATH=f"{prefix}/lib")
            if measure.Run([program, *arguments, "--threads", str(count)], environment).status != 0:
                return None, "fails under the profiler"
            recordings.append((count, recording))
        plain = [measure.Run([program, *arguments, "--threads", str(count)], dict(os.environ)) for count in options.threads]
        results += [(count, recording, plain) for count, recording in recordings]
    return results, ""


def predicted_times(recording, threads):
    """Seconds on each number of threads, or None and a message."""
    profile, message = recording.analyze("--explore", "never", "--simulate", "always", "-P", ",".join(map(str, threads)))
    recording.remove()
    if profile is None:
        return None, message
    return predictions(profile, threads), profile["prediction"]["not_made"]


def rows_of(name, pairs, predicted, options):
    """Of the table: for each number of threads that was recorded, and each that is predicted."""
    rows = []
    for on in options.record_on:
        found = [(times, plain) for (count, _, plain), (times, _) in zip(pairs, predicted) if count == on]
        for index, count in enumerate(options.threads):
            times, wall, cpu = zip(*((times[index], plain[index].wall, plain[index].cpu) for times, plain in found))
            ratios = measure.ratios(times, wall)
            medians = [statistics.median(values) for values in (times, wall, cpu)]
            to_cpu = f"{statistics.median(measure.ratios(times, cpu)):.2f}" if count == 1 else "-"
            rows.append((name, str(on), str(count), *(f"{value:.3f}" for value in medians), f"{statistics.median(ratios):.2f}",
                         measure.spread(ratios), to_cpu))
    return rows


def numbers(text):
    return sorted(int(count) for count in text.split(","))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0], epilog=__doc__.split("\n\n", 2)[2],
                                      formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--pairs", type=int, default=5, help="recordings, and runs of each kind (default 5)")
    options.add_argument("--only", default="", help="programs, separated by commas")
    options.add_argument("--small", action="store_true", help="the sizes of the test: shows that all works")
    options.add_argument("--threads", type=numbers, default=[1, 2], help="to run on, and to predict for (default 1,2)")
    options.add_argument("--record-on", type=numbers, help="threads to record on (default: the most of --threads)")
    options.add_argument("--build", default=os.path.join(ROOT, "build/release"), help="build folder of Taskpath")
    options = options.parse_args()
    build = os.path.abspath(options.build)
    folder = os.path.join(build, "benchmarks/overhead/apps/stock")
    if not os.path.isdir(folder):
        sys.exit(f"tp: error: {folder}: expected the benchmark programs, got no such folder\nhint: scripts/build")
    options.record_on = options.record_on or options.threads[-1:]
    names = [name for name in options.only.split(",") if name] or sorted(
        name for name in os.listdir(folder) if not name.endswith(".serial"))
    prefix, data, pairs = measure.find_prefix(os.path.join(build, "stage")), os.path.join(build, "prediction-data"), {}
    for name in names:
        print(f"{name} ...", file=sys.stderr, flush=True)
        pairs[name] = run_pairs(os.path.join(folder, name), f"{data}/{name}", options, prefix)
    print("analyses ...", file=sys.stderr, flush=True)
    predicted = iter(measure.side_by_side(lambda recording: predicted_times(recording, options.threads),
                                          [recording for found, _ in pairs.values() for _, recording, _ in found or []]))
    rows = [("program", "recorded on", "threads", "predicted s", "measured s", "cpu s", "ratio", "spread", "to cpu")]
    for name, (found, message) in pairs.items():
        analyses = [next(predicted) for _ in found or []]
        message = message or next((why for times, why in analyses if times is None), "")
        rows += [(name, message)] if message else rows_of(name, found, analyses, options)
    shutil.rmtree(data, ignore_errors=True)
    print(measure.text_table(rows))
    print(f"load average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cpus")


if __name__ == "__main__":
    main()
