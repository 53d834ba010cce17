/* SPDX-License-Identifier: Apache-2.0 */
/* Locks of your own, and code that waits: what Taskpath does not see by itself.
 *
 *   #include <tp/lock.h>
 *
 *   void Ticket::lock() {
 *     unsigned mine = next++;
 *     tp::LockWait wait;                      C++: ends with the block
 *     while (serving != mine) {
 *       wait.begin(this);                     the first attempt has failed
 *       pause();
 *     }
 *     tp_lock_taken(this, "ticket");          the thread has it from here on
 *   }
 *   void Ticket::unlock() {
 *     tp_lock_given(this);                    just before it is released
 *     ++serving;
 *   }
 *
 *   tp_lock_taken_shared(this, "ticket")      as a reader, at the same time as other readers
 *   tp_lock_made(this)                        in its constructor and destructor, if addresses are used
 *                                             again: what is taken there next is another lock
 *   tp_lock_wait_begin_for(lock); ... tp_lock_wait_end(failed);    C: the same as LockWait, before
 *                                             tp_lock_taken; failed is 1 after an attempt that was given up.
 *                                             wait.begin(), tp_lock_wait_begin(): without the lock
 *
 *   bool Ticket::try_lock() {
 *     ...
 *     tp_lock_try_failed(this, "ticket");     the attempt has failed, and does not wait: what the thread does until
 *   }                                         its next one stays work, and is reported as what may be waiting
 *
 *   { tp::BusyWait wait; while (!done) poll(); }           this code waits: its time is not work. In C:
 *   tp_busy_wait_begin(); ... tp_busy_wait_end();
 *
 * The thread that took a lock gives it, in the same task. A lock that is given by another thread counts
 * as taken only. Use no oneTBB while you wait: where a task is created, joined or run in between, the
 * wait ends for Taskpath. The name is a constant, or null; places where locks are taken are distinguished by
 * the calls that led there. Locks of oneTBB and, under tp-run, of the C and C++ libraries need none of this.
 *
 * You may copy this file into your program: it needs no library. The functions are weak symbols,
 * which are defined when the program runs with Taskpath's libtbb; without it, and while no locks are
 * recorded, a call costs one test of a pointer, or of a byte. C99 and C++11. */
#ifndef TP_LOCK_H
#define TP_LOCK_H

#ifdef __cplusplus
extern "C" {
#define TP_LOCK_NOEXCEPT noexcept
#else
#define TP_LOCK_NOEXCEPT
#endif

#ifndef TP_HOOKS_H
/* One per place in the source. */
typedef struct tp_lock_place {
  const char* name;
  const char* file;
  unsigned line;
} tp_lock_place;
#endif

__attribute__((weak)) extern unsigned char tp_locks_are_on;
__attribute__((weak)) void tp_on_user_lock_taken(const void* lock, unsigned mode,
                                                 const tp_lock_place* place) TP_LOCK_NOEXCEPT;
__attribute__((weak)) void
tp_on_counted_user_lock_taken(const void* lock, unsigned mode,
                              const tp_lock_place* place) TP_LOCK_NOEXCEPT;
__attribute__((weak)) void tp_on_user_lock_try_failed(const void* lock,
                                                      const tp_lock_place* place) TP_LOCK_NOEXCEPT;
__attribute__((weak)) int tp_on_lock_given(const void* lock) TP_LOCK_NOEXCEPT;
__attribute__((weak)) void tp_on_lock_renewed(const void* lock) TP_LOCK_NOEXCEPT;
__attribute__((weak)) void tp_on_lock_wait_for(const void* lock) TP_LOCK_NOEXCEPT;
__attribute__((weak)) void tp_on_lock_wait(void) TP_LOCK_NOEXCEPT;
__attribute__((weak)) void tp_on_lock_wait_end(int failed) TP_LOCK_NOEXCEPT;
__attribute__((weak)) void tp_on_busy_wait(void) TP_LOCK_NOEXCEPT;
__attribute__((weak)) void tp_on_busy_wait_end(void) TP_LOCK_NOEXCEPT;

#ifdef __cplusplus
}
#endif

#define TP_LOCK_INLINE static inline __attribute__((always_inline, unused))
/* Compilers choose the byte before a loop, not in it. */
TP_LOCK_INLINE unsigned tp_locks_state_now(void) {
  static const unsigned char off = 0;
  const unsigned char* const state = &tp_locks_are_on ? &tp_locks_are_on : &off;
  return __atomic_load_n(state, __ATOMIC_RELAXED);
}
#define TP_LOCKS_ARE_ON (tp_locks_state_now() != 0)

/* With --locks=auto most sections of locks that are taken often and held for next to nothing are counted here, in
 * an entry of a table of the thread that Taskpath provides: the layout of tp/counted_locks.h. */
