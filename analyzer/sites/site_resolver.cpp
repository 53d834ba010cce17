// SPDX-License-Identifier: Apache-2.0
// Looks addresses up with elfutils' libdwfl, which also finds separate debug files by build id.
#include "sites/site_resolver.h"

#include "sites/cxx_names.h"
#include "sites/task_type.h"

#include "tp/trace/library_code.h"

#include <fmt/format.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <initializer_list>
#include <iterator>
#include <map>
#include <string_view>

namespace tp::analysis {
namespace {

struct SourceFrame {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
  Dwarf_Die description{}; // of the function, or of its inlined call
};

std::string base_name(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

std::string name_of(Dwarf_Die* die) {
  Dwarf_Attribute memory;
  for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (const char* name = dwarf_formstring(dwarf_attr_integrate(die, attribute, &memory)))
      return demangle(name);
  const char* const name = dwarf_diename(die);
  return name ? name : "";
}

// The file in which a function is declared: for lambdas and the like, whose names contain no
// namespace.
std::string declared_in(Dwarf_Die* die) {
  const char* const file = dwarf_decl_file(die);
  return file ? file : "";
}

bool is_function(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

// The compilation unit of an address. libdw uses .debug_aranges, which clang does not write: then
// walk the units.
Dwarf_Die* unit_of(Dwfl_Module* module, Dwarf_Addr address, Dwarf_Addr* bias) {
  if (Dwarf_Die* unit = dwfl_module_addrdie(module, address, bias))
    return unit;
  for (Dwarf_Die* unit = nullptr; (unit = dwfl_module_nextcu(module, unit, bias)) != nullptr;)
    if (dwarf_haspc(unit, address - *bias) == 1)
      return unit;
  return nullptr;
}

// The entry below which the functions of a unit are described: the unit, or with -gsplit-dwarf one
// in a separate file.
Dwarf_Die functions_of(const Dwarf_Die& unit) {
  Dwarf_Die split{};
  std::uint8_t type = 0;
  const bool is_skeleton =
      dwarf_cu_info(unit.cu, nullptr, &type, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
      type == DW_UT_skeleton;
  return is_skeleton && split.addr ? split : unit;
}

// A range of a function's code; a function may have several.
struct FunctionRange {
  Dwarf_Addr begin;
  Dwarf_Addr end;
  Dwarf_Die function;
};

// Descriptions of functions are in namespaces and classes; those of a function's lambdas and local
// classes are below the function, which itself may have no code.
bool may_hold_functions(Dwarf_Die* die) {
  switch (dwarf_tag(die)) {
  case DW_TAG_namespace:
  case DW_TAG_class_type:
  case DW_TAG_structure_type:
  case DW_TAG_union_type:
  case DW_TAG_subprogram:
  case DW_TAG_lexical_block:
    return true;
  default:
    return false;
  }
}

void collect_functions(Dwarf_Die parent, std::vector<FunctionRange>& functions) {
  Dwarf_Die child;
  for (int more = dwarf_child(&parent, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) == DW_TAG_subprogram) {
      Dwarf_Addr base = 0, begin = 0, end = 0;
      for (std::ptrdiff_t range = 0;
           (range = dwarf_ranges(&child, range, &base, &begin, &end)) > 0;)
        functions.push_back({begin, end, child});
    }
    if (may_hold_functions(&child))
      collect_functions(child, functions);
  }
}

// The functions of the requested units, by address: a unit of many functions may have many sites.
class FunctionIndex {
public:
  // The entries around an address of the unit, innermost first, the function last.
  std::vector<Dwarf_Die> scopes_at(Dwarf_Die unit, Dwarf_Addr address) {
    const std::vector<FunctionRange>& functions = functions_of_unit(unit);
    const auto behind = std::upper_bound(
        functions.begin(), functions.end(), address,
        [](Dwarf_Addr wanted, const FunctionRange& range) { return wanted < range.begin; });
    if (behind == functions.begin() || address >= std::prev(behind)->end)
      return {};
    std::vector<Dwarf_Die> scopes = {std::prev(behind)->function};
    Dwarf_Die child;
    for (int more = dwarf_child(&scopes.back(), &child); more == 0;) {
      if (dwarf_haspc(&child, address) == 1) {
        scopes.push_back(child);
        more = dwarf_child(&scopes.back(), &child);
      } else {
        more = dwarf_siblingof(&child, &child);
      }
    }
    std::reverse(scopes.begin(), scopes.end());
    return scopes;
  }

private:
  const std::vector<FunctionRange>& functions_of_unit(Dwarf_Die& unit) {
    const auto [entry, is_new] = of_unit_.try_emplace(unit.addr);
    std::vector<FunctionRange>& functions = entry->second;
    if (is_new) {
      collect_functions(unit, functions);
      std::ranges::sort(functions, {}, &FunctionRange::begin);
    }
    return functions;
  }

  std::map<const void*, std::vector<FunctionRange>> of_unit_;
};

// The calls at an address that are inlined into one another, innermost first, and the function that
// the code belongs to.
struct InlineChain {
  std::vector<SourceFrame> frames;
  std::string declared_in; // the file of the function
  std::string directory;   // in which the unit was compiled
};

InlineChain inline_chain(FunctionIndex& index, Dwfl_Module* module, Dwarf_Addr address) {
  InlineChain chain;
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = unit_of(module, address, &bias);
  if (!unit)
    return chain;
  Dwarf_Attribute memory;
  if (const char* directory = dwarf_formstring(dwarf_attr(unit, DW_AT_comp_dir, &memory)))
    chain.directory = directory;
  SourceFrame here;
  if (Dwarf_Line* line = dwarf_getsrc_die(unit, address - bias)) {
    int number = 0;
    dwarf_lineno(line, &number);
    here.line = static_cast<std::uint32_t>(number);
    if (const char* file = dwarf_linesrc(line, nullptr, nullptr))
      here.file = file;
  }
  Dwarf_Die functions = functions_of(*unit);
  Dwarf_Files* files = nullptr;
  std::size_t file_count = 0;
  dwarf_getsrcfiles(&functions, &files, &file_count);
  for (Dwarf_Die& scope : index.scopes_at(functions, address - bias)) {
    if (!is_function(&scope))
      continue;
    here.function = name_of(&scope);
    here.description = scope;
    const std::string declared = declared_in(&scope);
    // A oneTBB lambda inlined into user code is still oneTBB's.
    if (here.file.empty())
      here.file = declared;
    chain.frames.push_back(here);
    if (dwarf_tag(&scope) == DW_TAG_subprogram) {
      chain.declared_in = declared;
      break;
    }
    Dwarf_Word value = 0;
    here = {};
    if (dwarf_formudata(dwarf_attr(&scope, DW_AT_call_line, &memory), &value) == 0)
      here.line = static_cast<std::uint32_t>(value);
    if (files && dwarf_formudata(dwarf_attr(&scope, DW_AT_call_file, &memory), &value) == 0)
      if (const char* file = dwarf_filesrc(files, value, nullptr, nullptr))
        here.file = file;
  }
  return chain;
}

// For names that the demangler refuses (some of lambdas, and clones of functions): looks at the
// mangled name after the letters that mark it as nested or local.
bool is_mangled_library_name(std::string_view name) {
  if (!name.starts_with("_Z"))
    return false;
  name.remove_prefix(std::min(name.find_first_not_of("ZNKL", 2), name.size()));
  if (name.size() > 1 && name[0] == 'S' && std::islower(static_cast<unsigned char>(name[1])))
    return true; // std
  return std::ranges::any_of(
      std::initializer_list<std::string_view>{"3tbb", "6oneapi", "2tp", "6__pstl", "9__gnu_cxx"},
      [name](std::string_view prefix) { return name.starts_with(prefix); });
}

const Dwfl_Callbacks kCallbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

} // namespace

bool is_library_frame(const std::string& function, const std::string& file) {
  if (is_mangled_library_name(function))
    return true;
  const trace::CodeOwner owner = trace::owner_of_code(function, file);
  return owner == trace::CodeOwner::TaskLibrary || owner == trace::CodeOwner::StandardLibrary;
}

struct SiteResolver::Impl {
  struct Opened {
    Dwfl* dwfl = nullptr;
    Dwfl_Module* module = nullptr;
    Dwarf_Addr base = 0; // what to add to an address of the file
  };

  std::map<std::uint32_t, Module> modules;
  std::map<std::uint32_t, Opened> opened;
  FunctionIndex functions;
  DescribedClasses classes;
  std::map<std::pair<std::uint32_t, std::uint64_t>, std::vector<UserCall>> calls;

  ~Impl() {
    for (auto& [id, each] : opened)
      if (each.dwfl)
        dwfl_end(each.dwfl);
  }

  const Opened& open(std::uint32_t id) {
    const auto [it, fresh] = opened.try_emplace(id);
    Opened& result = it->second;
    const auto module = modules.find(id);
    if (!fresh || module == modules.end())
      return result;
    const std::string& path = module->second.path;
    result.dwfl = dwfl_begin(&kCallbacks);
    if (!result.dwfl)
      return result;
    dwfl_report_begin(result.dwfl);
    result.module = dwfl_report_offline(result.dwfl, base_name(path).c_str(), path.c_str(), -1);
    dwfl_report_end(result.dwfl, nullptr, nullptr);
    if (!result.module || !same_build(result.module, module->second.build_id)) {
      result.module = nullptr;
      return result;
    }
    GElf_Addr bias = 0;
    dwfl_module_getelf(result.module, &bias);
    result.base = bias;
    return result;
  }

  // A module that was rebuilt since the run has other addresses.
  static bool same_build(Dwfl_Module* module, const std::string& expected) {
    if (expected.empty())
      return true;
    GElf_Addr bias = 0;
    dwfl_module_getelf(module, &bias);
    const unsigned char* bits = nullptr;
    GElf_Addr address = 0;
    const int size = dwfl_module_build_id(module, &bits, &address);
    if (size <= 0)
      return true;
    std::string actual;
    for (int i = 0; i < size; ++i)
      actual += fmt::format("{:02x}", bits[i]);
    return actual == expected;
  }

  std::string module_name(std::uint32_t id) const {
    const auto it = modules.find(id);
    return it == modules.end() || it->second.path.empty() ? fmt::format("module{}", id)
                                                          : base_name(it->second.path);
  }

  // A call on the stack: either the user's, with or without a known place; or inside a library, and
  // then the next outer call has to be examined.
  struct Call {
    bool library = false;
    ResolvedSite site; // file empty: nothing is known
  };

  Call look_at(const CodeAddress& address) {
    const Opened& module = open(address.module);
    if (!module.module || address.offset == 0)
      return {is_system_module(address.module), {}};
    // A return address is after its call.
    const InlineChain chain =
        inline_chain(functions, module.module, module.base + address.offset - 1);
    bool described = false;
    for (const SourceFrame& frame : chain.frames) {
      if (frame.line == 0 || frame.file.empty())
        continue;
      described = true;
      if (!is_library_frame(frame.function, frame.file))
        return {is_system_module(address.module),
                {frame.file, frame.line, frame.function, "debug_info", "", chain.directory}};
    }
    // In optimized code the description of an inlined call may be missing: the function is the
    // user's, the line is unknown.
    if (described && is_library_frame(chain.frames.back().function, chain.declared_in))
      return {true, {}};
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char* const found = dwfl_module_addrinfo(module.module, module.base + address.offset - 1,
                                                   &offset, &symbol, nullptr, nullptr, nullptr);
    if (!found || !*found)
      return {is_system_module(address.module), {}};
    const std::string function = demangle(found), name = plain_name(function);
    const bool library = is_library_frame(function, "") || is_system_module(address.module);
    return {library,
            {fmt::format("{}+{:#x}", name, offset + 1), 0, function, "symbol",
             fmt::format("{}+{:#x}", short_name(name), offset + 1)}};
  }

  // The calls of user code at an address, innermost first.
  const std::vector<UserCall>& user_calls_at(const CodeAddress& address) {
    const auto [entry, is_new] = calls.try_emplace({address.module, address.offset});
    std::vector<UserCall>& result = entry->second;
    const Opened& module = open(address.module);
    if (!is_new || is_system_module(address.module) || !module.module || address.offset == 0)
      return result;
    const InlineChain chain =
        inline_chain(functions, module.module, module.base + address.offset - 1);
    for (const SourceFrame& frame : chain.frames)
      if (frame.line != 0 && !frame.file.empty() && !is_library_frame(frame.function, frame.file))
        result.push_back({frame.file, frame.line, frame.function, "", chain.directory,
                          code_parameter(frame.description, classes)});
    if (!result.empty() || !chain.frames.empty())
      return result;
    const Call call = look_at(address); // by its symbol
    if (!call.library && !call.site.file.empty())
      result.push_back({call.site.file, call.site.line, call.site.function, call.site.name, "",
                        code_parameter(std::string_view(call.site.function))});
    return result;
  }

  // The C and C++ runtime, and oneTBB itself: none of their frames is user code.
  bool is_system_module(std::uint32_t id) const {
    const std::string name = module_name(id);
    for (const char* system :
         {"libtbb.so", "libtbbmalloc", "libc.so", "libstdc++.so", "libpthread.so", "ld-linux"})
      if (name.starts_with(system))
        return true;
    return false;
  }
};

SiteResolver::SiteResolver(const std::vector<Module>& modules) : impl_(std::make_unique<Impl>()) {
  for (const Module& module : modules)
    impl_->modules.emplace(module.id, module);
}

SiteResolver::~SiteResolver() = default;

std::vector<UserCall> SiteResolver::user_calls(const StaticSite& site) {
  std::vector<UserCall> result;
  for (const CodeAddress& address : site.stack)
    for (const UserCall& call : impl_->user_calls_at(address))
      result.push_back(call);
  return result;
}

ResolvedSite SiteResolver::resolve(const StaticSite& site) {
  const CodeAddress* users = nullptr; // the innermost call that is not a library's
  for (const CodeAddress& address : site.stack) {
    const Impl::Call call = impl_->look_at(address);
    if (call.library)
      continue;
    if (!call.site.file.empty())
      return call.site;
    users = &address;
    break;
  }
  const std::string type = demangle(site.type);
  if (site.stack.empty())
    return {type.empty() ? fmt::format("site{}", site.id) : type, 0, "", "module", ""};
  const CodeAddress& address = users ? *users : site.stack.front();
  const std::string place =
      fmt::format("{}+{:#x}", impl_->module_name(address.module), address.offset);
  const auto [body, construct] = look_at_task_type(type);
  const bool of_library = !users && body.empty();
  if (!body.empty())
    return {plain_name(body) + "@" + place, 0, body, "type",
            fmt::format("{}@{:#x}", short_name(plain_name(body)), address.offset)};
  return {place, 0,         "", "module", construct.empty() ? place : construct + "@" + place,
          "",    of_library};
}

} // namespace tp::analysis
