# SPDX-License-Identifier: Apache-2.0
"""The clients: programs from Debian's packages that use libtbb.so.12 or OpenMP, each with a generated input.

To add one, add a Client to CLIENTS or to OPENMP below. All were built by others, without debug information and without
Taskpath.
"""
import os
import re
import subprocess
from dataclasses import dataclass, replace

import inputs

TIME = rb"\d\d:\d\d(:\d\d)?(\.\d+)?"
UUID = rb"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"
STAMP = rb"\[\d{4}-\d\d-\d\d " + TIME + rb"\] \[0x[0-9a-f]+\]"


@dataclass
class Client:
    name: str
    package: str
    command: list
    prepare: object  # function(folder): generates the inputs; the client runs in a folder with links to them
    ignored: tuple = ()  # regular expressions for what differs in all runs: times, memory, random names
    needs: tuple = ()  # packages that generate its inputs
    unordered: tuple = ()  # outputs whose lines have no fixed order
    remark: str = ""  # a remark on its row


def prepare_slicing(folder):
    inputs.mesh(f"{folder}/torus.stl")


def prepare_reads(folder):
    sources = inputs.transcripts(f"{folder}/transcripts.fa")
    inputs.reads(f"{folder}/reads.fq", sources, 60000)


def prepare_adapters(folder):
    adapter = "AGATCGGAAGAGC"
    with open(f"{folder}/adapters.fa", "w") as file:
        file.write(f">adapter\n{adapter}\n")
    sources = inputs.transcripts(f"{folder}/transcripts.fa")
    inputs.reads(f"{folder}/reads.fq", sources, 100000, adapter=adapter * 6)


