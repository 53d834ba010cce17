// SPDX-License-Identifier: Apache-2.0
// THE ITT COLLECTOR: locks that a program announces by __itt_sync_prepare and its relatives, as for VTune.
// Such a program contains a small static library, ittnotify, with a table of pointers to functions. It loads
// the collector that INTEL_LIBITTNOTIFY64 names, this library under tp-run, and calls __itt_api_init, which
// sets those that are of use here. Of the rest most become what they are without a collector: null.
//
// Task libraries contain ittnotify as well, and announce their own locks and waits, which the recording knows
// already: for them there is no collector.
//
// __itt_sync_prepare comes before the first attempt, which may succeed: what takes less than kNotWaited until the
// acquisition was none. Any thread; no allocation but for new names.
#include "preload/hooks.h"

#include <atomic>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <new>
#include <pthread.h>

namespace {

// Of Intel's ittnotify_config.h, as far as it is used: the layout since 2010.
struct Function {
  const char* name; // null: the table's end
  void** pointer;
  void* first;   // what it is before the collector is loaded
  void* without; // and without a collector
  int group;
};
struct Global {
  unsigned char magic[8];
  unsigned long version[3];
  volatile long state[3];
  pthread_mutex_t mutex;
  void* library;
  void* error_handler;
  const char** path;
  Function* functions;
};
constexpr unsigned char kMagic[] = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30};
constexpr int kBarrier = 1; // of the attributes of an object

constexpr std::int64_t kNotWaited = 1000; // ns

// What a program has said of an object. Entries are found by address, and stay until it is destroyed. Of
// more objects than there is room for, the further ones have no names.
struct Object {
  std::atomic<const void*> address{nullptr};
  std::atomic<const tp_lock_place*> name{nullptr};
  std::atomic<bool> is_barrier{false};
};
constexpr unsigned kObjectBits = 14, kProbes = 16;
constinit Object objects[1u << kObjectBits];
constinit std::atomic_flag busy; // who changes them

class Busy {
public:
  Busy() noexcept {
    while (busy.test_and_set(std::memory_order_acquire)) {
    }
  }
  ~Busy() { busy.clear(std::memory_order_release); }
  Busy(const Busy&) = delete;
  Busy& operator=(const Busy&) = delete;
};

// A child of fork() would wait for ever for a thread that it does not have. What that has half changed is an
// entry without its address, or a name that is nowhere.
[[gnu::constructor]] void handle_forks() {
  pthread_atfork(nullptr, nullptr, [] { busy.clear(std::memory_order_release); });
}

// The wait of the calling thread: from __itt_sync_prepare on.
struct Wait {
  const void* object;
  std::int64_t since;
};
constinit thread_local Wait wait [[gnu::tls_model("initial-exec")]] = {};

bool is_on() noexcept {
  return &tp_locks_are_on != nullptr && __atomic_load_n(&tp_locks_are_on, __ATOMIC_RELAXED) != 0;
}

std::int64_t now() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// `free`: if the address has none, one that can be used for it, or null.
Object* object_at(const void* address, bool free = false) noexcept {
  const std::uint64_t slot =
      reinterpret_cast<std::uintptr_t>(address) * 0x9e3779b97f4a7c15ull >> (64 - kObjectBits);
  Object* empty = nullptr;
  for (unsigned i = 0; i < kProbes; ++i) {
    Object& object = objects[(slot + i) % (1u << kObjectBits)];
    const void* const found = object.address.load(std::memory_order_acquire);
    if (found == address)
      return &object;
    if (found == nullptr && empty == nullptr)
      empty = &object;
  }
  return free ? empty : nullptr;
}

// The same name has one address. Never freed: the recording refers to it. Under Busy.
const tp_lock_place* name_of(const char* text) noexcept {
  struct Name {
    tp_lock_place place;
    const Name* next;
  };
  static constinit const Name* names = nullptr;
  if (text == nullptr || *text == '\0')
    return nullptr;
  for (const Name* name = names; name != nullptr; name = name->next)
    if (std::strcmp(name->place.name, text) == 0)
      return &name->place;
  const char* const copy = strdup(text);
  auto* const made = copy != nullptr ? new (std::nothrow) Name{{copy, "", 0}, names} : nullptr;
  if (made == nullptr)
    return nullptr;
  names = made;
  return &made->place;
}

// ---- what programs call ------------------------------------------------------------------------

