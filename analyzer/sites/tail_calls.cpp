// SPDX-License-Identifier: Apache-2.0
// See tail_calls.h.
#include "sites/tail_calls.h"

#include <dwarf.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace tp::analysis {
namespace {

// What the names of all entries of libtbb begin with, and of OpenMP's runtimes; our headers call hooks as well.
constexpr std::string_view kEntries = "_ZN3tbb6detail2r1";
constexpr std::string_view kOtherEntries[] = {"__kmpc_", "GOMP_", "tp_"};

std::string symbol_of(Dwarf_Die function) {
  if (const char* const name = linkage_name(&function))
    return name;
  const char* const name = dwarf_diename(&function);
  return name ? name : "";
}

bool is_target(std::string_view name, std::string_view target) {
  if (target != kEntries)
    return name == target;
  return name.starts_with(kEntries) ||
         std::ranges::any_of(kOtherEntries, [&](auto each) { return name.starts_with(each); });
}

} // namespace

std::optional<TailCalls::Function> TailCalls::definition(Dwarf_Die callee, std::uint32_t module) {
  Dwarf_Addr begin = 0;
  if (dwarf_entrypc(&callee, &begin) == 0 && begin != 0)
    if (const Module here = contents_of_(module); here.debug_info) // in the same file
      return Function{module, begin + here.debug_info->bias()};
  const std::string name = symbol_of(callee);
  if (name.empty())
    return std::nullopt;
  std::vector<std::uint32_t> order = modules_;
  std::ranges::stable_partition(order, [module](std::uint32_t each) { return each == module; });
  for (const std::uint32_t each : order)
    if (SymbolIndex* const symbols = symbols_of_(each))
      if (const auto found = symbols->begin_of(name))
        return Function{each, *found};
  return std::nullopt;
}

bool TailCalls::search(const Function& from, const std::string& target, unsigned room, Chain& chain,
                       std::optional<Chain>& found) {
  const Module contents = contents_of_(from.module);
  if (!contents.debug_info)
    return true;
  const std::vector<DebugInfo::Jump> jumps = contents.debug_info->jumps_of(from.begin);
  if (jumps.size() > kMostJumps)
    return false;
  for (const DebugInfo::Jump& jump : jumps) {
    chain.push_back({from.module, jump.behind - contents.base});
    bool is_certain = true;
    if (is_target(symbol_of(jump.callee), target)) {
      is_certain = !found;
      found = chain;
    } else if (room > 1) {
      if (const auto next = definition(jump.callee, from.module))
        is_certain = search(*next, target, room - 1, chain, found);
    }
    chain.pop_back();
    if (!is_certain)
      return false;
  }
  return true;
}

TailCalls::Chain TailCalls::find(const CodeAddress& outer, const CodeAddress* inner) {
  const Module caller = contents_of_(outer.module);
  if (!caller.debug_info || outer.offset == 0)
    return {};
  std::string target(kEntries);
  if (inner) {
    const Module callee = contents_of_(inner->module);
    const auto function = callee.debug_info && inner->offset != 0
                              ? callee.debug_info->function_at(callee.base + inner->offset - 1)
                              : std::nullopt;
    target = function ? symbol_of(*function) : "";
    if (target.empty())
      return {};
  }
  const auto called = caller.debug_info->callee_at(caller.base + outer.offset);
  if (!called || is_target(symbol_of(*called), target))
    return {};
  const auto begin = definition(*called, outer.module);
  Chain chain;
  std::optional<Chain> found;
  if (!begin || !search(*begin, target, kLongest, chain, found) || !found)
    return {};
  std::ranges::reverse(*found);
  return *found;
}

const std::vector<CodeAddress>& TailCalls::between(const CodeAddress& outer,
                                                   const CodeAddress* inner) {
  const auto [entry, is_new] =
      known_.try_emplace({outer.module, outer.offset, inner ? inner->module : UINT32_MAX,
                          inner ? inner->offset : UINT64_MAX});
  if (is_new)
    entry->second = find(outer, inner);
  return entry->second;
}

} // namespace tp::analysis
