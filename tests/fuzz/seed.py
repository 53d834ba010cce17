#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Converts a small recording to a seed for reader_fuzz:

    tests/fuzz/seed.py DATA_DIRECTORY > corpus/reader/PROGRAM.CASE

For example a case of tests/system/programs, recorded with TP_EVENT=virtual. Sites are those of the
fuzz target: 1 to 16; places of locks 0 to 3.
"""
import glob
import os
import struct
import sys

HEADER = struct.Struct("<IHHQIIIIQQQIIQ")  # tp/trace/trace_format.h: ChunkHeader
HEADER_BYTES, CHUNK_BYTES, USED_BYTES = 2, 6, 11

if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
    sys.exit(__doc__)
seed = bytearray([1])  # complete
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.tps"))):
    with open(path, "rb") as file:
        stream = file.read()
    header = HEADER.unpack_from(stream)
    start, used = header[HEADER_BYTES], header[USED_BYTES]
    if used > 0xFFFF or len(stream) > header[CHUNK_BYTES]:
        sys.exit(f"{path}: more than a seed can have: expected one chunk with 65535 bytes of records at most, got {used}")
    seed += struct.pack("<H", used) + stream[start : start + used]
sys.stdout.buffer.write(seed)
