// SPDX-License-Identifier: Apache-2.0
// See control_flow.h.
#include "sites/control_flow.h"

#include <algorithm>
#include <set>

namespace tp::analysis {
namespace {

using Flow = Instruction::Flow;

constexpr std::size_t kNone = ~std::size_t{0};
// Functions with more are not looked at: the work grows with the number of loops times that of blocks.
constexpr std::size_t kMostLoops = 2000;

std::size_t index_at(const std::vector<Instruction>& code, std::uint64_t address) {
  const auto found = std::ranges::lower_bound(code, address, {}, &Instruction::address);
  return found == code.end() || found->address != address
             ? kNone
             : static_cast<std::size_t>(found - code.begin());
}

// Whether the branch repeats a store that failed because another thread wrote.
bool repeats_store(const std::vector<Instruction>& code, std::size_t branch) {
  if (code[branch].flow != Flow::Branch || !code[branch].target ||
      *code[branch].target > code[branch].address)
    return false;
  constexpr std::size_t kMostBetween = 4;
  for (std::size_t before = 1; before <= std::min(kMostBetween, branch); ++before) {
    const std::size_t i = branch - before;
    if (code[i].status != 0)
      return code[i].status == code[branch].reads;
    if (code[i].flow != Flow::Next || (code[i].writes & code[branch].reads) != 0)
      return false;
  }
  return false;
}

void make_blocks(ControlFlow& flow) {
  const std::vector<Instruction>& code = flow.code;
  std::vector<bool> begins(code.size(), false);
  begins[0] = true;
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].flow == Flow::Next || code[i].flow == Flow::Call)
      continue;
    if (i + 1 < code.size())
      begins[i + 1] = true;
    if (code[i].target)
      if (const std::size_t target = index_at(code, *code[i].target); target != kNone)
        begins[target] = true;
  }
  std::vector<std::uint32_t> block_of(code.size());
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (begins[i])
      flow.blocks.push_back({.begin = i, .end = i, .next = {}});
    flow.blocks.back().end = i + 1;
    block_of[i] = static_cast<std::uint32_t>(flow.blocks.size() - 1);
  }
  for (CodeBlock& block : flow.blocks) {
    const std::size_t last = block.end - 1;
    const Instruction& jump = code[last];
    flow.has_unknown_jumps |= jump.jumps_anywhere && jump.flow == Flow::Leaves;
    if (jump.flow != Flow::Leaves && jump.flow != Flow::Jump) {
      if (block.end < code.size())
        block.next.push_back(block_of[block.end]);
      else
        block.leaves = true;
    }
    block.leaves |= jump.flow == Flow::Leaves;
    if ((jump.flow != Flow::Jump && jump.flow != Flow::Branch) || repeats_store(code, last))
      continue;
    const std::size_t target = jump.target ? index_at(code, *jump.target) : kNone;
    if (target == kNone)
      block.leaves = true;
    else if (std::ranges::find(block.next, block_of[target]) == block.next.end())
      block.next.push_back(block_of[target]);
  }
}

bool is_padding(const ControlFlow& flow, const CodeBlock& block) {
  return std::all_of(flow.code.begin() + static_cast<std::ptrdiff_t>(block.begin),
                     flow.code.begin() + static_cast<std::ptrdiff_t>(block.end),
                     [](const Instruction& each) { return each.is_padding; });
}

// What aligns the beginning of a loop, behind a jump, does not run.
void remove_padding(ControlFlow& flow) {
  std::vector<bool> is_reached(flow.blocks.size(), false);
  for (const CodeBlock& block : flow.blocks)
    for (const std::uint32_t next : block.next)
      is_reached[next] = true;
  for (std::size_t i = 1; i < flow.blocks.size(); ++i)
    if (!is_reached[i] && is_padding(flow, flow.blocks[i]))
      flow.blocks[i].next.clear();
}

