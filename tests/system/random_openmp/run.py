#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs of OpenMP, really run and analyzed, against an oracle that knows only their specification.

    run.py --program gcc=PROGRAM --program clang=PROGRAM --program tbb=PROGRAM --prefix PREFIX --runs N [--first SEED]

Each seed is run by all of the programs that can run it, on 1, 2, 4 or 8 threads by the seed. Work and span are compared
with the oracle's, so those of programs with tasks only are the same with OpenMP and oneTBB. To repeat a failure:
--first SEED --runs 1 --threads N; PROGRAM SEED N --describe prints the program."""
import argparse
import collections
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

THREADS = (1, 2, 4, 8)
parser = argparse.ArgumentParser()
parser.add_argument("--program", action="append", default=[], metavar="WAY=FILE")
parser.add_argument("--prefix", required=True)
parser.add_argument("--libomp", default="")
parser.add_argument("--runs", type=int, default=int(os.environ.get("TP_RANDOM_RUNS", 100)))
parser.add_argument("--first", type=int, default=0)
parser.add_argument("--threads", type=int, default=0)
parser.add_argument("--jobs", type=int, default=os.cpu_count())
parser.add_argument("--timeout", type=int, default=120, help="seconds, for each program")
parser.add_argument("--shrink", action="store_true")
parser.add_argument("--keep-going", action="store_true")
options = parser.parse_args()
programs = dict(each.split("=", 1) for each in options.program)


class Difference(Exception):
    pass


def call(command, **variables):
    environment = {**os.environ, "OMP_WAIT_POLICY": "passive", **variables}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=options.timeout)
    except subprocess.TimeoutExpired:
        raise Difference(f"{' '.join(command)}: no end after {options.timeout} s") from None
    if done.returncode != 0:
        raise Difference(f"{' '.join(command)}: exit status {done.returncode}: {done.stderr[-2000:]}")
    return done.stdout


def check(way, seed, dropped=()):
    """The oracle's answer, None if the program cannot run it; raises Difference."""
    threads = options.threads or THREADS[seed % len(THREADS)]
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        command = [os.path.join(options.prefix, "bin", "tp-run"), "-q", "-e", "virtual", "-o", data, "--",
                   programs[way], str(seed), str(threads), *map(str, dropped)]
        variables = {"TP_LIBOMP": options.libomp} if options.libomp else {}
        expected = json.loads(call(command, **variables))
        if "skipped" in expected:
            return None
        profile = json.loads(call([os.path.join(options.prefix, "bin", "tp-analyze"), "-q", "--json", "-", "-d", data,
                                   "-o", folder, "--simulate", "never"]))
    differences = []
    if not profile["complete"]:
        differences.append(f"incomplete: {profile['incomplete_reasons']}")
    if profile["work"] != expected["work"]:
        differences.append(f"work: expected {expected['work']}, got {profile['work']}")
    least, most = expected["span"]
    if not least <= profile["span"] <= most:
        differences.append(f"span: expected {least} to {most}, got {profile['span']}")
    if way != "tbb" and expected["divisible_span"] not in (None, profile["divisible_span"]):
        differences.append(f"divisible span: expected {expected['divisible_span']}, got {profile['divisible_span']}")
    if profile["trace"]["tasks_begun"] < expected["tasks"] and way != "tbb":
        differences.append(f"tasks: expected {expected['tasks']}, got {profile['trace']['tasks_begun']}")
    if differences:
        raise Difference(f"{threads} threads: " + "; ".join(differences))
    return expected


def shrink(way, seed):
    """Prints the rest of the program that still differs, in some tries where the schedule decides."""
    def differs(dropped):
        try:
            for _ in range(6):
                check(way, seed, dropped)
        except Difference as difference:
            if "no such data directory" not in str(difference):  # nothing of OpenMP is left
                return str(difference)
        return None

    def text(dropped):
        threads = options.threads or THREADS[seed % len(THREADS)]
        return call([programs[way], str(seed), str(threads), "--describe", *map(str, dropped)])
    dropped, again = [], True
    while again:
        again = False
        rest = [int(word[1:]) for word in text(dropped).split() if word.startswith("#")]
        size = max(1, len(rest) // 2)
        while size >= 1:
            for i in range(0, len(rest), size):
                more = [number for number in rest[i:i + size] if number not in dropped]
                if more and differs(dropped + more):
                    dropped, again = dropped + more, True
            size //= 2
        if again:
            again = len([word for word in text(dropped).split() if word.startswith("#")]) < len(rest)
    print(text(dropped), differs(dropped) or "", sep="")


def main():
    executed, ran = collections.Counter(), collections.Counter()
    exact = divisible = failed = 0
    seeds = range(options.first, options.first + options.runs)
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        pending = [pool.submit(check, way, seed) for seed in seeds for way in programs]
        ways = [(way, seed) for seed in seeds for way in programs]
        for (way, seed), future in zip(ways, pending):
            try:
                expected = future.result()
            except Difference as difference:
                failed += 1
                print(f"{way}, seed {seed}: {difference}", flush=True)
                if not options.keep_going:
                    for other in pending:
                        other.cancel()
                    if options.shrink:
                        shrink(way, seed)
                    break
                continue
            if expected is None:
                continue
            ran[way] += 1
            exact += expected["span"][0] == expected["span"][1]
            divisible += expected["divisible_span"] is not None
            executed.update(expected["executed"])
    for name, times in executed.most_common():
        print(f"{name:12}{times:>9} times")
    print(f"{', '.join(f'{way}: {times} programs' for way, times in sorted(ran.items()))}; {failed} with differences; "
          f"the span of {exact} is determined, the schedule-independent span of {divisible}")
    return 1 if failed or not ran else 0


sys.exit(main())
