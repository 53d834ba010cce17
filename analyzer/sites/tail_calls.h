// SPDX-License-Identifier: Apache-2.0
// CALLS THAT ARE NOT ON THE STACK: a function whose last act is a call may leave by a jump, and then
// its caller seems to have made that call. Debug information says which function each call names,
// and which jumps a function ends with; so if exactly one chain of jumps leads from the function that
// was called to the one that was found there, its calls are known. Used by site_resolver.
#pragma once

#include "model/run_info.h"
#include "sites/debug_info.h"
#include "sites/symbol_index.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace tp::analysis {

class TailCalls {
public:
  struct Module {
    DebugInfo* debug_info = nullptr; // null: it cannot be read
    Dwarf_Addr base = 0;             // what to add to an address of the file
  };
  // `modules`: those of the user's code. The functions read a module when it is asked for; no symbols:
  // null.
  TailCalls(std::vector<std::uint32_t> modules, std::function<Module(std::uint32_t)> contents_of,
            std::function<SymbolIndex*(std::uint32_t)> symbols_of)
      : modules_(std::move(modules)), contents_of_(std::move(contents_of)),
        symbols_of_(std::move(symbols_of)) {}

  // The calls between one at `outer` and what was found next: a call at `inner`; null: oneTBB's
  // library. Innermost first, as if they were return addresses. Empty if there are none, or it is not
  // certain which.
  const std::vector<CodeAddress>& between(const CodeAddress& outer, const CodeAddress* inner);

private:
  // Longer chains, and functions with more jumps, are not searched.
  static constexpr unsigned kLongest = 4;
  static constexpr std::size_t kMostJumps = 64;

  using Chain = std::vector<CodeAddress>;
  struct Function {
    std::uint32_t module;
    std::uint64_t begin; // libdwfl's
  };
  std::optional<Function> definition(Dwarf_Die callee, std::uint32_t module);
  // False: more than one chain leads there, or too much would have to be searched.
  bool search(const Function& from, const std::string& target, unsigned room, Chain& chain,
              std::optional<Chain>& found);
  Chain find(const CodeAddress& outer, const CodeAddress* inner);

  std::vector<std::uint32_t> modules_;
  std::function<Module(std::uint32_t)> contents_of_;
  std::function<SymbolIndex*(std::uint32_t)> symbols_of_;
  std::map<std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::uint64_t>, Chain> known_;
};

} // namespace tp::analysis
