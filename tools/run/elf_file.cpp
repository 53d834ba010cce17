// SPDX-License-Identifier: Apache-2.0
// Reads ELF files with libelf, whose handles the two guards below close.
//
// The dynamic linker lists the libraries as it does for ldd, with --list: it maps the libraries and
// prints their names, and runs none of their constructors and resolvers. Two precautions: only the
// linker of tp-run itself is started, never another one that a program names; and programs with
// auditors are excluded, because the linker would run the auditors' code.
#include "run/elf_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <gelf.h>
#include <memory>
#include <spawn.h>
#include <sstream>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace tp::tool {
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

class OpenElf {
public:
  explicit OpenElf(const std::string& path) : descriptor_(path) {
    elf_version(EV_CURRENT);
    if (descriptor_.number() >= 0)
      elf_.reset(elf_begin(descriptor_.number(), ELF_C_READ_MMAP, nullptr));
    if (elf_ && elf_kind(elf_.get()) != ELF_K_ELF)
      elf_.reset();
  }
  // Null: the file cannot be read, or is none of these.
  Elf* get() const { return elf_.get(); }

private:
  const Descriptor descriptor_;
  ElfHandle elf_;
};

void read_dynamic(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, ElfFile& file) {
  Elf_Data* data = elf_getdata(section, nullptr);
  GElf_Dyn entry;
  for (int i = 0; data && gelf_getdyn(data, i, &entry); ++i) {
    file.has_auditors |= entry.d_tag == DT_AUDIT || entry.d_tag == DT_DEPAUDIT;
    if (entry.d_tag != DT_NEEDED)
      continue;
    if (const char* text = elf_strptr(elf, header.sh_link, entry.d_un.d_val))
      file.needed.emplace_back(text);
  }
}

// Functions that only the library itself has (inline parts of TBB are in every program): of oneTBB,
// and of the TBB before it.
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

// Names of classes with virtual functions that no header of TBB defines: of oneTBB, and of the TBB
// before it.
bool has_scheduler_classes(Elf_Scn* section) {
  const Elf_Data* data = elf_rawdata(section, nullptr);
  if (!data || !data->d_buf)
    return false;
  const std::string_view text(static_cast<const char*>(data->d_buf), data->d_size);
  return text.find("N3tbb6detail2r114delegated_taskE") != std::string_view::npos ||
         text.find("N3tbb8internal17generic_schedulerE") != std::string_view::npos;
}

// The text of PT_INTERP; empty if there is none.
std::string interpreter_of(Elf* elf) {
  std::size_t count = 0, size = 0;
  const char* const image = elf_rawfile(elf, &size);
  GElf_Phdr header;
  if (!image || elf_getphdrnum(elf, &count) != 0)
    return {};
  for (std::size_t i = 0; i < count; ++i)
    if (gelf_getphdr(elf, static_cast<int>(i), &header) && header.p_type == PT_INTERP &&
        header.p_offset < size && header.p_filesz <= size - header.p_offset)
      return {image + header.p_offset, strnlen(image + header.p_offset, header.p_filesz)};
  return {};
}

// What a command writes to stdout; LD_LIBRARY_PATH is the only LD_ variable in its environment.
std::string output_of(std::vector<std::string> command) {
  int pipe_ends[2];
  if (pipe2(pipe_ends, O_CLOEXEC) != 0)
    return {};
  std::vector<char*> arguments, variables;
  for (std::string& word : command)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  for (char** variable = environ; *variable; ++variable)
    if (const std::string_view text = *variable;
        !text.starts_with("LD_") || text.starts_with("LD_LIBRARY_PATH="))
      variables.push_back(*variable);
  variables.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  const bool started =
      posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), variables.data()) == 0;
  posix_spawn_file_actions_destroy(&actions);
  close(pipe_ends[1]);
  std::string text;
  char part[4096];
  ssize_t size = 0;
  while (started &&
         ((size = read(pipe_ends[0], part, sizeof part)) > 0 || (size < 0 && errno == EINTR)))
    text.append(part, size > 0 ? static_cast<std::size_t>(size) : 0);
  close(pipe_ends[0]);
  while (started && waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
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

// `header`: of `symbols`. Most files do not have the name at all, which their section of names shows.
bool defines(Elf* elf, Elf_Scn* symbols, const GElf_Shdr& header, std::string_view name) {
  Elf_Scn* const names = elf_getscn(elf, header.sh_link);
  const Elf_Data* const text = names ? elf_rawdata(names, nullptr) : nullptr;
  if (!text || !text->d_buf ||
      std::string_view(static_cast<const char*>(text->d_buf), text->d_size).find(name) ==
          std::string_view::npos)
    return false;
  Elf_Data* data = elf_getdata(symbols, nullptr);
  GElf_Sym symbol;
  for (int i = 0; data && gelf_getsym(data, i, &symbol); ++i) {
    if (symbol.st_shndx == SHN_UNDEF || GELF_ST_BIND(symbol.st_info) == STB_LOCAL)
      continue;
    const char* const found = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (found && found == name)
      return true;
  }
  return false;
}

} // namespace

std::optional<ElfFile> read_elf(const std::string& path, bool look_for_tbb) {
  const OpenElf elf(path);
  GElf_Ehdr elf_header;
  if (!elf.get() || !gelf_getehdr(elf.get(), &elf_header))
    return std::nullopt;

  ElfFile file;
  file.same_machine = is_our_machine(elf_header);
  file.interpreter = interpreter_of(elf.get());
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header))
      continue;
    if (header.sh_type == SHT_DYNSYM)
      file.is_openmp_tool = defines(elf.get(), section, header, "ompt_start_tool");
    if (header.sh_type == SHT_DYNAMIC)
      read_dynamic(elf.get(), section, header, file);
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

