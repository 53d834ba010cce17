#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Random programs of OpenMP, really run and analyzed, against an oracle that knows only their specification.

    run.py --program gcc=PROGRAM --program clang=PROGRAM --program tbb=PROGRAM --prefix PREFIX --runs N [--first SEED]

Each seed is run by all of the programs that can run it, on 1, 2, 4 or 8 threads by the seed. Work and span are compared
with the oracle's, so those of programs with tasks only are the same with OpenMP and oneTBB. Each is a process of its own
with a recording of its own, forked by a process that has loaded everything (--serve). To repeat a failure:
--first SEED --runs 1 --threads N; PROGRAM SEED N --describe prints the program."""
import argparse
import collections
import concurrent.futures
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

THREADS = (1, 2, 4, 8)
FALSE_WARNINGS = {"conservation", "not_counted", "unfinished", "never_begun"}  # of what cannot be
parser = argparse.ArgumentParser()
parser.add_argument("--program", action="append", default=[], metavar="WAY=FILE")
parser.add_argument("--figures", required=True, help="the program that analyzes recordings")
parser.add_argument("--prefix", required=True)
parser.add_argument("--libomp", default="")
parser.add_argument("--runs", type=int, default=int(os.environ.get("TP_RANDOM_RUNS", 300)))
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


class Server:
    """A process that answers lines with lines. What it forks for each line belongs to its group, and ends with it."""

    def __init__(self, command, **variables):
        # libomp gives a league's regions no more threads than these.
        environment = {**os.environ, "OMP_WAIT_POLICY": "passive", "OMP_CANCELLATION": "true",
                       "OMP_NUM_THREADS": "8", "KMP_TEAMS_THREAD_LIMIT": "64", **variables}
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self.errors,
                                        env=environment, start_new_session=True)
        self.rest = b""

    def ask(self, line):
        try:
            self.process.stdin.write(line.encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # its answers have ended, which answer() reports

    def answer(self, until):
        """A line; raises Difference at the end of its output, and at the time `until`."""
        while b"\n" not in self.rest:
            if not select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))[0]:
                raise Difference(f"no end after {options.timeout} s")
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise Difference(f"exit status {self.process.wait()}")
            self.rest += more
        line, self.rest = self.rest.split(b"\n", 1)
        return line.decode()

    def messages(self):
        self.errors.seek(0)
        return self.errors.read().decode()[-2000:]

    def end(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()
        self.errors.close()


class Worker:
    """Of one thread: the programs of each way, under tp-run, and the analyzer. Those that failed are started again."""

    def __init__(self):
        self.servers = {}
        self.folder = tempfile.mkdtemp()

    def server(self, way):
        if way not in self.servers:
            if way == "figures":
                self.servers[way] = Server([options.figures])
            else:
                command = [os.path.join(options.prefix, "bin", "tp-run"), "-q", "-e", "virtual",
                           "-o", os.path.join(self.folder, "%p"), "--", programs[way], "--serve"]
                self.servers[way] = Server(command, **({"TP_LIBOMP": options.libomp} if options.libomp else {}))
        return self.servers[way]

    def ask(self, way, line):
        """All lines but the last, and that one."""
        server = self.server(way)
        server.ask(line)
        until, lines = time.monotonic() + options.timeout, []
        try:
            while way != "figures" or not lines:
                lines.append(server.answer(until))
                if lines[-1].startswith("process "):
                    break
        except Difference as difference:
            messages = server.messages()
            server.end()
            del self.servers[way]
            raise Difference(f"{way}: {difference}: {messages}") from None
        return lines

    def run(self, way, line):
        """What the oracle expects, and the recording's folder."""
        *lines, last = self.ask(way, line)
        _, process, status = last.split()
        if status != "0":
            raise Difference(f"exit status {status}: {self.server(way).messages()}")
        return "\n".join(lines), os.path.join(self.folder, process)

    def end(self):
        for server in self.servers.values():
            server.end()
        shutil.rmtree(self.folder)


here = threading.local()
workers = []


def worker():
    if not hasattr(here, "worker"):
        here.worker = Worker()
        workers.append(here.worker)
    return here.worker


def threads_of(seed):
    return options.threads or THREADS[seed % len(THREADS)]


def check(way, seed, dropped=()):
    """The oracle's answer, None if the program cannot run it; raises Difference."""
    threads = threads_of(seed)
    answer, data = worker().run(way, " ".join(map(str, (seed, threads, *dropped))))
    expected = json.loads(answer)
    if "skipped" in expected:
        return None
    profile = json.loads(worker().ask("figures", data)[0])
    shutil.rmtree(data, ignore_errors=True)
    if "error" in profile:
        raise Difference(f"{threads} threads: {profile['error']}")
    differences = []
    if not profile["complete"]:
        differences.append(f"incomplete: {profile['reasons']}")
    if profile["work"] != expected["work"]:
        differences.append(f"work: expected {expected['work']}, got {profile['work']}")
    least, most = expected["span"]
    if not least <= profile["span"] <= most:
        differences.append(f"span: expected {least} to {most}, got {profile['span']}")
    if expected["is_of_tasks"] and least != most:
        differences.append(f"span: {least} to {most}, and not the same with OpenMP and oneTBB")
    if way != "tbb" and expected["divisible_span"] not in (None, profile["divisible_span"]):
        differences.append(f"divisible span: expected {expected['divisible_span']}, got {profile['divisible_span']}")
    if profile["tasks_begun"] < expected["tasks"] and way != "tbb":
        differences.append(f"tasks: expected {expected['tasks']}, got {profile['tasks_begun']}")
    if (profile["exclusive_sum"], profile["critical_sum"]) != (profile["work"], profile["span"]):
        differences.append(f"sums of the sites: work {profile['exclusive_sum']}, span {profile['critical_sum']}")
    if FALSE_WARNINGS & set(profile["warnings"]):
        differences.append(f"warnings: {profile['warnings']}")
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
        return worker().run(way, " ".join(map(str, (seed, threads_of(seed), "--describe", *dropped))))[0] + "\n"
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


try:
    sys.exit(main())
finally:
    for each in workers:
        each.end()
