// SPDX-License-Identifier: Apache-2.0
// See code_parameters.h.
#include "sites/code_parameters.h"

#include "sites/cxx_names.h"

#include <dwarf.h>

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <vector>

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

// What the member functions of a class show.
struct Members {
  bool is_called = false;       // operator()
  bool returns_nothing = false; // of it
  bool has_others = false;      // than those of a function object
  bool has_virtual = false;     // other than the destructor
};

Members members_of(Dwarf_Die type, bool is_function) {
  const std::string_view name = name_of(&type), plain = name.substr(0, name.find('<'));
  Members members;
  any_child(type, [&](Dwarf_Die& child) {
    if (dwarf_tag(&child) != DW_TAG_subprogram || (!is_function && is_library_member(child)))
      return false; // std::less, std::ostream, a graph
    const std::string_view function = name_of(&child);
    const bool is_destructor = function.starts_with('~');
    Dwarf_Attribute memory;
    Dwarf_Word virtuality = 0;
    if (!is_destructor &&
        dwarf_formudata(dwarf_attr(&child, DW_AT_virtuality, &memory), &virtuality) == 0 &&
        virtuality != DW_VIRTUALITY_none)
      members.has_virtual = true;
    if (function.starts_with("operator()")) {
      members.is_called = true;
      members.returns_nothing |= !dwarf_attr(&child, DW_AT_type, &memory);
    } else if (!is_destructor && function != plain && !function.starts_with("operator") &&
               !is_of_body(function) && !has(&child, DW_AT_artificial)) {
      members.has_others = true;
    }
    return false;
  });
  return members;
}

// The standard library's classes that hold code; the last ones are what std::bind and so on return.
constexpr std::string_view kFunctions[] = {
    "function", "move_only_function", "copyable_function", "function_ref", "packaged_task",
    "_Bind",    "_Bind_result",       "_Bind_front",       "_Mem_fn", // libstdc++
    "__bind",   "__bind_r",           "__mem_fn"};                    // libc++

CodeParameter code_in_class(Dwarf_Die type, DescribedClasses& classes, int depth = 0) {
  const std::string_view name = name_of(&type), plain = name.substr(0, name.find('<'));
  const bool is_function = std::ranges::find(kFunctions, plain) != std::end(kFunctions);
  const Members members = members_of(type, is_function);
  if (members.is_called &&
      (is_lambda(name) || is_function || members.returns_nothing || !members.has_others))
    return CodeParameter::Code;
  if (members.has_virtual ||
      (has(&type, DW_AT_declaration) && classes.have_virtual_functions(type, name)))
    return CodeParameter::Object;
  CodeParameter inherited = CodeParameter::None;
  any_child(type, [&](Dwarf_Die& child) {
    if (Dwarf_Die base = child;
        dwarf_tag(&child) == DW_TAG_inheritance && depth < 4 && follow(base, DW_AT_type))
      inherited = std::max(inherited, code_in_class(base, classes, depth + 1));
    return false;
  });
  return inherited;
}

// Replaces a smart pointer of the standard library by what it points to.
bool follow_pointer_class(Dwarf_Die& type) {
  const std::string_view name = name_of(&type);
  return (name.starts_with("unique_ptr<") || name.starts_with("shared_ptr<")) &&
         any_child(type, [&](Dwarf_Die argument) {
           if (dwarf_tag(&argument) != DW_TAG_template_type_parameter ||
               !follow(argument, DW_AT_type))
             return false;
           type = argument;
           return true;
         });
}

