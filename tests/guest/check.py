#!/usr/bin/env python3
"""Boots emulated ARM machines, runs programs of known work on them, and compares their recordings with arithmetic.

usage: check.py [--all] [--only CASE] --guest DIR --analyze TP-ANALYZE        (tests/guest/run calls it)

Exact means: the step of node n is 2 * scale * units(n) instructions, plus what its boundaries cost. That constant is
calibrated: it is what the same step has at scale 0, where a few values occur for each kind of step (a stolen task takes
another branch in the scheduler). A reading in user space that met a context switch is read again: such a step may have up
to RETRY instructions more, and they are counted.
"""
import argparse
import json
import os
import shutil
import subprocess
import sys
import traceback

from guest import Failure, Machine
from steps import Recording, span, units

RETRY = 64      # instructions of one more round of the seqlock, and of the kernel's way back
CONSTANTS = 6   # values of a kind of step at scale 0, at most
SCALE = 300

EXACT = Machine("one CPU that counts", "-cpu cortex-a72 -smp 1 -icount shift=0,sleep=off")
TWO = Machine("two CPUs", "-cpu cortex-a72 -smp 2 -icount shift=0,sleep=off")
NO_PMU = Machine("no PMU", "-cpu cortex-a72,pmu=off -smp 1 -icount shift=0,sleep=off")
NO_ICOUNT = Machine("a PMU without instructions", "-cpu cortex-a72 -smp 1")

CASES = []


def case(machine, jobs, short=True):
    """Declares a case: shell lines for the guest, and a function that checks what they left."""
    def register(check):
        CASES.append((check.__name__, machine, jobs, check, short))
        return check
    return register


class Job:
    """What one job left: Job(folder, analyze). The data directory is analyzed when asked for."""

    def __init__(self, folder, analyze):
        self.folder = folder
        self.analyze = analyze
        self.out, self.err, self.status = (self.text(name) for name in ("out", "err", "status"))

    def text(self, name):
        try:
            with open(os.path.join(self.folder, name)) as file:
                return file.read().strip()
        except OSError:
            raise Failure(f"{os.path.basename(self.folder)}: did not run")

    def recordings(self):
        return sorted(os.path.join(self.folder, name) for name in os.listdir(self.folder) if name.startswith("data"))

    def recording(self, data=None):
        return Recording(self.analyze, data or os.path.join(self.folder, "data"))

    def profile(self, data=None):
        data = data or os.path.join(self.folder, "data")
        ran = subprocess.run([self.analyze, "-q", "--json", "-", "-o", os.path.join(self.folder, "analysis"), "-d", data],
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


def expect(what, wanted, got, more=""):
    if wanted != got:
        raise Failure(f"{what}: expected {wanted}, got {got} {more}")


class Exactness:
    """Compares trees with what the calibration says, and counts what it saw."""

    def __init__(self, calibration):
        self.constants = {}
        self.steps = self.retried = 0
        for tree in calibration:
            for (node, place), work in tree.items():
                self.constants.setdefault(self.kind(node, place), set()).add(work)
        for kind, values in self.constants.items():
            if len(values) > CONSTANTS:
                raise Failure(f"{kind} at scale 0: expected at most {CONSTANTS} values, got {sorted(values)}")

    @staticmethod
    def kind(node, place):
        return f"root {place}" if node == 1 else place

    def check(self, tree, scale, root=True):
        """Without `root`: the thread did more in its first and last step than the tree."""
        for (node, place), work in tree.items():
            if node == 1 and place != "between" and not root:
                continue
            constants = self.constants[self.kind(node, place)]
            rest = work - 2 * scale * units(node, place)
            self.steps += 1
            if rest in constants:
                continue
            if not any(0 < rest - constant <= RETRY for constant in constants):
                raise Failure(f"{place} of node {node}: {work} is {rest} more than its loop: expected {sorted(constants)}")
            self.retried += 1
        if self.retried * 100 > self.steps:
            raise Failure(f"{self.retried} of {self.steps} steps were read again")

    def __str__(self):
        return f"{self.steps} steps exact, {self.retried} of them read again"


def tree_jobs(name, event, user_access, threads=4, depth=8):
    return [f"echo {user_access} >/proc/sys/kernel/perf_user_access"] + [
        f"job {name}.{scale} env TP_PAUSED=1 TP_EVENT={event} tree {threads} {depth} {scale}" for scale in (0, SCALE)]


def check_tree(jobs, name, clock):
    """Each step, the work and the span of the profile."""
    quiet, busy = jobs(f"{name}.0"), jobs(f"{name}.{SCALE}")
    for job in (quiet, busy):
        expect("exit status", "0", job.status, job.err)
        expect("stderr", "", job.err)
        expect("clock", clock, job.clock())
    exactness = Exactness(quiet.recording().trees())
    recording = busy.recording()
    trees = list(recording.trees())
    expect("trees", 1, len(trees))
    exactness.check(trees[0], SCALE)
    profile = busy.profile()
    expect("complete", True, profile["complete"])
    expect("work", sum(trees[0].values()), profile["work"])
    expect("span", span(trees[0]), profile["span"])
    return f"{exactness}, {recording.stolen} tasks stolen; work {profile['work']}, span {profile['span']}"


@case(EXACT, tree_jobs("user", "instructions", 1))
def instructions_in_user_space(jobs):
    return check_tree(jobs, "user", "perf-user")


@case(EXACT, tree_jobs("read", "instructions", 0))
def instructions_by_read(jobs):
    return check_tree(jobs, "read", "perf-read")


@case(EXACT, tree_jobs("cycles", "cycles", 1))
def cycles_in_user_space(jobs):
    return check_tree(jobs, "cycles", "perf-user")


@case(EXACT, tree_jobs("cycles_read", "cycles", 0), short=False)
def cycles_by_read(jobs):
    return check_tree(jobs, "cycles_read", "perf-read")


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
                print(f"  {name}: {check(lambda job: Job(os.path.join(folder, job), options.analyze))}")
            except Failure as problem:
                print(f"  FAILED {name}: {problem}")
                failed += 1
    print(f"{len(chosen) - failed} of {len(chosen)} cases right")
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
