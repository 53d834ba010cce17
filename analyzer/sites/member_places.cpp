// SPDX-License-Identifier: Apache-2.0
#include "sites/member_places.h"

#include "sites/cxx_names.h"

#include <dwarf.h>

#include <cctype>
#include <string_view>

namespace tp::analysis {
namespace {

// clang gives lambdas no name, g++ "<lambda(int)>".
bool is_lambda(Dwarf_Die& type) {
  if (dwarf_tag(&type) != DW_TAG_class_type && dwarf_tag(&type) != DW_TAG_structure_type)
    return false;
  const char* const name = dwarf_diename(&type);
  return name == nullptr || std::string_view(name).starts_with("<lambda");
}

LambdaPlace place_among_arguments(Dwarf_Die& function) {
  Dwarf_Die child;
  if (dwarf_child(&function, &child) != 0)
    return {};
  do {
    if (dwarf_tag(&child) != DW_TAG_template_type_parameter)
      continue;
    Dwarf_Attribute attribute;
    Dwarf_Die type, peeled;
    if (dwarf_attr_integrate(&child, DW_AT_type, &attribute) == nullptr ||
        dwarf_formref_die(&attribute, &type) == nullptr || dwarf_peel_type(&type, &peeled) != 0 ||
        !is_lambda(peeled))
      continue;
    int line = 0;
    const char* const file = file_of_declaration(&peeled);
    if (file != nullptr && dwarf_decl_line(&peeled, &line) == 0 && line > 0)
      return {file, static_cast<std::uint32_t>(line)};
  } while (dwarf_siblingof(&child, &child) == 0);
  return {};
}

} // namespace

bool is_constructor(const std::string& function) {
  const std::string name = plain_name(function);
  const std::size_t last = name.rfind("::");
  if (last == name.npos)
    return false;
  const std::string_view own = std::string_view(name).substr(last + 2);
  const std::string_view around = std::string_view(name).substr(0, last);
  return !own.empty() && (around == own || around.ends_with("::" + std::string(own)));
}

bool has_lambda_of_member(const std::string& name, const std::string& constructor) {
  std::string own = plain_name(constructor);
  own = own.substr(own.rfind(':') + 1) + "::";
  for (std::size_t at = name.find(own); at != name.npos; at = name.find(own, at + 1)) {
    const std::size_t member = at + own.size();
    std::size_t end = member;
    while (end < name.size() &&
           (std::isalnum(static_cast<unsigned char>(name[end])) || name[end] == '_'))
      ++end;
    if (end > member && (name.compare(end, 9, "::{lambda") == 0 ||
                         name.compare(end, 9, "::'lambda") == 0)) // as demanglers differ
      return true;
  }
  return false;
}

LambdaPlace lambda_given_to(Dwarf_Die function) {
  for (int depth = 0; depth < 4; ++depth) {
    if (LambdaPlace found = place_among_arguments(function); found.line != 0)
      return found;
    Dwarf_Attribute attribute;
    Dwarf_Die next;
    const bool has_next = (dwarf_attr(&function, DW_AT_abstract_origin, &attribute) != nullptr ||
                           dwarf_attr(&function, DW_AT_specification, &attribute) != nullptr) &&
                          dwarf_formref_die(&attribute, &next) != nullptr;
    if (!has_next)
      return {};
    function = next;
  }
  return {};
}

} // namespace tp::analysis
