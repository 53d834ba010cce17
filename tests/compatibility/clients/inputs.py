# SPDX-License-Identifier: Apache-2.0
"""Generates inputs for the clients, the same on each machine: with Python's own random numbers."""
import math
import random
import struct


def mesh(path, rings=180, sectors=360):
    """A closed surface with waves, as binary STL: its slices contain many islands.

    No two parts of it are alike."""
    def point(ring, sector):
        u, v = 2 * math.pi * ring / rings, 2 * math.pi * sector / sectors
        tube = 14 + 2 * math.sin(9 * v + 0.3) * math.cos(5 * u + 0.7) + math.cos(v + 1) + 0.3 * math.sin(2 * u + v)
        return ((30 + tube * math.cos(u)) * math.cos(v), (30 + tube * math.cos(u)) * math.sin(v), tube * math.sin(u))

    with open(path, "wb") as file:
        file.write(bytes(80) + struct.pack("<I", 2 * rings * sectors))
        for ring in range(rings):
            for sector in range(sectors):
                a, b = point(ring, sector), point(ring + 1, sector)
                c, d = point(ring + 1, sector + 1), point(ring, sector + 1)
                for triangle in ((a, c, b), (a, d, c)):
                    file.write(struct.pack("<12fH", 0, 0, 0, *triangle[0], *triangle[1], *triangle[2], 0))


def bases(generator, length):
    return "".join(generator.choices("ACGT", k=length))


def transcripts(path, count=400, seed=1):
    """Sequences that share parts with each other, as spliced ones do."""
    generator = random.Random(seed)
    parts = [bases(generator, generator.randint(150, 600)) for _ in range(count)]
    result = ["".join(generator.sample(parts, 4)) for _ in range(count)]
    with open(path, "w") as file:
        for number, sequence in enumerate(result):
            file.write(f">transcript{number}\n{sequence}\n")
    return result


def reads(path, sources, count, length=75, adapter="", seed=2):
    """Reads of `sources` with occasional errors; with an adapter, a part of them run into it."""
    generator = random.Random(seed)
    with open(path, "w") as file:
        for number in range(count):
            source = generator.choice(sources)
            begin = generator.randrange(len(source) - length)
            read = list(source[begin:begin + length])
            if adapter and number % 3 == 0:
                read[generator.randrange(20, length):] = adapter
            for _ in range(generator.randrange(3)):
                read[generator.randrange(len(read))] = generator.choice("ACGT")
            read = "".join(read)[:length]
            file.write(f"@read{number}\n{read}\n+\n{'I' * len(read)}\n")


def cyclic_ideal(path, variables=7):
    """The cyclic n-roots problem over a prime field, in mathicgb's format.

    The format is rows of exponents with a coefficient each."""
    n = variables
    polynomials = []
    for degree in range(1, n):
        terms = []
        for first in range(n):
            used = {(first + k) % n for k in range(degree)}
            terms.append("+1" + "".join(f"{chr(ord('a') + v)}" for v in sorted(used)))
        polynomials.append("".join(terms))
    polynomials.append("+1" + "".join(chr(ord("a") + v) for v in range(n)) + "-1")
    with open(path, "w") as file:
        file.write(f"32003 {n}\n1 " + " ".join("1" * n) + f"\n{len(polynomials)}\n" + "\n".join(polynomials) + "\n")


def family(path, count, length, gaps=0, is_phylip=False, seed=3):
    """Sequences that descend from one: FASTA, or an alignment as PHYLIP.

    With `gaps`, each lacks up to so many bases more than the one that it descends from."""
    generator = random.Random(seed)
    sequences = [bases(generator, length)]
    while len(sequences) < count:
        child = [generator.choice("ACGT") if generator.random() < 0.04 else base for base in generator.choice(sequences)]
        if gaps:
            at = generator.randrange(len(child) // 2)
            del child[at:at + generator.randrange(gaps)]
        sequences.append("".join(child))
    with open(path, "w") as file:
        if is_phylip:
            file.write(f"{count} {length}\n")
        for number, sequence in enumerate(sequences):
            file.write(f"s{number} {sequence}\n" if is_phylip else f">s{number}\n{sequence}\n")


def picture(path, width, height, seed=4):
    """Waves and noise, as PPM."""
    generator = random.Random(seed)
    with open(path, "wb") as file:
        file.write(b"P6\n%d %d\n255\n" % (width, height))
        for y in range(height):
            noise = generator.randbytes(3 * width)
            file.write(bytes((noise[i] // 2 + int(60 * (1 + math.sin(i / 90 + y / 40)))) & 255 for i in range(3 * width)))
