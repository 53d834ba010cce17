#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs oneTBB's own tests, built against the distribution's libtbb, on that library and on ours.

    tests/compatibility/onetbb/run.py [--build DIR] [--stock PREFIX] [--out DIR] [--subset NAME]
                                      [--locks MODE] [--our-headers] [-j N] [--repeat N] [TEST...]

Each test runs in four settings: on the distribution's library (stock), on ours with recording
(recorded), on ours with recording disabled (off), and on ours with a size limit that is reached
early (limited). --locks: how locks are recorded (tp-run). --our-headers: built against our headers, with our
hooks in their mutexes, and run on the distribution's library as well. The recordings are analyzed:
tp-analyze must succeed and find no contradictions.
OUT/results.csv gets a line when a test has run in a setting; another call continues from there.
OUT/table.md is the table. The tests in `excluded` are left out. Exit status 1 if a test that passes
on the distribution's library fails on ours, or if a recording cannot be analyzed.
"""
import argparse
import concurrent.futures
import csv
import dataclasses
import glob
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
SETTINGS = ["stock", "recorded", "off", "limited"]
EARLY_LIMIT = "1M"     # four chunks: reached by any test with more than a few spawns
SAFETY_LIMIT = "2G"    # of disk space, for one recording
# Names of tests that need more than their own source, and what they need.
LONG_TUPLES = ["-UMAX_TUPLE_TEST_SIZE", "-DMAX_TUPLE_TEST_SIZE=10"]
MORE_ARGUMENTS = {"test_openmp": ["-fopenmp"], "test_tbb_header": ["test_tbb_header_secondary.cpp"],
                  "test_join_node_key_matching": LONG_TUPLES, "test_join_node_key_matching_n_args": LONG_TUPLES}
# Tests whose recordings are meaningless, and why.
NOT_ANALYZED = {"test_task": "runs one task object on several threads at a time: no construct does"}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", metavar="TEST", help="default: all that `excluded` does not name")
    parser.add_argument("--build", default=os.path.join(ROOT, "build/release"), help="has onetbb/src and stage")
    parser.add_argument("--stock", default="/usr", help="in place of the distribution's, with include/ and lib/: see ./stock")
    parser.add_argument("--out", default=os.path.join(ROOT, "build/onetbb-tests"))
    parser.add_argument("--subset", help="the tests that the file subset.NAME lists")
    parser.add_argument("--locks", choices=("auto", "all", "off"), help="how locks are recorded")
    parser.add_argument("--our-headers", action="store_true", help="build against our headers in place of the distribution's")
    parser.add_argument("--fresh", action="store_true", help="forget earlier results of these tests")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each test in each setting")
    parser.add_argument("--timeout", type=int, default=900, help="seconds until a run counts as hanging")
    parser.add_argument("--analyze-limit", type=int, default=400, help="MiB above which a recording is not analyzed")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    for name in ("build", "out", "stock"):
        setattr(options, name, os.path.abspath(getattr(options, name)))
    return options


def listed(path):
    """The first word of each line of a file; # starts a comment."""
    with open(path) as lines:
        return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]


@dataclasses.dataclass
class Result:
    test: str
    setting: str
    status: str  # passed, failed, timeout; with --repeat the worst
    runs: int
    failures: int
    seconds: float  # sum of all runs
    analysis: str = ""  # of the recordings: ok, incomplete, no task, skipped, or the error
    detail: str = ""  # of the last failure


class Results:
    """results.csv: the known results, one line per test and setting. Shared by all workers."""

    def __init__(self, path, forget):
        self.path, self.lock, self.rows = path, threading.Lock(), {}
        if os.path.exists(path):
            with open(path, newline="") as file:
                for row in csv.DictReader(file):
                    self.rows[row["test"], row["setting"]] = Result(
                        **{**row, "runs": int(row["runs"]), "failures": int(row["failures"]),
                           "seconds": float(row["seconds"])})
        self.rows = {key: row for key, row in self.rows.items() if key[0] not in forget}
        self.write()

    def write(self):
        with open(self.path + ".new", "w", newline="") as file:
            writer = csv.DictWriter(file, [field.name for field in dataclasses.fields(Result)])
            writer.writeheader()
            writer.writerows(dataclasses.asdict(row) for row in self.rows.values())
        os.replace(self.path + ".new", self.path)

    def add(self, result):
        with self.lock:
            self.rows[result.test, result.setting] = result
            self.write()
            note = " ".join(filter(None, [result.analysis, result.detail]))
            print(f"{result.test:45} {result.setting:9} {result.status:8} {result.seconds:7.1f} s  {note}", flush=True)


