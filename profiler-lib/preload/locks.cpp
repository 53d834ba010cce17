// SPDX-License-Identifier: Apache-2.0
// The locks of the C library: mutexes, read-write locks, spin locks; those of C++'s standard library
// are these, and C11's mtx_t is a mutex. Each is tried first: who gets it at once pays for that and, if locks are recorded, for one
// hook; only who does not waits. The release is announced before it happens, since the address may be
// another lock's afterwards.
//
// A robust mutex whose owner has died is taken by the attempt, which says so. An error-checking or
// recursive one that the thread has is refused, or counted, by the same calls as without us. None of these
// functions is a cancellation point, and all keep errno, as the hooks do.
//
// The hooks need memory and frames. What malloc, operator new or the unwinder acquire is not announced, else a thread would wait
// for itself: the code of the libraries that have these functions is left out. If the program itself has one of them, no lock of
// the C library is announced.
//
// Not seen: locks that are taken inside of the C library (stdio, malloc), and by programs that do not call
// it for that (Go, static executables).
#include "preload/given_mutex.h"
#include "preload/hooks.h"
#include "preload/next_function.h"
#include "preload/waiting.h"

#include <cerrno>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <threads.h>
#include <type_traits>

using namespace tp::preload;

namespace {

using SpinLock = pthread_spinlock_t;

TP_NEXT NextFunction<int(pthread_mutex_t*)> next_lock("pthread_mutex_lock"),
    next_trylock("pthread_mutex_trylock"), next_unlock("pthread_mutex_unlock"),
    next_destroy("pthread_mutex_destroy");
TP_NEXT NextFunction<int(pthread_mutex_t*, const pthread_mutexattr_t*)>
    next_init("pthread_mutex_init");
TP_NEXT NextFunction<int(pthread_mutex_t*, const timespec*)>
    next_timedlock("pthread_mutex_timedlock");
TP_NEXT NextFunction<int(pthread_mutex_t*, clockid_t, const timespec*)>
    next_clocklock("pthread_mutex_clocklock");
TP_NEXT NextFunction<int(pthread_rwlock_t*)> next_rdlock("pthread_rwlock_rdlock"),
    next_tryrdlock("pthread_rwlock_tryrdlock"), next_wrlock("pthread_rwlock_wrlock"),
    next_trywrlock("pthread_rwlock_trywrlock"), next_rwunlock("pthread_rwlock_unlock"),
    next_rwdestroy("pthread_rwlock_destroy");
TP_NEXT NextFunction<int(pthread_rwlock_t*, const pthread_rwlockattr_t*)>
    next_rwinit("pthread_rwlock_init");
TP_NEXT NextFunction<int(pthread_rwlock_t*, const timespec*)>
    next_timedrdlock("pthread_rwlock_timedrdlock"), next_timedwrlock("pthread_rwlock_timedwrlock");
TP_NEXT NextFunction<int(pthread_rwlock_t*, clockid_t, const timespec*)>
    next_clockrdlock("pthread_rwlock_clockrdlock"), next_clockwrlock("pthread_rwlock_clockwrlock");
TP_NEXT NextFunction<int(SpinLock*)> next_spin_lock("pthread_spin_lock"),
    next_spin_trylock("pthread_spin_trylock"), next_spin_unlock("pthread_spin_unlock"),
    next_spin_destroy("pthread_spin_destroy");
TP_NEXT NextFunction<int(SpinLock*, int)> next_spin_init("pthread_spin_init");
// They call the C library's own names of the functions of pthread_mutex_t.
TP_NEXT NextFunction<int(mtx_t*)> next_mtx_lock("mtx_lock"), next_mtx_trylock("mtx_trylock"),
    next_mtx_unlock("mtx_unlock");
TP_NEXT NextFunction<int(mtx_t*, const timespec*)> next_mtx_timedlock("mtx_timedlock");
TP_NEXT NextFunction<int(mtx_t*, int)> next_mtx_init("mtx_init");
TP_NEXT NextFunction<void(mtx_t*)> next_mtx_destroy("mtx_destroy");

constexpr int kAwaited = 2; // of tp_on_lock_given()

// How a lock is recorded.
struct Acquisition {
  unsigned kind;
  unsigned mode;
  const void* caller;
};

// Where this library is mapped, by the linker.
extern "C" [[gnu::visibility("hidden")]] const char __ehdr_start, etext;

struct Range {
  const char* begin;
  const char* end;
  bool contains(const char* address) const noexcept { return address >= begin && address < end; }
};
// The code of the libraries of malloc, operator new and the unwinder, as far as it may acquire locks of the C library.
constinit Range left_out[4]{};

// Of the program's, not of this library's or of those that the hooks use.
bool is_recorded(const Acquisition& how) noexcept {
  const auto* const caller = static_cast<const char*>(how.caller);
  if (!locks_are_on() || (caller >= &__ehdr_start && caller < &etext))
    return false;
  for (const Range& code : left_out)
    if (code.contains(caller))
      return false;
  return true;
}

// What an attempt returns if a thread has the lock, and if the attempt has got it.
template <typename Lock>
constexpr int kBusy = std::is_same_v<Lock, mtx_t> ? int{thrd_busy} : EBUSY;
bool is_taken(int result) noexcept {
  return result == 0 || result == EOWNERDEAD;
}
static_assert(thrd_success == 0 && thrd_error < EOWNERDEAD && thrd_nomem < EOWNERDEAD &&
              thrd_timedout < EOWNERDEAD);

// Of the ways in which a kind of lock is acquired.
template <unsigned kKind, unsigned kMode>
struct KindAndMode {
  template <typename Lock>
  static Acquisition by(Lock* lock, const void* caller) noexcept {
    if constexpr (kKind == TP_LOCK_PTHREAD_MUTEX)
      return {kKind, kMode | mode_of(lock), caller};
    else
      return {kKind, kMode, caller};
  }
};
using Mutex = KindAndMode<TP_LOCK_PTHREAD_MUTEX, 0>;
using Reader = KindAndMode<TP_LOCK_PTHREAD_RWLOCK, TP_LOCK_SHARED>;
using Writer = KindAndMode<TP_LOCK_PTHREAD_RWLOCK, 0>;
using Spinner = KindAndMode<TP_LOCK_PTHREAD_SPINLOCK, 0>;

template <typename Lock>
const void* address_of(Lock* lock) noexcept {
  return const_cast<const void*>(static_cast<const volatile void*>(lock));
}

#if TP_COUNTS_LOCKS
// Sections that begin with that call: addresses have no such bits.
const void* code_of(const Acquisition& how) noexcept {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(how.caller) |
                                       std::uintptr_t{how.mode} << 56);
}
[[gnu::always_inline]] inline bool is_counted(unsigned state, const void* lock,
                                              const Acquisition& how) noexcept {
  return (state & TP_LOCKS_ARE_COUNTED) != 0 && tp_begin_counted(lock, code_of(how)) != 0;
}
[[gnu::always_inline]] inline bool end_is_counted(unsigned state, const void* lock) noexcept {
  return (state & TP_LOCKS_ARE_COUNTED) != 0 && tp_end_counted(lock) != 0;
}
[[gnu::always_inline]] inline void on_taken(unsigned state, const void* lock,
                                            const Acquisition& how) noexcept {
  if ((state & TP_LOCKS_ARE_COUNTED) == 0)
    return tp_on_lock_taken(lock, how.kind, how.mode, how.caller);
  tp_counting_here()->code = code_of(how);
  tp_on_counted_lock_taken(lock, how.kind, how.mode, how.caller);
}
#else
constexpr bool is_counted(unsigned, const void*, const Acquisition&) noexcept {
  return false;
}
constexpr bool end_is_counted(unsigned, const void*) noexcept {
  return false;
}
void on_taken(unsigned, const void* lock, const Acquisition& how) noexcept {
  tp_on_lock_taken(lock, how.kind, how.mode, how.caller);
}
#endif

