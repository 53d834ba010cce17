# SPDX-License-Identifier: Apache-2.0
"""Reports the runs of benchmarks/overhead/run.py: text, Markdown and CSV tables, an SVG plot."""
import csv
import os
import statistics

import measure

NAN = float("nan")


class Overhead:
    """One version of one program against stock."""

    def __init__(self, stock, ours):
        self.cpu = measure.ratios(column(ours, "cpu"), column(stock, "cpu"))
        self.wall = measure.ratios(column(ours, "wall"), column(stock, "wall"))
        counted = [(int(a["instructions"] or 0), int(b["instructions"] or 0)) for a, b in zip(ours, stock)]
        self.instructions = next((a / b for a, b in counted if a and b), NAN)
        last = ours[-1]
        self.is_recorded = last["tasks"] != ""
        if self.is_recorded:
            self.tasks, self.steps, self.bytes = (int(last[field]) for field in ("tasks", "steps", "bytes"))
            self.attributed, self.parallelism = statistics.median(column(ours, "attributed")), last["parallelism"]

    def bytes_per(self, count):
        # The last page of each stream is not full: below 10,000 steps this would dominate.
        return self.bytes / count if self.is_recorded and count and self.steps >= 10000 else NAN


def column(rows, field):
    return [float(row[field]) for row in rows]


def number(value, digits=2):
    return "-" if value != value else f"{value:.{digits}f}"


def group(rows):
    """{program: {version: its rows}}, in the order of the rows."""
    groups = {}
    for row in rows:
        groups.setdefault(row["program"], {}).setdefault(row["version"], []).append(row)
    return groups


def compare(groups, versions):
    """{program: {version: Overhead}} for all versions but stock."""
    return {name: {version: Overhead(runs["stock"], runs[version]) for version in versions if version != "stock"}
            for name, runs in groups.items()}


def table(groups, overheads, versions):
    ours = [version for version in versions if version != "stock"]
    header = ["program", "stock cpu s"]
    for version in ours:
        header += [f"{version} cpu", "range", "wall", "instr"]
    header += ["tasks", "bytes/task", "bytes/step", "attributed %", "parallelism"]
    rows = [header]
    for name, by_version in overheads.items():
        row = [name, number(statistics.median(column(groups[name]["stock"], "cpu")), 3)]
        for version in ours:
            overhead = by_version[version]
            row += [number(statistics.median(overhead.cpu)), measure.spread(overhead.cpu),
                    number(statistics.median(overhead.wall)), number(overhead.instructions)]
        recorded = [by_version[version] for version in ours if by_version[version].is_recorded]
        if recorded:
            last = recorded[-1]
            row += [str(last.tasks), number(last.bytes_per(last.tasks), 1), number(last.bytes_per(last.steps), 1),
                    number(last.attributed, 1), last.parallelism]
        else:
            row += ["-"] * 5
        rows.append(row)
    means = ["geometric mean", ""]
    for version in ours:
        chosen = [by_version[version] for by_version in overheads.values()]
        counted = [overhead.instructions for overhead in chosen if overhead.instructions == overhead.instructions]
        means += [number(measure.geometric_mean([statistics.median(overhead.cpu) for overhead in chosen]), 3), "",
                  number(measure.geometric_mean([statistics.median(overhead.wall) for overhead in chosen]), 3),
                  number(measure.geometric_mean(counted), 3)]
    rows.append(means + [""] * 5)
    return rows


def noise(groups):
    """How much stock differs from itself, and how busy the machine was."""
    loads = [float(row["load"]) for runs in groups.values() for rows in runs.values() for row in rows]
    busy = f"load average {statistics.median(loads):.1f} (at most {max(loads):.1f}) on {os.cpu_count()} CPUs"
    repeated = [runs["stock"] for runs in groups.values() if len(runs["stock"]) > 1]
    if not repeated:
        return f"Noise: unknown, each program ran once; {busy}."

    def variation(field):
        return statistics.median(max(column(rows, field)) / min(column(rows, field)) for rows in repeated)
    return (f"Noise: the slowest run of stock took {variation('cpu'):.2f} times the CPU time and {variation('wall'):.2f} times "
            f"the wall time of its fastest (median of {len(repeated)} programs); {busy}.")


def markdown(rows):
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|---" + "|---:" * (len(rows[0]) - 1) + "|")
    return "\n".join(lines)


# Colors that are distinguishable with any color vision; stock is the line at 1.
COLORS = {"off": "#888888", "on": "#0072b2", "headers": "#d55e00"}


def plot(overheads):
    """Plots the median and range of the CPU time ratios, a row per program, on a linear axis."""
    left, row_height, width, top = 150, 26, 560, 50
    points = [value for by_version in overheads.values() for overhead in by_version.values() for value in overhead.cpu]
    low, high = min([0.8, *points]), max([1.2, *points])
    bottom = top + row_height * len(overheads)

    def x(value):
        return left + (value - low) / (high - low) * width

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 30}" height="{bottom + 50}" '
             'font-family="sans-serif" font-size="12">',
             '<rect width="100%" height="100%" fill="white"/>',
             f'<text x="{left}" y="20" font-size="14">CPU time / CPU time with stock oneTBB</text>']
    for i, version in enumerate(next(iter(overheads.values()))):
        parts.append(f'<circle cx="{left + 90 * i + 5}" cy="34" r="4" fill="{COLORS[version]}"/>'
                     f'<text x="{left + 90 * i + 14}" y="38">{version}</text>')
    tick = next(step for step in (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 50) if (high - low) / step <= 12)
    for i in range(int(low / tick), int(high / tick) + 1):
        value = i * tick
        if low <= value <= high:
            parts.append(f'<line x1="{x(value):.1f}" x2="{x(value):.1f}" y1="{top}" y2="{bottom}" '
                         f'stroke="{"#000" if abs(value - 1) < 1e-9 else "#ddd"}"/>'
                         f'<text x="{x(value):.1f}" y="{bottom + 16}" text-anchor="middle">{value:g}</text>')
    for row, (name, by_version) in enumerate(overheads.items()):
        y = top + row_height * (row + 0.5)
        parts.append(f'<text x="{left - 10}" y="{y + 4:.1f}" text-anchor="end">{name}</text>')
        for i, (version, overhead) in enumerate(by_version.items()):
            at = y + 6 * (i - (len(by_version) - 1) / 2)
            parts.append(f'<line x1="{x(min(overhead.cpu)):.1f}" x2="{x(max(overhead.cpu)):.1f}" y1="{at:.1f}" y2="{at:.1f}" '
                         f'stroke="{COLORS[version]}" stroke-width="1.5"/>'
                         f'<circle cx="{x(statistics.median(overhead.cpu)):.1f}" cy="{at:.1f}" r="3" fill="{COLORS[version]}"/>')
    parts.append(f'<text x="{left}" y="{bottom + 38}" fill="#555">points: median; lines: range</text></svg>')
    return "\n".join(parts) + "\n"


def write(rows, versions, folder):
    groups = group(rows)
    overheads = compare(groups, versions)
    cells = table(groups, overheads, versions)
    texts = {"report.txt": f"{measure.text_table(cells)}\n\n{noise(groups)}\n",
             "report.md": f"{markdown(cells)}\n\n{noise(groups)}\n",
             "report.svg": plot(overheads)}
    for name, text in texts.items():
        with open(os.path.join(folder, name), "w") as file:
            file.write(text)
    with open(os.path.join(folder, "report.csv"), "w", newline="") as file:
        csv.writer(file).writerows(cells)
