#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs programs of Debian's packages that use oneTBB or OpenMP, unmodified and under tp-run, and compares.

    tests/compatibility/clients/run.py [--install] [--pairs N] [--only NAME[,NAME...]]
                                       [--openmp [--quick | --long]] [--attributed PERCENT] [--locks MODE] [--prefix DIR] [--keep DIR]

Runs each client in turn with the distribution's library (stock), with ours without recording (off)
and with ours recording (on). With --openmp: programs of OpenMP, with libgomp (stock), with libomp in
its place (off), and recorded (on), on 2 threads that do not spin. Written files, printed output and the exit status must equal those of
stock. Where two stock runs differ from each other, only what differs there may differ; stock runs
again for up to a minute before a difference counts. A client that is not installed is left out,
unless --install (root) installs its package; if none is left, the exit status is 77. --quick: two of them with short inputs;
--long: all with inputs that take some seconds.
--attributed: at least so much of the CPU time has to be in steps. With --locks: locks are recorded in this way (tp-run), the
recording has to say so, and the table has how often locks of each kind were acquired. The table goes to stdout; the exit status is
1 if an output differs.
"""
import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [HERE, os.path.join(ROOT, "benchmarks"), os.path.join(ROOT, "tests/support")]
sys.dont_write_bytecode = True  # leaves no files in the source tree
import clients
import measure
import one_function_per_row

VERSIONS = ("stock", "off", "on")
HEADER = ("client", "version", "exit", "outputs", "tasks", "sites", "named by", "attributed %",
          "cpu off", "cpu on", "spread", "on / off", "spread", "wall on")


def package_version(package):
    """The version of an installed package; None if it is not installed."""
    query = subprocess.run(["dpkg-query", "-W", "-f=${db:Status-Status} ${Version}", package], stdout=subprocess.PIPE,
                           stderr=subprocess.DEVNULL, text=True).stdout.split()
    return query[1] if query[:1] == ["installed"] else None


def install(packages):
    missing = sorted({package for package in packages if package_version(package) is None})
    if missing:
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *missing], check=True, stdout=sys.stderr)


class Trial:
    """Runs one client in its versions, each run in an empty folder of the same name.

    Names of folders are part of some outputs."""

    def __init__(self, client, prefix, work, libomp, locks):
        self.client, self.prefix, self.libomp, self.locks = client, prefix, libomp, locks  # None: a client of oneTBB
        self.folder, self.inputs = os.path.join(work, "run"), os.path.join(work, "inputs")
        self.recording = measure.Recording(prefix, os.path.join(work, "data"))
        os.makedirs(self.inputs)
        client.prepare(self.inputs)
        self.runs = {version: [] for version in VERSIONS}
        self.outputs = {version: [] for version in VERSIONS}

    def run(self, version):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        for name in os.listdir(self.inputs):
            os.symlink(os.path.join(self.inputs, name), os.path.join(self.folder, name))
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TP_")}
        if self.libomp:
            environment.update(OMP_NUM_THREADS="2", OMP_WAIT_POLICY="passive", TP_LIBOMP=self.libomp)
        if version == "off":
            environment["TP_DISABLE"] = "1"
            environment["KMP_WARNINGS"] = "0"  # as tp-run sets it
            environment["LD_PRELOAD"] = self.libomp or f"{self.prefix}/lib/libtbb.so.12"
        command = self.client.command
        if version == "on":
            self.recording.remove()
            options = ["--locks", self.locks] if self.locks else []
            # Some of oneTBB's clients use OpenMP as well, and are warned where there is no libomp.
            options += [] if self.libomp else ["--no-openmp"]
            command = [f"{self.prefix}/bin/tp-run", "-q", "-o", self.recording.folder, *options, "--", *command]
        result = measure.Run(command, environment, self.folder)
        self.runs[version].append(result)
        self.outputs[version].append(clients.outputs(self.client, self.folder, result.output.encode()))

    def differing(self, *versions):
        """Names of the outputs that differ between runs of these versions."""
        all_outputs = [output for version in versions for output in self.outputs[version]]
        names = {name for output in all_outputs for name in output}
        return sorted(name for name in names if len({output.get(name) for output in all_outputs}) > 1)

    def by_us(self):
        by_stock = self.differing("stock")
        return [name for name in self.differing(*VERSIONS) if name not in by_stock]

    def ask_stock_again(self, seconds=60):
        """Runs stock again while outputs differ: stock may occasionally give the same output."""
        end = time.monotonic() + seconds
        while self.by_us() and time.monotonic() < end:
            self.run("stock")

    def verdict(self):
        """(whether ours equals stock, a text)"""
        self.ask_stock_again()
        by_stock, by_us = self.differing("stock"), self.by_us()
        if by_us:
            return False, "DIFFERENT: " + " ".join(by_us)
        count = len(self.outputs["stock"][0])
        return True, f"{count - len(by_stock)} of {count} same"

    def ratios(self, version, what, base="stock"):
        return measure.ratios(*([getattr(run, what) for run in self.runs[v]] for v in (version, base)))


def row(trial, version, profile):
    right, outputs = trial.verdict()
    codes = sorted({run.status for runs in trial.runs.values() for run in runs})
    sites = [site for site in profile["sites"] if site["file"] != "main"]
    kinds = [kind for site in sites for kind in site["found_by"]]
    named = " ".join(f"{kind}:{kinds.count(kind)}" for kind in sorted(set(kinds)))
    on, own = trial.ratios("on", "cpu"), trial.ratios("on", "cpu", "off")
    return right and len(codes) == 1, (
        trial.client.name, version, "/".join(map(str, codes)), outputs, str(profile["trace"]["tasks_spawned"]), str(len(sites)),
        named, str(profile["attribution"].get("percent", "-")), f"{statistics.median(trial.ratios('off', 'cpu')):.2f}",
        f"{statistics.median(on):.2f}", measure.spread(on), f"{statistics.median(own):.3f}", measure.spread(own),
        f"{statistics.median(trial.ratios('on', 'wall')):.2f}")


def locks_of(profile):
    """How often locks of each kind were acquired; contended ones behind it."""
    kinds = {}
    for lock in profile["locks"]:
        kind = kinds.setdefault(lock["kind"], [0, 0, 0])
        for i, figure in enumerate((1, lock["acquisitions"], lock["contended"])):
            kind[i] += figure
    return ", ".join(f"{kind} {acquired} ({contended}) in {rows}" for kind, (rows, acquired, contended) in sorted(kinds.items()))


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--install", action="store_true", help="get the packages that are missing, with apt-get")
    options.add_argument("--pairs", type=int, default=3, help="runs of each version (default 3)")
    options.add_argument("--openmp", action="store_true", help="the programs that use OpenMP")
    options.add_argument("--quick", action="store_true", help="with --openmp: two programs with short inputs")
    options.add_argument("--long", action="store_true", help="with --openmp: with inputs that take some seconds")
    options.add_argument("--attributed", type=float, default=0, help="percent of CPU time that has to be attributed")
    options.add_argument("--locks", choices=("auto", "all", "off"), help="how locks are recorded")
    options.add_argument("--only", default="", help="clients to run, separated by commas")
    options.add_argument("--prefix", default=os.path.join(ROOT, "build/release/stage"), help="where Taskpath is installed")
    options.add_argument("--keep", help="a folder for the recordings of the last runs")
    parser, options = options, options.parse_args()
    if options.quick and options.long:
        parser.error("--quick and --long: expected one of them")
    prefix = measure.find_prefix(options.prefix)
    libomp = None
    if options.openmp:
        libomp = os.environ.get("TP_LIBOMP") or subprocess.run(
            [os.path.join(ROOT, "scripts/fetch-libomp"), os.path.join(os.path.dirname(prefix), "libomp")], stdout=subprocess.PIPE,
            text=True).stdout.strip()
        if not libomp:
            sys.exit("tp: error: libomp: expected one of LLVM 16 or newer, got none\nhint: apt-get install libomp5-19")
    known = clients.CLIENTS
    if options.openmp:
        known = clients.OPENMP_QUICK if options.quick else clients.OPENMP_LONG if options.long else clients.OPENMP
    chosen = [client for client in known if not options.only or client.name in options.only.split(",")]
    if options.install:
        install([package for client in chosen for package in (client.package, *client.needs)])

    header = HEADER + (("locks: acquisitions (contended) in rows",) if options.locks else ())
    rows, notes, all_right = [header], [], True
    for client in chosen:
        missing = [package for package in (client.package, *client.needs) if package_version(package) is None]
        if missing:
            rows.append((client.name, f"not installed: apt-get install {' '.join(missing)}, or --install"))
            continue
        print(f"{client.name} ...", file=sys.stderr, flush=True)
        with tempfile.TemporaryDirectory() as work:
            trial = Trial(client, prefix, work, libomp, options.locks)
            for _ in range(options.pairs):
                for kind in VERSIONS:
                    trial.run(kind)
            profile, message = trial.recording.analyze()
            if profile is None:
                right, cells = False, (client.name, message)
            else:
                right, cells = row(trial, package_version(client.package), profile)
                folder = trial.recording.folder
                if options.locks:
                    cells += (locks_of(profile),)
                    with open(os.path.join(folder, "run.json")) as file:
                        recorded = json.load(file)["locks"]
                    if recorded != options.locks:
                        right = False
                        notes.append(f"{client.name}: --locks={options.locks}: expected that in run.json, got {recorded}")
                    if options.locks != "off" and not profile["locks_observed"]["c_library"]:
                        notes.append(f"{client.name}: the C library's locks are not seen")
                if profile["attribution"].get("percent", 0) < options.attributed:
                    right = False
                    notes.append(f"{client.name}: attributed: expected {options.attributed} % or more, got {profile['attribution']}")
                for problem in one_function_per_row.check(profile, *one_function_per_row.read_recording(folder)):
                    right = False
                    notes.append(f"{client.name}: two functions in a row: {problem}")
            all_right = all_right and right
            rows.append(cells)
            if client.remark:
                notes.append(f"{client.name}: {client.remark}.")
            if by_stock := trial.differing("stock"):
                notes.append(f"{client.name}: differs between runs of stock as well: {' '.join(by_stock)}")
            if options.keep:
                shutil.copytree(trial.recording.folder, os.path.join(options.keep, client.name), dirs_exist_ok=True)
    print(measure.text_table(rows))
    print(*notes, sep="\n")
    ran = len(rows) - 1 - sum(len(row) == 2 and row[1].startswith("not installed") for row in rows)
    sys.exit(1 if not all_right else 0 if ran else 77)


if __name__ == "__main__":
    main()
