// SPDX-License-Identifier: Apache-2.0
// The next definition of a function that this library defines as well: the C library's, or that of
// another preloaded library.
#pragma once

#include <atomic>
#include <dlfcn.h>

namespace tp::preload {

// Looked up when this library is initialized, or before that when a thread is created: later callers may be
// signal handlers, or children of fork() whose parent had another thread in the dynamic linker. A library
// that is initialized before this one may be the first caller of all: then it is looked up for that.
// Aligned such that those of a section are an array.
class alignas(32) NextSymbol {
public:
  explicit constexpr NextSymbol(const char* name, const char* version)
      : name_(name), version_(version) {}
  void* find() noexcept {
    void* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) [[unlikely]]
      found = look_up();
    return found;
  }

protected:
  // Null: not looked up yet.
  void* known() const noexcept { return found_.load(std::memory_order_relaxed); }

private:
  [[gnu::noinline, gnu::cold]] void* look_up() noexcept {
    void* const found =
        version_ != nullptr ? dlvsym(RTLD_NEXT, name_, version_) : dlsym(RTLD_NEXT, name_);
    found_.store(found, std::memory_order_relaxed);
    return found;
  }

  const char* const name_;
  const char* const version_;
  std::atomic<void*> found_{nullptr};
};

// `Function` is its type. Null: no library defines it. Each is declared with TP_NEXT.
template <typename Function>
class NextFunction : public NextSymbol {
public:
  // `version`: only that of the C library's versions.
  explicit constexpr NextFunction(const char* name, const char* version = nullptr)
      : NextSymbol(name, version) {}
  Function* get() noexcept { return reinterpret_cast<Function*>(find()); }
  // The same; null if that takes a look-up.
  Function* get_known() const noexcept { return reinterpret_cast<Function*>(known()); }
};
static_assert(sizeof(NextFunction<void()>) == sizeof(NextSymbol) && sizeof(NextSymbol) == 32);

#define TP_NEXT [[gnu::section("tp_next_functions")]] constinit

// Writes what all threads read, while there is one thread: when this library is initialized, or before
// that when a thread is created.
void prepare_for_threads() noexcept;

} // namespace tp::preload
