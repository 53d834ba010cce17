// SPDX-License-Identifier: Apache-2.0
// See code_parameters.h.
#include "sites/code_parameters.h"

#include <dwarf.h>

#include <algorithm>

namespace tp::analysis {
namespace {

std::string_view name_of(Dwarf_Die* die) {
  const char* const name = dwarf_diename(die);
  return name ? name : "";
}

bool follow(Dwarf_Die& die, unsigned attribute) {
  Dwarf_Attribute memory;
  Dwarf_Die target;
  if (!dwarf_formref_die(dwarf_attr(&die, attribute, &memory), &target))
    return false;
  die = target;
  return true;
}

bool has(Dwarf_Die* die, unsigned attribute) {
  Dwarf_Attribute memory;
  return dwarf_attr_integrate(die, attribute, &memory) != nullptr;
}

template <typename Visit>
bool any_child(Dwarf_Die die, Visit visit) {
  Dwarf_Die child;
  for (int more = dwarf_child(&die, &child); more == 0; more = dwarf_siblingof(&child, &child))
    if (visit(child))
      return true;
  return false;
}

// Of the standard library or oneTBB, by the mangled name of a member function.
bool is_library_member(Dwarf_Die& function) {
  Dwarf_Attribute memory;
  const char* const mangled =
      dwarf_formstring(dwarf_attr_integrate(&function, DW_AT_linkage_name, &memory));
  std::string_view name = mangled ? mangled : "";
  if (!name.starts_with("_ZN"))
    return false;
  name.remove_prefix(std::min(name.find_first_not_of("KVRO", 3), name.size()));
  return name.starts_with("3tbb") ||
         (name.size() > 1 && name[0] == 'S' && name[1] >= 'a' && name[1] <= 'z');
}

// Member functions that bodies of oneTBB's algorithms have.
bool is_of_body(std::string_view name) {
  return name == "join" || name == "reverse_join" || name == "assign";
}

bool is_lambda(std::string_view name) {
  return name.empty() || name.find("lambda") != name.npos;
}

// Of a class.
CodeParameter code_in_class(Dwarf_Die type, int depth) {
  const std::string_view name = name_of(&type), plain = name.substr(0, name.find('<'));
  const bool is_function = plain == "function" || plain == "move_only_function" ||
                           plain == "copyable_function" || plain == "function_ref";
  bool is_called = false, returns_nothing = false, has_others = false, is_virtual = false;
  CodeParameter inherited = CodeParameter::None;
  any_child(type, [&](Dwarf_Die& child) {
    if (Dwarf_Die base = child;
        dwarf_tag(&child) == DW_TAG_inheritance && depth < 4 && follow(base, DW_AT_type))
      inherited = std::max(inherited, code_in_class(base, depth + 1));
    if (dwarf_tag(&child) != DW_TAG_subprogram)
      return false;
    if (!is_function && is_library_member(child))
      return false; // std::less, std::ostream, a graph
    const std::string_view function = name_of(&child);
    const bool is_destructor = function.starts_with('~');
    Dwarf_Attribute memory;
    Dwarf_Word virtuality = 0;
    if (!is_destructor &&
        dwarf_formudata(dwarf_attr(&child, DW_AT_virtuality, &memory), &virtuality) == 0 &&
        virtuality != DW_VIRTUALITY_none)
      is_virtual = true;
    if (function == "operator()") {
      is_called = true;
      returns_nothing |= !dwarf_attr(&child, DW_AT_type, &memory);
    } else if (!is_destructor && function != plain && !function.starts_with("operator") &&
               !is_of_body(function) && !has(&child, DW_AT_artificial)) {
      has_others = true;
    }
    return false;
  });
  if (is_called && (is_lambda(name) || is_function || returns_nothing || !has_others))
    return CodeParameter::Code;
  return std::max(inherited, is_virtual ? CodeParameter::Object : CodeParameter::None);
}

// Of what a parameter refers to.
CodeParameter code_in_type(Dwarf_Die type) {
  for (int depth = 0; depth < 16; ++depth)
    switch (dwarf_tag(&type)) {
    case DW_TAG_subroutine_type:
    case DW_TAG_ptr_to_member_type:
      return CodeParameter::Code;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
      return code_in_class(type, 0);
    case DW_TAG_pointer_type:
    case DW_TAG_reference_type:
    case DW_TAG_rvalue_reference_type:
    case DW_TAG_const_type:
    case DW_TAG_volatile_type:
    case DW_TAG_typedef:
      if (follow(type, DW_AT_type))
        break;
      [[fallthrough]];
    default:
      return CodeParameter::None;
    }
  return CodeParameter::None;
}

} // namespace

CodeParameter code_parameter(Dwarf_Die function) {
  while (follow(function, DW_AT_abstract_origin)) {
  }
  const bool is_virtual = has(&function, DW_AT_vtable_elem_location);
  CodeParameter result = CodeParameter::None;
  any_child(function, [&](Dwarf_Die& child) {
    if (dwarf_tag(&child) != DW_TAG_formal_parameter)
      return false;
    // A lambda's own object is no parameter of it; a virtual function is its class's own code.
    const bool is_this = has(&child, DW_AT_artificial);
    Dwarf_Die type = child;
    if (follow(type, DW_AT_type)) {
      CodeParameter found = code_in_type(type);
      if (is_this)
        found = is_virtual ? CodeParameter::None : std::min(found, CodeParameter::Object);
      if (is_this && name_of(&function) == "operator()")
        found = CodeParameter::None;
      result = std::max(result, found);
    }
    return result == CodeParameter::Code;
  });
  return result;
}

CodeParameter code_parameter(std::string_view demangled) {
  // What follows the last function's name are its parameters; a lambda's own name ends in
  // parentheses, too, but is followed by "::operator()".
  for (const std::string_view code : {"std::function<", "(*)(", "::*)(", "{lambda", "'lambda"})
    if (const std::size_t at = demangled.find(code); at != demangled.npos) {
      const std::size_t own = demangled.rfind("operator()");
      if (own == demangled.npos || at > own)
        return CodeParameter::Code;
    }
  return CodeParameter::None;
}

} // namespace tp::analysis
