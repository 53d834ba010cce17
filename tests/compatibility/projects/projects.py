# SPDX-License-Identifier: Apache-2.0
"""The projects: the origin of their source, their configuration, and the results of their tests."""
import json
import os
import re
import subprocess
import xml.etree.ElementTree as xml
from dataclasses import dataclass


@dataclass
class Project:
    name: str
    configure: list
    tests: object  # (build folder, environment, log, every) -> {name of a test: its result}
    target: str = "all"
    source: str = ""  # Debian's source package and version; empty: the examples in our oneTBB source
    suites: tuple = ()  # releases of Debian to search
    needs: tuple = ()  # required packages
    prepare: object = None  # (source folder) -> None
    measured: str = ""  # regular expression of the units whose CPU times are compared
    left_out: str = ""


def ctest(build, environment, log, every):
    report = os.path.join(build, "tests.xml")
    command = ["ctest", "-j2", "-I", f"1,,{every}", "--timeout", "600", "--output-junit", report]
    subprocess.run(command, cwd=build, env=environment, stdout=log, stderr=log)
    return {case.get("name"): case.get("status") for case in xml.parse(report).iter("testcase")}


def googletest(*program):
    def run(build, environment, log, _):
        report = os.path.join(build, "tests.json")
        command = [os.path.join(build, *program), f"--gtest_output=json:{report}"]
        subprocess.run(command, cwd=build, env=environment, stdout=log, stderr=log)
        with open(report) as file:
            suites = json.load(file)["testsuites"]
        return {f"{suite['name']}.{case['name']}": "fail" if case.get("failures") else
                "run" if case["result"] == "COMPLETED" else "skip" for suite in suites for case in suite["testsuite"]}
    return run


def light_targets(build, environment, log, _):
    """The tests that the target light_test_examples contains, one by one."""
    listed = subprocess.run(["ninja", "-t", "targets", "all"], cwd=build, capture_output=True, text=True).stdout
    names = set(re.findall(r"^((?:light_test|run)_\w+): phony", listed, re.M)) - {"light_test_examples", "run_examples"}
    light = {name for name in names if name.startswith("light_test_")}
    chosen = light | {name for name in names if name.replace("run_", "light_test_", 1) not in light}
    return {name: "run" if subprocess.run(["ninja", name], cwd=build, env=environment, stdout=log, stderr=log).returncode == 0
            else "fail" for name in sorted(chosen)}


def take_version_header(source):
    """Copies version.h, which the build of the library creates, from the installed package.

    The library is not built."""
    with open("/usr/include/openvdb/version.h") as made, open(f"{source}/openvdb/openvdb/version.h", "w") as copy:
        copy.write(made.read())


# Tests of GUDHI whose headers spawn, and the units that they consist of.
GUDHI_TESTS = "Simplex_tree_test_unit Collapse_test_unit Tangential_complex_test_TC Bottleneck_distance_test_unit " \
              "Bitmap_cubical_complex_test_unit"

# Unit tests whose headers spawn; each of the hundred takes at least half a minute to compile.
OPENVDB_TESTS = "LeafManager;NodeManager;NodeVisitor"

PROJECTS = [
    Project("examples", ["-DCMAKE_BUILD_TYPE=RelWithDebInfo", "-DCMAKE_CXX_STANDARD=17", "-DEXAMPLES_UI_MODE=con"],
            light_targets, target="build_examples",
            measured="primes|sudoku|universe|convex_hull_sample|fractal.cpp|count_strings|bzip2.cpp|square.cpp",
            left_out="graph/cholesky (Intel MKL is not in Debian's main), windows (console versions)"),
    Project("mold", ["-DCMAKE_BUILD_TYPE=Release", "-DMOLD_USE_SYSTEM_TBB=ON", "-DMOLD_USE_MIMALLOC=OFF", "-DMOLD_TARGETS=X86_64"],
            ctest, source="mold=2.42.1+dfsg-1", suites=("sid",), needs=("dwarfdump", "gdb"),
            measured="(cmdline|icf|gc-sections|input-sections|main|mapfile|thunks|tls).cc.X86_64",
            left_out="targets but x86-64, mimalloc 3"),
    Project("openvdb", ["-DCMAKE_BUILD_TYPE=Release", "-DCMAKE_CXX_FLAGS_RELEASE=-O2", "-DCMAKE_CXX_FLAGS=-I{source}/openvdb",
                        "-DOPENVDB_BUILD_CORE=OFF", "-DOPENVDB_BUILD_BINARIES=OFF", "-DOPENVDB_BUILD_UNITTESTS=ON",
                        f"-DOPENVDB_TESTS={OPENVDB_TESTS}"],
            googletest("openvdb/openvdb/unittest/vdb_test"), source="openvdb=10.0.1-2", suites=("bookworm",),
            needs=("libopenvdb-dev", "libgtest-dev", "libblosc-dev"), prepare=take_version_header,
            measured="Test(LeafManager|NodeManager).cc",
            left_out="other unit tests; the library itself is Debian's"),
    Project("gudhi", ["-DCMAKE_BUILD_TYPE=Release", "-DWITH_GUDHI_TEST=ON", "-DWITH_GUDHI_PYTHON=OFF", "-DWITH_GUDHI_EXAMPLE=OFF",
                      "-DWITH_GUDHI_UTILITIES=OFF", "-DCMAKE_CXX_FLAGS=-DGUDHI_USE_TBB -DCGAL_LINKED_WITH_TBB",
                      "-DCMAKE_CXX_STANDARD_LIBRARIES=-ltbb"],
            ctest, target=GUDHI_TESTS, source="gudhi=3.7.1+dfsg-1", suites=("bookworm",),
            needs=("libcgal-dev", "libeigen3-dev", "libboost-test-dev", "libboost-system-dev", "libboost-filesystem-dev",
                   "libboost-program-options-dev", "libboost-timer-dev"),
            measured="(Bitmap_test|bottleneck_unit_test|collapse_unit_test|simplex_tree_unit_test|test_tangential_complex).cpp",
            left_out="tests without tasks, which are not built"),
]
