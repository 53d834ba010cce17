# SPDX-License-Identifier: Apache-2.0
"""What all measurements share: timed runs of programs, their profiles, ratios of pairs, tables.

Used by benchmarks/overhead, benchmarks/accuracy, and tests/compatibility.
"""
import concurrent.futures
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time


class Run:
    """One run of a program: exit status, output, and `wall` and `cpu` (user and system) in seconds.

    The times are those of the whole process."""

    def __init__(self, command, environment, folder=None):
        start = time.monotonic()
        process = subprocess.Popen(command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True)
        self.output = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        self.wall = time.monotonic() - start
        self.cpu = usage.ru_utime + usage.ru_stime
        self.status = process.returncode = os.waitstatus_to_exitcode(status)


class Recording:
    """A data directory, emptied by the constructor; `environment` makes a program record there."""

    def __init__(self, prefix, folder):
        self.prefix, self.folder = prefix, folder
        self.environment = dict(os.environ, TP_DATA=folder)
        self.remove()

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)

    def analyze(self, *options):
        """The profile as a dictionary, or None and a message if tp-analyze fails."""
        result = subprocess.run([f"{self.prefix}/bin/tp-analyze", "-q", "--json", "-", "-o", self.folder, *options, self.folder],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if result.returncode != 0:
            return None, f"tp-analyze {result.returncode}: {result.stderr.strip()}"
        return json.loads(result.stdout), ""

    def bytes(self):
        return sum(entry.stat().st_size for entry in os.scandir(self.folder) if entry.name.endswith(".tps"))


def ticks_per_second(profile):
    return profile["clock"]["time_hz"] if profile["unit"] == "ticks" else 1e9


def ratios(ours, theirs):
    """The ratios, pair by pair."""
    return [a / b for a, b in zip(ours, theirs) if b > 0]


def spread(values):
    return f"{min(values):.2f}-{max(values):.2f}"


def geometric_mean(values):
    return statistics.geometric_mean(values) if values else float("nan")


def text_table(rows):
    """Formats rows: the first is the header; the first column is left-aligned, the others right.

    A row of two cells is a name and a remark."""
    widths = [max(len(row[i]) for row in rows if len(row) > 2) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        if len(row) == 2:
            lines.append(f"{row[0].ljust(widths[0])}  {row[1]}")
        else:
            lines.append("  ".join(cell.ljust(w) if i == 0 else cell.rjust(w) for i, (cell, w) in enumerate(zip(row, widths))))
    return "\n".join(lines)


def find_prefix(path):
    """The absolute path of an installed Taskpath; exits if there is none at `path`."""
    prefix = os.path.abspath(path)
    if not os.path.exists(f"{prefix}/bin/tp-run"):
        sys.exit(f"tp: error: {prefix}: expected an installed build of Taskpath, got no bin/tp-run\nhint: scripts/build")
    return prefix


def side_by_side(function, values):
    """function of each of the values, in their order: calls that take time and are not timed themselves, one per CPU."""
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        return list(pool.map(function, values))


def record_and_analyze(options, record, analyze):
    """With `options.data`, a folder, in two runs: the first one records there, the next one finds times.json and analyzes."""
    prefix = find_prefix(options.prefix)
    with tempfile.TemporaryDirectory() as work:
        folder = options.data or work
        os.makedirs(folder, exist_ok=True)
        if not os.path.exists(f"{folder}/times.json"):
            record(options, prefix, folder)
            if options.data:
                return
        analyze(options.analyze or f"{prefix}/bin/tp-analyze", folder)
