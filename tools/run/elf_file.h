// SPDX-License-Identifier: Apache-2.0
// What tp-run needs to know about an ELF file. It is read with libelf; the dynamic linker finds the
// libraries of a program. The code of the file is not executed.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tp::tool {

// Whether a file contains the code of TBB's scheduler. The symbols of its functions show that; in a
// stripped file the names of its classes do, but they do not show whether any code calls it.
enum class TbbCode { None, ByClasses, BySymbols };

struct ElfFile {
  bool same_machine = false;       // same architecture and word size as tp-run
  std::string interpreter;         // the dynamic linker; empty for an executable: linked statically
  std::vector<std::string> needed; // DT_NEEDED
  bool has_auditors = false;       // DT_AUDIT or DT_DEPAUDIT
  TbbCode tbb_code = TbbCode::None; // also None if read_elf() did not look for it
  bool is_openmp_tool = false;      // has ompt_start_tool, which an OpenMP runtime looks for
};

// Empty if the file cannot be read or is not an ELF file. Looks for TBB's code only if
// `look_for_tbb`, because that takes time.
std::optional<ElfFile> read_elf(const std::string& path, bool look_for_tbb);

// Does the file offer this symbol to others?
bool defines_symbol(const std::string& path, std::string_view name);

// What a file offers to others and asks of them, without weak references: of the symbols those that are wanted.
struct DynamicSymbols {
  std::set<std::string> defined, undefined;
  std::set<std::string> versions;                                // that it defines
  std::set<std::pair<std::string, std::string>> needed_versions; // library, version
};
using WantedSymbol = bool (*)(std::string_view name);
std::optional<DynamicSymbols> read_dynamic_symbols(const std::string& path, WantedSymbol wanted);

// Does the file contain the code of one of these functions? By its symbols; false if it has none of them, or none at all.
bool contains_function(const std::string& path, const std::vector<std::string>& names);

// The files of all libraries that the dynamic linker would load with the program: its own search
// path, LD_LIBRARY_PATH, the linker's cache. Empty if the linker cannot list them without running
// code of the program.
std::vector<std::string> libraries_of(const std::string& program, const ElfFile& file);

} // namespace tp::tool
