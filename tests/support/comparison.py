# SPDX-License-Identifier: Apache-2.0
"""Helpers of the scripts that compare a profile (tp-analyze --json) with expectations."""


def negative_figures(value, path=""):
    """The places of negative figures, also of those written as unsigned 64-bit numbers."""
    if isinstance(value, (dict, list)):
        entries = value.items() if isinstance(value, dict) else enumerate(value)
        return [found for name, each in entries for found in negative_figures(each, f"{path}/{name}")]
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return [f"{path}: {value}"] if is_number and not 0 <= value < 2**63 else []


class Comparison:
    """Counts comparisons and collects the differences as messages."""

    def __init__(self, profile):
        self.profile = profile
        self.count = 0
        self.differences = []

    def equal(self, what, expected, got):
        self.count += 1
        if expected != got:
            self.differences.append(f"{what}: expected {expected}, got {got}")

    def between(self, what, bounds, got):
        self.count += 1
        if not bounds[0] <= got <= bounds[1]:
            self.differences.append(f"{what}: expected {bounds[0]} to {bounds[1]}, got {got}")

    def conservation(self, outside=0):
        """Checks what holds for every recording under the virtual clock, if `outside` units of work
        are outside of steps."""
        profile = self.profile
        self.equal("complete", True, profile["complete"])
        self.equal("negative figures", [], negative_figures(profile))
        self.equal("exclusive work of all sites", profile["work"], profile["conservation"]["exclusive_work_sum"])
        self.equal("critical work of all sites", profile["span"], profile["conservation"]["critical_work_sum"])
        self.equal("inconsistencies", {}, profile["trace"]["inconsistencies"])
        self.equal("tasks unfinished", 0, profile["trace"]["tasks_unfinished"])
        self.equal("tasks never begun", 0, profile["trace"]["tasks_never_begun"])
        self.equal("tasks begun", profile["trace"]["tasks_ended"], profile["trace"]["tasks_begun"])
        self.equal("attributed", profile["attribution"]["total"] - outside, profile["attribution"]["attributed"])
        self.between("path of the run", (0, profile["time_balance"]["elapsed_ticks"]), profile["run_path"]["path_ticks"])
        self.equal("sites with more span than work", [], [f"{site['file']}:{site['line']}: {site['span']} > {site['work']}"
                                                          for site in profile["sites"] if site["span"] > site["work"]])
