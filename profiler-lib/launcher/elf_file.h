// What tp-run wants to know about an ELF file. Read with libelf only: nothing of the file is
// executed.
#ifndef TP_LAUNCHER_ELF_FILE_H
#define TP_LAUNCHER_ELF_FILE_H

#include <optional>
#include <string>
#include <vector>

namespace tp::launcher {

struct ElfFile {
  bool same_machine = false;            // same architecture and word size as tp-run
  bool has_interpreter = false;         // false for an executable: linked statically
  std::vector<std::string> needed;      // DT_NEEDED
  std::vector<std::string> search_path; // DT_RUNPATH or DT_RPATH with $ORIGIN replaced
  bool defines_tbb = false;             // has the code of oneTBB's scheduler in itself
};

// Nothing if the file cannot be read or is no ELF file. Symbols are looked at only on demand: they
// cost time.
std::optional<ElfFile> read_elf(const std::string& path, bool look_at_symbols);

// The file that the dynamic linker would take for `name` when `by` needs it: LD_LIBRARY_PATH, the
// file's own search path, the system's directories. Empty if there is none.
std::string find_library(const std::string& name, const ElfFile& by);

} // namespace tp::launcher

#endif
