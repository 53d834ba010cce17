// SPDX-License-Identifier: Apache-2.0
// See debug_info.h.
#include "sites/debug_info.h"

#include "sites/demangle.h"

#include <dwarf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string_view>

namespace tp::analysis {
namespace {

bool is_in_fortran(Dwarf_Die* die) {
  Dwarf_Die unit;
  if (!dwarf_diecu(die, &unit, nullptr, nullptr))
    return false;
  switch (dwarf_srclang(&unit)) {
  case DW_LANG_Fortran77:
  case DW_LANG_Fortran90:
  case DW_LANG_Fortran95:
  case DW_LANG_Fortran03:
  case DW_LANG_Fortran08:
    return true;
  default:
    return false;
  }
}

// "sweep" for gfortran's symbol __solver_MOD_sweep, of module solver; "relax" for relax_. That of the program, MAIN__, does
// not say how the user called it.
std::string name_in_symbol(const std::string& symbol) {
  constexpr std::string_view kOfModule = "_MOD_";
  const std::size_t module = symbol.find(kOfModule);
  if (symbol.starts_with("__") && module != symbol.npos)
    return symbol.substr(module + kOfModule.size());
  return symbol.ends_with('_') && !symbol.ends_with("__") ? symbol.substr(0, symbol.size() - 1)
                                                          : symbol;
}

// Code of an OpenMP construct is described inside of the procedure that contains the construct.
std::string name_in_fortran(Dwarf_Die* die) {
  const char* const own = dwarf_diename(die);
  std::string name = own ? own : "";
  if (!is_code_of_construct(name))
    return name;
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(die, &scopes);
  name = name_in_symbol(demangle_symbol(name));
  for (int i = 1; i < count; ++i)
    if (const char* const around = dwarf_diename(&scopes[i]);
        dwarf_tag(&scopes[i]) == DW_TAG_subprogram && around && !is_code_of_construct(around)) {
      name = around;
      break;
    }
  std::free(scopes);
  return name;
}

std::string name_of_die(Dwarf_Die* die) {
  if (is_in_fortran(die))
    return name_in_fortran(die);
  if (const char* const name = linkage_name(die))
    return demangle_symbol(name);
  const char* const name = dwarf_diename(die);
  if (name && std::strstr(name, "omp_")) // perhaps the code of an OpenMP construct
    return demangle_symbol(name);
  return name ? name : "";
}

// Debug information calls each lambda of a function by this name, where it has no other.
constexpr const char* kCallOperator = "operator()";

// The name of the function that contains the description of one; its own if there is none.
std::string name_of_enclosing(Dwarf_Die function) {
  function = declaration_of(function);
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&function, &scopes);
  std::string name = name_of_die(&function);
  for (int i = 1; i < count; ++i)
    if (dwarf_tag(&scopes[i]) == DW_TAG_subprogram) {
      name = name_of_die(&scopes[i]);
      break;
    }
  std::free(scopes);
  return name;
}

// The file in which a function is declared: for lambdas and the like, whose names contain no
// namespace.
std::string declared_in(Dwarf_Die* die) {
  const char* const file = file_of_declaration(die);
  return file ? file : "";
}

bool is_function(Dwarf_Die* die) {
  const int tag = dwarf_tag(die);
  return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine;
}

// The entry below which the functions of a unit are described: the unit, or with -gsplit-dwarf one
// in a separate file.
Dwarf_Die description_of(const Dwarf_Die& unit) {
  Dwarf_Die split{};
  std::uint8_t type = 0;
  const bool is_skeleton =
      dwarf_cu_info(unit.cu, nullptr, &type, nullptr, &split, nullptr, nullptr, nullptr) == 0 &&
      type == DW_UT_skeleton;
  return is_skeleton && split.addr ? split : unit;
}

// Descriptions of functions are in namespaces and classes; those of a function's lambdas and local
// classes are below the function, which itself may have no code.
bool may_hold_functions(Dwarf_Die* die) {
  switch (dwarf_tag(die)) {
  case DW_TAG_namespace:
  case DW_TAG_module: // of Fortran
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

struct CallSite {
  Dwarf_Addr behind = 0; // the return address; of a jump an address as if it were one
  Dwarf_Die callee{};
  bool is_jump = false;
};

// A description of a call that names the function that is called: of DWARF 5, or as GNU's extension
// of earlier versions.
std::optional<CallSite> call_of(Dwarf_Die die) {
  const bool is_gnu = dwarf_tag(&die) == DW_TAG_GNU_call_site;
  if (!is_gnu && dwarf_tag(&die) != DW_TAG_call_site)
    return std::nullopt;
  CallSite call;
  Dwarf_Attribute memory;
  bool is_set = false;
  if (dwarf_formflag(dwarf_attr(&die, is_gnu ? DW_AT_GNU_tail_call : DW_AT_call_tail_call, &memory),
                     &is_set) == 0)
    call.is_jump = is_set;
  if (!dwarf_formref_die(
          dwarf_attr(&die, is_gnu ? DW_AT_abstract_origin : DW_AT_call_origin, &memory),
          &call.callee))
    return std::nullopt;
  if (dwarf_formaddr(dwarf_attr(&die, is_gnu ? DW_AT_low_pc : DW_AT_call_return_pc, &memory),
                     &call.behind) == 0)
    return call;
  // clang gives the address of the jump itself.
  if (dwarf_formaddr(dwarf_attr(&die, DW_AT_call_pc, &memory), &call.behind) != 0)
    return std::nullopt;
  ++call.behind;
  return call;
}

template <typename Range>
const Range* range_around(const std::vector<Range>& ranges, Dwarf_Addr address) {
  const auto behind = std::ranges::upper_bound(ranges, address, {}, &Range::begin);
  return behind == ranges.begin() || address >= std::prev(behind)->end ? nullptr
                                                                       : &*std::prev(behind);
}

template <typename Range>
void add_ranges(Dwarf_Die die, std::vector<Range>& ranges) {
  Dwarf_Addr base = 0, begin = 0, end = 0;
  for (std::ptrdiff_t range = 0; (range = dwarf_ranges(&die, range, &base, &begin, &end)) > 0;)
    if (begin < end)
      ranges.push_back({begin, end, die});
}

} // namespace

const char* linkage_name(Dwarf_Die* die) {
  Dwarf_Attribute memory;
  for (const unsigned attribute : {DW_AT_linkage_name, DW_AT_MIPS_linkage_name})
    if (const char* name = dwarf_formstring(dwarf_attr_integrate(die, attribute, &memory)))
      return name;
  return nullptr;
}

// File 0 is the unit's own one since DWARF 5 (clang), for which libdw says that there is none.
const char* file_of_declaration(Dwarf_Die* die) {
  if (const char* const file = dwarf_decl_file(die))
    return file;
  Dwarf_Attribute attribute;
  Dwarf_Word index = 1;
  Dwarf_Half version = 0;
  Dwarf_Die unit;
  Dwarf_Files* files = nullptr;
  if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &index) != 0 ||
      index != 0 || dwarf_diecu(die, &unit, nullptr, nullptr) == nullptr ||
      dwarf_cu_info(unit.cu, &version, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr) != 0 ||
      version < 5 || dwarf_getsrcfiles(&unit, &files, nullptr) != 0)
    return nullptr;
  return dwarf_filesrc(files, 0, nullptr, nullptr);
}

