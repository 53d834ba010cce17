// Looks addresses up with elfutils' libdwfl, which also finds separate debug files by build id.
#include "site_resolver.h"

#include "cxx_names.h"
#include "task_type.h"

#include <fmt/format.h>

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

namespace tp::analysis {
namespace {

struct SourceFrame {
  std::string function;
  std::string file;
  std::uint32_t line = 0;
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

// The file in which a function stands: for lambdas and the like, whose names carry no namespace.
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

// Where the functions of a unit are described: in the unit, or with -gsplit-dwarf in a file of its own.
Dwarf_Die functions_of(const Dwarf_Die& unit) {
  Dwarf_Die split{};
  std::uint8_t type = 0;
  const bool is_skeleton =
      dwarf_cu_info(unit.cu, nullptr, &type, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
      type == DW_UT_skeleton;
  return is_skeleton && split.addr ? split : unit;
}

// The innermost die with code at the address, below `parent`; false if there is none.
bool find_innermost(Dwarf_Die parent, Dwarf_Addr address, Dwarf_Die& innermost) {
  Dwarf_Die child;
  for (int more = dwarf_child(&parent, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_haspc(&child, address) == 1) {
      innermost = child;
      find_innermost(child, address, innermost);
      return true;
    }
    const int tag = dwarf_tag(&child);
    if ((tag == DW_TAG_namespace || tag == DW_TAG_class_type || tag == DW_TAG_structure_type) &&
        find_innermost(child, address, innermost))
      return true;
  }
  return false;
}

// The dies around an address, innermost first. dwarf_getscopes does not look into namespaces, where clang describes functions.
std::vector<Dwarf_Die> scopes_at(Dwarf_Die unit, Dwarf_Addr address) {
  Dwarf_Die innermost;
  Dwarf_Die* found = nullptr;
  if (dwarf_getscopes(&unit, address, &found) > 0)
    innermost = found[0];
  else if (!find_innermost(unit, address, innermost))
    return {};
  std::free(found);
  found = nullptr;
  // From the innermost die, not from the unit: this gives the concrete instances all the way out.
  const int count = dwarf_getscopes_die(&innermost, &found);
  std::vector<Dwarf_Die> scopes(found, found + std::max(count, 0));
  std::free(found);
  return scopes;
}

// The inline chain at `address`, innermost first.
std::vector<SourceFrame> inline_chain(Dwfl_Module* module, Dwarf_Addr address) {
  std::vector<SourceFrame> chain;
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = unit_of(module, address, &bias);
  if (!unit)
    return chain;
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
  for (Dwarf_Die& scope : scopes_at(functions, address - bias)) {
    if (!is_function(&scope))
      continue;
    here.function = name_of(&scope);
    // A oneTBB lambda inlined into user code is still oneTBB's.
    if (here.file.empty())
      here.file = declared_in(&scope);
    chain.push_back(here);
    if (dwarf_tag(&scope) == DW_TAG_subprogram)
      break;
    Dwarf_Attribute memory;
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

const Dwfl_Callbacks kCallbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

} // namespace

bool is_library_frame(const std::string& function, const std::string& file) {
  for (const std::string_view prefix : {"tbb::", "oneapi::tbb::", "tp::", "std::", "__gnu_"})
    if (function.compare(0, prefix.size(), prefix) == 0)
      return true;
  // A template's demangled name begins with its return type.
  const std::size_t arguments = function.find_first_of("<(");
  const std::size_t space = function.rfind(' ', arguments);
  if (space != std::string::npos && arguments != std::string::npos && space < arguments) {
    const std::string_view name = std::string_view(function).substr(space + 1);
    for (const std::string_view prefix : {"tbb::", "oneapi::tbb::", "tp::", "std::"})
      if (name.substr(0, prefix.size()) == prefix)
        return true;
  }
  for (const std::string_view part :
       {"/usr/include/", "/usr/lib/gcc/", "/oneapi/tbb/", "/include/tbb/", "/include/c++/",
        "/tp/site.h", "/tp/hooks.h"})
    if (file.find(part) != std::string::npos)
      return true;
  return false;
}

struct SiteResolver::Impl {
  struct Opened {
    Dwfl* dwfl = nullptr;
    Dwfl_Module* module = nullptr;
    Dwarf_Addr base = 0; // what to add to an address of the file
  };

  std::map<std::uint32_t, Module> modules;
  std::map<std::uint32_t, Opened> opened;

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

  // A module that was built anew since the run has other addresses.
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

  // A call on the stack: the user's, of which something is known or nothing; or inside a library,
  // so that the next outer one has to be looked at.
  struct Call {
    bool library = false;
    ResolvedSite site; // file empty: nothing is known
  };

  Call look_at(const CodeAddress& address) {
    const Opened& module = open(address.module);
    if (!module.module || address.offset == 0)
      return {is_system_module(address.module), {}};
    bool described = false;
    // A return address is behind its call.
    for (const SourceFrame& frame : inline_chain(module.module, module.base + address.offset - 1)) {
      if (frame.line == 0 || frame.file.empty())
        continue;
      described = true;
      if (!is_library_frame(frame.function, frame.file))
        return {is_system_module(address.module),
                {frame.file, frame.line, frame.function, "debug_info", ""}};
    }
    if (described)
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

  // The C and C++ runtime, and oneTBB itself: whatever is on their frames, no user wrote it.
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
  if (!body.empty())
    return {plain_name(body) + "@" + place, 0, body, "type",
            fmt::format("{}@{:#x}", short_name(plain_name(body)), address.offset)};
  return {place, 0, "", "module", construct.empty() ? place : construct + "@" + place};
}

} // namespace tp::analysis
