// See elf_file.h. libelf's handles are closed by the two guards below.
#include "run/elf_file.h"

#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <gelf.h>
#include <memory>
#include <string_view>
#include <unistd.h>

namespace tp::launcher {
namespace {

namespace fs = std::filesystem;

struct CloseElf {
  void operator()(Elf* elf) const { elf_end(elf); }
};
using ElfHandle = std::unique_ptr<Elf, CloseElf>;

class Descriptor {
public:
  explicit Descriptor(const std::string& path)
      : number_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number_ >= 0)
      close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  int number() const { return number_; }

private:
  int number_;
};

std::vector<std::string> split(std::string_view list) {
  std::vector<std::string> parts;
  while (!list.empty()) {
    const std::size_t end = list.find(':');
    if (end != 0)
      parts.emplace_back(list.substr(0, end));
    list = end == std::string_view::npos ? std::string_view() : list.substr(end + 1);
  }
  return parts;
}

std::string with_origin(std::string directory, const std::string& origin) {
  for (const char* name : {"${ORIGIN}", "$ORIGIN"})
    if (const std::size_t at = directory.find(name); at != std::string::npos)
      directory.replace(at, std::string_view(name).size(), origin);
  return directory;
}

void read_dynamic(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, const std::string& origin,
                  ElfFile& file) {
  Elf_Data* data = elf_getdata(section, nullptr);
  GElf_Dyn entry;
  for (int i = 0; data && gelf_getdyn(data, i, &entry); ++i) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_RUNPATH && entry.d_tag != DT_RPATH)
      continue;
    const char* text = elf_strptr(elf, header.sh_link, entry.d_un.d_val);
    if (!text)
      continue;
    if (entry.d_tag == DT_NEEDED)
      file.needed.emplace_back(text);
    else
      for (const std::string& directory : split(text))
        file.search_path.push_back(with_origin(directory, origin));
  }
}

// Functions that only the library itself has (inline parts of TBB are in every program): oneTBB,
// and TBB before it.
bool is_scheduler_function(std::string_view name) {
  return name.starts_with("_ZN3tbb6detail2r15spawnE") ||
         name.starts_with("_ZN3tbb6detail2r116execute_and_waitE") ||
         name.starts_with("_ZNK3tbb8internal19allocate_root_proxy8allocateE") ||
         name.starts_with("_ZNK3tbb8internal32allocate_root_with_context_proxy8allocateE");
}

bool has_scheduler(Elf* elf, Elf_Scn* section, const GElf_Shdr& header) {
  Elf_Data* data = elf_getdata(section, nullptr);
  GElf_Sym symbol;
  for (int i = 0; data && gelf_getsym(data, i, &symbol); ++i) {
    if (symbol.st_shndx == SHN_UNDEF)
      continue;
    const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (name && is_scheduler_function(name))
      return true;
  }
  return false;
}

// Names of classes with virtual functions that no header of TBB's has: oneTBB, and TBB before it.
bool has_scheduler_classes(Elf_Scn* section) {
  const Elf_Data* data = elf_rawdata(section, nullptr);
  if (!data || !data->d_buf)
    return false;
  const std::string_view text(static_cast<const char*>(data->d_buf), data->d_size);
  return text.find("N3tbb6detail2r114delegated_taskE") != std::string_view::npos ||
         text.find("N3tbb8internal17generic_schedulerE") != std::string_view::npos;
}

bool has_program_header(Elf* elf, GElf_Word type) {
  std::size_t count = 0;
  GElf_Phdr header;
  if (elf_getphdrnum(elf, &count) != 0)
    return false;
  for (std::size_t i = 0; i < count; ++i)
    if (gelf_getphdr(elf, static_cast<int>(i), &header) && header.p_type == type)
      return true;
  return false;
}

bool is_our_machine(const GElf_Ehdr& header) {
#if defined(__x86_64__)
  return header.e_machine == EM_X86_64 && header.e_ident[EI_CLASS] == ELFCLASS64;
#elif defined(__aarch64__)
  return header.e_machine == EM_AARCH64 && header.e_ident[EI_CLASS] == ELFCLASS64;
#else
  return true;
#endif
}

} // namespace

std::optional<ElfFile> read_elf(const std::string& path, bool look_for_tbb) {
  elf_version(EV_CURRENT);
  const Descriptor descriptor(path);
  if (descriptor.number() < 0)
    return std::nullopt;
  const ElfHandle elf(elf_begin(descriptor.number(), ELF_C_READ, nullptr));
  GElf_Ehdr elf_header;
  if (!elf || elf_kind(elf.get()) != ELF_K_ELF || !gelf_getehdr(elf.get(), &elf_header))
    return std::nullopt;

  ElfFile file;
  file.same_machine = is_our_machine(elf_header);
  file.has_interpreter = has_program_header(elf.get(), PT_INTERP);
  std::error_code error;
  const std::string origin = fs::canonical(path, error).parent_path().string();
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header))
      continue;
    if (header.sh_type == SHT_DYNAMIC)
      read_dynamic(elf.get(), section, header, origin, file);
    else if (!look_for_tbb || file.tbb_code == TbbCode::BySymbols)
      continue;
    else if (header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM) {
      if (has_scheduler(elf.get(), section, header))
        file.tbb_code = TbbCode::BySymbols;
    } else if (header.sh_type == SHT_PROGBITS && (header.sh_flags & SHF_ALLOC) != 0 &&
               has_scheduler_classes(section)) {
      file.tbb_code = TbbCode::ByClasses;
    }
  }
  return file;
}

std::string find_library(const std::string& name, const ElfFile& by) {
  std::error_code error;
  if (name.find('/') != std::string::npos)
    return fs::exists(name, error) ? name : std::string();
  std::vector<std::string> directories = by.search_path;
  if (const char* path = std::getenv("LD_LIBRARY_PATH"))
    for (const std::string& directory : split(path))
      directories.push_back(directory);
  for (const char* directory : {"/lib/" TP_MULTIARCH, "/usr/lib/" TP_MULTIARCH, "/lib64",
                                "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"})
    directories.emplace_back(directory);
  for (const std::string& directory : directories)
    if (const std::string path = directory + "/" + name; fs::exists(path, error))
      return path;
  return {};
}

} // namespace tp::launcher
