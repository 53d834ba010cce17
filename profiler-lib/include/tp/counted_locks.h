/* SPDX-License-Identifier: Apache-2.0 */
/* Critical sections that are counted without a call. With --locks=auto the runtime counts most sections of
 * locks that are taken often and held for next to nothing (builder/short_sections.h). For how many of those
 * that a thread begins at one place in the code it wants no more than their number, it says in an entry of a
 * table of the thread; the code of the lock counts them down there. Whatever needs to know the number, ends
 * the step, waits, or begins a section that has to be timed takes it from there first: between two of these
 * events counting here and calling the hooks are the same.
 *
 * `left` is the number of sections that may still be counted; negative while the thread is in one of these,
 * which it includes then. So that there is one, and how many there were, are one word, and cannot contradict
 * each other. The other words change only while it is 0.
 *
 * Included by patched headers (C++11), and by the preloaded library. A thread finds its table at the same
 * distance from its thread pointer as every other one. */
#ifndef TP_COUNTED_LOCKS_H
#define TP_COUNTED_LOCKS_H

#ifdef __cplusplus
extern "C" {
#define TP_COUNTED_NOEXCEPT noexcept
#else
#define TP_COUNTED_NOEXCEPT
#endif

typedef struct tp_counted_lock {
  const void* lock; /* null: none */
  const void* code; /* that begins the sections */
  int left;
  unsigned generation;
  const unsigned* generation_at; /* of the lock: if it is another one, so is the lock */
  const unsigned* waiters_at;    /* how many threads wait for it */
  void* section;                 /* from here on, the runtime's */
  int granted;
  int reserved;
  const unsigned* others_wait_at; /* how many wait for a lock that they do not name (tp/lock.h) */
} tp_counted_lock;

/* Locks are found by their addresses; one may take the place of another. */
#define TP_COUNTED_LOCKS 8

typedef struct tp_counting {
  tp_counted_lock* locks; /* TP_COUNTED_LOCKS of them */
  const void* code;       /* of the section that tp_on_counted_lock_taken is called for */
} tp_counting;

/* In tp_locks_are_on: tp_counting_at is valid. */
#define TP_LOCKS_ARE_COUNTED 2u
/* The distance of the calling thread's tp_counting from its thread pointer, in bytes. */
__attribute__((weak)) extern long tp_counting_at;
/* As tp_on_lock_taken, for the code that tp_counting names. That is of one mode. */
__attribute__((weak)) void tp_on_counted_lock_taken(const void* lock, unsigned kind, unsigned mode,
                                                    const void* caller) TP_COUNTED_NOEXCEPT;

/* Of a lock of kind TP_LOCK_FLOW_GRAPH_NODE, which is acquired for each message: with --locks=auto, the hooks are called for
 * few of its acquisitions, as long as it is held for a short time and no thread waits for it. Changed by the thread that
 * has the lock, and `awaited` by those that wait. A lock may take the place of another. */
typedef struct tp_node_lock {
  const void* lock; /* null: none */
  unsigned left;    /* acquisitions that are not announced before the next one that is */
  unsigned awaited; /* not 0: all are */
} tp_node_lock;
#define TP_NODE_LOCKS 1024
/* Null: all acquisitions are announced. */
__attribute__((weak)) extern tp_node_lock* tp_node_locks;

#ifdef __cplusplus
}
#endif

#define TP_COUNTED_INLINE static inline __attribute__((always_inline, unused))
TP_COUNTED_INLINE unsigned tp_counted_index(const void* lock) {
  return ((unsigned)(__UINTPTR_TYPE__)lock * 0x9e3779b1u) >> 29;
}

TP_COUNTED_INLINE unsigned tp_node_lock_index(const void* lock) {
  return ((unsigned)((__UINTPTR_TYPE__)lock >> 4) * 0x9e3779b1u) >> 22;
}
/* 1: that acquisition need not be announced. */
TP_COUNTED_INLINE int tp_skip_node_lock(const void* lock) {
  tp_node_lock* entry = __atomic_load_n(&tp_node_locks, __ATOMIC_RELAXED);
  unsigned left;
  if (!entry)
    return 0;
  entry += tp_node_lock_index(lock);
  left = __atomic_load_n(&entry->left, __ATOMIC_RELAXED);
  if (__builtin_expect(left == 0 || __atomic_load_n(&entry->awaited, __ATOMIC_RELAXED) != 0 ||
                           __atomic_load_n(&entry->lock, __ATOMIC_RELAXED) != lock,
                       0))
    return 0;
  __atomic_store_n(&entry->left, left - 1, __ATOMIC_RELAXED);
  return 1;
}
/* A thread has to wait for the lock. */
TP_COUNTED_INLINE void tp_await_node_lock(const void* lock) {
  tp_node_lock* entry = __atomic_load_n(&tp_node_locks, __ATOMIC_RELAXED);
  if (!entry)
    return;
  entry += tp_node_lock_index(lock);
  if (__atomic_load_n(&entry->lock, __ATOMIC_RELAXED) == lock)
    __atomic_store_n(&entry->awaited, 1u, __ATOMIC_RELAXED);
}

