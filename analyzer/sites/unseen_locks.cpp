// SPDX-License-Identifier: Apache-2.0
// See unseen_locks.h. Names in debug information are searched as bytes, which takes milliseconds;
// descriptions of code are walked only behind that.
#include "sites/unseen_locks.h"

#include "sites/debug_info.h"
#include "sites/demangle.h"
#include "sites/site_resolver.h"

#include "tp/trace/library_code.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <gelf.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace tp::analysis {
namespace {

// The hook of the mutexes in our headers, to which a module refers that was compiled with them.
constexpr std::string_view kHook = "tp_on_lock_taken";
constexpr std::string_view kCLocks[] = {"pthread_mutex_lock",
                                        "pthread_mutex_timedlock",
                                        "mtx_lock",
                                        "mtx_timedlock",
                                        "mtx_trylock",
                                        "pthread_mutex_clocklock",
                                        "pthread_mutex_trylock",
                                        "pthread_rwlock_rdlock",
                                        "pthread_rwlock_wrlock",
                                        "pthread_spin_lock"};
constexpr std::string_view kGraph = "3tbb6detail2d110graph_node";
// What every module refers to that creates tasks.
constexpr std::string_view kLibrary = "_ZN3tbb6detail2r1";

// The functions that acquire a lock, by what their mangled names contain. Those of speculative mutexes
// and of queuing_rw_mutex are in libtbb, and are seen.
struct Acquisition {
  std::string_view mutex, kind;
};
constexpr Acquisition kMutexes[] = {
    {"3tbb6detail2d110spin_mutex", "spin_mutex"},
    {"3tbb6detail2d113spin_rw_mutex", "spin_rw_mutex"},
    {"3tbb6detail2d113queuing_mutex11scoped_lock", "queuing_mutex"},
    {"3tbb6detail2d15mutex", "mutex"},
    {"3tbb6detail2d18rw_mutex", "rw_mutex"},
};
constexpr std::string_view kAcquire[] = {
    "4lock", "8try_lock", "11lock_shared", "15try_lock_shared", "7acquire", "11try_acquire"};
constexpr std::string_view kHashMap = "concurrent_hash_map";
constexpr std::string_view kQueue = "concurrent_priority_queue";
// Members of the queue, of whatever elements; of one in a graph, which has those tasks in it that have a priority.
constexpr std::string_view kOfQueue = "_ZN3tbb6detail2d125concurrent_priority_queueI";
constexpr std::string_view kTaskOfGraph = "10graph_task";
constexpr std::string_view kOperations[] = {"E4pushE", "E7try_popE"};

// The kind of the mutex that the function acquires; empty: it does not.
std::string_view acquires(std::string_view mangled) {
  const auto contains = [&](std::string_view part) {
    return mangled.find(part) != std::string_view::npos;
  };
  if (mangled.starts_with(kOfQueue))
    return std::ranges::any_of(kOperations, contains) && !contains(kTaskOfGraph)
               ? kQueue
               : std::string_view();
  for (const auto& [mutex, kind] : kMutexes) {
    const std::size_t at = mangled.find(mutex);
    if (at == std::string_view::npos)
      continue;
    const std::string_view member = mangled.substr(at + mutex.size());
    // "4lockEv" and the like: a member of the mutex itself.
    for (const std::string_view name : kAcquire)
      if (member.starts_with(name) && member.substr(name.size()).starts_with('E'))
        return kind;
  }
  return {};
}

// Between a user's line and the lock: what only passes the acquisition on.
bool passes_on(const std::string& mangled) {
  return mangled.find("mutex") != std::string::npos ||
         mangled.find("scoped_lock") != std::string::npos ||
         mangled.find(kHashMap) != std::string::npos || mangled.find(kQueue) != std::string::npos ||
         trace::owner_of_code(demangle_symbol(mangled), "") == trace::CodeOwner::StandardLibrary;
}

std::string mangled_name(Dwarf_Die* die) {
  const char* const mangled = linkage_name(die);
  const char* const name = mangled ? mangled : dwarf_diename(die);
  return name ? name : "";
}

// Numbers that are searched at all places of a section.
class Numbers {
public:
  explicit Numbers(std::vector<std::uint32_t> numbers) : numbers_(std::move(numbers)) {
    std::ranges::sort(numbers_);
    for (const std::uint32_t number : numbers_)
      low_halves_.set(number & UINT16_MAX);
  }
  // Where they are, in order.
  std::vector<std::size_t> found_in(std::string_view bytes) const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i + sizeof(std::uint32_t) <= bytes.size(); ++i) {
      std::uint32_t number = 0;
      std::memcpy(&number, bytes.data() + i, sizeof number);
      if (low_halves_[number & UINT16_MAX] && std::ranges::binary_search(numbers_, number))
        places.push_back(i);
    }
    return places;
  }

