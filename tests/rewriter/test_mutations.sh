#!/bin/bash
# Random changes of the other cases: tp-rewrite never crashes, and what it writes compiles if its input does.
# TP_MUTATIONS=N TP_SEED=S for a longer run; a failure names its seed and keeps nothing.
. "$(dirname "$0")/common.inc"
cat > mutate.py <<'X'
import glob, os, random, re, subprocess, sys

here, count, seed = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
cases = {path: open(path, newline="", encoding="utf-8", errors="surrogateescape").read()
         for path in sorted(glob.glob(here + "/*.cpp"))}
sources = [path for path in cases if not path.endswith(".expected.cpp")]
TOKEN = re.compile(r"\w+|\s+|::|->|.", re.S)
PIECES = ["tbb::parallel_for(0, 1, [](int) {})", "(", ")", "{", "}", ",", ";", "\n", "\\\n", "\t", "/*", "*/", "//", '"', "é",
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
            tokens.insert(at, rng.choice(PIECES))
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


def compiles(name, flags):
    command = ["clang++-19", "-w", "-fsyntax-only", "-isystem", os.environ["TP_PREFIX"] + "/include", *flags, name]
    return subprocess.run(command, capture_output=True, timeout=60)


bad = written = 0
for number in range(seed, seed + count):
    path, text = mutant(random.Random(number))
    open("m.cpp", "w", newline="", encoding="utf-8", errors="surrogateescape").write(text)
    flags = flags_of(cases[path])
    ours = subprocess.run([os.environ["TP_REWRITE"], "-q", "m.cpp", "--", *flags], capture_output=True, timeout=60)
    if ours.returncode not in (0, 1):
        print(f"seed {number}: exit status {ours.returncode}: {ours.stderr.decode()[-300:]}")
        bad += 1
    elif ours.returncode == 0 and ours.stdout != open("m.cpp", "rb").read():
        written += 1
        open("w.cpp", "wb").write(ours.stdout)
        if compiles("m.cpp", flags).returncode == 0 and compiles("w.cpp", flags).returncode != 0:
            print(f"seed {number}: {os.path.basename(path)}: {compiles('w.cpp', flags).stderr.decode()[:400]}")
            bad += 1
print(f"{count} mutants, {written} rewritten, {bad} bad")
sys.exit(bad > 0 or written == 0)
X
command -v clang++-19 >/dev/null || { echo "skip: no clang++-19"; exit 0; }
python3 mutate.py "$here" "${TP_MUTATIONS:-15}" "${TP_SEED:-1}" || fail "mutants"
finish
