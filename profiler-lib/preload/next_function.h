// SPDX-License-Identifier: Apache-2.0
// The next definition of a function that this library defines as well: the C library's, or that of
// another preloaded library.
#pragma once

#include <atomic>
#include <dlfcn.h>

namespace tp::preload {

// Looked up at the first call, since a library that is initialized before this one may be the first
// caller. `Function` is its type. Null: no library defines it.
template <typename Function>
class NextFunction {
public:
  // `version`: only that of the C library's versions.
  explicit constexpr NextFunction(const char* name, const char* version = nullptr)
      : name_(name), version_(version) {}
  Function* get() noexcept {
    void* found = found_.load(std::memory_order_relaxed);
    if (found == nullptr) [[unlikely]]
      found = find();
    return reinterpret_cast<Function*>(found);
  }

private:
  [[gnu::noinline, gnu::cold]] void* find() noexcept {
    void* const found =
        version_ != nullptr ? dlvsym(RTLD_NEXT, name_, version_) : dlsym(RTLD_NEXT, name_);
    found_.store(found, std::memory_order_relaxed);
    return found;
  }

  const char* const name_;
  const char* const version_;
  std::atomic<void*> found_{nullptr};
};

} // namespace tp::preload