private:
  std::vector<std::uint32_t> numbers_;
  std::bitset<UINT16_MAX + 1> low_halves_;
};

// The names of functions that acquire a mutex, and how many bytes of descriptions there are.
struct Names {
  std::vector<std::uint32_t> mutexes; // in .debug_str
  std::size_t descriptions = 0;
  std::string_view description; // .debug_info

  void look_at(Elf* elf) {
    std::size_t strings = 0;
    if (!elf || elf_getshdrstrndx(elf, &strings) != 0)
      return;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
      GElf_Shdr header;
      if (!gelf_getshdr(section, &header))
        continue;
      const char* const name_text = elf_strptr(elf, strings, header.sh_name);
      const std::string_view name = name_text ? name_text : "";
      if (name != ".debug_str" && name != ".debug_info")
        continue;
      const Elf_Data* const data = elf_getdata(section, nullptr);
      if (!data || !data->d_buf)
        continue;
      const std::string_view bytes(static_cast<const char*>(data->d_buf), data->d_size);
      if (name == ".debug_info") {
        descriptions += header.sh_size;
        description = bytes;
      } else {
        look_at(bytes);
      }
    }
  }

  void look_at(std::string_view strings) {
    for (std::size_t at = 0; (at = strings.find(kCommon, at)) != strings.npos;) {
      const std::size_t begin = strings.rfind('\0', at) + 1; // 0 if there is none
      const std::size_t end = std::min(strings.find('\0', at), strings.size());
      if (!acquires(strings.substr(begin, end - begin)).empty())
        mutexes.push_back(static_cast<std::uint32_t>(begin));
      at = end;
    }
  }

private:
  static constexpr std::string_view kCommon = "3tbb6detail2d1"; // in the names of all mutexes
};

// The units of the debug information that may describe the use of a mutex.
std::vector<Dwarf_Die> units_with_mutexes(Dwfl_Module* module, Dwarf* dwarf, const Names& names) {
  std::vector<Dwarf_Die> units;
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, &bias)) != nullptr;)
    units.push_back(*unit);
  if (dwarf_getalt(dwarf)) // names and descriptions are in another file, too
    return units;
  const std::vector<std::size_t> uses = Numbers(names.mutexes).found_in(names.description);
  std::vector<Dwarf_Die> result;
  for (std::size_t i = 0; i < units.size(); ++i) {
    const Dwarf_Off begin = dwarf_dieoffset(&units[i]);
    const Dwarf_Off end = i + 1 < units.size() ? dwarf_dieoffset(&units[i + 1]) : UINT64_MAX;
    const auto use = std::ranges::lower_bound(uses, begin);
    // Units with a table of names have no place of a name.
    if ((use != uses.end() && *use < end) || dwarf_hasattr(&units[i], DW_AT_str_offsets_base))
      result.push_back(units[i]);
  }
  return result;
}

class Walk {
public:
  Walk(Dwarf_Die unit, std::vector<UnseenLock>& locks) : unit_(unit), locks_(&locks) {
    std::size_t count = 0;
    dwarf_getsrcfiles(&unit, &files_, &count);
    Dwarf_Attribute memory;
    if (const char* directory = dwarf_formstring(dwarf_attr(&unit, DW_AT_comp_dir, &memory)))
      directory_ = directory;
    below(unit);
  }

private:
  static constexpr std::size_t kDeepest = 400;

  void below(Dwarf_Die parent) {
    Dwarf_Die child;
    if (++depth_ < kDeepest)
      for (int more = dwarf_child(&parent, &child); more == 0;
           more = dwarf_siblingof(&child, &child))
        look_at(child);
    --depth_;
  }