// Of each block the one that dominates it immediately; kNone: none but the entry of all.
class Dominators {
public:
  // `before`: of each block those that lead to it.
  Dominators(const std::vector<CodeBlock>& blocks,
             const std::vector<std::vector<std::uint32_t>>& before)
      : blocks_(blocks), order_(blocks.size(), kNone), is_root_(blocks.size()),
        is_known_(blocks.size()), above_(blocks.size(), kNone) {
    // Code that no jump leads to runs after an exception, or by an address from a table.
    for (std::uint32_t root = 0; root < blocks.size(); ++root)
      if (order_[root] == kNone)
        visit(root);
    for (bool changed = true; changed;) {
      changed = false;
      for (auto block = by_order_.rbegin(); block != by_order_.rend(); ++block)
        changed |= !is_root_[*block] && settle(*block, before[*block]);
    }
  }
  bool dominates(std::uint32_t a, std::uint32_t b) const {
    for (std::size_t at = b; at != kNone; at = above_[at])
      if (at == a)
        return true;
    return false;
  }

private:
  // Numbers blocks after those that they lead to, without recursion.
  void visit(std::uint32_t root) {
    constexpr std::size_t kOpen = kNone - 1;
    is_root_[root] = true;
    std::vector<std::pair<std::uint32_t, std::size_t>> path{{root, 0}};
    order_[root] = kOpen;
    while (!path.empty()) {
      auto& [block, next] = path.back();
      if (next == blocks_[block].next.size()) {
        order_[block] = by_order_.size();
        by_order_.push_back(block);
        path.pop_back();
        continue;
      }
      const std::uint32_t to = blocks_[block].next[next++];
      if (order_[to] == kNone) {
        order_[to] = kOpen;
        path.emplace_back(to, 0);
      }
    }
  }
  bool settle(std::uint32_t block, const std::vector<std::uint32_t>& before) {
    std::size_t found = kNone;
    bool is_first = true;
    for (const std::uint32_t each : before) {
      if (!is_root_[each] && !is_known_[each])
        continue; // not reached yet
      found = is_first ? each : common(found, each);
      is_first = false;
    }
    if (is_first || (is_known_[block] && above_[block] == found))
      return false;
    above_[block] = found;
    is_known_[block] = true;
    return true;
  }
  std::size_t common(std::size_t a, std::size_t b) const {
    while (a != b) {
      if (a == kNone || b == kNone)
        return kNone;
      if (order_[a] < order_[b])
        a = above_[a];
      else
        b = above_[b];
    }
    return a;
  }

  const std::vector<CodeBlock>& blocks_;
  std::vector<std::size_t> order_;
  std::vector<std::uint32_t> by_order_;
  std::vector<bool> is_root_, is_known_;
  std::vector<std::size_t> above_;
};

CodeLoop natural_loop(const ControlFlow& flow,
                      const std::vector<std::vector<std::uint32_t>>& before, std::uint32_t header,
                      std::uint32_t latch) {
  CodeLoop loop{.header = header, .latch = latch, .blocks = {}};
  std::set<std::uint32_t> found{header};
  std::vector<std::uint32_t> open;
  if (found.insert(latch).second)
    open.push_back(latch);
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    for (const std::uint32_t each : before[block])
      if (found.insert(each).second)
        open.push_back(each);
  }
  loop.blocks.assign(found.begin(), found.end());
  for (const std::uint32_t block : loop.blocks)
    loop.instructions += flow.blocks[block].end - flow.blocks[block].begin;
  return loop;
}

} // namespace

bool CodeLoop::has(std::uint32_t block) const {
  return std::ranges::binary_search(blocks, block);
}

std::optional<std::uint32_t> ControlFlow::block_at(std::uint64_t address) const {
  const auto behind = std::ranges::upper_bound(code, address, {}, &Instruction::address);
  if (behind == code.begin() || address >= std::prev(behind)->end())
    return std::nullopt;
  const auto index = static_cast<std::size_t>(std::prev(behind) - code.begin());
  const auto block = std::ranges::upper_bound(blocks, index, {}, &CodeBlock::begin);
  return static_cast<std::uint32_t>(std::prev(block) - blocks.begin());
}

ControlFlow control_flow(std::vector<Instruction> code) {
  ControlFlow flow{.code = std::move(code), .blocks = {}, .loops = {}};
  if (flow.code.empty())
    return flow;
  make_blocks(flow);
  remove_padding(flow);
  std::vector<std::vector<std::uint32_t>> before(flow.blocks.size());
  for (std::uint32_t i = 0; i < flow.blocks.size(); ++i)
    for (const std::uint32_t next : flow.blocks[i].next)
      before[next].push_back(i);
  const Dominators dominators(flow.blocks, before);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> back;
  for (std::uint32_t i = 0; i < flow.blocks.size(); ++i)
    for (const std::uint32_t next : flow.blocks[i].next)
      if (dominators.dominates(next, i))
        back.emplace_back(next, i);
  if (back.size() > kMostLoops)
    return flow;
  for (const auto& [header, latch] : back)
    flow.loops.push_back(natural_loop(flow, before, header, latch));
  std::ranges::stable_sort(flow.loops, {}, &CodeLoop::instructions);
  return flow;
}

} // namespace tp::analysis