// The lock was acquired, and is not counted. Returns 0.
[[gnu::noinline]] int record_acquired(const void* lock, Acquisition how) noexcept {
  if (is_recorded(how))
    on_taken(locks_state(), lock, how);
  return 0;
}

// What follows an attempt that has not got the lock, or one whose owner has died.
template <typename Lock, typename... Args>
[[gnu::noinline]] int end_acquiring(int result, Acquisition how,
                                    NextFunction<int(Lock*, Args...)>& wait, Lock* lock,
                                    std::type_identity_t<Args>... arguments) noexcept {
  if (!is_recorded(how))
    return result == kBusy<Lock> ? waiting(wait, lock, arguments...) : result;
  if (result == kBusy<Lock>) {
    tp_on_lock_wait_for(address_of(lock));
    result = wait.get()(lock, arguments...);
    tp_on_lock_wait_end(is_taken(result) ? 0 : 1);
  }
  if (is_taken(result))
    on_taken(locks_state(), address_of(lock), how);
  return result;
}

// `attempt` returns kBusy if a thread has the lock. A spin lock is not const, but volatile. What is known of the
// acquisition is asked for after it, and needs no register meanwhile.
template <typename Kind, typename Lock, typename... Args>
[[gnu::always_inline]] inline int acquire(NextFunction<int(Lock*)>& attempt,
                                          NextFunction<int(Lock*, Args...)>& wait, Lock* lock,
                                          std::type_identity_t<Args>... arguments) noexcept {
  const int result = attempt.get()(lock);
  if (result != 0) [[unlikely]]
    return end_acquiring<Lock, Args...>(result, Kind::by(lock, __builtin_return_address(0)), wait,
                                        lock, arguments...);
  const unsigned state = locks_state();
  if (state == 0) [[likely]]
    return 0;
  const Acquisition how = Kind::by(lock, __builtin_return_address(0));
  if (is_counted(state, address_of(lock), how)) [[likely]]
    return 0;
  return record_acquired(address_of(lock), how);
}