class Suite:
    def __init__(self, options):
        self.options = options
        self.source = os.path.join(options.build, "onetbb/src")
        self.prefix = os.path.join(options.build, "stage")
        self.stock_include, self.stock_lib = [], {}
        if options.our_headers:
            self.stock_include = [f"-I{self.prefix}/include"]
        if options.stock != "/usr":
            self.stock_include += [f"-I{options.stock}/include"]
            self.stock_lib = {"LD_LIBRARY_PATH": os.path.join(options.stock, "lib")}
        for needed in (os.path.join(self.source, "test"), os.path.join(self.prefix, "lib/libtbb.so.12"),
                       os.path.join(options.stock, "include/oneapi/tbb/version.h")):
            if not os.path.exists(needed):
                sys.exit(f"tp: error: {needed}: not found: expected a built and installed Taskpath, and libtbb-dev or --stock\n"
                         "hint: scripts/build release")

    def version(self):
        with open(os.path.join(self.options.build, "CMakeCache.txt")) as cache:
            return next(line.partition("=")[2].strip() for line in cache if line.startswith("TP_ONETBB:"))

    def tests(self):
        names = self.options.tests
        if self.options.subset:
            names = names + listed(os.path.join(HERE, "subset." + self.options.subset))
        sources = {os.path.basename(path)[:-4]: path
                   for kind in ("tbb", "conformance") for path in sorted(glob.glob(f"{self.source}/test/{kind}/*.cpp"))}
        unknown = set(names) - set(sources)
        if unknown:
            sys.exit(f"tp: error: {', '.join(sorted(unknown))}: no such test: expected a file of {self.source}/test")
        excluded = {name for name, _, version in (word.partition("@") for word in listed(os.path.join(HERE, "excluded")))
                    if version in ("", self.version())}
        return {name: path for name, path in sources.items() if (name in names if names else name not in excluded)}

    def program(self, test, source):
        """Builds the test against the distribution's headers and library, without ours."""
        program = os.path.join(self.options.out, "bin", test)
        if os.path.exists(program):
            return program
        folder = os.path.dirname(source)
        more = [os.path.join(folder, word) if word.endswith(".cpp") else word for word in MORE_ARGUMENTS.get(test, [])]
        flags = ["-std=c++17", "-O1", "-g0", "-w", "-DMAX_TUPLE_TEST_SIZE=5", f"-I{self.source}", f"-I{self.source}/test",
                 *self.stock_include]
        flags += [word for word in more if word.startswith("-")]
        compiler = (["ccache"] if shutil.which("ccache") else []) + [os.environ.get("CXX", "c++")]
        objects = []
        for file in [source] + [word for word in more if word.endswith(".cpp")]:
            objects.append(os.path.join(self.options.out, "bin", os.path.basename(file)[:-4] + ".o"))
            subprocess.run(compiler + flags + ["-c", file, "-o", objects[-1]], check=True)
        subprocess.run([compiler[-1], *flags, *objects, "-o", program + ".new",
                        *(f"-L{folder}" for folder in self.stock_lib.values()), "-ltbb", "-lpthread", "-ldl"], check=True)
        os.replace(program + ".new", program)
        for file in objects:
            os.unlink(file)
        return program

    def command(self, program, setting, data):
        """(command line, additions to the environment)"""
        ours = {"LD_LIBRARY_PATH": os.path.join(self.prefix, "lib")}
        record = [os.path.join(self.prefix, "bin/tp-run"), "-q", "-o", os.path.join(data, "%p")]
        if self.options.locks:
            record += ["--locks", self.options.locks]
        return {"stock": ([program], self.stock_lib),
                "recorded": ([*record, "--max-size", SAFETY_LIMIT, "--", program], {}),
                "off": ([program], dict(ours, TP_DISABLE="1", TP_DATA=os.path.join(data, "%p"))),
                "limited": ([*record, "--max-size", EARLY_LIMIT, "--", program], {})}[setting]

    def run_once(self, program, setting, data, log):
        """(status, detail)"""
        command, more = self.command(program, setting, data)
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("TP_", "LD_"))}
        with open(log, "wb") as output:
            child = subprocess.Popen(command, env=dict(environment, **more), stdin=subprocess.DEVNULL, stdout=output,
                                     stderr=subprocess.STDOUT, cwd=data, start_new_session=True)
            try:
                status = child.wait(self.options.timeout)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
                return "timeout", f"after {self.options.timeout} s"
        if status != 0:
            return "failed", f"exit status {status}" if status > 0 else signal.Signals(-status).name
        return "passed", ""

    def analysis(self, test, data):
        """The verdict of tp-analyze on the recordings below a folder: one per process."""
        if test in NOT_ANALYZED:
            return "not analyzed"
        recordings = [folder for folder in sorted(glob.glob(os.path.join(data, "*/"))) if os.path.exists(folder + "run.json")]
        size = sum(os.path.getsize(path) for path in glob.glob(os.path.join(data, "*/*.tps")))
        if not recordings:
            return "no task"
        if size > self.options.analyze_limit << 20:
            return f"skipped ({size >> 20} MiB)"
        return max(map(self.analysis_of, recordings), key=len)  # errors are the longest texts

    def analysis_of(self, recording):
        command = [os.path.join(self.prefix, "bin/tp-analyze"), "-q", "--json", "-", "-d", recording, "-o", recording]
        try:
            ran = subprocess.run(command, capture_output=True, text=True, timeout=self.options.timeout)
        except subprocess.TimeoutExpired:
            return f"tp-analyze: still running after {self.options.timeout} s"
        if ran.returncode != 0:
            return f"tp-analyze: exit status {ran.returncode}: {ran.stderr.partition(chr(10))[0]}"
        profile = json.loads(ran.stdout)
        if not profile["complete"]:
            return "incomplete"  # then spawns lack their tasks, and tasks their spawns
        found = profile["trace"]["inconsistencies"]
        return f"inconsistencies: {found}" if found else "ok"

    def run(self, test, program, setting):
        result = Result(test, setting, "passed", 0, 0, 0.0)
        log = os.path.join(self.options.out, "log", f"{test}.{setting}.log")
        start = time.monotonic()
        for _ in range(self.options.repeat):
            data = tempfile.mkdtemp(prefix="data.", dir=self.options.out)
            try:
                status, detail = self.run_once(program, setting, data, log)
                result.runs += 1
                result.seconds = round(time.monotonic() - start, 1)
                if setting in ("recorded", "limited"):
                    result.analysis = max(result.analysis, self.analysis(test, data), key=len)
            finally:
                shutil.rmtree(data, ignore_errors=True)
            if status != "passed":
                result.status, result.detail = status, detail
                result.failures += 1
        return result