Dwarf_Die declaration_of(Dwarf_Die function) {
  Dwarf_Attribute memory;
  for (const unsigned attribute : {DW_AT_abstract_origin, DW_AT_specification})
    while (dwarf_formref_die(dwarf_attr(&function, attribute, &memory), &function)) {
    }
  return function;
}

void DebugInfo::collect_functions(Dwarf_Die parent, std::vector<Range>& functions) {
  Dwarf_Die child;
  for (int more = dwarf_child(&parent, &child); more == 0; more = dwarf_siblingof(&child, &child)) {
    if (dwarf_tag(&child) == DW_TAG_subprogram)
      add_ranges(child, functions);
    if (may_hold_functions(&child))
      collect_functions(child, functions);
  }
}

// All units of the module by their own ranges: clang writes no .debug_aranges, by which libdw looks
// units up. Reads one entry per unit.
const std::vector<DebugInfo::Range>& DebugInfo::units() {
  if (units_)
    return *units_;
  units_.emplace();
  for (Dwarf_Die* unit = nullptr;
       (unit = dwfl_module_nextcu(module_, unit, &units_bias_)) != nullptr;)
    add_ranges(*unit, *units_);
  std::ranges::sort(*units_, {}, &Range::begin);
  return *units_;
}

std::optional<Dwarf_Die> DebugInfo::unit_at(Dwarf_Addr address, Dwarf_Addr& bias) {
  if (const Dwarf_Die* const unit = dwfl_module_addrdie(module_, address, &bias))
    return *unit;
  const std::vector<Range>& all = units();
  bias = units_bias_;
  if (const Range* const found = range_around(all, address - bias))
    return found->die;
  return std::nullopt;
}