// What follows an attempt that has failed, and does not wait. Returns the result.
[[gnu::noinline]] int end_attempt(int result, const void* lock, Acquisition how) noexcept {
  if (is_recorded(how) && tp_on_lock_try_failed != nullptr)
    tp_on_lock_try_failed(lock, how.kind, how.mode, how.caller);
  return result;
}

template <typename Kind, typename Lock>
[[gnu::always_inline]] inline int attempt(NextFunction<int(Lock*)>& attempt, Lock* lock) noexcept {
  const int result = attempt.get()(lock);
  const Acquisition how = Kind::by(lock, __builtin_return_address(0));
  const unsigned state = locks_state();
  if (result == 0 && is_counted(state, address_of(lock), how))
    return 0;
  if (result == kBusy<Lock>) [[unlikely]]
    return end_attempt(result, address_of(lock), how);
  if (is_taken(result) && is_recorded(how))
    on_taken(state, address_of(lock), how);
  return result;
}

// Does the release of the lock, which others wait for, end in a system call? While one of them wakes up, or has not yet
// gone to sleep, a mutex is released without any.
bool may_wake(const pthread_mutex_t* mutex) noexcept {
  constexpr int kWithoutSleepers = 1; // the lock of a plain mutex: of others it has the owner
  constexpr int kPlainKinds = 0x0f;
  return (mutex->__data.__kind & ~kPlainKinds) != 0 ||
         __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) != kWithoutSleepers;
}
bool may_wake(const mtx_t* mutex) noexcept {
  return may_wake(mutex_of(mutex));
}
bool may_wake(const pthread_rwlock_t*) noexcept {
  return true;
}
bool may_wake(const SpinLock*) noexcept {
  return false;
}

template <typename Lock>
[[gnu::noinline]] int release_recorded(NextFunction<int(Lock*)>& release, Lock* lock) noexcept {
  if (tp_on_lock_given(address_of(lock)) != kAwaited || !may_wake(lock) ||
      tp_on_lock_release(address_of(lock)) == 0)
    return release.get()(lock);
  // The call wakes a thread, which takes longer than many sections: no work of the program.
  const int result = release.get()(lock);
  tp_on_lock_released();
  return result;
}
// The first of all that is released.
template <typename Lock>
[[gnu::noinline, gnu::cold]] int release_first(NextFunction<int(Lock*)>& release,
                                               Lock* lock) noexcept {
  release.get();
  if (locks_are_on())
    return release_recorded(release, lock);
  return release.get()(lock);
}

