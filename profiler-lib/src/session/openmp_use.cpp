// SPDX-License-Identifier: Apache-2.0
// See openmp_use.h.
#include "session/openmp_use.h"

#include <atomic>
#include <dlfcn.h>
#include <link.h>
#include <string_view>
#include <sys/auxv.h>

namespace tp::rt {
namespace {

std::atomic<std::uint64_t> threads{0};
std::atomic<bool> is_in_program{false};

// Also libgomp-a34b3233.so.1.0.0, as Python packages have it.
bool is_openmp_runtime(std::string_view path) noexcept {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  for (const std::string_view runtime : {"libgomp", "libomp", "libiomp5"})
    if (name.starts_with(runtime) && name.find(".so") != std::string_view::npos)
      return true;
  return false;
}

int look_for_openmp(dl_phdr_info* module, std::size_t /*size*/, void* found) {
  if (!is_openmp_runtime(module->dlpi_name))
    return 0;
  *static_cast<std::string*>(found) = module->dlpi_name;
  return 1;
}

bool is_of_program(const Dl_info& module) noexcept {
  Dl_info program{};
  return dladdr(reinterpret_cast<const void*>(getauxval(AT_PHDR)), &program) != 0 &&
         program.dli_fbase == module.dli_fbase;
}

} // namespace

void expect_openmp_in_program() noexcept {
  is_in_program.store(true, std::memory_order_relaxed);
}

void note_creator(const void* caller) noexcept {
  Dl_info module{};
  if (dladdr(caller, &module) == 0 || module.dli_fname == nullptr)
    return;
  if (is_openmp_runtime(module.dli_fname) ||
      (is_in_program.load(std::memory_order_relaxed) && is_of_program(module)))
    threads.fetch_add(1, std::memory_order_relaxed);
}

void forget_openmp_threads() noexcept {
  threads.store(0, std::memory_order_relaxed);
}

OpenMpUse openmp_use() {
  OpenMpUse use;
  dl_iterate_phdr(look_for_openmp, &use.runtime);
  use.threads = threads.load(std::memory_order_relaxed);
  return use;
}

} // namespace tp::rt