// Of what a parameter refers to.
CodeParameter code_in_type(Dwarf_Die type, DescribedClasses& classes) {
  for (int depth = 0; depth < 16; ++depth)
    switch (dwarf_tag(&type)) {
    case DW_TAG_subroutine_type:
    case DW_TAG_ptr_to_member_type:
      return CodeParameter::Code;
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
      if (follow_pointer_class(type))
        break;
      return code_in_class(type, classes);
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

// Whether a pointer is to a class template that was given a class derived from it: that class has the
// code, as if it were virtual.
bool is_mixed_in(Dwarf_Die pointer) {
  while (dwarf_tag(&pointer) == DW_TAG_pointer_type || dwarf_tag(&pointer) == DW_TAG_const_type)
    if (!follow(pointer, DW_AT_type))
      return false;
  return any_child(pointer, [&](Dwarf_Die argument) {
    if (dwarf_tag(&argument) != DW_TAG_template_type_parameter || !follow(argument, DW_AT_type))
      return false;
    return any_child(argument, [&](Dwarf_Die base) {
      return dwarf_tag(&base) == DW_TAG_inheritance && follow(base, DW_AT_type) &&
             dwarf_dieoffset(&base) == dwarf_dieoffset(&pointer);
    });
  });
}

// Adds the classes below a unit, a namespace or a class.
void add_classes(Dwarf_Die parent, std::map<std::string, bool, std::less<>>& have_virtual) {
  any_child(parent, [&](Dwarf_Die& child) {
    switch (dwarf_tag(&child)) {
    case DW_TAG_class_type:
    case DW_TAG_structure_type:
      if (const std::string_view name = name_of(&child);
          !name.empty() && !has(&child, DW_AT_declaration)) {
        const bool has_virtual = members_of(child, false).has_virtual;
        const auto [entry, is_first] = have_virtual.try_emplace(std::string(name), has_virtual);
        entry->second = entry->second && has_virtual;
      }
      [[fallthrough]];
    case DW_TAG_namespace:
      add_classes(child, have_virtual);
      break;
    default:
      break;
    }
    return false;
  });
}

} // namespace

const DescribedClasses::HaveVirtual& DescribedClasses::classes_of(Dwarf* file) {
  const auto [entry, is_new] = of_file_.try_emplace(file);
  if (is_new) {
    Dwarf_Off offset = 0, next = 0;
    std::size_t header = 0;
    for (; dwarf_nextcu(file, offset, &next, &header, nullptr, nullptr, nullptr) == 0;
         offset = next)
      if (Dwarf_Die unit; dwarf_offdie(file, offset + header, &unit))
        add_classes(unit, entry->second);
  }
  return entry->second;
}

bool DescribedClasses::have_virtual_functions(Dwarf_Die near, std::string_view name) {
  Dwarf* const own = dwarf_cu_getdwarf(near.cu);
  const HaveVirtual& here = classes_of(own);
  if (const auto found = here.find(name); found != here.end())
    return found->second;
  if (!files_)
    files_ = others_ ? others_() : std::vector<Dwarf*>();
  bool is_known = false;
  for (Dwarf* const file : *files_)
    if (file != own) {
      const HaveVirtual& there = classes_of(file);
      if (const auto found = there.find(name); found != there.end()) {
        if (!found->second)
          return false;
        is_known = true;
      }
    }
  return is_known;
}

CodeParameter code_parameter(Dwarf_Die function, DescribedClasses& classes) {
  while (follow(function, DW_AT_abstract_origin)) {
  }
  const bool is_virtual = has(&function, DW_AT_vtable_elem_location);
  CodeParameter result = CodeParameter::None;
  const auto add = [&](Dwarf_Die& child) {
    if (dwarf_tag(&child) != DW_TAG_formal_parameter)
      return false;
    // The object of a lambda's own function does not count; a virtual function is its class's own code.
    const bool is_this = has(&child, DW_AT_artificial);
    Dwarf_Die type = child;
    if (follow(type, DW_AT_type)) {
      CodeParameter found = code_in_type(type, classes);
      if (is_this)
        found = is_virtual          ? CodeParameter::None
                : is_mixed_in(type) ? CodeParameter::Object
                                    : std::min(found, CodeParameter::Object);
      if (is_this && name_of(&function).starts_with("operator()"))
        found = CodeParameter::None;
      result = std::max(result, found);
    }
    return result == CodeParameter::Code;
  };
  any_child(function, [&](Dwarf_Die& child) {
    return dwarf_tag(&child) == DW_TAG_GNU_formal_parameter_pack ? any_child(child, add)
                                                                 : add(child);
  });
  return result;
}

namespace {

// Of the outermost function, without references, pointers, smart pointers and qualifiers.
std::vector<std::string_view> parameter_types(std::string_view demangled) {
  std::vector<std::string_view> types;
  for (const NameScope& scope : scopes_of(demangled))
    if (scope.is_function) {
      types = scope.parameters;
      break;
    }
  for (std::string_view& type : types)
    for (bool is_done = false; !is_done;) {
      is_done = true;
      if (type.starts_with("std::unique_ptr<") || type.starts_with("std::shared_ptr<"))
        if (const auto arguments = template_arguments(type); !arguments.empty()) {
          type = arguments[0];
          is_done = false;
        }
      for (const std::string_view end : {"&", "*", " const", " volatile", " "})
        if (type.ends_with(end)) {
          type.remove_suffix(end.size());
          is_done = false;
        }
    }
  return types;
}

} // namespace

bool has_parameter(std::string_view demangled, std::string_view type) {
  return !type.empty() && std::ranges::any_of(parameter_types(demangled),
                                              [type](auto each) { return each == type; });
}

CodeParameter code_parameter(std::string_view demangled,
                             const std::function<bool(std::string_view)>& has_virtual_functions) {
  // A function template over a lambda is a function of its own for each, named by the lambda. The
  // name of a lambda's function ends in "operator()" and its parameters.
  for (const std::string_view code : {"std::function<", "(*)(", "::*)("})
    if (const std::size_t at = demangled.find(code); at != demangled.npos) {
      const std::size_t own = demangled.rfind("operator()");
      if (own == demangled.npos || at > own)
        return CodeParameter::Code;
    }
  return std::ranges::any_of(parameter_types(demangled), has_virtual_functions)
             ? CodeParameter::Object
             : CodeParameter::None;
}

} // namespace tp::analysis