namespace {

void add_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, WantedSymbol wanted,
                 DynamicSymbols& found) {
  Elf_Data* data = elf_getdata(section, nullptr);
  GElf_Sym symbol;
  for (int i = 0; data && gelf_getsym(data, i, &symbol); ++i) {
    const char* const name = elf_strptr(elf, header.sh_link, symbol.st_name);
    if (!name || GELF_ST_BIND(symbol.st_info) == STB_LOCAL || !wanted(name))
      continue;
    if (symbol.st_shndx != SHN_UNDEF)
      found.defined.insert(name);
    else if (GELF_ST_BIND(symbol.st_info) != STB_WEAK)
      found.undefined.insert(name);
  }
}

void add_needed_versions(Elf* elf, Elf_Scn* section, const GElf_Shdr& header,
                         DynamicSymbols& found) {
  Elf_Data* data = elf_getdata(section, nullptr);
  GElf_Verneed need;
  for (int at = 0; data && gelf_getverneed(data, at, &need); at += static_cast<int>(need.vn_next)) {
    const char* const library = elf_strptr(elf, header.sh_link, need.vn_file);
    GElf_Vernaux version;
    for (int of = at + static_cast<int>(need.vn_aux); gelf_getvernaux(data, of, &version);
         of += static_cast<int>(version.vna_next)) {
      const char* const name = elf_strptr(elf, header.sh_link, version.vna_name);
      if (library && name && !(version.vna_flags & VER_FLG_WEAK))
        found.needed_versions.emplace(library, name);
      if (version.vna_next == 0)
        break;
    }
    if (need.vn_next == 0)
      break;
  }
}

void add_defined_versions(Elf* elf, Elf_Scn* section, const GElf_Shdr& header,
                          DynamicSymbols& found) {
  Elf_Data* data = elf_getdata(section, nullptr);
  GElf_Verdef definition;
  for (int at = 0; data && gelf_getverdef(data, at, &definition);
       at += static_cast<int>(definition.vd_next)) {
    GElf_Verdaux name;
    if (gelf_getverdaux(data, at + static_cast<int>(definition.vd_aux), &name))
      if (const char* const text = elf_strptr(elf, header.sh_link, name.vda_name))
        found.versions.insert(text);
    if (definition.vd_next == 0)
      break;
  }
}

} // namespace

bool defines_symbol(const std::string& path, std::string_view name) {
  const OpenElf elf(path);
  if (!elf.get())
    return false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (gelf_getshdr(section, &header) && header.sh_type == SHT_DYNSYM &&
        defines(elf.get(), section, header, name))
      return true;
  }
  return false;
}

std::optional<DynamicSymbols> read_dynamic_symbols(const std::string& path, WantedSymbol wanted) {
  const OpenElf elf(path);
  if (!elf.get())
    return std::nullopt;
  DynamicSymbols found;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header))
      continue;
    if (header.sh_type == SHT_DYNSYM)
      add_symbols(elf.get(), section, header, wanted, found);
    else if (header.sh_type == SHT_GNU_verneed)
      add_needed_versions(elf.get(), section, header, found);
    else if (header.sh_type == SHT_GNU_verdef)
      add_defined_versions(elf.get(), section, header, found);
  }
  return found;
}

bool contains_function(const std::string& path, const std::vector<std::string>& names) {
  const OpenElf elf(path);
  if (!elf.get())
    return false;
  for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
    GElf_Shdr header;
    if (!gelf_getshdr(section, &header) ||
        (header.sh_type != SHT_SYMTAB && header.sh_type != SHT_DYNSYM))
      continue;
    Elf_Data* data = elf_getdata(section, nullptr);
    GElf_Sym symbol;
    for (int i = 0; data && gelf_getsym(data, i, &symbol); ++i) {
      if (symbol.st_shndx == SHN_UNDEF || GELF_ST_TYPE(symbol.st_info) != STT_FUNC)
        continue;
      const char* const name = elf_strptr(elf.get(), header.sh_link, symbol.st_name);
      if (name && std::ranges::count(names, std::string_view(name)) > 0)
        return true;
    }
  }
  return false;
}

std::vector<std::string> libraries_of(const std::string& program, const ElfFile& file) {
  const auto own = read_elf("/proc/self/exe", false);
  std::error_code error;
  const std::string path = fs::absolute(program, error).string();
  if (error || !own || file.has_auditors || !file.same_machine || own->interpreter.empty() ||
      file.interpreter.empty() || !fs::equivalent(file.interpreter, own->interpreter, error))
    return {};
  std::vector<std::string> libraries;
  // "\tlibm.so.6 => /lib/libm.so.6 (0x00007f0e8c2b4000)", "\t./libmy.so (0x...)",
  // "\tx.so => not found"
  std::istringstream lines(output_of({own->interpreter, "--list", path}));
  for (std::string line; std::getline(lines, line);) {
    const std::size_t arrow = line.find(" => ");
    const std::size_t begin = arrow != std::string::npos ? arrow + 4 : line.find_first_not_of('\t');
    const std::size_t end = line.rfind(" (0x");
    if (begin == std::string::npos || end == std::string::npos || end <= begin)
      continue;
    const std::string library = line.substr(begin, end - begin);
    if (library.find('/') != std::string::npos) // not linux-vdso.so.1
      libraries.push_back(library);
  }
  return libraries;
}

} // namespace tp::tool