def is_wrong(result, stock):
    """A test that passes on the distribution's library must pass, with a consistent recording."""
    if result.setting == "stock":
        return False
    recording_is_bad = result.analysis.startswith(("inconsistencies", "tp-analyze"))
    return recording_is_bad or (result.status != "passed" and stock is not None and stock.status == "passed")


def cell(result):
    if result is None:
        return ""
    runs = f" ({result.failures} of {result.runs})" if result.runs > 1 and result.failures else ""
    return f"{result.status}{runs} {result.seconds:.1f} s" + (f", {result.analysis}" if result.analysis else "")


def write_table(results, path):
    tests = sorted({test for test, _ in results.rows})
    with open(path, "w") as file:
        print("| Test |", " | ".join(SETTINGS), "|", file=file)
        print("|---" * (len(SETTINGS) + 1) + "|", file=file)
        for test in tests:
            print(f"| {test} |", " | ".join(cell(results.rows.get((test, setting))) for setting in SETTINGS), "|", file=file)


def summary(results, tests, unbuilt):
    """Prints the counts; returns True if there is no error."""
    wrong = []
    for setting in SETTINGS:
        rows = [results.rows[test, setting] for test in tests if (test, setting) in results.rows]
        count = {status: sum(row.status == status for row in rows) for status in ("passed", "failed", "timeout")}
        analyzed = sum(row.analysis in ("ok", "incomplete") for row in rows)
        print(f"{setting:9} " + ", ".join(f"{number} {status}" for status, number in count.items()) +
              (f"; {analyzed} recordings analyzed" if setting in ("recorded", "limited") else "") +
              f"; {sum(row.seconds for row in rows):.0f} s")
        wrong += [row for row in rows if is_wrong(row, results.rows.get((row.test, "stock")))]
    for row in wrong:
        print(f"wrong: {row.test} {row.setting}: {cell(row)} {row.detail}")
    for test in unbuilt:
        print(f"wrong: {test}: does not build")
    return not wrong and not unbuilt


def main():
    options = arguments()
    suite = Suite(options)
    tests = suite.tests()
    for folder in ("bin", "log"):
        os.makedirs(os.path.join(options.out, folder), exist_ok=True)
    results = Results(os.path.join(options.out, "results.csv"), set(tests) if options.fresh else set())
    unbuilt = []

    def one(test):
        todo = [setting for setting in SETTINGS if (test, setting) not in results.rows]
        if not todo:
            return
        try:
            program = suite.program(test, tests[test])
        except subprocess.CalledProcessError:
            unbuilt.append(test)
            return
        for setting in todo:
            results.add(suite.run(test, program, setting))

    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for future in [pool.submit(one, test) for test in tests]:
            future.result()
    write_table(results, os.path.join(options.out, "table.md"))
    return 0 if summary(results, tests, unbuilt) else 1


sys.exit(main())