  void look_at(Dwarf_Die die) {
    switch (dwarf_tag(&die)) {
    case DW_TAG_inlined_subroutine:
    case DW_TAG_subprogram: {
      chain_.push_back(die);
      const std::string name =
          dwarf_tag(&die) == DW_TAG_inlined_subroutine ? mangled_name(&die) : std::string();
      if (const std::string_view kind = acquires(name); !kind.empty())
        add(kind);
      below(die);
      chain_.pop_back();
      break;
    }
    case DW_TAG_call_site:
    case DW_TAG_GNU_call_site:
      look_at_call(die);
      break;
    case DW_TAG_namespace:
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
    case DW_TAG_lexical_block:
      below(die);
      break;
    default:
      break;
    }
  }

  // Operations of a queue are too long to be inlined, as a rule. Those of mutexes that are not are called by nodes of graphs, too.
  void look_at_call(Dwarf_Die& call) {
    const bool is_standard = dwarf_tag(&call) == DW_TAG_call_site;
    Dwarf_Attribute memory;
    Dwarf_Die callee;
    if (chain_.empty() ||
        !dwarf_formref_die(
            dwarf_attr(&call, is_standard ? DW_AT_call_origin : DW_AT_abstract_origin, &memory),
            &callee) ||
        acquires(mangled_name(&callee)) != kQueue)
      return;
    Dwarf_Addr next = 0;
    if (dwarf_formaddr(
            dwarf_attr(&call, is_standard ? DW_AT_call_return_pc : DW_AT_low_pc, &memory), &next) !=
        0)
      return;
    Dwarf_Line* const found = dwarf_getsrc_die(&unit_, next - 1);
    const char* const path = dwarf_linesrc(found, nullptr, nullptr);
    int line = 0;
    if (!path || dwarf_lineno(found, &line) != 0)
      return;
    if (is_library_frame(demangle_symbol(mangled_name(&chain_.back())), path))
      add(kQueue);
    else
      locks_->push_back(
          {std::string(kQueue), absolute(path), static_cast<std::uint32_t>(line), ""});
  }

  std::string absolute(const char* path) const {
    const std::string given = path;
    return given.starts_with('/') || directory_.empty() ? given : directory_ + "/" + given;
  }

  // The innermost call of the chain in the user's code, if what is between only passes on.
  void add(std::string_view kind) {
    bool of_hash_map = false;
    for (std::size_t i = chain_.size(); i-- > 0;) {
      Dwarf_Die& callee = chain_[i];
      const std::string mangled = mangled_name(&callee);
      const bool is_map = mangled.find(kHashMap) != std::string::npos;
      if (dwarf_tag(&callee) == DW_TAG_subprogram) {
        // All of a function of a library's: who calls it is not described here.
        if (is_map || of_hash_map)
          locks_->push_back({kHashMapLock, "", 0, ""});
        else if (kind == kQueue)
          locks_->push_back({std::string(kQueue), "", 0, ""});
        return;
      }
      of_hash_map |= is_map;
      if (!passes_on(mangled))
        return;
      Dwarf_Attribute memory;
      Dwarf_Word line = 0, file = 0;
      if (i == 0 || dwarf_formudata(dwarf_attr(&callee, DW_AT_call_line, &memory), &line) != 0 ||
          dwarf_formudata(dwarf_attr(&callee, DW_AT_call_file, &memory), &file) != 0 || !files_)
        return;
      const char* const path = dwarf_filesrc(files_, file, nullptr, nullptr);
      if (!path)
        return;
      if (is_library_frame(demangle_symbol(mangled_name(&chain_[i - 1])), path))
        continue;
      locks_->push_back({of_hash_map ? kHashMapLock : std::string(kind), absolute(path),
                         static_cast<std::uint32_t>(line), ""});
      return;
    }
  }

  Dwarf_Die unit_;
  Dwarf_Files* files_ = nullptr;
  std::string directory_;
  std::vector<Dwarf_Die> chain_; // functions and inlined calls around, outermost first
  std::size_t depth_ = 0;
  std::vector<UnseenLock>* locks_;
};

struct Symbols {
  bool has_hook = false, uses_library = false;
  bool has_graphs = false, uses_c_locks = false;
  std::vector<std::string_view> kinds; // of functions that were not inlined
};

