#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs random programs, analyzes their recordings, and compares the profiles with what the programs expect.

usage: run.py PROGRAM --analyze TP-ANALYZE [--profiles RANDOM_PROFILES] [--way explicit|stock|headers|rewritten]
                      [--run TP-RUN] [--runs N] [--first SEED] [--with-locks] [--threads T] [--jobs J]

The ways to profile: `stock`, built with the distribution's headers and run by tp-run; `headers`, built with ours;
`rewritten`, compiled by tp-c++. In `explicit` the statements of a program name its sites, so one program has several of
each construct; elsewhere the calls of the interpreter are the sites (`call: NAME` there). What way `stock` does not see
it has to admit: where `span_is_exact` is false, spans are compared as the bounds that they are.

Seed S runs on 1, 2, 3, 4, 8 or 16 threads, and with or without --divide, by S; where every figure is determined, every
tenth on 1, 2 and 8, which have to make the same tables. At the first difference: prints the seed, the differences, and the
smallest program with a difference that leaving out statements leads to; ends with 1. TP_RANDOM_RUNS overrides --runs.
With --profiles, processes that keep what they read of the programs analyze the recordings, and tp-analyze itself each 64th;
it has to say the same.
--with-locks: the first N seeds from SEED on whose programs have locks; else about every second one has.
Programs that this build cannot run are skipped; more than --most-skipped percent of them are a failure as well.
Nothing here depends on how busy the machine is: programs and analyses may take --cpu-limit seconds of CPU time each, and
hang if they get none for --idle-limit seconds.
"""
import argparse
import collections
import concurrent.futures
import glob
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import threading

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../support"))
import one_function_per_row
from comparison import Comparison

parser = argparse.ArgumentParser()
parser.add_argument("program")
parser.add_argument("--analyze", required=True)
parser.add_argument("--profiles", metavar="PROGRAM", help="instead of tp-analyze, for most recordings")
parser.add_argument("--way", choices=["explicit", "stock", "headers", "rewritten"], default="explicit")
parser.add_argument("--run", metavar="TP-RUN")
parser.add_argument("--runs", type=int, default=250)
parser.add_argument("--first", type=int, default=1)
parser.add_argument("--with-locks", action="store_true", help="only seeds whose programs have locks")
parser.add_argument("--threads", type=int, help="instead of by the seed")
parser.add_argument("--most-skipped", type=float, default=0, metavar="PERCENT")
parser.add_argument("--jobs", type=int, default=os.cpu_count())
parser.add_argument("--drop", type=int, nargs="*", default=[], help="statements to leave out of every program")
parser.add_argument("--cpu-limit", type=int, default=120, metavar="SECONDS")
parser.add_argument("--idle-limit", type=int, default=300, metavar="SECONDS")
parser.add_argument("--keep-going", action="store_true", help="do not stop at the first difference, do not shrink")
options = parser.parse_args()
runs = int(os.environ.get("TP_RANDOM_RUNS") or options.runs)
THREADS = [1, 2, 3, 4, 8, 16]
SAME_ON = [1, 2, 8]
SAME_FIGURES = ["name", "work", "span", "exclusive_work", "critical_work", "critical_percent", "invocations",
                "outermost_invocations", "longest_chain", "on_work", "on_span"]
FACTORS = "2,7"
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("TP_")}


FOLDER = os.path.dirname(os.path.abspath(__file__))
# Never true of these programs, whatever their threads do.
FED = {"for_each", "for_each_in_context", "feed"}
FALSE_WARNINGS = {"conservation", "not_counted", "unfinished", "never_begun"}


class Differences(Exception):
    pass


def calls_of_interpreter(mark):
    """The calls that spawn, or acquire a lock, by line: from the mark to the end of the statement."""
    calls, name = {}, None
    with open(os.path.join(FOLDER, "interpreter.cpp")) as source:
        for number, line in enumerate(source, 1):
            if line.strip().startswith(f"// {mark}:"):
                name = line.split(f"{mark}:")[1].strip()
            elif name:
                calls[number] = name
                if line.rstrip().endswith(";"):
                    name = None
    return calls


CALLS = calls_of_interpreter("call")
LOCKS = calls_of_interpreter("lock")


def row_of(site):
    """The row of what the program expects, or None."""
    file = os.path.basename(site["file"])
    if site["line"] == 0 and site["file"] == "main":
        return "0"
    if site["file"] == "random.plan":
        return f"{site['line']}/{site['filter']}" if site["filter"] else str(site["line"])
    if file == "interpreter.cpp" and site["filter"]:
        return f"{CALLS.get(site['line'])}/{site['filter']}"
    return "graph" if file == "graph_interpreter.cpp" else CALLS.get(site["line"]) if file == "interpreter.cpp" else None


def processes_below(pid):
    """The process and its children, and theirs."""
    found = [pid]
    for parent in found:
        for children in glob.glob(f"/proc/{parent}/task/*/children"):
            try:
                with open(children) as numbers:
                    found += map(int, numbers.read().split())
            except OSError:
                pass  # ended since
    return found


def cpu_time(pid):
    """Ticks of CPU time of a process and those below it."""
    ticks = 0
    for each in processes_below(pid):
        try:
            with open(f"/proc/{each}/stat") as stat:
                ticks += sum(map(int, stat.read().rpartition(")")[2].split()[11:15]))
        except OSError:
            pass  # ended since
    return ticks


def end(process):
    for pid in reversed(processes_below(process.pid)):
        try:
            os.kill(pid, signal.SIGKILL)
        except OSError:
            pass  # ended since
    process.communicate()


def call(command, **environment):
    """Limits are of CPU time: other processes may have the CPUs."""
    limited = ["sh", "-c", 'ulimit -St "$0"; exec "$@"', str(options.cpu_limit)] + command
    name = os.path.basename(command[0])
    process = subprocess.Popen(limited, env=dict(ENVIRONMENT, **environment), stdout=subprocess.PIPE,
                               stderr=subprocess.PIPE, text=True)
    before = -1
    while True:
        try:
            out, err = process.communicate(timeout=options.idle_limit)
            break
        except subprocess.TimeoutExpired:
            now = cpu_time(process.pid)
            if now == before:
                end(process)
                raise Differences([f"{name}: got no CPU time for {options.idle_limit} s: it waits for ever"])
            before = now
    if process.returncode == -signal.SIGXCPU:
        raise Differences([f"{name}: still running after {options.cpu_limit} s of CPU time"])
    if process.returncode != 0 or "tp: " in err:
        raise Differences([f"{name}: exit status {process.returncode}: {err.strip()}"])
    return out


class Profiles:
    """A process that analyzes one recording after the other."""

    def __init__(self):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen([options.profiles], env=ENVIRONMENT, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors)
        self.rest = b""

    def more(self, first):
        """Limits as those of call(); `first` is the CPU time at the question."""
        before = -1
        while not select.select([self.process.stdout], [], [], min(options.idle_limit, options.cpu_limit))[0]:
            now = cpu_time(self.process.pid)
            if now == before:
                raise Differences([f"analysis: got no CPU time for {options.idle_limit} s: it waits for ever"])
            if now - first > options.cpu_limit * os.sysconf("SC_CLK_TCK"):
                raise Differences([f"analysis: still running after {options.cpu_limit} s of CPU time"])
            before = now
        read = os.read(self.process.stdout.fileno(), 1 << 20)
        self.rest += read
        if not read:
            self.errors.seek(0)
            raise Differences([f"analysis: exit status {self.process.wait()}: {self.errors.read().decode()[-2000:]}"])

    def of(self, arguments):
        first = cpu_time(self.process.pid)
        self.process.stdin.write(" ".join(arguments).encode() + b"\n")
        self.process.stdin.flush()
        while b"\n" not in self.rest:
            self.more(first)
        size, self.rest = self.rest.split(b"\n", 1)
        while len(self.rest) < int(size):
            self.more(first)
        text, self.rest = self.rest[:int(size)].decode(), self.rest[int(size):]
        if text.startswith("error"):
            raise Differences([f"analysis: {text}"])
        return text

    def end(self):
        end(self.process)
        self.errors.close()


here = threading.local()
servers = []


def profile_by_server(arguments):
    if not hasattr(here, "profiles"):
        here.profiles = Profiles()
        servers.append(here.profiles)
    try:
        return here.profiles.of(arguments)
    except BaseException:
        here.profiles.end()
        servers.remove(here.profiles)
        del here.profiles
        raise


def profile_of(seed, data, folder, mode):
    arguments = ["-q", "--wrapper", "none", "--json", "-", "-d", data, "-o", folder, "--factors", FACTORS,
                 "--what-if-mode", mode,
                 # The prediction takes most of the time, and nothing here depends on it.
                 "--simulate", "never" if seed % 8 else "auto"]
    kept = profile_by_server(arguments) if options.profiles else None
    if kept and seed % 64:
        return json.loads(kept)
    text = call([options.analyze] + arguments)
    if kept and kept != text:
        raise Differences(["a process that has analyzed others has another profile than tp-analyze"])
    return json.loads(text)


def program_command(seed, dropped):
    command = [options.program, str(seed)]
    return command + ["--drop", ",".join(map(str, dropped))] if dropped else command


class Check(Comparison):
    def __init__(self, expected, profile, mode, divides):
        super().__init__(profile)
        self.expected, self.mode, self.divides = expected, mode, divides
        self.order_is_seen = options.way != "stock" or profile["span_is_exact"]
        self.all_sites_have_places = True
        self.of_locks = collections.Counter()

    def all(self):
        self.conservation()
        expected, profile = self.expected, self.profile
        self.warnings()
        self.equal("work", expected["work"], profile["work"])
        self.span("span", expected["span"], profile["span"])
        self.equal("latency", expected["latency"], profile["latency"])
        self.span("span with latency", expected["span_with_latency"], profile["span_with_latency"])
        if profile["divisible_is_known"]:
            self.divisible_span()
        if "tasks" in expected:
            self.equal("tasks", expected["tasks"], profile["trace"]["tasks_spawned"])
        self.limits()
        self.sites()
        self.locks()
        self.what_if()

    def limits(self):
        """The work in each arena, and that no predicted time is less than the limits leave."""
        *arenas, full = zip(self.expected["work_in_arenas"], self.expected["latency_in_arenas"])
        limits = [limit for limit in self.profile["limits"] if limit["kind"] == "arena"]
        found = sorted((limit["work"], limit["latency"]) for limit in limits if limit["threads"] == 40)
        self.equal("work and latency in arenas of 40 threads", sorted(each for each in arenas if any(each)), found)
        ones = [(limit["work"], limit["latency"]) for limit in limits if limit["threads"] == 1]
        if any(full) and full not in ones:
            self.differences.append(f"work and latency in the arena of one thread: {full} expected, {ones} found")
        if self.exact_order():
            self.ends_of_arenas([limit for limit in limits if "before" in limit])
        least = self.profile["span_with_latency"]
        for limit in self.profile["limits"]:
            under = -(-(limit["work"] + limit["latency"]) // limit["width"])
            ends = limit.get("before", 0) + limit.get("after", 0)
            self.equal("least time of a limit", ends + under, limit["least_time"])
            if not limit["like_machine"]:
                least = max(least, limit["least_time"])
        least = max([least] + [lock["bound_with_latency"] for lock in self.profile["locks"] if lock["bound_kind"] == "proven"])
        self.equal("least time", least, self.profile["least_time"])
        for run in self.profile["prediction"]["scaling"]:
            if run["time"] < least:
                self.differences.append(f"predicted on {run['procs']} CPUs: {run['time']}, below the least time {least}")

    def ends_of_arenas(self, limits):
        """Of the program's arenas, which differ in work and latency: the least path before what runs there,
        and after it. Where in the last step a thread slept is not known: what comes after may be less then."""
        arenas = list(zip(self.expected["work_in_arenas"], self.expected["latency_in_arenas"]))
        for arena, (before, after) in zip(arenas, self.expected["ends_of_arenas"]):
            same = [limit for limit in limits if (limit["work"], limit["latency"]) == arena]
            if len(same) == 1 and arenas.count(arena) == 1:
                self.between("before an arena", before, same[0]["before"])
                self.between("after an arena", after if self.expected["latency"] == 0 else (0, after[1]), same[0]["after"])

    def locks(self):
        """Each lock of the program is one object, acquired at one or two lines. Others are those inside of oneTBB's
        constructs."""
        found, others, self.others = {}, 0, 0
        for lock in self.profile["locks"]:
            numbers = {LOCKS.get(place["line"]) if os.path.basename(place["file"]) == "interpreter.cpp" else None
                       for place in lock["places"]}
            self.equal("places are those of one lock", 1, len(numbers))
            number = numbers.pop()
            if number is None:
                others = max(others, lock["bound"] if lock["bound_kind"] == "proven" else 0)
                self.others = max(self.others, lock["bound"])
            else:
                self.equal(f"lock {number} is one row", False, number in found)
                found[number] = lock
        self.equal("locks", sorted(self.expected["locks"]), sorted(map(str, found)))
        greatest = max(self.expected["span"][0], others)
        for number, expected in self.expected["locks"].items():
            if number in found:
                greatest = max(greatest, self.lock(f"lock {number}", expected, found[number]))
        if self.exact_order():
            self.equal("span with locks", greatest, self.profile["span_with_locks"])
        self.blame()

    def exact_order(self):
        return self.order_is_seen and self.expected["span"][0] == self.expected["span"][1]

    def lock(self, name, expected, lock):
        """Returns its bound."""
        for figure in ("acquisitions", "shared"):
            self.equal(f"{figure} of {name}", expected[figure], lock[figure])
        self.equal(f"objects, sections without an end of {name}", (1, 0), (lock["objects"], lock["unmatched"]))
        self.equal(f"{name} is not sampled", False, lock["held_is_estimate"])
        self.span(f"held of {name}", expected["held"], lock["held"])
        # Without the longest shared section the bound may be greater, by what comes before and after the others.
        sections = (expected["exclusive"][0], expected["sections"][1])
        self.span(f"sections of {name}", sections, lock["bound_parts"]["sections"])
        sections = (expected["exclusive_with_latency"][0], expected["sections_with_latency"][1])
        self.span(f"sections with latency of {name}", sections, lock["sections_with_latency"])
        self.between(f"bound with latency of {name}", (lock["sections_with_latency"], self.profile["least_time"]),
                     lock["bound_with_latency"])
        self.equal(f"the kind of the bound of {name}", "proven", lock["bound_kind"])
        blamed = sum(place["wait_blame"] for place in lock["places"])
        self.equal(f"blame of {name}", blamed, lock["wait_blame"])
        self.equal(f"blame of {name}, with what has no known holder", lock["waited"], blamed + lock["waited_no_holder"])
        self.between(f"waits of {name} without a known holder", (0, lock["waited"]), lock["waited_no_holder"])
        if lock["contended"] == 0:
            self.equal(f"waited for {name}", 0, lock["waited"])
        self.between(f"contended of {name}", (0, lock["acquisitions"]), lock["contended"])
        self.of_locks.update({"locks": 1, "acquisitions": lock["acquisitions"], "contended": lock["contended"]})
        if "bound" not in expected or not self.exact_order():
            return lock["bound"]
        bound = expected["bound"]
        self.equal(f"bound of {name}", bound, lock["bound"])
        self.of_locks.update({"bounds": 1, "what-ifs": bool(lock["what_if"])})
        what_if = {(each["change"], each["factor"]): each["parallelism"] for each in lock["what_if"]}
        for each in expected["what_if"]:
            if each["change"] == "shared" and lock["kind"] == "concurrent_priority_queue":
                self.equal(f"operations of {name} that are shared", False, ("shared", 1) in what_if)
                continue
            # What a lock inside of a construct, which may be in the other's sections, then leaves is not known here.
            others = self.others * (each["factor"] if each["change"] == "shorter" else 1)
            if what_if and others > each["least_time"]:
                self.between(f"what-if {each['change']} {each['factor']} of {name}, at most", (0, self.parallelism(each)),
                             what_if[each["change"], each["factor"]])
            elif what_if:
                self.equal(f"what-if {each['change']} {each['factor']} of {name}", self.parallelism(each),
                           what_if[each["change"], each["factor"]])
        return bound

    def parallelism(self, change):
        """To two decimals."""
        if change["least_time"] == 0:
            return 1
        factor = change["factor"] if change["change"] == "shorter" else 1
        work = self.expected["work"] * factor
        if factor > 1 and self.mode == "optimize":
            work = change["work_if_optimized"]
        return (work * 200 + change["least_time"]) // (2 * change["least_time"]) / 100

    def blame(self):
        """What places are charged with is charged to sites."""
        waits = sum(lock["wait_blame"] for lock in self.profile["locks"])
        self.equal("blame of sites", waits, sum(site.get("wait_blame", 0) for site in self.profile["sites"]))

    def span(self, what, bounds, got):
        """Where order was not seen, spans are lower bounds, but for nodes with priorities or windows."""
        most = sys.maxsize if self.has_no_bound() else bounds[1]
        self.between(what, bounds if self.order_is_seen else (0, most), got)

    def has_no_bound(self):
        return self.expected["has_priorities"] or self.expected["has_windows"]

    def warnings(self):
        names = {warning["name"] for warning in self.profile["warnings"]}
        self.equal("warnings", set(), names & FALSE_WARNINGS)
        if options.way != "stock":
            # Nodes that the standard library constructs are found as in an unmodified binary, and where no message
            # needs an edge, nothing shows that they are not of one.
            unseen = [name for name in self.profile["unseen_order"] if not name.startswith("graph_interpreter.cpp")]
            self.equal("unseen order", [], unseen)
            if not self.expected["executed"]["parallel_scan"]:
                self.equal("the schedule-independent span is known", True, self.profile["divisible_is_known"])

    def divisible_span(self):
        expected, profile = self.expected, self.profile
        least, most = expected["divisible_span"]
        if self.divides and options.way != "stock":
            self.equal("joins ran where --divide made parts", True, expected["all_joined"])
        if not self.order_is_seen:
            least = 0
            if self.has_no_bound():
                most = sys.maxsize
        elif not self.divides and not expected["splits_alike"]:
            least = expected["span"][0]
        if not self.divides:
            # docs/explanation/what-is-exact.md: the calls of one task may be none of a balanced tree.
            most += expected["one_join_each"]
        if expected["joins_alike"] and (self.divides or expected["parts_alike"]):
            self.between("divisible span", (least, most), profile["divisible_span"])
        if expected["joins_alike"] and self.divides:
            self.between("divisible span at most", (least, most), profile["divisible_span_at_most"])
        else:
            self.between("divisible span at most", (least, sys.maxsize), profile["divisible_span_at_most"])

    def sites(self):
        """A graph is one row of what is expected, and several of the profile, except by explicit sites."""
        expected, found = self.expected["rows"], collections.defaultdict(list)
        for site in self.profile["sites"]:
            row = row_of(site)
            found[row if row in expected else None].append(site)
        unknown = found.pop(None, [])
        # The interpreter adds a last filter without work to each pipeline.
        unknown = [site for site in unknown if not (site["filter"] and site["exclusive_work"] == 0)]
        feeds = self.expected["executed"]["feeder::add"] > 0
        if options.way == "stock" and (unknown or feeds):
            return self.some_sites(expected, found)
        self.equal("sites elsewhere", [], [site["name"] for site in unknown])
        critical = []
        for name, row in expected.items():
            rows = found.get(name) or [collections.defaultdict(int)]
            critical.append(sum(site["critical_work"] for site in rows))
            self.site(name, row, rows)
        if self.expected["critical"] and self.order_is_seen:
            self.count += 1
            if critical not in self.expected["critical"]:
                self.differences.append(f"critical work: expected one of {self.expected['critical']}, got {critical}")

    def some_sites(self, expected, found):
        """An unmodified binary: what has the place of a call is of that call; other tasks of the call may have no place.
        Those that a feeder adds have its place, or that of its parallel_for_each."""
        self.all_sites_have_places = False
        groups = [[name] for name in expected if name not in FED] + [[name for name in expected if name in FED]]
        for names in groups:
            for figure in ("exclusive_work", "invocations"):
                if names != ["0"] and all(figure in expected[name] for name in names):
                    self.between(f"{figure} at {', '.join(names)}", (0, sum(expected[name][figure] for name in names)),
                                 sum(site[figure] for name in names for site in found.get(name, [])))
        self.equal("exclusive_work at 0", expected["0"]["exclusive_work"],
                   sum(site["exclusive_work"] for site in found["0"]))

    def site(self, name, row, rows):
        self.equal(f"{name} is one row", True, len(rows) == 1 or name == "graph")
        if name == "graph" and options.way != "explicit":
            for figure in ("exclusive_work", "latency"):
                self.equal(f"{figure} at {name}", row[figure], sum(site[figure] for site in rows))
            return
        site = rows[0]
        for figure, value in row.items():
            # The row of main shows the whole program.
            if name == "0" and figure in ("work", "span"):
                value = self.profile[figure]
            if figure == "longest_chain":
                self.span(f"{figure} at {name}", value, site[figure])
            elif not (name == "0" and figure == "invocations") and (figure != "span" or self.order_is_seen):
                self.equal(f"{figure} at {name}", value, site[figure])

    def what_if(self):
        names = [region["names"][0] for region in self.profile["regions"]]
        self.equal("regions", self.expected["regions"], sorted(names))
        if not names:
            return
        found = {}
        for curve in self.profile["what_if"]["curves"]:
            region = "all" if curve["all"] else names[curve["regions"][0]]
            for point in curve["points"]:
                found[region, point["factor"]] = point
        sections = {(each["region"], each["factor"]): each["sections"] for each in self.expected["sections_what_if"]}
        for figures in self.expected["what_if"]:
            region, factor = figures["region"], figures["factor"]
            if region != "all" and region not in names:
                continue
            point = found[region, factor]
            work = figures["work"] if self.mode == "optimize" else self.expected["work"] * factor
            bounds = [max(each) for each in zip(figures["span"], sections[region, factor], (0, self.others * factor))]
            self.span(f"what-if {region} {factor}: span", bounds, point["span_times_factor"])
            self.equal(f"what-if {region} {factor}: work", work, point["work_times_factor"])


def run_on(threads, seed, dropped, mode, divides):
    """What was expected, and the profile; None, None if the program can't run in this build."""
    with tempfile.TemporaryDirectory() as folder:
        data = os.path.join(folder, "data")
        command = program_command(seed, dropped) + ["--threads", str(threads)]
        if options.run:
            command = [options.run, "-q", "-e", "virtual", "-o", data, "--"] + command
        expected = json.loads(call(command, TP_EVENT="virtual", TP_DATA=data, TP_DIVIDE=str(int(divides))))
        if "skipped" in expected:
            return None, None
        profile = profile_of(seed, data, folder, mode)
        # Its addr2line takes longer than all the rest, and the calls of the interpreter are always the same.
        if seed % 32 == 0:
            if problems := one_function_per_row.check(profile, *one_function_per_row.read_recording(data)):
                raise Differences(problems)
        return expected, profile


