#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tasks that sleep, on more threads than there are CPUs: elapsed against predicted times.

    benchmarks/accuracy/sleep/run.py --prefix DIR [--runs N] [--only NAME]

A sleep occupies a worker thread and needs no CPU, so that 8 threads on 2 CPUs take as long as on 8, if the work is
small. What is predicted for 1, 2, 4 and 8 CPUs by recordings on 2 threads is compared with runs on as many threads.
Medians of N runs, with the least and the greatest; ms. "On CPUs" is the elapsed time less the estimate of the time in
which others had the CPUs (run_check), which is what predicted times are off by.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
THREADS = [1, 2, 4, 8]
PROGRAMS = {"32 tasks of 50 ms": "32 50 0", "32 of 50 ms and 1 ms of work": "32 50 1", "7 of 100 ms": "7 100 0",
            "64 of 20 ms": "64 20 0"}


def profile(options, program, threads, arguments, folder):
    subprocess.run([f"{options.prefix}/bin/tp-run", "-q", "-o", f"{folder}/data", "--", program, str(threads)] +
                   arguments.split(), check=True)
    found = subprocess.run([f"{options.prefix}/bin/tp-analyze", "-q", "-d", f"{folder}/data", "-o", folder, "--json", "-",
                            "-P", ",".join(map(str, THREADS))], check=True, stdout=subprocess.PIPE).stdout
    return json.loads(found)


def median(values):
    return f"{statistics.median(values):.0f} ({min(values):.0f}-{max(values):.0f})"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--prefix", required=True, help="an installation")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--only", choices=list(PROGRAMS))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/sleeping_tasks"
        config = subprocess.run([f"{options.prefix}/bin/tp-config", "--cflags", "--libs"], check=True, text=True,
                                stdout=subprocess.PIPE).stdout.split()
        subprocess.run([f"{options.prefix}/bin/tp-c++", "-O2", "-g", f"{HERE}/sleeping_tasks.cpp", "-o", program] + config +
                       ["-ltbb"], check=True)
        print("| Tasks | Threads | Elapsed | On CPUs | Predicted | Off by | Runs whose check says why they were shorter |")
        print("|---|---|---|---|---|---|---|")
        for name, arguments in PROGRAMS.items():
            if options.only not in (None, name):
                continue
            predicted = {threads: [] for threads in THREADS}
            for _ in range(options.runs):
                recorded = profile(options, program, 2, arguments, folder)
                scale = recorded["run_check"]["predicted_ns"] / 1e6
                runs = {run["procs"]: run["time"] for run in recorded["prediction"]["scaling"]}
                scale /= runs[recorded["run_check"]["procs"]]
                for threads in THREADS:
                    predicted[threads].append(runs[threads] * scale)
            for threads in THREADS:
                checks = [profile(options, program, threads, arguments, folder)["run_check"] for _ in range(options.runs)]
                elapsed = [check["elapsed_ns"] / 1e6 for check in checks]
                shorter = [check for check in checks if check["differs"] and check["elapsed_ns"] < check["predicted_ns"]]
                said = sum("sleep at the same time" in check["text"] for check in shorter)
                on_cpus = [(check["elapsed_ns"] - check["without_cpu_ns"]) / 1e6 for check in checks]
                off = statistics.median(predicted[threads]) / statistics.median(on_cpus) - 1
                print(f"| {name} | {threads} | {median(elapsed)} | {median(on_cpus)} | {median(predicted[threads])} | "
                      f"{100 * off:+.1f} % | {said} of {len(shorter)} |", flush=True)


sys.exit(main())
