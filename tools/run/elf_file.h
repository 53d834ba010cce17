// What tp-run wants to know about an ELF file. Read with libelf only: nothing of the file is
// executed.
#ifndef TP_LAUNCHER_ELF_FILE_H
#define TP_LAUNCHER_ELF_FILE_H

#include <optional>
#include <string>
#include <vector>

namespace tp::launcher {

// Is the code of TBB's scheduler in a file? By its functions' symbols; or, in a stripped file, by the names of its classes, which
// does not tell whether anything calls it.
enum class TbbCode { None, ByClasses, BySymbols };

struct ElfFile {
  bool same_machine = false;            // same architecture and word size as tp-run
  bool has_interpreter = false;         // false for an executable: linked statically
  std::vector<std::string> needed;      // DT_NEEDED
  std::vector<std::string> search_path; // DT_RUNPATH or DT_RPATH with $ORIGIN replaced
  TbbCode tbb_code = TbbCode::None;     // None as well if nobody wanted to know
};

// Nothing if the file cannot be read or is no ELF file. TBB's code is looked for only on demand: that
// costs time.
std::optional<ElfFile> read_elf(const std::string& path, bool look_for_tbb);

// The file that the dynamic linker would take for `name` when `by` needs it: LD_LIBRARY_PATH, the
// file's own search path, the system's directories. Empty if there is none.
std::string find_library(const std::string& name, const ElfFile& by);

} // namespace tp::launcher

#endif
