#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Random mutations of the other cases: tp-rewrite never crashes, its output compiles if its input
# does (every second one with g++), and it leaves its own output unchanged.
# TP_MUTATIONS=N TP_SEED=S for a longer run; TP_SECONDS=T ends it early. A failure prints its seed
# and keeps no files.
. "$(dirname "$0")/common.inc"
cat > mutate.py <<'X'
import glob, os, random, re, resource, subprocess, sys, time

here, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
cases = {path: open(path, newline="", encoding="utf-8", errors="surrogateescape").read()
         for path in sorted(glob.glob(here + "/*.cpp"))}
sources = [path for path in cases if not path.endswith(".expected.cpp")]
TOKEN = re.compile(r"\w+|\s+|::|->|.", re.S)
TOKENS = ["tbb::parallel_for(0, 1, [](int) {})", "(", ")", "{", "}", ",", ";", "\n", "\\\n", "\t", "/*", "*/", "//", '"', "é",
          "#define X ", "#line 7 \"x.h\"\n", "#if 0\n", "#endif\n", "X", "template <typename T> ", "return ", "constexpr ",
          "g.run([] {})", "R\"(", ")\"", "0", "<:", "co_await ", "requires ", "decltype(", "noexcept(", "sizeof ", "%:"]

HARMLESS = [" ", "\n", "\\\n", "\t", "\r\n", "/* é */", "/*\n*/", "// x\n", "\n#line 7 \"x.h\"\n", "\n#if 1\n#endif\n"]


def mutant(rng):
    path = rng.choice(sources)
    tokens = TOKEN.findall(cases[path])
    for _ in range(rng.randrange(6)):
        tokens.insert(rng.randrange(len(tokens)), rng.choice(HARMLESS))
    for _ in range(rng.randrange(3)):
        at = rng.randrange(len(tokens))
        what = rng.randrange(5)
        if what == 0:
            tokens.insert(at, rng.choice(TOKENS))
        elif what == 1:
            del tokens[at]
        elif what == 2:
            tokens.insert(at, tokens[rng.randrange(len(tokens))])
        elif what == 3:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            end = min(len(tokens), at + rng.randint(1, 30))
            tokens[end:end] = tokens[at:end]
        tokens = tokens or [" "]
    return path, "".join(tokens)


def flags_of(text):
    first = text.split("\n", 1)[0]
    return first[len("// flags:"):].split() if first.startswith("// flags:") else []


def run(command):
    """Ended when tp-rewrite should have ended itself, in CPU time: the machine may be busy."""
    return subprocess.run(command, capture_output=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (150, 150)))


def rewritten(name, flags):
    return run([os.environ["TP_REWRITE"], "-q", name, "--", *flags])


def error_in(text, original, flags, number):
    """What is wrong with the output of tp-rewrite for `original`; empty if nothing."""
    def compiled(content):
        open("m.cpp", "wb").write(content)
        compiler = ["g++", "-std=c++17"] if number % 2 else ["clang++-19"]
        return run([*compiler, "-w", "-fsyntax-only", "-isystem", os.environ["TP_PREFIX"] + "/include", *flags, "m.cpp"])

    tagged = compiled(text)
    if tagged.returncode != 0:
        return tagged.stderr.decode()[:400] if compiled(original).returncode == 0 else ""
    again = rewritten("m.cpp", flags)
    return "" if again.stdout == text else "changed when rewritten again"


end = time.monotonic() + float(os.environ.get("TP_SECONDS", "inf"))
bad = written = refused = done = 0
for number in range(seed, seed + count):
    if time.monotonic() > end:
        break
    done += 1
    path, text = mutant(random.Random(number))
    open("m.cpp", "w", newline="", encoding="utf-8", errors="surrogateescape").write(text)
    flags = flags_of(cases[path])
    ours = rewritten("m.cpp", flags)
    refused += ours.returncode == 2
    if ours.returncode not in (0, 2):
        print(f"seed {number}: exit status {ours.returncode}: {ours.stderr.decode()[-300:]}")
        bad += 1
    elif ours.returncode == 0 and ours.stdout != (original := open("m.cpp", "rb").read()):
        written += 1
        if error := error_in(ours.stdout, original, flags, number):
            print(f"seed {number}: {os.path.basename(path)}: {error}", flush=True)
            bad += 1
print(f"{done} mutants, {refused} refused, {written} rewritten, {bad} bad")
sys.exit(bad > 0 or written == 0)
X
command -v clang++-19 >/dev/null || { echo "skip: no clang++-19"; exit 0; }
python3 mutate.py "$here" "${TP_MUTATIONS:-15}" "${TP_SEED:-1}" || fail "mutants"
finish
