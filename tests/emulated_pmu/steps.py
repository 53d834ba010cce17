# SPDX-License-Identifier: Apache-2.0
"""Steps of recorded programs, from `tp-analyze --dump`, and their trees (known_work.h)."""
import subprocess
from collections import namedtuple

from guest import Failure

# kind: the record that closed the step; child: the task that a spawn created.
Step = namedtuple("Step", "kind work child")


class Recording:
    """The steps of each frame in order. Frames are tasks, by id, and the root frames of threads."""

    def __init__(self, analyze, data):
        dump = subprocess.run([analyze, "--dump", "-d", data], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if dump.returncode != 0:
            raise Failure(f"tp-analyze --dump: {dump.stderr.strip()}")
        self.frames = {}
        self.stolen = 0
        self.loops = []  # per body call: work, iterations
        self.paces = []  # ticks per instruction of the steps between two spawns, which call nothing
        for line in dump.stdout.splitlines():
            words = line.split()
            if words[0] == "stream":
                self.stream, self.spawns, self.stack = int(words[1]), 0, []
            elif words[0].isdigit():
                self.take(words[1], dict(word.split("=", 1) for word in words[2:] if "=" in word), words)

    def take(self, kind, fields, words):
        work = int(fields.get("work", 0))
        child = None
        if kind == "Extended":
            kind += fields["kind"]
            if "thread_begin" in words:
                self.stack = [("root", self.stream, fields["os_thread"])]
        elif kind in ("Begin", "Task"):
            task = fields["task"]
            if task.startswith("newest-"):
                task = f"{self.stream}.{self.spawns - 1 - int(task[7:])}"
            else:
                self.stolen += 1
            self.stack.append(task)
        elif kind in ("Spawn", "SpawnWait"):
            child = f"{self.stream}.{self.spawns}"
            self.spawns += 1
            if kind == "SpawnWait" and work > 0:
                self.paces.append(int(fields["wall"]) / work)
        elif kind == "LoopEnd":
            self.loops.append((work, int(fields["iterations"])))
        if kind in ("Spawn", "SpawnWait", "End", "Cut", "Task", "LoopBegin", "Wait", "Extended4"):
            self.frames.setdefault(self.stack[-1], []).append(Step(kind, work, child))
        if kind in ("End", "Task"):
            self.stack.pop()

    def trees(self):
        """Each tree that a thread ran outside of tasks, as {(node, place): work}.

        For threads whose recording was resumed, only the trees after that."""
        for frame, steps in self.frames.items():
            if not isinstance(frame, tuple):
                continue
            start = max((i + 1 for i, step in enumerate(steps) if step.kind == "Extended4"), default=0)
            for i in range(start, len(steps) - 2):
                if steps[i].kind == "Spawn" and steps[i + 1].kind == "SpawnWait":
                    tree = {}
                    self.walk(steps[i:i + 3], 1, tree)
                    yield tree

    def walk(self, steps, node, tree):
        if len(steps) == 1 and steps[0].kind in ("Task", "End"):
            tree[node, "leaf"] = steps[0].work
            return
        if [step.kind for step in steps[:2]] != ["Spawn", "SpawnWait"] or len(steps) != 3:
            raise Failure(f"node {node} has the steps {steps}")
        for place, step in zip(("before", "between", "after"), steps):
            tree[node, place] = step.work
        for child, step in enumerate(steps[:2]):
            self.walk(self.frames[step.child], 2 * node + child, tree)


def units(node, place):
    """Iterations that known_work.h burns there, at scale 1."""
    return node % {"leaf": 97, "before": 89, "between": 1, "after": 83}[place]


def span(tree, node=1):
    """The longest path through the node, by definition.

    The second child runs after the step between the spawns."""
    if (node, "leaf") in tree:
        return tree[node, "leaf"]
    children = max(span(tree, 2 * node), tree[node, "between"] + span(tree, 2 * node + 1))
    return tree[node, "before"] + children + tree[node, "after"]