def table_of(profile):
    """Everything in the rows that is neither time nor depends on which thread ran what."""
    return [{name: site[name] for name in SAME_FIGURES} for site in profile["sites"]]


def check(seed, dropped):
    """Returns what was expected (None: the program can't run in this build) and the number of
    compared figures; raises Differences."""
    mode = "optimize" if seed % 2 else "parallelize"
    divides = seed % 5 < 2
    expected, profile = run_on(options.threads or THREADS[seed % len(THREADS)], seed, dropped, mode,
                               divides)
    if expected is None:
        return None, 0
    comparison = Check(expected, profile, mode, divides)
    comparison.all()
    if expected["all_determined"] and seed % 10 == 0:
        for threads in SAME_ON:
            comparison.equal(f"table on {threads} threads", table_of(profile),
                             table_of(run_on(threads, seed, dropped, mode, divides)[1]))
    if comparison.differences:
        raise Differences(comparison.differences)
    expected["all_sites_have_places"] = comparison.all_sites_have_places
    expected["order_is_seen"] = comparison.order_is_seen
    expected["of_locks"] = comparison.of_locks
    return expected, comparison.count


def differences_of(seed, dropped, tries=1):
    for _ in range(tries):
        try:
            check(seed, dropped)
        except Differences as differences:
            return differences.args[0]
    return []