#if (defined(__x86_64__) && defined(__LP64__)) || defined(__aarch64__)
#ifdef __cplusplus
extern "C" {
#endif
__attribute__((weak)) extern long tp_counting_at; /* distance from the thread pointer */
#ifdef __cplusplus
}
#endif
typedef struct tp_lock_entry {
  const void* lock;
  const void* place;
  int left; /* negative: the thread has the lock, and is counted */
  unsigned generation;
  const unsigned* generation_at;
  const unsigned* waiters_at;
  void* reserved[2];
  const unsigned* others_wait_at;
} tp_lock_entry;
TP_LOCK_INLINE tp_lock_entry* tp_lock_entry_of(const void* lock) {
  tp_lock_entry* entries;
#if defined(__x86_64__)
  __asm__ volatile("movq %%fs:(%1), %0" : "=r"(entries) : "r"(tp_counting_at));
#else
  char* thread;
  __asm__ volatile("mrs %0, tpidr_el0" : "=r"(thread));
  entries = *(tp_lock_entry**)__builtin_assume_aligned(thread + tp_counting_at, sizeof(void*));
#endif
  return entries + (((unsigned)(__UINTPTR_TYPE__)lock * 0x9e3779b1u) >> 29);
}
TP_LOCK_INLINE int tp_lock_counts_taken(const void* lock, const tp_lock_place* place) {
  tp_lock_entry* const entry = tp_lock_entry_of(lock);
  const int left = entry->left;
  if (__builtin_expect(entry->lock != lock || entry->place != place || left <= 0 ||
                           __atomic_load_n(entry->generation_at, __ATOMIC_RELAXED) !=
                               entry->generation,
                       0))
    return 0;
  entry->left = -left;
  return 1;
}
TP_LOCK_INLINE int tp_lock_counts_given(const void* lock) {
  tp_lock_entry* const entry = tp_lock_entry_of(lock);
  const int left = entry->left;
  if (__builtin_expect(entry->lock != lock || left >= 0 ||
                           __atomic_load_n(entry->waiters_at, __ATOMIC_RELAXED) != 0 ||
                           __atomic_load_n(entry->others_wait_at, __ATOMIC_RELAXED) != 0,
                       0))
    return 0;
  entry->left = -left - 1;
  return 1;
}
#else
#define tp_lock_counts_taken(lock, place) 0
#define tp_lock_counts_given(lock) 0
#endif

/* Bit 2: locks are counted. */
TP_LOCK_INLINE void tp_lock_taken_at(const void* lock, unsigned mode, const tp_lock_place* place) {
  const unsigned state = tp_locks_state_now();
  if ((state & 2u) != 0) {
    if (tp_lock_counts_taken(lock, place))
      return;
    if (tp_on_counted_user_lock_taken) {
      tp_on_counted_user_lock_taken(lock, mode, place);
      return;
    }
  }
  if (state != 0)
    tp_on_user_lock_taken(lock, mode, place);
}
TP_LOCK_INLINE void tp_lock_given_now(const void* lock) {
  const unsigned state = tp_locks_state_now();
  if ((state & 2u) != 0 && tp_lock_counts_given(lock))
    return;
  if (state != 0)
    tp_on_lock_given(lock);
}

#define TP_LOCK_TAKEN_BY(lock, mode, name)                                                         \
  do {                                                                                             \
    static const tp_lock_place tp_lock_here = {name, __FILE__, __LINE__};                          \
    tp_lock_taken_at(lock, mode, &tp_lock_here);                                                   \
  } while (0)
#define tp_lock_taken(lock, name) TP_LOCK_TAKEN_BY(lock, 0, name)
#define tp_lock_taken_shared(lock, name) TP_LOCK_TAKEN_BY(lock, 1, name)
#define tp_lock_given(lock) tp_lock_given_now(lock)
#define tp_lock_try_failed(lock, name)                                                             \
  do {                                                                                             \
    static const tp_lock_place tp_lock_here = {name, __FILE__, __LINE__};                          \
    if (TP_LOCKS_ARE_ON && tp_on_user_lock_try_failed)                                             \
      tp_on_user_lock_try_failed(lock, &tp_lock_here);                                             \
  } while (0)
#define tp_lock_made(lock)                                                                         \
  do {                                                                                             \
    if (tp_on_lock_renewed)                                                                        \
      tp_on_lock_renewed(lock);                                                                    \
  } while (0)
#define tp_lock_wait_begin()                                                                       \
  do {                                                                                             \
    if (TP_LOCKS_ARE_ON)                                                                           \
      tp_on_lock_wait();                                                                           \
  } while (0)
#define tp_lock_wait_begin_for(lock)                                                               \
  do {                                                                                             \
    if (TP_LOCKS_ARE_ON && tp_on_lock_wait_for)                                                    \
      tp_on_lock_wait_for(lock);                                                                   \
    else                                                                                           \
      tp_lock_wait_begin();                                                                        \
  } while (0)
#define tp_lock_wait_end(failed)                                                                   \
  do {                                                                                             \
    if (TP_LOCKS_ARE_ON)                                                                           \
      tp_on_lock_wait_end(failed);                                                                 \
  } while (0)
#define tp_busy_wait_begin()                                                                       \
  do {                                                                                             \
    if (tp_on_busy_wait)                                                                           \
      tp_on_busy_wait();                                                                           \
  } while (0)
#define tp_busy_wait_end()                                                                         \
  do {                                                                                             \
    if (tp_on_busy_wait_end)                                                                       \
      tp_on_busy_wait_end();                                                                       \
  } while (0)

#ifdef __cplusplus
namespace tp {

/* The thread waits for a lock from begin() on, to the end of the block, in which it takes the lock or gives
 * up. Further calls of begin() do nothing. */
class LockWait {
public:
  LockWait() noexcept : waits_(false) {}
  ~LockWait() {
    if (waits_)
      tp_on_lock_wait_end(1); // failed, if no lock was taken
  }
  LockWait(const LockWait&) = delete;
  LockWait& operator=(const LockWait&) = delete;
  void begin(const void* lock = nullptr) noexcept {
    if (!waits_ && TP_LOCKS_ARE_ON) {
      waits_ = true;
      if (lock != nullptr)
        tp_lock_wait_begin_for(lock);
      else
        tp_lock_wait_begin();
    }
  }

private:
  bool waits_;
};

/* The code of the enclosing block waits, in a loop that looks at what others do. */
class BusyWait {
public:
  BusyWait() noexcept { tp_busy_wait_begin(); }
  ~BusyWait() { tp_busy_wait_end(); }
  BusyWait(const BusyWait&) = delete;
  BusyWait& operator=(const BusyWait&) = delete;
};

} // namespace tp
#endif

#endif
