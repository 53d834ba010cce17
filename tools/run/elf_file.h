// What tp-run wants to know about an ELF file. Read with libelf; the libraries of a program are found
// by the dynamic linker. No code of the file is executed.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace tp::tool {

// Does a file contain the code of TBB's scheduler? Known by the symbols of its functions; in a
// stripped file by the names of its classes, which does not show whether anything calls it.
enum class TbbCode { None, ByClasses, BySymbols };

struct ElfFile {
  bool same_machine = false;       // same architecture and word size as tp-run
  std::string interpreter;         // the dynamic linker; empty for an executable: linked statically
  std::vector<std::string> needed; // DT_NEEDED
  bool has_auditors = false;       // DT_AUDIT or DT_DEPAUDIT
  TbbCode tbb_code = TbbCode::None; // None as well if it was not looked for
};

// Nothing if the file cannot be read or is not an ELF file. TBB's code is looked for only on demand:
// that takes time.
std::optional<ElfFile> read_elf(const std::string& path, bool look_for_tbb);

// The files of all libraries that the dynamic linker would load with the program: its own search
// path, LD_LIBRARY_PATH, the linker's cache. Empty where it cannot be asked without running code of
// the program.
std::vector<std::string> libraries_of(const std::string& program, const ElfFile& file);

} // namespace tp::tool