def shrink(seed):
    """Returns statements to leave out so that the rest still differs. Where the schedule decides,
    one difference in some tries is enough."""
    dropped, again = list(options.drop), True
    while again:
        again = False
        rest = json.loads(call(program_command(seed, dropped) + ["--list"]))
        size = max(1, len(rest) // 2)
        while size >= 1:
            for i in range(0, len(rest), size):
                candidate = dropped + [number for number in rest[i:i + size] if number not in dropped]
                if len(candidate) > len(dropped) and differences_of(seed, candidate, 8):
                    dropped, again = candidate, True
            size //= 2
        rest = json.loads(call(program_command(seed, dropped) + ["--list"]))
    return dropped


def report(seed, differences):
    print(f"seed {seed}: " + "; ".join(differences))
    if options.keep_going:
        return
    dropped = shrink(seed)
    print(f"shrunk (--first {seed} --runs 1 --drop {' '.join(map(str, dropped))}):")
    print(call(program_command(seed, dropped) + ["--describe"]))
    print("; ".join(differences_of(seed, dropped, 20)))


def traits_of(expected):
    """What the task graph does not say."""
    times = expected["executed"]
    found = {"threads": times["std::thread"], "sleep": expected["latency"],
             "arenas": times["task_arena::execute"] + times["execute in a full arena"]}
    return [trait for trait, number in found.items() if number]


def chosen_seeds():
    if options.with_locks:
        return json.loads(call([options.program, str(options.first), "--with-locks", str(runs)]))
    return range(options.first, options.first + runs)


def main():
    executed, programs, mixed, of_locks = (collections.Counter() for _ in range(4))
    figures = exact = failed = skipped = placed = seen = 0
    seeds = chosen_seeds()
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        pending = {pool.submit(check, seed, options.drop): seed for seed in seeds}
        for future in concurrent.futures.as_completed(pending):
            try:
                expected, count = future.result()
            except Differences as differences:
                failed += 1
                if not options.keep_going:
                    for other in pending:
                        other.cancel()
                report(pending[future], differences.args[0])
                if not options.keep_going:
                    break
                continue
            if expected is None:
                skipped += 1
                continue
            figures += count
            exact += expected["span"][0] == expected["span"][1] and expected["order_is_seen"]
            placed += expected["all_sites_have_places"]
            seen += expected["order_is_seen"]
            executed.update(expected["executed"])
            of_locks.update(expected["of_locks"])
            programs.update(name for name, times in expected["executed"].items() if times)
            traits = traits_of(expected)
            mixed.update(traits)
            mixed["all of these"] += len(traits) == 3
    for name, times in executed.most_common():
        print(f"{name:26}{times:>9} times in {programs[name]} programs")
    print("programs with: " + ", ".join(f"{trait} {mixed[trait]}" for trait in ("threads", "sleep", "arenas", "all of these")))
    print(f"locks in {programs['lock']} programs of the seeds {seeds[0]} to {seeds[-1]}: {of_locks['locks']} locks, "
          f"{of_locks['acquisitions']} acquisitions, {of_locks['contended']} contended; "
          f"{of_locks['bounds']} bounds and the what-ifs of {of_locks['what-ifs']} are determined")
    if options.way == "stock":
        print(f"all order is seen in {seen} programs; all sites have places in {placed}")
    print(f"{runs - skipped} programs, {failed} with differences; the span of {exact} is determined; {figures} figures "
          f"compared; {skipped} programs skipped")
    too_many = skipped * 100 > options.most_skipped * runs
    if too_many:
        print(f"skipped: expected at most {options.most_skipped:g} % of {runs}")
    return 1 if failed or too_many or runs == skipped else 0


try:
    sys.exit(main())
finally:
    for each in servers:
        each.end()
