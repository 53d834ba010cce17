#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compares recordings of programs of known work, on emulated ARM machines, with arithmetic.

usage: check.py [--all] [--only CASE] --guest DIR --analyze TP-ANALYZE
(tests/emulated_pmu/run calls it)

Exact means: the step of node n is 2 * scale * units(n) instructions, plus the cost of its
boundaries. That constant is calibrated: it is the work of steps of the same kind at scale 0, a few
values for each kind. A reading in user space that is interrupted by a context switch is repeated,
and the step then has up to RETRY more instructions. Where tasks are stolen two more things differ:
the hook takes other branches (BRANCH instructions), and the code after a wait contains the end of
oneTBB's context, which spins where threads contend for a list, so those steps count only in the
sums.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys

from guest import Failure, Machine
from steps import Recording, span, units

RETRY = 128    # instructions of one more round of the seqlock, at most
BRANCH = 24    # between the plain path of the hooks and the general one, which a few steps take
FEW = 0.05     # of the steps may have them
TICK = 16      # ns; an instruction takes 1 ns
CONSTANTS = 6  # at most, values of a kind of step at scale 0
SPREAD = 320   # at most, between these values: a thread's first call of a site reads the clock twice more
SCALE = 300

EXACT = Machine("one CPU that counts", "-cpu cortex-a72 -smp 1 -icount shift=0,sleep=off")
TWO = Machine("two CPUs", "-cpu cortex-a72 -smp 2 -icount shift=0,sleep=off")
CONCURRENT = Machine("two CPUs at the same time", "-cpu cortex-a72 -smp 2 -accel tcg,thread=multi")
NO_PMU = Machine("no PMU", "-cpu cortex-a72,pmu=off -smp 1 -icount shift=0,sleep=off")
NO_ICOUNT = Machine("a PMU without instructions", "-cpu cortex-a72 -smp 1")

CASES = []


def case(machine, jobs, short=True):
    """Declares a case: shell lines for the guest, and a function that checks their results."""
    def register(check):
        CASES.append((check.__name__, machine, jobs, check, short))
        return check
    return register


