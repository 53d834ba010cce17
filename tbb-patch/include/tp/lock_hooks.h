/* SPDX-License-Identifier: Apache-2.0 */
// What the patched mutexes of oneTBB need: announces who acquires and releases them, and who waits. Compiled
// into the user's program (weak symbols: it also runs on a stock libtbb) and, for the mutexes whose code is
// there, into libtbb, whose own mutexes announce nothing. C++11; no layout of oneTBB changes. While locks
// are not recorded, each costs one test of a byte.
#ifndef TP_LOCK_HOOKS_H
#define TP_LOCK_HOOKS_H

#include "tp/counted_locks.h"

extern "C" {
__attribute__((weak)) extern unsigned char tp_locks_are_on;
__attribute__((weak)) void tp_on_lock_wait_for(const void* lock) noexcept;
__attribute__((weak)) void tp_on_lock_wait_end(int failed) noexcept;
__attribute__((weak)) void tp_on_lock_taken(const void* lock, unsigned kind, unsigned mode,
                                            const void* caller) noexcept;
__attribute__((weak)) void tp_on_lock_try_failed(const void* lock, unsigned kind, unsigned mode,
                                                 const void* caller) noexcept;
__attribute__((weak)) int tp_on_lock_given(const void* lock) noexcept;
__attribute__((weak)) int tp_on_lock_release(const void* lock) noexcept;
__attribute__((weak)) void tp_on_lock_released() noexcept;
__attribute__((weak)) void tp_on_lock_renewed(const void* lock) noexcept;
__attribute__((weak)) void tp_on_node_lock_made(const void* lock) noexcept;
__attribute__((weak)) void tp_name_node_locks(const void* node, unsigned long size,
                                              const char* what, const void* site) noexcept;
}

namespace tbb {
namespace detail {
namespace d1 {
class spin_rw_mutex;
template <typename Mutex>
class rw_scoped_lock;
} // namespace d1
} // namespace detail
} // namespace tbb