template <typename Lock>
[[gnu::always_inline]] inline int release(NextFunction<int(Lock*)>& release, Lock* lock) noexcept {
  // Called as what throws nothing, so that the call is a jump.
  auto* const next = reinterpret_cast<int (*)(Lock*) noexcept>(release.get_known());
  if (next == nullptr) [[unlikely]]
    return release_first(release, lock);
  const unsigned state = locks_state();
  if (state == 0 || end_is_counted(state, address_of(lock))) [[likely]]
    return next(lock);
  return release_recorded(release, lock);
}

template <typename Result, typename Lock, typename... Args>
Result renew(NextFunction<Result(Lock*, Args...)>& next, Lock* lock,
             std::type_identity_t<Args>... arguments) noexcept {
  if (tp_on_lock_renewed != nullptr)
    tp_on_lock_renewed(address_of(lock));
  return next.get()(lock, arguments...);
}

// The function of that name that all modules call. Where the program is not position-independent and takes its address,
// that is an entry of the program which calls the function.
const void* function_of(const char* name) noexcept {
  void* const function = dlsym(RTLD_DEFAULT, name);
  Dl_info module{};
  const ElfW(Sym)* symbol = nullptr;
  if (function != nullptr &&
      dladdr1(function, &module, const_cast<void**>(reinterpret_cast<const void**>(&symbol)),
              RTLD_DL_SYMENT) != 0 &&
      symbol != nullptr && symbol->st_shndx == SHN_UNDEF)
    return dlsym(RTLD_NEXT, name);
  return function;
}

bool is_of(const void* function, const char* library) noexcept {
  Dl_info module{};
  return function != nullptr && dladdr(function, &module) != 0 && module.dli_fname != nullptr &&
         std::strstr(module.dli_fname, library) != nullptr;
}

// The code around the function, nothing if there is none. False: it is the program's own.
bool find_library_of(const void* function, Range& code) noexcept {
  struct Search {
    const char* function;
    Range* code;
    int modules;
  };
  Search search{static_cast<const char*>(function), &code, 0};
  const auto visit = [](dl_phdr_info* module, std::size_t, void* argument) {
    auto& search = *static_cast<Search*>(argument);
    const bool is_program = search.modules == 0;
    search.modules += 1;
    for (unsigned i = 0; i < module->dlpi_phnum; ++i) {
      const auto& segment = module->dlpi_phdr[i];
      const auto* const begin = reinterpret_cast<const char*>(module->dlpi_addr + segment.p_vaddr);
      const Range range{begin, begin + segment.p_memsz};
      if (segment.p_type != PT_LOAD || !range.contains(search.function))
        continue;
      *search.code = range;
      return is_program ? 2 : 1;
    }
    return 0;
  };
  return search.function == nullptr || dl_iterate_phdr(visit, &search) != 2;
}

// Can the locks that functions for memory acquire be separated from others? Yes, if these are of a library that has not its own
// functions for locks as well (ThreadSanitizer).
bool can_leave_out(const char* name, const char* usual, Range& code) noexcept {
  const void* const function = function_of(name);
  if (is_of(function, usual))
    return true;
  return find_library_of(function, code) &&
         !code.contains(reinterpret_cast<const char*>(next_lock.get()));
}

[[gnu::constructor]] void announce_locks() {
  prepare_for_threads();
  if (announces_locks)
    tp_c_locks_are_seen();
}

} // namespace

bool tp::preload::announces_locks = false;

void tp::preload::decide_on_locks() noexcept {
  announces_locks = &tp_locks_are_on != nullptr && tp_c_locks_are_seen != nullptr &&
                    can_leave_out("malloc", "/libc.so", left_out[0]) &&
                    can_leave_out("_Znwm", "/libstdc++.so", left_out[1]) &&
                    // Called by the malloc of libtbbmalloc_proxy.
                    find_library_of(function_of("scalable_malloc"), left_out[2]) &&
                    find_library_of(function_of("_Unwind_Find_FDE"), left_out[3]);
}

