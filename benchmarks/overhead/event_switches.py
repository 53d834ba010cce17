#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What an event of perf_event_open costs its thread each time that the thread gives its CPU away.

    event_switches.py [ROUNDS]

Two threads on one CPU call sched_yield, or sleep and wake each other. Each has an event of the same kind, or none. Prints
ns per switch: the median of the rounds, what the event adds, least and most."""
import os
import statistics
import subprocess
import sys
import tempfile

PROGRAM = r"""
#define _GNU_SOURCE
#include <linux/futex.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static const char* kind;
static int yields;
static long count, period;
static uint32_t turn;

static void fail(const char* what) {
  perror(what);
  exit(1);
}
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1e9 + time.tv_nsec;
}
static void ignore(int number) { (void)number; }

static void open_event(void) {
  if (strcmp(kind, "none") == 0)
    return;
  if (strcmp(kind, "timer") == 0) {
    struct sigaction action = {0};
    action.sa_handler = ignore;
    sigaction(SIGRTMIN, &action, 0);
    struct sigevent event = {0};
    event.sigev_notify = SIGEV_THREAD_ID;
    event.sigev_signo = SIGRTMIN;
    event._sigev_un._tid = syscall(SYS_gettid);
    struct itimerspec times = {{period / 1000000000, period % 1000000000}, {period / 1000000000, period % 1000000000}};
    timer_t timer;
    if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &timer) != 0 || timer_settime(timer, 0, &times, 0) != 0)
      fail("timer");
    return;
  }
  struct perf_event_attr attributes = {0};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = strncmp(kind, "task", 4) == 0 ? PERF_COUNT_SW_TASK_CLOCK : PERF_COUNT_SW_CPU_CLOCK;
  attributes.disabled = strstr(kind, "disabled") != 0;
  attributes.exclude_kernel = attributes.exclude_hv = 1;
  attributes.sample_period = period;
  if (period > 0)
    attributes.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME;
  if (strstr(kind, "stack")) {
    attributes.sample_type |= PERF_SAMPLE_STACK_USER;
    attributes.sample_stack_user = 4096;
  }
  const int fd = syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
  if (fd < 0)
    fail("perf_event_open");
  const size_t page = sysconf(_SC_PAGESIZE);
  if (strstr(kind, "stack") && mmap(0, 9 * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) == MAP_FAILED)
    fail("mmap");
}

static void* run(void* number) {
  const uint32_t me = (uint32_t)(intptr_t)number;
  open_event();
  for (long i = 0; i < count; ++i)
    if (yields) {
      sched_yield();
    } else {
      while (__atomic_load_n(&turn, __ATOMIC_ACQUIRE) != me)
        syscall(SYS_futex, &turn, FUTEX_WAIT_PRIVATE, 1 - me, 0, 0, 0);
      __atomic_store_n(&turn, 1 - me, __ATOMIC_RELEASE);
      syscall(SYS_futex, &turn, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
    }
  return 0;
}

int main(int argc, char** arguments) {
  (void)argc;
  kind = arguments[1];
  period = atol(arguments[2]);
  yields = strcmp(arguments[3], "yield") == 0;
  count = atol(arguments[4]);
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  int last = CPU_SETSIZE - 1;
  while (!CPU_ISSET(last, &set))
    --last;
  CPU_ZERO(&set);
  CPU_SET(last, &set);
  sched_setaffinity(0, sizeof set, &set);
  pthread_t threads[2];
  const double begin = now();
  for (intptr_t i = 0; i < 2; ++i)
    pthread_create(threads + i, 0, run, (void*)i);
  for (int i = 0; i < 2; ++i)
    pthread_join(threads[i], 0);
  printf("%.0f\n", (now() - begin) / (2.0 * count));
}
"""
MS = 1_000_000
KINDS = [("none", 0), ("cpu-clock, stack", MS), ("cpu-clock", MS), ("cpu-clock, disabled, stack", MS), ("task-clock, stack", MS),
         ("cpu-clock, stack", 4 * MS), ("cpu-clock, stack", 8 * MS), ("cpu-clock, stack", 16 * MS),
         ("cpu-clock, stack", 100 * MS), ("cpu-clock, counting", 0), ("timer", MS)]


def main():
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "switches.c"), os.path.join(folder, "switches")
        with open(source, "w", encoding="ascii") as file:
            file.write(PROGRAM)
        subprocess.run(["cc", "-O2", "-pthread", source, "-o", program], check=True)
        for way in ("yield", "sleep"):
            found = {kind: [] for kind in KINDS}
            for _ in range(rounds):
                for (name, period), values in found.items():
                    run = subprocess.run([program, name, str(period), way, "20000"], stdout=subprocess.PIPE, check=True)
                    values.append(float(run.stdout))
            alone = statistics.median(found[KINDS[0]])
            print(f"{way:38}{'ns':>8}{'more':>8}   least to most of {rounds}")
            for (name, period), values in found.items():
                label = name + (f", {period // MS} ms" if period else "")
                print(f"  {label:36}{statistics.median(values):8.0f}{statistics.median(values) - alone:8.0f}"
                      f"   {min(values):.0f} to {max(values):.0f}")


main()