const std::vector<DebugInfo::Range>& DebugInfo::functions_of(Dwarf_Die& unit) {
  const auto [entry, is_new] = functions_.try_emplace(unit.addr);
  std::vector<Range>& functions = entry->second;
  if (is_new) {
    collect_functions(unit, functions);
    std::ranges::sort(functions, {}, &Range::begin);
  }
  return functions;
}

// The entries around an address of the unit, innermost first, the function last.
std::vector<Dwarf_Die> DebugInfo::scopes_at(Dwarf_Die unit, Dwarf_Addr address) {
  const Range* const function = range_around(functions_of(unit), address);
  if (!function)
    return {};
  std::vector<Dwarf_Die> scopes = {function->die};
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

Dwarf_Addr DebugInfo::bias() {
  Dwarf_Addr bias = 0;
  dwfl_module_getdwarf(module_, &bias);
  return bias;
}

std::optional<Dwarf_Die> DebugInfo::function_at(Dwarf_Addr address) {
  Dwarf_Addr bias = 0;
  const std::optional<Dwarf_Die> unit = unit_at(address, bias);
  if (!unit)
    return std::nullopt;
  Dwarf_Die functions = description_of(*unit);
  const Range* const found = range_around(functions_of(functions), address - bias);
  return found ? std::optional(found->die) : std::nullopt;
}

std::optional<Dwarf_Die> DebugInfo::callee_at(Dwarf_Addr return_address) {
  Dwarf_Addr bias = 0;
  const std::optional<Dwarf_Die> unit = unit_at(return_address - 1, bias);
  if (!unit)
    return std::nullopt;
  for (Dwarf_Die& scope : scopes_at(description_of(*unit), return_address - 1 - bias)) {
    Dwarf_Die child;
    for (int more = dwarf_child(&scope, &child); more == 0; more = dwarf_siblingof(&child, &child))
      if (const auto call = call_of(child); call && call->behind == return_address - bias)
        return call->is_jump ? std::nullopt : std::optional(call->callee);
    if (dwarf_tag(&scope) == DW_TAG_subprogram)
      break;
  }
  return std::nullopt;
}

std::vector<DebugInfo::Jump> DebugInfo::jumps_of(Dwarf_Addr address) {
  std::vector<Jump> jumps;
  Dwarf_Addr bias = 0;
  const std::optional<Dwarf_Die> unit = unit_at(address, bias);
  if (!unit)
    return jumps;
  Dwarf_Die functions = description_of(*unit);
  const Range* const function = range_around(functions_of(functions), address - bias);
  if (!function)
    return jumps;
  const auto below = [&](const auto& self, Dwarf_Die parent, int depth) -> void {
    Dwarf_Die child;
    for (int more = dwarf_child(&parent, &child); more == 0; more = dwarf_siblingof(&child, &child))
      if (const auto call = call_of(child); call && call->is_jump)
        jumps.push_back({call->behind + bias, call->callee});
      else if (depth > 0 && (dwarf_tag(&child) == DW_TAG_inlined_subroutine ||
                             dwarf_tag(&child) == DW_TAG_lexical_block))
        self(self, child, depth - 1);
  };
  constexpr int kDeepest = 100;
  below(below, function->die, kDeepest);
  return jumps;
}

std::string qualified(Dwarf_Die function, const std::string& name, const char* unnamed) {
  if (linkage_name(&function) || name.substr(0, name.find('<')).find("::") != name.npos)
    return name;
  Dwarf_Die declaration = declaration_of(function);
  Dwarf_Die* scopes = nullptr;
  const int count = dwarf_getscopes_die(&declaration, &scopes);
  std::string result = name;
  for (int i = 1; i < count; ++i) {
    const int tag = dwarf_tag(&scopes[i]);
    const bool is_scope = tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
                          tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
    const char* const own = is_scope ? dwarf_diename(&scopes[i]) : nullptr;
    if (const char* const of = own || tag != DW_TAG_namespace ? own : unnamed)
      result = fmt::format("{}::{}", of, result);
  }
  std::free(scopes);
  return result;
}

InlineChain DebugInfo::chain_at(Dwarf_Addr address) {
  InlineChain chain;
  Dwarf_Addr bias = 0;
  std::optional<Dwarf_Die> unit = unit_at(address, bias);
  if (!unit)
    return chain;
  Dwarf_Attribute memory;
  if (const char* directory = dwarf_formstring(dwarf_attr(&*unit, DW_AT_comp_dir, &memory)))
    chain.directory = directory;
  SourceFrame here;
  if (Dwarf_Line* line = dwarf_getsrc_die(&*unit, address - bias)) {
    int number = 0;
    dwarf_lineno(line, &number);
    here.line = static_cast<std::uint32_t>(number);
    if (const char* file = dwarf_linesrc(line, nullptr, nullptr))
      here.file = file;
  }
  chain.place = here;
  Dwarf_Die functions = description_of(*unit);
  Dwarf_Files* files = nullptr;
  std::size_t file_count = 0;
  dwarf_getsrcfiles(&functions, &files, &file_count);
  for (Dwarf_Die& scope : scopes_at(functions, address - bias)) {
    if (!is_function(&scope))
      continue;
    here.function = name_of_die(&scope);
    here.in_function = here.function == kCallOperator
                           ? name_of_enclosing(scope)
                           : qualified(scope, here.function, "(anonymous namespace)");
    here.description = scope;
    const char* const symbol = linkage_name(&scope) ? linkage_name(&scope) : dwarf_diename(&scope);
    here.is_of_construct = symbol && is_code_of_construct(symbol);
    if (int line = 0; here.function != kCallOperator && dwarf_decl_line(&scope, &line) == 0)
      here.declared_at = static_cast<std::uint32_t>(line);
    const std::string declared = declared_in(&scope);
    // A oneTBB lambda inlined into user code is still oneTBB's.
    if (here.file.empty())
      here.file = declared;
    chain.frames.push_back(here);
    if (dwarf_tag(&scope) == DW_TAG_subprogram) {
      chain.declared_in = declared;
      // By the entry of its code a construct is known, not what is inlined there.
      if (Dwarf_Addr entry = 0;
          here.is_of_construct && dwarf_entrypc(&scope, &entry) == 0 && entry == address - bias)
        chain.frames.erase(chain.frames.begin(), chain.frames.end() - 1);
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

} // namespace tp::analysis
