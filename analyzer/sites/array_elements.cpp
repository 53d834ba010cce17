// SPDX-License-Identifier: Apache-2.0
// See array_elements.h. Units are searched for the variable from the first on: what says where units have their data is
// missing from most files.
#include "sites/array_elements.h"

#include <dwarf.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace tp::analysis {
namespace {

constexpr int kDeepest = 64; // of types in one another, and of scopes: more are damaged

std::optional<Dwarf_Die> type_of(Dwarf_Die& die) {
  Dwarf_Attribute attribute;
  Dwarf_Die type, peeled;
  if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr ||
      dwarf_formref_die(&attribute, &type) == nullptr || dwarf_peel_type(&type, &peeled) != 0)
    return {};
  return peeled;
}

bool is_class(Dwarf_Die& type) {
  const int tag = dwarf_tag(&type);
  return tag == DW_TAG_class_type || tag == DW_TAG_structure_type || tag == DW_TAG_union_type;
}

std::uint64_t size_of(Dwarf_Die type) {
  Dwarf_Word size = 0;
  return dwarf_aggregate_size(&type, &size) == 0 ? size : 0;
}

// Where a member or base class begins; none: it is static, or virtual.
std::optional<std::uint64_t> begin_of(Dwarf_Die& member, bool is_union) {
  Dwarf_Attribute attribute;
  Dwarf_Word offset = 0;
  if (dwarf_attr(&member, DW_AT_data_member_location, &attribute) == nullptr)
    return is_union && dwarf_tag(&member) == DW_TAG_member ? std::optional<std::uint64_t>(0)
                                                           : std::nullopt;
  if (dwarf_formudata(&attribute, &offset) != 0)
    return {};
  return offset;
}

bool is_in(Dwarf_Die type, std::uint64_t offset, int depth);

bool is_in_member(Dwarf_Die& type, std::uint64_t offset, int depth) {
  const bool is_union = dwarf_tag(&type) == DW_TAG_union_type;
  Dwarf_Die member;
  for (int more = dwarf_child(&type, &member); more == 0;
       more = dwarf_siblingof(&member, &member)) {
    if (dwarf_tag(&member) != DW_TAG_member && dwarf_tag(&member) != DW_TAG_inheritance)
      continue;
    const auto begin = begin_of(member, is_union);
    const auto part = type_of(member);
    if (begin && part && *begin <= offset && offset - *begin < size_of(*part) &&
        is_in(*part, offset - *begin, depth + 1))
      return true;
  }
  return false;
}

bool is_in(Dwarf_Die type, std::uint64_t offset, int depth) {
  if (depth > kDeepest)
    return false;
  if (is_class(type))
    return is_in_member(type, offset, depth);
  if (dwarf_tag(&type) != DW_TAG_array_type)
    return false;
  auto element = type_of(type);
  if (!element || !is_class(*element))
    return false;
  const std::uint64_t size = size_of(*element);
  return size > 0 && (size_of(type) >= 2 * size || is_in(*element, offset % size, depth + 1));
}

// Where a static variable begins; none: it is none, or not described so.
std::optional<Dwarf_Addr> address_of(Dwarf_Die& variable) {
  Dwarf_Attribute location;
  Dwarf_Op* operations = nullptr;
  std::size_t count = 0;
  if (dwarf_attr(&variable, DW_AT_location, &location) == nullptr ||
      dwarf_getlocation(&location, &operations, &count) != 0 || count != 1)
    return {};
  if (operations[0].atom == DW_OP_addr)
    return operations[0].number;
  Dwarf_Attribute at;
  Dwarf_Addr begin = 0;
  if ((operations[0].atom != DW_OP_addrx && operations[0].atom != DW_OP_GNU_addr_index) ||
      dwarf_getlocation_attr(&location, operations, &at) != 0 || dwarf_formaddr(&at, &begin) != 0)
    return {};
  return begin;
}

struct Search {
  std::vector<Dwarf_Addr> wanted; // in order: no variable is known that contains them
  std::vector<Dwarf_Addr> found;

  void look_at(Dwarf_Die& variable) {
    const auto begin = address_of(variable);
    if (!begin)
      return;
    const auto first = std::ranges::lower_bound(wanted, *begin);
    const auto type = first != wanted.end() ? type_of(variable) : std::nullopt;
    if (!type)
      return;
    const auto last = std::lower_bound(first, wanted.end(), *begin + size_of(*type));
    std::copy_if(first, last, std::back_inserter(found),
                 [&](Dwarf_Addr address) { return is_in_array(*type, address - *begin); });
    wanted.erase(first, last);
  }
  void look_into(Dwarf_Die& scope, int depth) {
    Dwarf_Die child;
    if (depth > kDeepest || wanted.empty() || dwarf_child(&scope, &child) != 0)
      return;
    do {
      switch (dwarf_tag(&child)) {
      case DW_TAG_variable:
        look_at(child);
        break;
      case DW_TAG_namespace:
      case DW_TAG_subprogram:
      case DW_TAG_lexical_block:
      case DW_TAG_inlined_subroutine:
        look_into(child, depth + 1);
        break;
      default:
        break;
      }
    } while (dwarf_siblingof(&child, &child) == 0);
  }
};

} // namespace

bool is_in_array(Dwarf_Die type, std::uint64_t offset) {
  return is_in(type, offset, 0);
}

std::vector<Dwarf_Addr> those_in_arrays(Dwfl_Module* module, std::vector<Dwarf_Addr> addresses) {
  std::ranges::sort(addresses);
  Search search{std::move(addresses), {}};
  Dwarf_Addr bias = 0;
  for (Dwarf_Die* unit = dwfl_module_nextcu(module, nullptr, &bias);
       unit != nullptr && !search.wanted.empty(); unit = dwfl_module_nextcu(module, unit, &bias)) {
    const auto shift = [&](Dwarf_Addr by) {
      for (auto* const list : {&search.wanted, &search.found})
        for (Dwarf_Addr& address : *list)
          address += by;
    };
    shift(-bias); // to those of the file
    search.look_into(*unit, 0);
    shift(bias);
  }
  return search.found;
}

} // namespace tp::analysis
