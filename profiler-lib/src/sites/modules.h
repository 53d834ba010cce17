// SPDX-License-Identifier: Apache-2.0
// MODULES: the executable and the shared libraries of the process, numbered as they are first seen
// in a stack, and written to sites.jsonl with path and build id. The analyzer resolves (module,
// offset) to a source line. Used by the registry, under its lock. Cold.
#pragma once

#include "sites/site_file.h"

#include <cstdint>
#include <link.h>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace tp::rt {

// The loaded module that contains an address: its address, name and segments. False: none does. Where the C
// library can say that without its loader's lock (2.35 and newer), that is not acquired: a program may hold it
// when it acquires a lock of its own (dl_iterate_phdr), and wait for the registry's.
bool find_module(std::uintptr_t address, dl_phdr_info& module) noexcept;

struct CodeAddress {
  std::uint32_t module;
  std::uintptr_t offset; // in the address space of the module's file
};

// Base, path (empty: the executable) and build id.
using LoadedModule = std::tuple<std::uintptr_t, std::string, std::string>;
// Both acquire the loader's lock: not to be called under the registry's.
std::vector<LoadedModule> loaded_modules();
// Paths of those that have called functions of the C library which acquire locks, past the ones of the same name that the
// program has from tp-run: as one does that is loaded with RTLD_DEEPBIND.
std::vector<std::string> modules_past_our_locks();

class Modules {
public:
  // Where the address belongs; empty: to no loaded module. Writes the module's line if it is new.
  std::optional<CodeAddress> locate(std::uintptr_t address, SiteFile& file);
  // Writes a line for each of these modules that has none.
  void write_others(const std::vector<LoadedModule>& loaded, SiteFile& file) const;
  static void write_past(const std::vector<std::string>& paths, SiteFile& file);
  void clear() { number_of_.clear(); }

private:
  // By base, path and build id: after a module is unloaded another one may be mapped at the same
  // base.
  std::map<LoadedModule, std::uint32_t> number_of_;
};

} // namespace tp::rt