Symbols symbols_of(Dwfl_Module* module) {
  Symbols result;
  const int count = dwfl_module_getsymtab(module);
  for (int i = 1; i < count; ++i) {
    GElf_Sym symbol;
    const char* const text = dwfl_module_getsym(module, i, &symbol, nullptr);
    const std::string_view name = text ? text : "";
    result.has_hook |= name == kHook;
    result.uses_library |= name.starts_with(kLibrary);
    result.uses_c_locks |=
        symbol.st_shndx == SHN_UNDEF &&
        std::ranges::find(kCLocks, name.substr(0, name.find('@'))) != std::end(kCLocks);
    result.has_graphs |= name.find(kGraph) != std::string_view::npos;
    if (symbol.st_shndx != SHN_UNDEF && name.starts_with("_ZN"))
      if (const std::string_view kind = acquires(name); !kind.empty())
        result.kinds.push_back(kind);
  }
  return result;
}

// By file and line, each once.
void sort(UnseenLocks& found) {
  const auto key = [](const UnseenLock& lock) { return std::tie(lock.file, lock.line, lock.kind); };
  std::ranges::sort(found.locks, {}, key);
  const auto [first, last] = std::ranges::unique(found.locks);
  found.locks.erase(first, last);
  // A place says more than none.
  std::erase_if(found.locks, [&](const UnseenLock& lock) {
    return lock.file.empty() && std::ranges::any_of(found.locks, [&](const UnseenLock& other) {
             return !other.file.empty() && other.kind == lock.kind;
           });
  });
}

// Does the file of a module itself, and not another one, describe the use of a mutex?
bool describes_mutexes(Dwfl_Module* module) {
  GElf_Addr bias = 0;
  Names names;
  names.look_at(dwfl_module_getelf(module, &bias));
  return !names.mutexes.empty();
}

// The places in a module that was not compiled with our headers.
void find_in(Dwfl_Module* module, const Symbols& symbols, std::vector<UnseenLock>& locks) {
  Dwarf_Addr bias = 0;
  Dwarf* const dwarf = symbols.uses_library || describes_mutexes(module)
                           ? dwfl_module_getdwarf(module, &bias)
                           : nullptr;
  Names names;
  for (Dwarf* const each : {dwarf, dwarf ? dwarf_getalt(dwarf) : nullptr})
    names.look_at(each ? dwarf_getelf(each) : nullptr);
  const std::size_t before = locks.size();
  if (!names.mutexes.empty() && names.descriptions <= kMostDescriptions)
    for (const Dwarf_Die& unit : units_with_mutexes(module, dwarf, names))
      Walk(unit, locks);
  // Not inlined, as without optimization: nothing says who calls them. Nodes of graphs do, for a
  // moment.
  if (locks.size() == before && !symbols.has_graphs)
    for (const std::string_view kind : symbols.kinds)
      locks.push_back({std::string(kind), "", 0, ""});
}

} // namespace

UnseenLocks find_unseen_locks(const std::vector<Module>& modules, ModuleFiles& files) {
  UnseenLocks found;
  for (const Module& each : modules) {
    const ModuleFiles::Opened opened =
        files.is_of_system(each.id) ? ModuleFiles::Opened{} : files.open(each.id);
    if (!opened.module)
      continue;
    const Symbols symbols = symbols_of(opened.module);
    found.refers_to_hooks |= symbols.has_hook;
    found.refers_to_c_locks |= symbols.uses_c_locks;
    if (symbols.has_hook)
      continue;
    const std::size_t before = found.locks.size();
    find_in(opened.module, symbols, found.locks);
    if (symbols.uses_library || found.locks.size() > before)
      found.headers_observed = false;
  }
  sort(found);
  return found;
}

void add_unseen_locks_of_others(const std::vector<Module>& others, UnseenLocks& found) {
  ModuleFiles files(others, {});
  const std::size_t before = found.locks.size();
  for (const Module& each : others) {
    const bool is_foreign =
        files.is_of_system(each.id) || files.name(each.id).starts_with("libtbb");
    const ModuleFiles::Opened opened = is_foreign ? ModuleFiles::Opened{} : files.open(each.id);
    if (!opened.module)
      continue;
    if (const Symbols symbols = symbols_of(opened.module); !symbols.has_hook)
      find_in(opened.module, symbols, found.locks);
  }
  if (found.locks.size() == before)
    return;
  found.headers_observed = false;
  sort(found);
}

} // namespace tp::analysis
