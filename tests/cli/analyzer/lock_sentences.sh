#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What reports say of locks whose bounds are no proof, of readers, of many locks, and of who made others wait.
. "$(dirname "${BASH_SOURCE[0]}")/common.inc"
# program RUN LOCK SECTION [LOCK SECTION]...: four tasks of 400 with these records of locks, one for each in turn.
program() {
  local i
  echo "run cpus=4 locks=all c_locks_seen=1 $1"
  shift
  echo 'site 1 a.cpp 12 construct=parallel_for'
  for i in {0..19}; do echo "lock-place $i spin_mutex q.cpp $((17 + i))"; done
  printf '%s\n' 'stream 0' 'thread role=main'
  for ((i = 1; i <= $#; i += 2)); do echo "lock slot=$i ${!i}"; done
  printf '%s\n' 'spawn work=100 site=1 ctx=new-exclusive' 'spawn site=1 ctx=last' 'spawn site=1 ctx=last' 'spawn site=1 ctx=last' 'wait ctx=last'
  local task section
  for task in 0 1 2 3; do
    for ((i = 2; i <= $#; i += 2)); do section=${!i}; echo "${section//SLOT/slot=$((i - 1))}"; done
    echo "task task=-$task work=400"
  done
  printf '%s\n' 'wait-end' 'end work=50' 'thread-end'
}
one_line() { tr -s ' \n' ' ' <out >line && mv line out; }

# At an address that may have been that of several. Of 1750: 1200, after 150 and before 100.
program "" "address=64 reused=1" "section SLOT place=0 lead=50 work=300" | trace reused
exits 0 reused
one_line
in_out "speedup at most 3.18, and (if what was at its address was one lock) 1.21 by the spin_mutex at q.cpp:17."
in_out "The sections of the spin_mutex at q.cpp:17 run one after the other, for 1200 units (if what was at its address was one lock): hold it for a shorter time (its own code half as long: parallelism at most"
in_out "Lock spin_mutex at q.cpp:17: 4 times, held 1200 units; if it is one object, parallelism at most 1.21"
in_out "its address may have been that of several locks: predicted times, what-ifs and bounds of it are as if it was one"
exits 0 -q reused --warnings
in_err "q.cpp:17: warning: lock: the sections of the spin_mutex at q.cpp:17 take longer than the critical path; parallelism is at most 1.21 if it is one object [-Wlock]"


# Two objects at one place, by one thread: which one a task takes may be that thread's choice. Without them 1750 / 550.
program "" "address=64" "section SLOT place=0 lead=50 work=300" "address=128" "section SLOT place=0 lead=360 work=30" | trace several
exits 0 several
one_line
in_out "May scale to "
in_out "at an efficiency of at least 50 % (tasks of only one thread acquired a lock that others may need, too); speedup at most 3.18 on any number of them."
in_out "Lock spin_mutex at q.cpp:17: 8 times, held 1320 units; if tasks take the same lock on other threads, parallelism at most 1.46"
exits 0 -q several --warnings
not_in_err "q.cpp:17"
exits 0 -q several --locks
one_line
in_out "*1.46 spin_mutex"
in_out "lock; *: if tasks take the same lock of several on other threads: those of only one thread took it here"

# The same with sections that would allow what is promised.
program "" "address=64" "section SLOT place=0 lead=50 work=100" "address=128" "section SLOT place=0 lead=360 work=30" | trace several_short
exits 0 several_short
one_line
in_out " Scales to "
in_out "if tasks take the same lock on other threads"

# Sampled sections, at unknown places of their steps: about 1200, after 100 and before 50.
program "" "address=64" "section SLOT place=0 lead=0 work=300 many=100 error=3" | trace sampled
exits 0 sampled
one_line
in_out ", and about 1.30 by the spin_mutex at q.cpp:17."
in_out "The sections of the spin_mutex at q.cpp:17 run one after the other, for about 1200 units: hold it for a shorter time (its own code half as long: parallelism about 2.33), or split it (into 4: parallelism about 3.18), or let"
in_out "400 times, held about 1200 units (± 12 units); parallelism about 1.30"
exits 0 -q sampled --locks
one_line
in_out "~1200 units"
in_out "~1.30 spin_mutex"
in_out "lock; ~: an estimate, since sections were sampled"
exits 0 -q sampled --format md
in_out ", and about 1.30 by the spin_mutex at q.cpp:17.**"
exits 0 -q reused --locks
one_line
in_out "?1.21 spin_mutex"
in_out "lock; ?: if what was at its address was one lock throughout"
exits 0 -q reused -v -P 4
one_line
in_out "if it is one object, predicted on 4 CPUs if sections were 2 times as short"
exits 0 -q sampled --warnings
in_err "parallelism is about 1.30 [-Wlock]"

# Readers, and who made others wait; the rest of 9000 waited has no known holder.
program "hz=1000000000 time_hz=1000000000 unit=ticks" "address=64 kind=rw_mutex" "section SLOT place=0 lead=0 work=60 shared=1
section SLOT place=0 lead=60 work=300 contended=1 waited=2250
lock-wait SLOT place=0 ticks=1500
section SLOT place=1 lead=360 work=30" | trace readers
exits 0 -q readers -v
one_line
in_out "12 times (33 % shared), 33 % contended, held 1.56 us, waited 9.00 us; parallelism at most"
in_out "at q.cpp:17: 8 times, held 1.44 us, waits charged to it 6.00 us at q.cpp:18: 4 times, held 120 ns no holder known: waits 3.00 us"
in_out "1.54 us a lock"
exits 0 -q readers --locks
in_out "parallelism: at most, because of this lock"

# Failed attempts: at most so much of the work is waiting.
program "hz=1000000000 time_hz=1000000000 unit=ticks" "address=64" "section SLOT place=0 lead=50 work=3
lock-tries SLOT place=0 tries=5 work=100
lock-tries SLOT place=1 tries=2 work=120" | trace tried
exits 0 tried
one_line
in_out "at an efficiency of at least 50 % (threads may have waited between failed attempts to acquire locks, which counts as work)"
in_out "! at most 51 % of the work (880 ns of 1.75 us) is waiting: between failed attempts to acquire the spin_mutex at q.cpp:17, tried at q.cpp:18. It counts as work"
in_out "At most 51 % of the work is waiting: between failed attempts"
exits 0 -q tried -v
one_line
in_out "Lock spin_mutex at q.cpp:17: 4 times, held 12 ns, tried in vain 28 times (880 ns up to the next attempt)"
exits 0 -q tried --json profile.json
in_json() { grep -qF -- "$1" profile.json || fail "'$1' not found in profile.json"; }
in_json '"retried_ns": 880'
in_json '"retried": 480'
exits 0 -q tried --check 'parallelism_with_locks>=1'
in_err "waiting: between failed attempts"

# What this run did where it got the lock, a program may do without where it does not.
program "" "address=64" $'lock-tries SLOT place=0 tries=1 work=0\nsection SLOT place=0 lead=50 work=300' | trace without
exits 0 without
one_line
in_out "speedup at most 1.21 on any number of them, by the spin_mutex at q.cpp:17, unless tasks do without it where try_lock fails."
program "" "address=64" "section SLOT place=0 lead=50 work=300" | trace with
exits 0 with
one_line
in_out "speedup at most 1.21 on any number of them, by the spin_mutex at q.cpp:17. The"

# Many locks.
locks=()
for i in {0..16}; do locks+=("address=$((64 + 64 * i))" "section SLOT place=$i lead=$((20 * i)) work=$((i + 1))"); done
program "" "${locks[@]}" | trace many
exits 0 -q many -v
in_out "2 more locks in --json"
exits 0 -q many --locks --top 3
in_out "14 more with --top"
program "" | trace none
exits 0 -q none --locks
in_out "No lock was seen."
finish