namespace tp {

// tp_lock_kind of tp/hooks.h.
enum class lock_kind : unsigned {
  spin_mutex = 1,
  spin_rw_mutex = 2,
  queuing_mutex = 3,
  queuing_rw_mutex = 4,
  mutex = 5,
  rw_mutex = 6,
  speculative_spin_mutex = 7,
  speculative_spin_rw_mutex = 8,
  accessor = 9,
  hash_map_bucket = 19,
  concurrent_priority_queue = 23,
  flow_graph_node = 24,
  concurrent_lru_cache = 25
};

inline bool locks_are_on() noexcept {
  return &tp_locks_are_on != nullptr && __atomic_load_n(&tp_locks_are_on, __ATOMIC_RELAXED) != 0;
}

inline unsigned locks_state() noexcept {
  return &tp_locks_are_on != nullptr ? __atomic_load_n(&tp_locks_are_on, __ATOMIC_RELAXED) : 0;
}

// Of clients' locks whose code is in libtbb. A lock has been acquired: exclusively, or by a reader. `caller`: an
// address in the client's code, which short sections are counted by; in libtbb's, they are timed.
inline void client_lock_taken(const void* lock, lock_kind kind, bool exclusive = true,
                              const void* caller = __builtin_return_address(0)) noexcept {
  constexpr unsigned kByLibrary = 4; // TP_LOCK_BY_LIBRARY
  const unsigned state = locks_state();
  if (__builtin_expect(state == 0, 1))
    return;
  const unsigned mode = (exclusive ? 0u : 1u) | kByLibrary;
#if TP_COUNTS_LOCKS
  if ((state & TP_LOCKS_ARE_COUNTED) != 0) {
    // Of one mode: addresses have no such bits.
    const void* const code = reinterpret_cast<const void*>(
        reinterpret_cast<__UINTPTR_TYPE__>(caller) | static_cast<__UINTPTR_TYPE__>(mode) << 56);
    if (tp_begin_counted(lock, code))
      return;
    tp_counting_here()->code = code;
    return tp_on_counted_lock_taken(lock, static_cast<unsigned>(kind), mode, nullptr);
  }
#endif
  static_cast<void>(caller);
  tp_on_lock_taken(lock, static_cast<unsigned>(kind), mode, nullptr);
}
// It is about to be released.
inline void client_lock_given(const void* lock) noexcept {
  const unsigned state = locks_state();
  if (__builtin_expect(state == 0, 1))
    return;
#if TP_COUNTS_LOCKS
  if ((state & TP_LOCKS_ARE_COUNTED) != 0 && tp_end_counted(lock))
    return;
#endif
  tp_on_lock_given(lock);
}
// An attempt that does not wait has failed.
inline void client_lock_try_failed(const void* lock, lock_kind kind) noexcept {
  constexpr unsigned kByLibrary = 4; // TP_LOCK_BY_LIBRARY
  if (locks_are_on())
    tp_on_lock_try_failed(lock, static_cast<unsigned>(kind), kByLibrary, nullptr);
}
// From the first attempt that failed, begin(), to end(), or that of the scope. The lock is acquired in between.
class client_lock_wait {
public:
  client_lock_wait() = default;
  __attribute__((always_inline)) ~client_lock_wait() { end(); }
  client_lock_wait(const client_lock_wait&) = delete;
  client_lock_wait& operator=(const client_lock_wait&) = delete;
  __attribute__((always_inline)) void begin(const void* lock) noexcept {
    if (!waits_)
      waits_ = begin_for(lock);
  }
  __attribute__((always_inline)) void end() noexcept {
    if (waits_)
      end_now();
    waits_ = false;
  }

private:
  // Not inlined, so that what acquires a lock remains small enough for that.
  __attribute__((noinline, cold)) static bool begin_for(const void* lock) noexcept {
    if (!locks_are_on())
      return false;
    tp_on_lock_wait_for(lock);
    return true;
  }
  __attribute__((noinline, cold)) static void end_now() noexcept {
    tp_on_lock_wait_end(1); // failed, if nothing was acquired
  }
  bool waits_ = false;
};

#if __TBB_BUILD
extern "C" {
// The lock that others waited for when the thread released it last; of the runtime, which is in libtbb.
__attribute__((visibility("hidden"), tls_model("initial-exec"))) extern __thread const void* tp_released_lock;
}

// In libtbb: wakes those who sleep until the lock at that address is released, by the thread that has just
// done so.
class wake_scope {
public:
  explicit wake_scope(const void* lock) noexcept
      : wakes_(__builtin_expect(tp_released_lock == lock, 0) && tp_on_lock_release(lock) != 0) {}
  ~wake_scope() {
    if (wakes_)
      tp_on_lock_released();
  }
  wake_scope(const wake_scope&) = delete;
  wake_scope& operator=(const wake_scope&) = delete;

private:
  const bool wakes_;
};
#endif

// As client_* for locks whose code is in the headers: of the program, but not of libtbb.
#if __TBB_BUILD
inline void lock_taken(const void*, lock_kind, bool = true) noexcept {}
inline void lock_given(const void*) noexcept {}
inline void lock_try_failed(const void*, lock_kind) noexcept {}
struct lock_wait {
  lock_wait() noexcept {}
  void begin(const void*) noexcept {}
  void end() noexcept {}
};
#else
#if TP_COUNTS_LOCKS
// A copy at each place where a lock is acquired: by its address the place is known.
__attribute__((always_inline)) inline void lock_taken(const void* lock, lock_kind kind,
                                                      bool exclusive = true) noexcept {
  const unsigned state = locks_state();
  if (__builtin_expect(state == 0, 1))
    return;
  const unsigned mode = exclusive ? 0u : 1u;
  if ((state & TP_LOCKS_ARE_COUNTED) == 0)
    tp_on_lock_taken(lock, static_cast<unsigned>(kind), mode, nullptr);
  else if (!tp_begin_counted_here(lock))
    tp_on_counted_lock_taken(lock, static_cast<unsigned>(kind), mode, nullptr);
}
__attribute__((always_inline)) inline void lock_given(const void* lock) noexcept {
  const unsigned state = locks_state();
  if (__builtin_expect(state == 0, 1))
    return;
  if ((state & TP_LOCKS_ARE_COUNTED) == 0 || !tp_end_counted_here(lock))
    tp_on_lock_given(lock);
}
#else
inline void lock_taken(const void* lock, lock_kind kind, bool exclusive = true) noexcept {
  if (locks_are_on())
    tp_on_lock_taken(lock, static_cast<unsigned>(kind), exclusive ? 0u : 1u, nullptr);
}
inline void lock_given(const void* lock) noexcept {
  client_lock_given(lock);
}
#endif
// Not inlined, as above. An older libtbb has no such hook.
__attribute__((noinline, cold)) inline void lock_try_failed(const void* lock,
                                                            lock_kind kind) noexcept {
  if (locks_are_on() && &tp_on_lock_try_failed != nullptr)
    tp_on_lock_try_failed(lock, static_cast<unsigned>(kind), 0, __builtin_return_address(0));
}
using lock_wait = client_lock_wait;
#endif

// Of an aggregator: one thread at a time does the operations of all that have asked for some by then. Its section contains
// them; that of each other thread is empty, after it has waited for its result.
template <lock_kind kKind>
class aggregator_lock {
public:
  explicit aggregator_lock(const void* aggregator) noexcept : aggregator_(aggregator) {}
  // There is another lock at that address from here on. An older libtbb has no such hooks.
  static void made(const void* aggregator) noexcept {
    if (kIsOfNode) {
      if (&tp_on_node_lock_made != nullptr)
        tp_on_node_lock_made(aggregator);
    } else if (&tp_on_lock_renewed != nullptr) {
      tp_on_lock_renewed(aggregator);
    }
  }
  // The thread cannot go on: until handles() or is_done().
  __attribute__((noinline, cold)) void waits() noexcept {
    if (kIsOfNode && &tp_node_locks != nullptr)
      tp_await_node_lock(aggregator_);
    wait_.begin(aggregator_);
  }
  __attribute__((always_inline)) void handles() noexcept {
    if (!kIsOfNode)
      lock_taken(aggregator_, kKind);
    else if (locks_are_on() && (&tp_node_locks == nullptr || !tp_skip_node_lock(aggregator_)))
      take_node();
    wait_.end();
  }
  __attribute__((always_inline)) void handled() noexcept {
    if (!kIsOfNode)
      lock_given(aggregator_);
    else if (__builtin_expect(is_taken_, 0))
      tp_on_lock_given(aggregator_);
  }
  __attribute__((noinline, cold)) void is_done() noexcept {
    constexpr unsigned kDone = 16; // TP_LOCK_DONE
    if (!locks_are_on())
      return;
    tp_on_lock_taken(aggregator_, static_cast<unsigned>(kKind), kDone, __builtin_return_address(0));
    wait_.end();
    tp_on_lock_given(aggregator_);
  }

private:
  static constexpr bool kIsOfNode = kKind == lock_kind::flow_graph_node;
  __attribute__((noinline, cold)) void take_node() noexcept {
    is_taken_ = true;
    tp_on_lock_taken(aggregator_, static_cast<unsigned>(kKind), 0, __builtin_return_address(0));
  }
  const void* const aggregator_;
  lock_wait wait_;
  bool is_taken_ = false;
};

// A mutex of a container. Its code and layout are those of a spin_rw_mutex, it is announced as another kind. Mutexes of
// other types, which a program chooses, are what they are.
template <typename Mutex, lock_kind kKind>
class container_mutex : public Mutex {
public:
  using scoped_lock = tbb::detail::d1::rw_scoped_lock<container_mutex>;
  void lock() { this->tp_lock(kKind); }
  bool try_lock() { return this->tp_try_lock(kKind); }
  void lock_shared() { this->tp_lock_shared(kKind); }
  bool try_lock_shared() { return this->tp_try_lock_shared(kKind); }

protected:
  friend scoped_lock;
  bool upgrade() { return this->tp_upgrade(kKind); }
  void downgrade() { this->tp_downgrade(kKind); }
};
template <typename Mutex, lock_kind kKind>
struct container_mutex_of {
  using type = Mutex;
};
template <lock_kind kKind>
struct container_mutex_of<tbb::detail::d1::spin_rw_mutex, kKind> {
  using type = container_mutex<tbb::detail::d1::spin_rw_mutex, kKind>;
};

} // namespace tp

#endif
