// SPDX-License-Identifier: Apache-2.0
// SYMBOLS BY ADDRESS: the functions in a module's symbol tables, sorted once, so that a look-up is a
// binary search (libdwfl's walks the table). Used by site_resolver.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <elfutils/libdwfl.h>

namespace tp::analysis {

class SymbolIndex {
public:
  struct Found {
    const char* name; // mangled; memory of the module
    std::uint64_t offset;
    std::uint64_t size; // of the function
  };

  // Reads the symbol tables of the module, its separate debug file's included.
  explicit SymbolIndex(Dwfl_Module* module);

  // The function around an address of the module (libdwfl's): of functions inside one another the
  // innermost; of several names of one function a global one, then the first by the alphabet.
  // A symbol without size ends where the next one begins.
  std::optional<Found> find(std::uint64_t address) const;
  // Where the function with that mangled name begins, if the module defines it and is the only one.
  std::optional<std::uint64_t> begin_of(std::string_view name);
  // Whether the module has, or uses, the table of virtual functions of a class: `a::B`, no template.
  bool has_virtual_functions(std::string_view of_class) const;

private:
  struct Symbol {
    std::uint64_t begin, end; // end == begin: unknown
    const char* name;
    int rank;                  // of several at one address the lowest is the name
    std::uint64_t section_end; // of one without a size; 0: not known
  };
  std::vector<Symbol> symbols_;         // by begin
  std::vector<std::uint64_t> last_end_; // per symbol: the largest end up to it
  // Made by the first begin_of(); 0: there are several of that name.
  std::unordered_map<std::string_view, std::uint64_t> begins_;
  std::set<std::string_view> vtables_; // mangled, without what the names of all begin with
};

} // namespace tp::analysis
