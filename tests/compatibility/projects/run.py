#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds third-party projects with the plain compiler and with tp-c++, and runs their own tests.

    tests/compatibility/projects/run.py [NAME...] [--install] [--pairs N] [--every N] [--jobs N]
                                        [--prefix DIR] [--work DIR]

Sources are Debian's, fetched with apt-get. The work folder keeps package lists, sources and builds,
so that an interrupted run continues from them. The tests must have the same results in both builds.
Then benchmarks/build_time/tagging.py compares messages, sites and CPU time of some units. Programs
built with tp-c++ record during their tests. The exit status is 1 if a test differs.
"""
import argparse
import collections
import glob
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [HERE, os.path.join(ROOT, "benchmarks")]
sys.dont_write_bytecode = True  # leaves no files in the source tree
import measure
import projects


def write_entries(folder, suites):
    """Source entries for other releases of Debian, from the system's entries for binaries."""
    with open("/etc/os-release") as release:
        codename = re.search(r"^VERSION_CODENAME=(\w+)", release.read(), re.M)[1]
    for path in glob.glob("/etc/apt/sources.list") + glob.glob("/etc/apt/sources.list.d/*.[ls][io]*"):
        with open(path) as file:
            text = file.read()
        for suite in suites:
            entry = re.sub(rf"\b{codename}\b", suite, text)
            entry = re.sub(r"^Types:.*", "Types: deb-src", re.sub(r"^deb ", "deb-src ", entry, flags=re.M), flags=re.M)
            with open(os.path.join(folder, f"{suite}-{os.path.basename(path)}"), "w") as file:
                file.write(entry)


def fetched(project, work):
    """The folder of upstream's source, from Debian's package.

    The lists and entries of the system's apt are not changed."""
    folder = os.path.join(work, project.name)
    if os.path.isdir(folder):
        return folder
    apt = os.path.join(work, "apt-" + project.name)
    for part in ("sources", "lists/partial", "cache/archives/partial"):
        os.makedirs(os.path.join(apt, part), exist_ok=True)
    write_entries(f"{apt}/sources", project.suites)
    command = ["apt-get", "-q", "-o", "Dir::Etc::SourceList=/dev/null", "-o", f"Dir::Etc::SourceParts={apt}/sources",
               "-o", f"Dir::State::Lists={apt}/lists", "-o", f"Dir::Cache={apt}/cache", "-o", "APT::Sandbox::User="]
    subprocess.run([*command, "update"], stdout=sys.stderr)  # fails for suites that do not exist, such as sid-updates
    if subprocess.run([*command, "source", "--download-only", "--tar-only", "--only-source", project.source], cwd=apt,
                      stdout=sys.stderr).returncode != 0:
        sys.exit(f"tp: error: {project.source}: source package not available in {' '.join(project.suites)}\n"
                 f"hint: put its sources into {folder}")
    archive = next(name for name in os.listdir(apt) if ".orig.tar." in name)
    os.makedirs(folder + ".new", exist_ok=True)
    subprocess.run(["tar", "-xf", archive, "-C", folder + ".new", "--strip-components=1"], cwd=apt, check=True)
    if project.prepare:
        project.prepare(folder + ".new")
    os.rename(folder + ".new", folder)
    return folder


def built(project, source, build, compiler, tbb, jobs, log):
    options = [option.format(source=source) for option in project.configure]
    configure = ["cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_CXX_COMPILER={compiler}",
                 "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON", *options, *tbb]
    for step in (configure, ["cmake", "--build", build, f"-j{jobs}", "--target", *project.target.split()]):
        if subprocess.run(step, stdout=log, stderr=log).returncode != 0:
            sys.exit(f"tp: error: {project.name}: {' '.join(step[:3])} failed\nhint: see {log.name}")


def counts(results):
    return ", ".join(f"{count} {what}" for what, count in sorted(collections.Counter(results.values()).items()))


def try_project(project, options, prefix):
    """Prints the results; True if the tests have the same results."""
    source = fetched(project, options.work) if project.source else \
        os.path.join(os.path.dirname(prefix), "onetbb/src/examples")
    builds = {"stock": ("c++", []), "tp": (f"{prefix}/bin/tp-c++", [f"-DTBB_DIR={prefix}/lib/cmake/TBB"])}
    results = {}
    for kind, (compiler, tbb) in builds.items():
        build = os.path.join(source if project.source else os.path.join(options.work, project.name), "build-" + kind)
        os.makedirs(build, exist_ok=True)
        environment = dict(os.environ, TP_DATA=os.path.join(build, "tp-data"))
        with open(os.path.join(build, "tests.log"), "w") as log:
            print(f"{project.name}: {kind} ...", file=sys.stderr, flush=True)
            built(project, source, build, compiler, tbb, options.jobs, log)
            results[kind] = project.tests(build, environment, log, options.every)
        print(f"{project.name}: tests, built by {os.path.basename(compiler)}: {counts(results[kind])}", flush=True)
    different = sorted(name for name in {*results["stock"], *results["tp"]}
                       if results["stock"].get(name) != results["tp"].get(name))
    print(f"{project.name}: different: {' '.join(different) or 'none'}; left out: {project.left_out or 'nothing'}", flush=True)
    if options.pairs:
        subprocess.run([os.path.join(ROOT, "benchmarks/build_time/tagging.py"), build, "--only", project.measured,
                        "--pairs", str(options.pairs), "--prefix", prefix])
    return results["stock"] and not different


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("name", nargs="*", help="examples, mold, openvdb, gudhi (default: all)")
    options.add_argument("--install", action="store_true", help="get the packages that are missing, with apt-get")
    options.add_argument("--pairs", type=int, default=2, help="compilations of each measured unit (default 2; 0: none)")
    options.add_argument("--every", type=int, default=1, help="run each N-th of the tests that ctest knows (default 1: all)")
    options.add_argument("--jobs", type=int, default=2, help="compilers at the same time (default 2)")
    options.add_argument("--prefix", default=os.path.join(ROOT, "build/release/stage"), help="where Taskpath is installed")
    options.add_argument("--work", default=os.path.join(ROOT, "build/projects"), help="a folder for sources and builds")
    options = options.parse_args()
    options.work = os.path.abspath(options.work)
    os.makedirs(options.work, exist_ok=True)
    prefix = measure.find_prefix(options.prefix)
    chosen = [project for project in projects.PROJECTS if not options.name or project.name in options.name]
    if not chosen:
        sys.exit(f"tp: error: {' '.join(options.name)}: no such project\nhint: examples, mold, openvdb, gudhi")
    needs = {package for project in chosen for package in project.needs}
    if options.install and needs:
        subprocess.run(["apt-get", "install", "-y", "--no-install-recommends", *sorted(needs)], check=True, stdout=sys.stderr)
    sys.exit(0 if all([try_project(project, options, prefix) for project in chosen]) else 1)


if __name__ == "__main__":
    main()