class Job:
    """The results of one job: Job(folder, options). The data directory is analyzed on demand."""

    def __init__(self, folder, options):
        self.folder = folder
        self.analyze = options.analyze
        self.files = os.path.join(options.guest, "initrd.tree")  # the guest's

    def __getattr__(self, name):
        """out, err and status."""
        try:
            with open(os.path.join(self.folder, name)) as file:
                return file.read().strip()
        except OSError:
            raise Failure(f"{os.path.basename(self.folder)}: did not run, or left no {name}")

    def recordings(self):
        return sorted(os.path.join(self.folder, name) for name in os.listdir(self.folder) if name.startswith("data"))

    def recording(self, data=None):
        return Recording(self.analyze, data or os.path.join(self.folder, "data"))

    def profile(self, *options, data=None):
        data = data or os.path.join(self.folder, "data")
        ran = subprocess.run([self.analyze, "-q", "--json", "-", "-o", os.path.join(self.folder, "analysis"), "-d", data, *options],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        expect("exit status of tp-analyze", 0, ran.returncode, ran.stderr)
        profile = json.loads(ran.stdout)
        expect("exclusive work of all sites", profile["work"], profile["conservation"]["exclusive_work_sum"])
        expect("critical work of all sites", profile["span"], profile["conservation"]["critical_work_sum"])
        return profile

    def run_json(self, data=None):
        with open(os.path.join(data or os.path.join(self.folder, "data"), "run.json")) as file:
            return json.load(file)

    def clock(self):
        return self.run_json()["work"]["clock"]


def without_cost(text):
    """stderr without the message that a reading is expensive, which it is on an emulated machine."""
    return "".join(line for line in text.splitlines(True) if "reading these events takes" not in line)


def expect(what, wanted, got, more=""):
    if wanted != got:
        raise Failure(f"{what}: expected {wanted}, got {got} {more}")


def tree_places(depth):
    """The (node, place) pairs where a tree burns."""
    return [(node, place) for node in range(1, 2 ** (depth + 1))
            for place in (("before", "after") if node < 2 ** depth else ("leaf",))]


class Exactness:
    """Compares trees with the calibration, and counts the steps that it has compared."""

    def __init__(self, calibration, alone, root=True):
        """alone: one thread runs all tasks.

        Without `root`: a thread's first and last step contain more than the tree's."""
        self.alone = alone
        self.root = root
        self.constants = {}
        self.steps = 0
        self.others = []  # the differences of the other steps
        for tree in calibration:
            for (node, place), work in self.exact_steps(tree):
                self.constants.setdefault(self.kind(node, place), set()).add(work)
        for kind, values in self.constants.items():
            far = not kind.startswith("root") and max(values) - min(values) > SPREAD
            if len(values) > CONSTANTS or far:
                raise Failure(f"{kind} at scale 0: expected at most {CONSTANTS} values, close together, got {sorted(values)}")

    @staticmethod
    def kind(node, place):
        return f"root {place}" if node == 1 else place

    def exact_steps(self, tree):
        return [((node, place), work) for (node, place), work in tree.items()
                if (self.alone or place != "after") and (self.root or node > 1 or place == "between")]

    def check(self, tree, scale):
        for (node, place), work in self.exact_steps(tree):
            constants = self.constants[self.kind(node, place)]
            rest = work - 2 * scale * units(node, place)
            self.steps += 1
            off = min((rest - constant for constant in constants), key=abs)
            if not (0 if self.alone else -BRANCH) <= off <= RETRY:
                raise Failure(f"{place} of node {node}: {work} is {rest} more than its loop: expected {sorted(constants)}")
            if off != 0:
                self.others.append(off)
        if len(self.others) > FEW * self.steps:
            raise Failure(f"{len(self.others)} of {self.steps} steps are off by some instructions: {self.others}")

    def __str__(self):
        others = f", {len(self.others)} by {min(self.others)} to {max(self.others)} off" if self.others else ""
        return f"{self.steps} steps{others or ' exact'}"


def tree_jobs(name, event, user_access, depth=8):
    return [f"echo {user_access} >/proc/sys/kernel/perf_user_access"] + [
        f"job {name}.{threads}.{scale} env TP_PAUSED=1 TP_EVENT={event} tree {threads} {depth} {scale}"
        for threads in (1, 4) for scale in (0, SCALE)]


def check_tree(jobs, name, clock):
    return "; ".join(check_one_tree(jobs, f"{name}.{threads}", clock, threads == 1) for threads in (1, 4))


def check_one_tree(jobs, name, clock, alone):
    """Checks each step, and the work and the span of the profile."""
    quiet, busy = jobs(f"{name}.0"), jobs(f"{name}.{SCALE}")
    for job in (quiet, busy):
        expect("exit status", "0", job.status, job.err)
        expect("stderr", "", without_cost(job.err))
        expect("clock", clock, job.clock())
    calibration = quiet.recording()
    # Applies to most steps: some contain the guest's own interrupts, more of them if it boots
    # slowly.
    ns_per_instruction = TICK * statistics.median(calibration.paces)
    expect(f"{ns_per_instruction:.2f} ns per instruction: a system call in a step", clock == "perf-read",
           ns_per_instruction > 2)
    exactness = Exactness(calibration.trees(), alone)
    recording = busy.recording()
    trees = list(recording.trees())
    expect("trees", 1, len(trees))
    exactness.check(trees[0], SCALE)
    profile = busy.profile()
    expect("complete", True, profile["complete"])
    expect("work", sum(trees[0].values()), profile["work"])
    expect("span", span(trees[0]), profile["span"])
    stolen = f", {recording.stolen} tasks stolen" if recording.stolen else ""
    return f"{exactness}{stolen}, work {profile['work']}, span {profile['span']}"


@case(EXACT, tree_jobs("user", "instructions", 1))
def instructions_in_user_space(jobs):
    return check_tree(jobs, "user", "perf-user")


@case(EXACT, tree_jobs("read", "instructions", 0))
def instructions_by_read(jobs):
    return check_tree(jobs, "read", "perf-read")


@case(EXACT, tree_jobs("cycles", "cycles", 1))
def cycles_in_user_space(jobs):
    return check_tree(jobs, "cycles", "perf-user")


@case(EXACT, tree_jobs("deep", "instructions", 1, depth=11), short=False)
def many_chunks(jobs):
    """A stream that starts new chunks in all kinds of steps: that is not the program's work."""
    return check_one_tree(jobs, "deep.1", "perf-user", alone=True)


LONG = 200_000_000


@case(EXACT, ["echo 1 >/proc/sys/kernel/perf_user_access"] + [
    f"job long.{scale} env TP_PAUSED=1 TP_EVENT=instructions tree 1 1 {scale}" for scale in (0, LONG)], short=False)
def more_than_a_counter_holds(jobs):
    """2.8e9 instructions: a 32-bit counter that starts in the middle overflows during the run."""
    exactness = Exactness(jobs("long.0").recording().trees(), alone=True)
    expect("clock", "perf-user", jobs(f"long.{LONG}").clock())
    for tree in jobs(f"long.{LONG}").recording().trees():
        exactness.check(tree, LONG)
    return str(exactness)


@case(EXACT, tree_jobs("cycles_read", "cycles", 0), short=False)
def cycles_by_read(jobs):
    return check_tree(jobs, "cycles_read", "perf-read")


def check_group(jobs, name, clock, work, extra):
    """Work and an additional event, in two runs.

    They differ by the work of the loops, and by the readings that each run repeated."""
    text = check_one_tree(jobs, f"{name}.1", clock, alone=True)
    profiles = [jobs(f"{name}.1.{scale}").profile() for scale in (0, SCALE)]
    loops = 2 * SCALE * sum(units(node, place) for node, place in tree_places(8))
    got = [profile["trace"]["extra_events"][extra] for profile in profiles]
    off = got[1] - got[0] - loops
    expect(f"{extra} of the loops: {off} off: up to two readings made again", True, abs(off) <= 2 * RETRY)
    sites = [sum(site["extra_events"][extra] for site in profile["sites"]) for profile in profiles]
    expect(f"{extra} of all sites", got, sites)
    return f"{work}: {text}; {extra}: {got[1] - got[0]} more at scale {SCALE}, {off} off"


@case(EXACT, tree_jobs("group", "instructions,cycles", 1))
def a_group_in_user_space(jobs):
    return check_group(jobs, "group", "perf-user", "instructions", "cycles")


@case(EXACT, tree_jobs("group_read", "cycles,instructions", 0))
def a_group_by_read(jobs):
    return check_group(jobs, "group_read", "perf-read", "cycles", "instructions")


@case(EXACT, [f"job loop.{scale} env TP_EVENT=instructions loop 4 1000 {scale}" for scale in (0, SCALE)])
def body_calls_of_a_loop(jobs):
    constants = {work for work, _ in jobs("loop.0").recording().loops}
    expect("kinds of body calls at scale 0", True, 1 <= len(constants) <= CONSTANTS, constants)
    loops = jobs(f"loop.{SCALE}").recording().loops
    expect("iterations", 1000, sum(iterations for _, iterations in loops))
    for work, iterations in loops:
        rest = work - 2 * SCALE * iterations
        expect(f"{iterations} iterations are {work}: exact", True, any(0 <= rest - c <= RETRY for c in constants), constants)
    jobs(f"loop.{SCALE}").profile()
    return f"{len(loops)} body calls exact"


LOCK_ITERATIONS = 200
# The sections of an iteration of locks.cpp, in their order: kind, variable, units of writers, of readers.
LOCKS = [("spin_mutex", "spin", 2, 0), ("spin_rw_mutex", "spin_rw", 3, 2), ("spin_mutex", "speculative", 4, 0),
         ("spin_rw_mutex", "speculative_rw", 5, 1), ("queuing_mutex", "queuing", 6, 0), ("queuing_rw_mutex", "queuing_rw", 7, 3),
         ("mutex", "waiting", 8, 0), ("rw_mutex", "waiting_rw", 9, 4), ("accessor", "an element", 10, 0),
         ("pthread_mutex", "posix", 11, 0), ("pthread_mutex", "standard", 12, 0), ("pthread_mutex", "timed", 13, 0),
         ("pthread_mutex", "recursive", 14, 0), ("pthread_rwlock", "posix_rw", 15, 5), ("pthread_rwlock", "shared", 16, 6),
         ("pthread_rwlock", "shared_timed", 17, 7), ("pthread_spinlock", "posix_spin", 18, 0), ("user_lock", "user", 19, 0),
         ("itt_lock", "announced", 20, 0)]
PRELOAD = "LD_PRELOAD=libtaskpath-preload.so INTEL_LIBITTNOTIFY64=libtaskpath-preload.so"
LOCK_THREADS = (1, 2, 4, 8)


@case(CONCURRENT, [f"job locks.{threads} env TP_EVENT=virtual TP_LOCKS=all {PRELOAD} locks {threads}" for threads in LOCK_THREADS])
def locks_of_every_kind(jobs):
    """On two CPUs that run at the same time: acquisitions, work inside, and the law of locks, by arithmetic."""
    work = 1 + sum(writers + readers for _, _, writers, readers in LOCKS)
    wanted, at = {}, 1
    for kind, name, writers, readers in LOCKS:
        end = at + writers + readers
        # The law of locks: what comes before, the sections of writers and the longest of readers, what comes after.
        wanted[name] = [kind, LOCK_ITERATIONS * (2 if readers else 1), LOCK_ITERATIONS * (writers + readers),
                        LOCK_ITERATIONS * writers + readers, 100 + at + work - end + 200]
        at = end
    contended = 0
    for threads in LOCK_THREADS:
        job = jobs(f"locks.{threads}")
        expect("exit status", "0", job.status, job.err)
        profile = job.profile("--debug-dir", job.files)
        expect("work", LOCK_ITERATIONS * work + 300, profile["work"])
        buckets = [lock for lock in profile["locks"] if lock["kind"] == "hash_map_bucket"]  # part of the map itself, or allocated by it
        acquired, held = (sum(lock[field] for lock in buckets) for field in ("acquisitions", "held"))
        expect("buckets of the map", [True, 0], [acquired >= LOCK_ITERATIONS, held], acquired)
        rows = {lock["variable"].rsplit("::", 1)[-1] or "an element": lock for lock in profile["locks"] if lock not in buckets}
        expect(f"{threads} threads: locks", sorted(wanted), sorted(rows))
        for name, (kind, acquisitions, held, sections, around) in wanted.items():
            lock, parts = rows[name], rows[name]["bound_parts"]
            contended += lock["contended"]
            if parts["before"] == 0 and sections < LOCK_ITERATIONS * 5:  # far from the limit: only its sections are looked at
                around = 0
            expect(f"{threads} threads: {name}", [kind, acquisitions, held, sections + around],
                   [lock["kind"], lock["acquisitions"], lock["held"], lock["bound"]], parts)
    return f"{len(LOCKS)} locks on {', '.join(map(str, LOCK_THREADS))} threads, {contended} acquisitions contended"


@case(EXACT, ["job wrapped env TP_EVENT=virtual wrapped"])
def callers_of_a_wrapper(jobs):
    """Each is a row of its own."""
    job = jobs("wrapped")
    expect("exit status", "0", job.status, job.err)
    profile = job.profile("--debug-dir", job.files, "--wrapper", "wrapper")
    expect("own work by line", {100: 120, 200: 400}, {site["line"]: site["exclusive_work"] for site in profile["sites"][1:]})
    return "two rows"


def check_program(jobs, name, output, threads, data=1, alone=True):
    """Trees that threads run between other work."""
    exactness = Exactness(jobs(f"{name}.0").recording().trees(), alone, root=False)
    busy = jobs(f"{name}.{SCALE}")
    expect("exit status", "0", busy.status, busy.err)
    expect("output", output, busy.out)
    expect("stderr", "", without_cost(busy.err))
    expect("data directories", data, len(busy.recordings()))
    trees = [tree for recording in busy.recordings() for tree in busy.recording(recording).trees()]
    expect("trees", threads, len(trees))
    for tree in trees:
        exactness.check(tree, SCALE)
    for recording in busy.recordings():
        expect("complete", True, busy.profile(data=recording)["complete"])
    return str(exactness)


def program_jobs(name, command, user_access=1, event="instructions"):
    return [f"echo {user_access} >/proc/sys/kernel/perf_user_access"] + [
        f"job {name}.{scale} env TP_EVENT={event} {command} {scale}" for scale in (0, SCALE)]


@case(EXACT, ["job samples env TP_EVENT=instructions TP_SAMPLE=4000 sampled 50 5000000",
              "echo 2 >/proc/sys/kernel/perf_event_paranoid",
              "job user_samples su nobody -c 'TP_EVENT=tsc TP_SAMPLE=4000 sampled 50 5000000'"])
def samples_by_cycles(jobs):
    """An interrupt of the counter of cycles: in the functions as often as they have cycles, and their callers are known."""
    texts = []
    for name, in_kernel in (("samples", True), ("user_samples", False)):
        job = jobs(name)
        expect("exit status", "0", job.status, job.err)
        profile = job.profile("--debug-dir", job.files)
        sampling = profile["sampling"]
        expect("taken by", "cycles", sampling["method"])
        expect("in the kernel", in_kernel, sampling["in_kernel"])
        expect("lost", 0, sampling["lost"])
        rows = {row["short_name"]: row["work"] / profile["work"] for row in profile["functions"]}
        shares = {function: rows.get(function, 0) for function in ("most", "some", "little", "all")}
        text = f"{sampling['samples']} samples, " + ", ".join(f"{function} {100 * share:.1f} %" for function, share in shares.items())
        right = all(abs(shares[function] - share) < 0.05 for function, share in (("most", 0.7), ("some", 0.2), ("little", 0.1), ("all", 1)))
        expect(f"{text}: 70, 20, 10, 100 %", True, right and sampling["samples"] > 500)
        texts.append(text)
    return "; ".join(texts)


BLOCKED = "LD_PRELOAD=libtaskpath-preload.so blocked"
# Work, sleep, span, and span with sleep in it, by arithmetic: units of the virtual clock, milliseconds.
SLEEPS = {"serial": (60, 20, 15, 35), "tasks": (60, 200, 15, 35), "thread": (100, 20, 55, 75), "pipe": (60, 200, 15, 35)}
SLEPT_IN = {"pipe": "read_pipe"}  # the others: the clock


@case(EXACT, [f"job virtual_{name} env TP_EVENT=virtual {BLOCKED} {name}" for name in SLEEPS if name != "pipe"] +
             [f"job sleep_{name} env TP_EVENT=tsc {BLOCKED} {name}" for name in SLEEPS])
def code_that_sleeps(jobs):
    """In a task, in main, in a thread that main joins, and in read(): integers by the virtual clock, milliseconds by the CPU's."""
    texts = []
    for name, wanted in SLEEPS.items():
        if name != "pipe":  # by the virtual clock nothing sleeps in system calls
            profile = jobs(f"virtual_{name}").profile("--procs", "1,100")
            expect(name, list(wanted), [profile[key] for key in ("work", "latency", "span", "span_with_latency")])
        job = jobs(f"sleep_{name}")
        expect("exit status", "0", job.status, job.err)
        run, profile = job.run_json(), job.profile()
        expect("sleep and waits are seen", [True, True], [run["sleep_seen"], profile["latency"] is not None])
        got = [1000 * profile[key] / run["time"]["hz"] for key in ("work", "latency", "span", "span_with_latency")]
        text = f"{name}: " + ", ".join(f"{ms:.2f}" for ms in got) + " ms"
        more = 0.15 if name == "pipe" else 0.05  # a fork takes half a millisecond
        expect(f"{text}: {wanted}", True, all(0 <= ms - least < more * least + 0.5 for ms, least in zip(got, wanted)))
        slept = profile["latency_in"].get(SLEPT_IN.get(name, "clock"), 0)
        expect(f"{name}: slept in {profile['latency_in']}", True, slept > 0.98 * profile["latency"])
        texts.append(text)
    return "; ".join(texts)


@case(EXACT, program_jobs("late", "late_threads 12 5"))
def threads_that_come_late(jobs):
    return check_program(jobs, "late", "done", 13, alone=False)


@case(EXACT, program_jobs("fork", "forks 6"))
def fork_of_a_process_that_counts(jobs):
    # What follows the last wait of a tree takes 26 instructions less on a loaded machine: not compared.
    return check_program(jobs, "fork", "child ended with 0", 3, data=2, alone=False)


@case(EXACT, program_jobs("fork_read", "forks 6", user_access=0), short=False)
def fork_of_a_process_that_reads(jobs):
    return check_program(jobs, "fork_read", "child ended with 0", 3, data=2, alone=False)


@case(EXACT, program_jobs("shared", "taken_counters flexible 12 6"))
def other_users_share_the_counters(jobs):
    """Our event is pinned: the others are multiplexed, ours is not."""
    # What follows the last wait of a tree takes 26 instructions less on a loaded machine: not compared.
    return check_program(jobs, "shared", "done", 2, alone=False)


@case(EXACT, ["echo 1 >/proc/sys/kernel/perf_user_access",
              f"job taken env TP_PAUSED=1 TP_EVENT=auto taken_counters pinned 6 tree 4 5 {SCALE}"])
def no_counter_is_free(jobs):
    return check_fallback(jobs("taken"), "all counters are taken")


def check_partly(job, output):
    """The program ran correctly, and the profile reports that not everything was counted."""
    expect("exit status", "0", job.status, job.err)
    expect("output", output, job.out)
    expect("clock", "perf-user", job.clock())
    profile = job.profile()
    with open(os.path.join(job.folder, "data", "end.json")) as file:
        not_counted = json.load(file)["not_counted_ns"]
    expect("CPU time not counted", True, not_counted > 0)
    return f"{not_counted} ns; " + " ".join(str(w) for w in profile["warnings"])


@case(EXACT, ["echo 1 >/proc/sys/kernel/perf_user_access",
              f"job few_descriptors sh -c 'ulimit -n 12; TP_EVENT=instructions late_threads 12 3 {SCALE}'"])
def descriptors_run_out(jobs):
    return check_partly(jobs("few_descriptors"), "done")


@case(EXACT, ["echo 1 >/proc/sys/kernel/perf_user_access",
              f"job lost env TP_EVENT=instructions taken_counters pinned 6 6 {SCALE}"])
def counters_are_taken_on_the_way(jobs):
    return check_partly(jobs("lost"), "done")


def check_fallback(job, reason, clock="tsc-rseq"):
    """`auto` uses another clock and reports why; the run is complete."""
    expect("exit status", "0", job.status, job.err)
    expect("stderr", "", without_cost(job.err))
    work = job.run_json()["work"]
    expect("clock", clock, work["clock"])
    if reason not in work["reason"]:
        raise Failure(f"reason: expected '{reason}' in it, got '{work['reason']}'")
    profile = job.profile()
    expect("complete", True, profile["complete"])
    return f"{clock}: {work['reason']}"


AUTO = f"env TP_PAUSED=1 TP_EVENT=auto tree 4 5 {SCALE}"


@case(NO_PMU, [f"job auto {AUTO}", f"job named env TP_PAUSED=1 TP_EVENT=instructions tree 4 5 {SCALE}"])
def no_pmu(jobs):
    named = jobs("named")
    expect("exit status", "0", named.status)
    expect("warning", True, "'instructions' cannot be counted" in named.err, named.err)
    return check_fallback(jobs("auto"), "no hardware counter")


@case(NO_ICOUNT, [f"job auto {AUTO}", f"job cycles env TP_PAUSED=1 TP_EVENT=cycles tree 4 5 {SCALE}"], short=False)
def a_pmu_without_instructions(jobs):
    expect("clock", "perf-read", jobs("cycles").clock())
    return check_fallback(jobs("auto"), "no hardware counter")


@case(EXACT, ["echo 3 >/proc/sys/kernel/perf_event_paranoid", f"job denied su nobody -c '{AUTO}'",
              "echo 1 >/proc/sys/kernel/perf_event_paranoid", f"job allowed su nobody -c '{AUTO}'"])
def an_unprivileged_user(jobs):
    expect("clock if allowed", True, jobs("allowed").clock().startswith("perf-"))
    return check_fallback(jobs("denied"), "not permitted")


@case(TWO, ["echo 1 >/proc/sys/kernel/perf_user_access",
            f"job moved env TP_EVENT=instructions migration 8 6 {SCALE}"])
def a_thread_moves_between_cpus(jobs):
    """Emulated CPUs that wait for each other count too much, never too little."""
    job = jobs("moved")
    expect("exit status", "0", job.status, job.err)
    expect("output", "done", job.out)
    expect("clock", "perf-user", job.clock())
    least = 8 * sum(2 * SCALE * units(node, place) for node, place in tree_places(6))
    work = job.profile()["work"]
    expect(f"work {work} of at least {least}", True, least <= work <= 3 * least)
    return f"work {work}, at least {least}"


@case(TWO, ["echo 1 >/proc/sys/kernel/perf_user_access",
            "for kind in 1 2; do mkdir -p /tmp/pmus/$kind; echo 100$kind >/tmp/pmus/$kind/type; echo 0 >/tmp/pmus/$kind/cpus; done",
            "mount --bind /tmp/pmus /sys/bus/event_source/devices",
            f"job unlike inject_faults --hybrid 0,1 -- env TP_EVENT=instructions migration 8 6 {SCALE}",
            "umount /sys/bus/event_source/devices"], short=False)
def cpus_of_two_kinds(jobs):
    """Counters of two kinds of cores, read in user space: the sum of the counts of each CPU."""
    job = jobs("unlike")
    expect("exit status", "0", job.status, job.err)
    expect("clock", "perf-user", job.clock())
    least = 8 * sum(2 * SCALE * units(node, place) for node, place in tree_places(6))
    profile = job.profile()
    expect("warnings", [], [w["name"] for w in profile["warnings"] if w["name"] == "not_counted"])
    expect(f"work {profile['work']} of at least {least}", True, least <= profile["work"] <= 1.5 * least)
    return f"work {profile['work']}, at least {least}"


@case(EXACT, [f"job tsc env TP_PAUSED=1 TP_EVENT=tsc tree 4 8 {SCALE}"])
def on_cpu_ticks(jobs):
    run = jobs("tsc").run_json()
    expect("clock", "tsc-rseq", run["work"]["clock"])
    expect("frequency", 62500000, run["time"]["hz"])  # exactly that of the machine `virt`
    profile = jobs("tsc").profile()
    least = sum(2 * SCALE * units(node, place) for node, place in tree_places(8))
    ns = profile["work"] * TICK
    expect(f"{ns} ns for {least} instructions and the hooks", True, least <= ns <= 1.5 * least)
    return f"{ns} ns for {least} instructions and the hooks"


# No number of threads in the cases of limits is to be that of the machine. One case needs call paths, which only x86-64 has.
VIRTUAL = "for program in /programs/*; do cores=; [ ${program##*/} != limits ] || cores=TP_AS_IF_CORES=97; " \
          "for c in $($program list); do [ ${program##*/}.$c != std_algorithms.in_a_task ] || continue; " \
          "job programs.${program##*/}.$c env TP_EVENT=virtual $cores $program $c 4; done; done"


@case(CONCURRENT, [VIRTUAL], short=False)
def programs_with_the_virtual_clock(jobs):
    """tests/system/programs on two emulated CPUs that run at the same time.

    Checks hooks and scheduler as compiled for ARM."""
    check = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "system", "programs", "check.py")
    folder, analyze = jobs("").folder, jobs("").analyze
    cases = sorted(name.split(".", 2)[1:] for name in os.listdir(folder) if name.startswith("programs."))
    expect("programs", True, len({program for program, _ in cases}) >= 9)
    lines = []
    for program in sorted({program for program, _ in cases}):
        ran = subprocess.run([sys.executable, "-B", check, program, "--threads", "4", "--repeat", "1", "--analyze", analyze,
                              "--recorded", os.path.join(folder, f"programs.{program}.")],
                             stdout=subprocess.PIPE, text=True)
        lines.append(f"{program}: {ran.stdout.strip()}")
        if ran.returncode != 0:
            raise Failure("\n".join(lines))
    return "\n    ".join([""] + lines)


def arguments():
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--only")
    parser.add_argument("--guest", required=True)
    parser.add_argument("--analyze", required=True)
    return parser.parse_args()


def main():
    options = arguments()
    results = os.path.join(options.guest, "results")
    shutil.rmtree(results, ignore_errors=True)
    chosen = [entry for entry in CASES if (entry[4] or options.all) and options.only in (None, entry[0])]
    failed = 0
    for number, machine in enumerate(dict.fromkeys(entry[1] for entry in chosen)):
        mine = [entry for entry in chosen if entry[1] is machine]
        folder = os.path.join(results, str(number))
        try:
            seconds = machine.run(options.guest, [line for entry in mine for line in entry[2]], folder)
            print(f"{machine.name}: {seconds:.1f} s")
        except Failure as problem:
            print(f"FAILED {problem}")
            failed += len(mine)
            continue
        for name, _, _, check, _ in mine:
            try:
                print(f"  {name}: {check(lambda job: Job(os.path.join(folder, job), options))}")
            except Failure as problem:
                print(f"  FAILED {name}: {problem}")
                failed += 1
    print(f"{len(chosen) - failed} of {len(chosen)} cases right")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