def prepare_index(folder):
    prepare_reads(folder)
    subprocess.run(["salmon", "index", "-t", "transcripts.fa", "-i", "index", "-p", "1"], cwd=folder, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def prepare_volume(folder):
    subprocess.run(["/usr/bin/python3", "-c", f"""
import pyopenvdb
sphere = pyopenvdb.createLevelSetSphere(radius=60, voxelSize=0.5)
sphere.name = "wave"
pyopenvdb.write({folder!r} + "/sphere.vdb", grids=[sphere])
"""], check=True)


def prepare_polygons(folder):
    with open(f"{folder}/polygons.py", "w") as file:
        file.write("""
import pyopenvdb
sphere = pyopenvdb.createLevelSetSphere(radius=60, voxelSize=0.5)
for part in sphere.convertToPolygons(adaptivity=0.2):
    print(part.shape, part.tobytes()[:65536].hex())
""")


def prepare_script(name, text):
    """function(folder): writes the script, which a client runs."""
    def prepare(folder):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    return prepare


# Programs that call oneTBB through a library's own function.
OPENCV = """
import cv2, numpy, zlib
cv2.setNumThreads(2)
image = numpy.random.default_rng(1).integers(0, 255, (1500, 1500, 3), dtype=numpy.uint8)
gray = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
turn = cv2.getRotationMatrix2D((750, 750), 30, 1)
corners = cv2.goodFeaturesToTrack(gray, 300, 0.01, 5)
for result in (cv2.GaussianBlur(image, (15, 15), 3), cv2.warpAffine(image, turn, (1500, 1500)),
               cv2.resize(image, (2200, 2200), interpolation=cv2.INTER_CUBIC), cv2.bilateralFilter(image, 7, 50, 50),
               cv2.Canny(gray, 50, 150), cv2.calcOpticalFlowPyrLK(gray, numpy.roll(gray, 2), corners, None)[0]):
    print(zlib.crc32(result.tobytes()))
"""
OCCT = """
pload MODELING
psphere s 10
box b -5 -5 -5 14 14 14
bclearobjects
bcleartools
baddobjects s b
pcylinder c 4 30
baddtools c
brunparallel 1
bfillds
bbop r 1
bbuild parts
ptorus t 20 6
nurbsconvert nt t
incmesh parts 0.002 -parallel
incmesh nt 0.002 -parallel
checkshape parts
exit
"""
VTK = """
import vtk
vtk.vtkSMPTools.SetBackend("TBB")
vtk.vtkSMPTools.Initialize(2)
source = vtk.vtkRTAnalyticSource()
source.SetWholeExtent(-60, 60, -60, 60, -60, 60)
source.Update()
contour = vtk.vtkFlyingEdges3D()
contour.SetInputData(source.GetOutput())
contour.SetValue(0, 150)
elevation = vtk.vtkElevationFilter()
elevation.SetInputConnection(contour.GetOutputPort())
probe = vtk.vtkProbeFilter()
probe.SetInputData(source.GetOutput())
probe.SetSourceData(source.GetOutput())
for each in (elevation, probe):
    each.Update()
    print(each.GetOutput().GetNumberOfPoints(), each.GetOutput().GetScalarRange())
"""
OPENTURNS = """
import openturns
openturns.ResourceMap.SetAsUnsignedInteger("TBB-ThreadsNumber", 2)
openturns.TBB.Enable()
openturns.Log.Show(openturns.Log.NONE)
openturns.RandomGenerator.SetSeed(1)
sample = openturns.Normal(3).getSample(20000)
print(openturns.Normal(3).computePDF(sample).computeMean())
print(openturns.SquaredExponential([1.0] * 3).discretize(sample[:600])[7, 3])
"""
MARKOV = """
library(markovchain)
set.seed(1)
m <- new("markovchain", states = c("a", "b"), transitionMatrix = matrix(c(.4, .6, .5, .5), byrow = TRUE, nrow = 2))
sequence <- rmarkovchain(n = 2000, object = m, what = "list")
fit <- markovchainFit(data = sequence, method = "bootstrap", nboot = 200, parallel = TRUE)
"""

CLIENTS = [
    Client("prusa-slicer", "prusa-slicer",
           ["prusa-slicer", "--export-gcode", "--seam-position", "rear", "-o", "torus.gcode", "torus.stl"],
           prepare_slicing, (rb"; generated by PrusaSlicer.*", STAMP),
           remark="its paths depend on addresses and on the order of threads: two runs of stock agree under "
                  "`setarch -R taskset -c 0` only"),
    Client("flexbar", "flexbar", ["flexbar", "-r", "reads.fq", "-a", "adapters.fa", "-n", "2", "-t", "trimmed"],
           prepare_adapters, (rb"(Local time|Elapsed time|Processing speed):.*",)),
    # One of 40 runs of stock gives another basis.
    Client("mgb", "mathicgb", ["mgb", "gb", "cyclic", "-threadCount", "2", "-reducer", "26", "-outputResult"],
           lambda folder: inputs.cyclic_ideal(f"{folder}/cyclic.ideal"), unordered=("cyclic.gb",),
           remark="prints its time, and how many S-pairs it met: rows are reduced in the order in which they are ready"),
    Client("vdb_lod", "libopenvdb-tools", ["vdb_lod", "sphere.vdb", "levels.vdb", "-range", "0.5-3:0.5"],
           prepare_volume, (UUID,), needs=("python3-openvdb",)),
    Client("vdb_ax", "libopenvdb-ax-tools",
           ["vdb_ax", "-i", "sphere.vdb", "-o", "waves.vdb", "-s",
            "vec3f p = getvoxelpws(); for (int i = 0; i < 20; ++i) { @wave = sin(p.x + @wave) * pow(abs(@wave), 1.5f); }"],
           prepare_volume, (UUID,), needs=("python3-openvdb",)),
    Client("python3", "python3-openvdb", ["/usr/bin/python3", "polygons.py"], prepare_polygons),
    Client("opencv", "python3-opencv", ["/usr/bin/python3", "images.py"], prepare_script("images.py", OPENCV)),
    Client("occt", "occt-draw", ["occt-draw-7.6", "-b", "-f", "solids.tcl"], prepare_script("solids.tcl", OCCT),
           needs=("occt-misc", "libocct-draw-dev"), remark="ends by _exit, so its CPU time is not in the recording"),
    Client("vtk", "python3-vtk9", ["/usr/bin/python3", "contour.py"], prepare_script("contour.py", VTK)),
    Client("openturns", "python3-openturns", ["/usr/bin/python3", "sample.py"], prepare_script("sample.py", OPENTURNS)),
    Client("markovchain", "r-cran-markovchain", ["Rscript", "chain.R"], prepare_script("chain.R", MARKOV)),
    Client("salmon", "salmon", ["salmon", "quant", "-i", "index", "-l", "A", "-r", "reads.fq", "-p", "2", "-o", "quant"],
           prepare_index, (STAMP,),
           remark="threads of its own map the reads, which is not oneTBB's work; sums depend on their order"),
    Client("twopaco", "twopaco",
           ["twopaco", "-k", "25", "-f", "24", "-t", "2", "--tmpdir", ".", "-o", "graph.bin", "transcripts.fa"],
           prepare_reads, remark="threads of its own filter the edges, which is not oneTBB's work; its hashes are random"),
]


SECONDS = rb"\d+\.\d+ ?(seconds?|sec|s)\b"
IQTREE_TIMES = (SECONDS, rb"\(?\d+h:\d+m:\d+s( left\))?", rb"CPU time: [0-9.]+", rb"(Date and )?[Tt]ime:.*", rb"(Command|Host|Kernel):.*",
                rb"Total (CPU|wall-clock) time.*", rb"(CPU|Wall-clock) time used.*")

# Of g++, with libgomp, on 2 threads.
OPENMP = [
    Client("iqtree2", "iqtree",
           ["iqtree2", "-s", "family.phy", "-m", "GTR+G4", "-nt", "2", "-seed", "1", "-n", "20", "-redo", "-pre", "tree"],
           lambda folder: inputs.family(f"{folder}/family.phy", 10, 1000, is_phylip=True), IQTREE_TIMES),
    Client("clustalo", "clustalo", ["clustalo", "-i", "family.fa", "--threads=2", "-o", "aligned.fa"],
           lambda folder: inputs.family(f"{folder}/family.fa", 150, 300, gaps=20)),
    Client("fasttreeMP", "fasttree", ["fasttreeMP", "-nt", "-gtr", "family.fa"],
           lambda folder: inputs.family(f"{folder}/family.fa", 150, 1500), (SECONDS, rb".*seconds.*", rb"Total time.*")),
    Client("graphicsmagick", "graphicsmagick",
           ["gm", "convert", "noise.ppm", "-blur", "0x3", "-resize", "150%", "-unsharp", "0x2", "sharp.ppm"],
           lambda folder: inputs.picture(f"{folder}/noise.ppm", 2400, 1800)),
    Client("imagemagick", "imagemagick-6.q16",
           ["convert-im6.q16", "noise.ppm", "-blur", "0x3", "-resize", "150%", "-unsharp", "0x2", "sharp.ppm"],
           lambda folder: inputs.picture(f"{folder}/noise.ppm", 1600, 1200)),
    Client("sumaclust", "sumaclust", ["sumaclust", "-p", "2", "-t", "0.9", "-O", "groups.txt", "reads.fa"],
           lambda folder: inputs.family(f"{folder}/reads.fa", 1500, 300, gaps=3)),
]

# The same with inputs of a size that one would profile: some seconds each.
OPENMP_LONG = [
    replace(OPENMP[0],
            command=["iqtree2", "-s", "family.phy", "-m", "GTR+G4", "-nt", "2", "-seed", "1", "-n", "2", "-redo", "-pre", "tree"],
            prepare=lambda folder: inputs.family(f"{folder}/family.phy", 30, 20000, is_phylip=True)),
    replace(OPENMP[1], prepare=lambda folder: inputs.family(f"{folder}/family.fa", 400, 300, gaps=20)),
    replace(OPENMP[2], prepare=lambda folder: inputs.family(f"{folder}/family.fa", 200, 2000)),
    replace(OPENMP[3], prepare=lambda folder: inputs.picture(f"{folder}/noise.ppm", 4200, 3150)),
    replace(OPENMP[4], prepare=lambda folder: inputs.picture(f"{folder}/noise.ppm", 1800, 1350)),
    replace(OPENMP[5], prepare=lambda folder: inputs.family(f"{folder}/reads.fa", 1800, 300, gaps=3)),
]

# Short ones, for CI.
OPENMP_QUICK = [
    Client("fasttreeMP", "fasttree", ["fasttreeMP", "-nt", "-gtr", "-quiet", "family.fa"],
           lambda folder: inputs.family(f"{folder}/family.fa", 40, 800)),
    Client("sumaclust", "sumaclust", ["sumaclust", "-p", "2", "-t", "0.9", "-O", "groups.txt", "reads.fa"],
           lambda folder: inputs.family(f"{folder}/reads.fa", 900, 300, gaps=3)),
]


def outputs(client, folder, printed):
    """{name: bytes} of the output and of each file in `folder` that is not a link.

    The output is `printed`. What cannot be compared is removed."""
    result = {"(printed)": printed}
    for path, _, names in os.walk(folder):
        for file in (os.path.join(path, name) for name in names):
            if not os.path.islink(file):
                with open(file, "rb") as opened:
                    result[os.path.relpath(file, folder)] = opened.read()
    for name in result:
        for expression in client.ignored:
            result[name] = re.sub(expression, b"", result[name])
        if name in client.unordered:
            result[name] = b"\n".join(sorted(result[name].splitlines()))
    return result