#if (defined(__x86_64__) && defined(__LP64__)) || defined(__aarch64__)
#define TP_COUNTS_LOCKS 1

/* Volatile: a function that suspends its task may go on on another thread. */
TP_COUNTED_INLINE tp_counting* tp_counting_here() {
  char* thread;
#if defined(__x86_64__)
  __asm__ volatile("movq %%fs:0, %0" : "=r"(thread));
#else
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread));
#endif
  return (tp_counting*)__builtin_assume_aligned(thread + tp_counting_at, sizeof(void*));
}

TP_COUNTED_INLINE tp_counted_lock* tp_counted_entry(const void* lock) {
  tp_counted_lock* entries;
#if defined(__x86_64__)
  __asm__ volatile("movq %%fs:(%1), %0" : "=r"(entries) : "r"(tp_counting_at));
#else
  entries = tp_counting_here()->locks;
#endif
  return entries + tp_counted_index(lock);
}

/* 1: the section that begins is counted, and no hook has to be called. */
TP_COUNTED_INLINE int tp_begin_counted(const void* lock, const void* code) {
  tp_counted_lock* const entry = tp_counted_entry(lock);
  const int left = entry->left;
  if (__builtin_expect(entry->lock != lock || entry->code != code || left <= 0 ||
                           __atomic_load_n(entry->generation_at, __ATOMIC_RELAXED) !=
                               entry->generation,
                       0))
    return 0;
  entry->left = -left;
  return 1;
}

/* 1: so it is with the section of that lock that ends: one of these functions has begun it. */
TP_COUNTED_INLINE int tp_end_counted(const void* lock) {
  tp_counted_lock* const entry = tp_counted_entry(lock);
  const int left = entry->left;
  if (__builtin_expect(entry->lock != lock || left >= 0 ||
                           __atomic_load_n(entry->waiters_at, __ATOMIC_RELAXED) != 0,
                       0))
    return 0;
  entry->left = -left - 1;
  return 1;
}

/* The same by code that compilers take for one instruction: functions that contain it are inlined as if they
 * did not, so that their copies, and the addresses in them, name the places where a lock is acquired. A jump
 * of its own, too: equal code is merged, but not jumps. 0: the code is left in
 * tp_counting. */
#if defined(__x86_64__)
#if defined(__clang__) || __GNUC__ >= 9
#define TP_ASM_GOTO __asm__ __inline__ goto
#else
#define TP_ASM_GOTO __asm__ goto
#endif
#define TP_ENTRY_TO_RAX                                                                            \
  "imull $0x9e3779b1, %k1, %%eax\n\t"                                                              \
  "shrl $23, %%eax\n\t"                                                                            \
  "andl $448, %%eax\n\t"                                                                           \
  "addq %%fs:(%0), %%rax\n\t"                                                                      \
  "cmpq %1, (%%rax)\n\t"
TP_COUNTED_INLINE int tp_begin_counted_here(const void* lock) {
  TP_ASM_GOTO("leaq 1f(%%rip), %%rdx\n"
              "1: " TP_ENTRY_TO_RAX "jne 2f\n\t"
              "cmpq %%rdx, 8(%%rax)\n\t"
              "jne 2f\n\t"
              "cmpl $0, 16(%%rax)\n\t"
              "jle 2f\n\t"
              "movq 24(%%rax), %%rcx\n\t"
              "movl (%%rcx), %%ecx\n\t"
              "cmpl 20(%%rax), %%ecx\n\t"
              "jne 2f\n\t"
              "negl 16(%%rax)\n\t"
              "jmp 3f\n"
              "2: movq %%rdx, %%fs:8(%0)\n\t"
              "jmp %l[other]\n"
              "3:" : : "r"(tp_counting_at),
              "r"(lock) : "rax", "rcx", "rdx", "cc", "memory" : other);
  return 1;
other:
  return 0;
}
TP_COUNTED_INLINE int tp_end_counted_here(const void* lock) {
  TP_ASM_GOTO(TP_ENTRY_TO_RAX "jne %l[other]\n\t"
                              "movl 16(%%rax), %%edx\n\t"
                              "notl %%edx\n\t"
                              "testl %%edx, %%edx\n\t"
                              "js %l[other]\n\t"
                              "movq 32(%%rax), %%rcx\n\t"
                              "cmpl $0, (%%rcx)\n\t"
                              "jne %l[other]\n\t"
                              "movl %%edx, 16(%%rax)" : : "r"(tp_counting_at),
              "r"(lock) : "rax", "rcx", "rdx", "cc", "memory" : other);
  return 1;
other:
  return 0;
}
#undef TP_ENTRY_TO_RAX
#undef TP_ASM_GOTO
#else
TP_COUNTED_INLINE int tp_begin_counted_here(const void* lock) {
  const void* code;
  __asm__ volatile("adr %0, ." : "=r"(code));
  if (tp_begin_counted(lock, code))
    return 1;
  tp_counting_here()->code = code;
  return 0;
}
TP_COUNTED_INLINE int tp_end_counted_here(const void* lock) {
  return tp_end_counted(lock);
}
#endif
#endif

#endif