// The C library's headers have reserved names.
// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name)
#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  return acquire<Mutex>(next_trylock, next_lock, mutex);
}

TP_EXPORT int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  return attempt<Mutex>(next_trylock, mutex);
}

TP_EXPORT int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* until) noexcept {
  return acquire<Mutex>(next_trylock, next_timedlock, mutex, until);
}

TP_EXPORT int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                      const timespec* until) noexcept {
  return acquire<Mutex>(next_trylock, next_clocklock, mutex, clock, until);
}

TP_EXPORT int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  return release(next_unlock, mutex);
}

TP_EXPORT int pthread_mutex_init(pthread_mutex_t* mutex,
                                 const pthread_mutexattr_t* attributes) noexcept {
  return renew(next_init, mutex, attributes);
}

TP_EXPORT int pthread_mutex_destroy(pthread_mutex_t* mutex) noexcept {
  return renew(next_destroy, mutex);
}

TP_EXPORT int mtx_lock(mtx_t* mutex) {
  return acquire<Mutex>(next_mtx_trylock, next_mtx_lock, mutex);
}

TP_EXPORT int mtx_trylock(mtx_t* mutex) {
  return attempt<Mutex>(next_mtx_trylock, mutex);
}

TP_EXPORT int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  return acquire<Mutex>(next_mtx_trylock, next_mtx_timedlock, mutex, until);
}

TP_EXPORT int mtx_unlock(mtx_t* mutex) {
  return release(next_mtx_unlock, mutex);
}

TP_EXPORT int mtx_init(mtx_t* mutex, int type) {
  return renew(next_mtx_init, mutex, type);
}

TP_EXPORT void mtx_destroy(mtx_t* mutex) {
  renew(next_mtx_destroy, mutex);
}

TP_EXPORT int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
  return acquire<Reader>(next_tryrdlock, next_rdlock, lock);
}

TP_EXPORT int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  return attempt<Reader>(next_tryrdlock, lock);
}

TP_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  return acquire<Reader>(next_tryrdlock, next_timedrdlock, lock, until);
}

TP_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                         const timespec* until) noexcept {
  return acquire<Reader>(next_tryrdlock, next_clockrdlock, lock, clock, until);
}

TP_EXPORT int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
  return acquire<Writer>(next_trywrlock, next_wrlock, lock);
}

TP_EXPORT int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  return attempt<Writer>(next_trywrlock, lock);
}

TP_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
  return acquire<Writer>(next_trywrlock, next_timedwrlock, lock, until);
}

TP_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                         const timespec* until) noexcept {
  return acquire<Writer>(next_trywrlock, next_clockwrlock, lock, clock, until);
}

TP_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  return release(next_rwunlock, lock);
}

TP_EXPORT int pthread_rwlock_init(pthread_rwlock_t* lock,
                                  const pthread_rwlockattr_t* attributes) noexcept {
  return renew(next_rwinit, lock, attributes);
}

TP_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t* lock) noexcept {
  return renew(next_rwdestroy, lock);
}

TP_EXPORT int pthread_spin_lock(SpinLock* lock) noexcept {
  return acquire<Spinner>(next_spin_trylock, next_spin_lock, lock);
}

TP_EXPORT int pthread_spin_trylock(SpinLock* lock) noexcept {
  return attempt<Spinner>(next_spin_trylock, lock);
}

TP_EXPORT int pthread_spin_unlock(SpinLock* lock) noexcept {
  return release(next_spin_unlock, lock);
}

TP_EXPORT int pthread_spin_init(SpinLock* lock, int shared) noexcept {
  return renew(next_spin_init, lock, shared);
}

TP_EXPORT int pthread_spin_destroy(SpinLock* lock) noexcept {
  return renew(next_spin_destroy, lock);
}

} // extern "C"
// NOLINTEND(readability-inconsistent-declaration-parameter-name)