// `type`: "Mutex"; `name`: may be null or empty. Both may be those of many objects.
void sync_create(void* address, const char* type, const char* name, int attribute) noexcept {
  if (tp_on_lock_renewed != nullptr)
    tp_on_lock_renewed(address);
  const Busy changing;
  Object* const object = object_at(address, /*free=*/true);
  if (object == nullptr)
    return;
  object->name.store(name_of(name != nullptr && *name != '\0' ? name : type),
                     std::memory_order_relaxed);
  object->is_barrier.store(attribute == kBarrier, std::memory_order_relaxed);
  object->address.store(address, std::memory_order_release);
}

void sync_rename(void* address, const char* name) noexcept {
  const Busy changing;
  Object* const object = object_at(address, /*free=*/true);
  if (object == nullptr)
    return;
  if (object->address.load(std::memory_order_relaxed) == nullptr)
    object->is_barrier.store(false, std::memory_order_relaxed);
  object->name.store(name_of(name), std::memory_order_relaxed);
  object->address.store(address, std::memory_order_release);
}

void sync_destroy(void* address) noexcept {
  if (tp_on_lock_renewed != nullptr)
    tp_on_lock_renewed(address);
  const Busy changing;
  if (Object* const object = object_at(address))
    object->address.store(nullptr, std::memory_order_release);
}

void sync_prepare(void* address) noexcept {
  if (!is_on() || wait.object == address) // again, in a loop
    return;
  if (wait.object != nullptr)
    tp_on_lock_wait_end(1);
  wait = {address, now()};
  tp_on_lock_wait_for(address);
}

// `result`: as of tp_on_lock_wait_end.
void end_wait(int result) noexcept {
  wait.object = nullptr;
  tp_on_lock_wait_end(result);
}

void sync_cancel(void* address) noexcept {
  if (wait.object == address && address != nullptr)
    end_wait(1);
}

void sync_acquired(void* address) noexcept {
  const Object* const object = object_at(address);
  const bool is_barrier = object != nullptr && object->is_barrier.load(std::memory_order_relaxed);
  if (wait.object == address && address != nullptr)
    end_wait(is_barrier ? 1 : now() - wait.since > kNotWaited ? 0 : 2);
  if (is_on() && !is_barrier)
    tp_on_named_lock_taken(address, TP_LOCK_ITT, 0, __builtin_return_address(0),
                           object != nullptr ? object->name.load(std::memory_order_relaxed)
                                             : nullptr);
}

void sync_releasing(void* address) noexcept {
  if (is_on())
    tp_on_lock_given(address);
}

// ---- the collector -------------------------------------------------------------------------------

struct Handler {
  const char* name;
  void* function;
};
const Handler kHandlers[] = {
    {"__itt_sync_create", reinterpret_cast<void*>(sync_create)},
    {"__itt_sync_rename", reinterpret_cast<void*>(sync_rename)},
    {"__itt_sync_destroy", reinterpret_cast<void*>(sync_destroy)},
    {"__itt_sync_prepare", reinterpret_cast<void*>(sync_prepare)},
    {"__itt_sync_cancel", reinterpret_cast<void*>(sync_cancel)},
    {"__itt_sync_acquired", reinterpret_cast<void*>(sync_acquired)},
    {"__itt_sync_releasing", reinterpret_cast<void*>(sync_releasing)},
};

void* handler_of(const char* name) noexcept {
  for (const Handler& handler : kHandlers)
    if (std::strcmp(name, handler.name) == 0)
      return handler.function;
  return nullptr;
}

// Functions that return an object which the program uses: their first versions, in the program itself,
// make one.
bool makes_object(const char* name) noexcept {
  for (const char* const each :
       {"domain_create", "string_handle_create", "counter_create", "histogram_create", "track"})
    if (std::strstr(name, each) != nullptr)
      return true;
  return false;
}

bool is_of_task_library(const void* global) noexcept {
  Dl_info module{};
  if (dladdr(global, &module) == 0 || module.dli_fname == nullptr)
    return false;
  const char* const slash = std::strrchr(module.dli_fname, '/');
  const char* const file = slash != nullptr ? slash + 1 : module.dli_fname;
  for (const char* const each : {"libtbb", "libomp", "libiomp"})
    if (std::strncmp(file, each, std::strlen(each)) == 0)
      return true;
  return false;
}

} // namespace

extern "C" [[gnu::visibility("default")]] void __itt_api_init(Global* global, int) noexcept {
  if (global == nullptr || std::memcmp(global->magic, kMagic, sizeof kMagic) != 0 ||
      global->functions == nullptr)
    return;
  const bool is_program = !is_of_task_library(global) && tp_on_named_lock_taken != nullptr;
  for (Function* each = global->functions; each->name != nullptr; ++each) {
    void* const handler = is_program ? handler_of(each->name) : nullptr;
    if (handler != nullptr)
      *each->pointer = handler;
    else if (!is_program || !makes_object(each->name))
      *each->pointer = each->without;
  }
}
