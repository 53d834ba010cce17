// SPDX-License-Identifier: Apache-2.0
// See waiting_loops.h. Data flow within a loop as in compilers: which registers are read before they are written, and
// which have the same value in each iteration.
#include "sites/waiting_loops.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <string_view>

namespace tp::analysis {
namespace {

using Flow = Instruction::Flow;
using Atomic = Instruction::Atomic;

// Calls that are followed into one another, and frames of a stack.
constexpr unsigned kDeepest = 6;
constexpr std::size_t kMostInstructionsOfCallee = 200;

bool gives_cpu_away(std::string_view name) {
  static constexpr std::array<std::string_view, 10> kNames{
      "sched_yield",         "__sched_yield",   "thrd_yield",
      "pthread_yield",       "usleep",          "nanosleep",
      "__nanosleep",         "clock_nanosleep", "__clock_nanosleep",
      "__nanosleep_nocancel"};
  return std::ranges::find(kNames, name) != kNames.end() ||
         name.starts_with("_ZNSt11this_thread11__sleep_for");
}

// <tp/lock.h>, and the hooks of oneTBB's headers.
bool begins_wait(std::string_view name) {
  return name == "tp_on_lock_wait" || name == "tp_on_lock_wait_for" || name == "tp_on_busy_wait" ||
         name == "tp_on_thread_wait" || name.starts_with("_ZN2tp8BusyWaitC") ||
         name.starts_with("_ZN2tp8LockWait5begin") ||
         name.starts_with("_ZN2tp16client_lock_wait5begin") ||
         name.starts_with("_ZN2tp16client_lock_wait9begin_for");
}

bool ends_wait(std::string_view name) {
  return name.starts_with("tp_on_") || name.starts_with("_ZN2tp8BusyWaitD") ||
         name.starts_with("_ZN2tp8LockWaitD");
}

std::vector<std::uint32_t> all_blocks(const ControlFlow& flow) {
  std::vector<std::uint32_t> all(flow.blocks.size());
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

// Where it decides whether to go on; if it never ends, where it jumps back.
std::uint64_t place_of(const ControlFlow& flow, const CodeLoop& loop) {
  const auto leads_out = [&](std::uint32_t block) {
    return std::ranges::any_of(flow.blocks[block].next,
                               [&](std::uint32_t next) { return !loop.has(next); });
  };
  const auto found = std::ranges::find_if(loop.blocks, leads_out);
  const CodeBlock& block = flow.blocks[found == loop.blocks.end() ? loop.latch : *found];
  return flow.code[block.end - 1].address;
}

bool has(const std::vector<std::uint32_t>& ascending, std::uint32_t block) {
  return std::ranges::binary_search(ascending, block);
}

} // namespace

std::optional<StackCall> WaitingLoops::find(std::span<const StackCall> calls) {
  for (std::size_t i = 0; i < std::min<std::size_t>(calls.size(), kDeepest); ++i) {
    const StackCall& call = calls[i];
    if (call.module == StackCall::kNoModule)
      return std::nullopt;
    const auto [loop, is_new] = loops_.try_emplace(call);
    if (is_new)
      if (Facts* const facts = facts_of(call))
        loop->second = loop_at(*facts, call.address);
    if (loop->second)
      return is_announced(calls.subspan(i)) ? std::nullopt : loop->second;
    if (!gives_back(call))
      return std::nullopt;
  }
  return std::nullopt;
}

// Whether the program itself says that it waits there, around the loop or around what it calls.
bool WaitingLoops::is_announced(std::span<const StackCall> calls) {
  for (std::size_t i = 0; i < std::min<std::size_t>(calls.size(), kDeepest); ++i) {
    if (calls[i].module == StackCall::kNoModule)
      return false;
    const auto [known, is_new] = announced_.try_emplace(calls[i], false);
    if (is_new)
      if (Facts* const facts = facts_of(calls[i]))
        known->second = is_announced_at(*facts, calls[i].address);
    if (known->second)
      return true;
  }
  return false;
}

// Whether a call that begins a wait may lead there without one that ends it.
bool WaitingLoops::is_announced_at(Facts& facts, std::uint64_t address) {
  const auto wanted = facts.flow.block_at(address);
  if (!wanted)
    return false;
  // Compilers move code that runs rarely out of the function: where it comes back is not looked at.
  for (const Instruction& jump : facts.flow.code)
    if ((jump.flow == Flow::Jump || jump.flow == Flow::Branch) && jump.target &&
        !facts.flow.block_at(*jump.target) && begins_waits({facts.module, *jump.target}))
      return true;
  std::set<std::uint32_t> reached;
  std::vector<std::uint32_t> open;
  // What follows the last such call of a block, if that begins a wait.
  const auto add = [&](std::uint32_t block, bool waits) {
    for (std::size_t i = facts.flow.blocks[block].begin; i < facts.flow.blocks[block].end; ++i) {
      const std::string name = name_of_call(facts, facts.flow.code[i]);
      if (begins_wait(name))
        waits = true;
      else if (ends_wait(name))
        waits = false;
      if (waits && block == *wanted && facts.flow.code[i].end() > address)
        return true;
    }
    if (waits && reached.insert(block).second)
      open.push_back(block);
    return false;
  };
  for (const std::uint32_t block : all_blocks(facts.flow))
    if (add(block, false))
      return true;
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    for (const std::uint32_t next : facts.flow.blocks[block].next)
      if (!reached.contains(next) && add(next, true))
        return true;
  }
  return false;
}

bool WaitingLoops::begins_waits(const StackCall& function) {
  Facts* const facts = facts_of(function);
  return facts && std::ranges::any_of(facts->flow.code, [&](const Instruction& each) {
           return begins_wait(name_of_call(*facts, each));
         });
}

std::string WaitingLoops::name_of_call(const Facts& facts, const Instruction& call) {
  if (call.flow != Flow::Call || (!call.target && !call.target_at))
    return {};
  const std::uint64_t key = call.target ? *call.target : *call.target_at;
  const auto [known, is_new] = names_.try_emplace({facts.module, key});
  if (is_new && call.target_at)
    known->second = program_.import_at(facts.module, key);
  else if (is_new) {
    known->second = program_.symbol_at({facts.module, key});
    if (known->second.empty())
      known->second = name_behind({facts.module, key});
  }
  return known->second;
}

// Whether what is called has no effect of its own: it may be a part of its caller's loop.
bool WaitingLoops::gives_back(const StackCall& call) {
  const std::string name = program_.symbol_at(call);
  if (effect_by_name(name, CodeMachine::X86_64))
    return true;
  Facts* const facts = facts_of(call);
  return facts != nullptr && is_harmless(*facts);
}

WaitingLoops::Facts* WaitingLoops::facts_of(const StackCall& call) {
  const auto [entry, is_new] = of_calls_.try_emplace(call, nullptr);
  if (!is_new)
    return entry->second;
  const auto function = program_.function_at(call);
  if (!function)
    return nullptr;
  const auto [facts, is_first] = functions_.try_emplace({call.module, function->begin});
  if (is_first) {
    facts->second.module = call.module;
    facts->second.machine = function->machine;
    facts->second.flow = control_flow(decode(function->machine, function->code, function->begin));
  }
  return entry->second = &facts->second;
}

std::optional<StackCall> WaitingLoops::loop_at(Facts& facts, std::uint64_t address) {
  const auto block = facts.flow.block_at(address);
  if (!block)
    return std::nullopt;
  // The innermost one.
  for (std::size_t i = 0; i < facts.flow.loops.size(); ++i) {
    const CodeLoop& loop = facts.flow.loops[i];
    if (!loop.has(*block))
      continue;
    if (!waits(facts, i) || !counts(facts, loop, *block))
      return std::nullopt;
    return StackCall{facts.module, place_of(facts.flow, loop)};
  }
  return std::nullopt;
}

bool WaitingLoops::waits(Facts& facts, std::size_t loop) {
  const auto known = facts.waits.find(loop);
  if (known != facts.waits.end())
    return known->second;
  return facts.waits[loop] = only_waits(facts, facts.flow.loops[loop]);
}

bool WaitingLoops::only_waits(Facts& facts, const CodeLoop& loop) {
  bool observes = false, changes = false, stores_in_frame = false;
  for (const std::uint32_t block : loop.blocks)
    for (std::size_t i = facts.flow.blocks[block].begin; i < facts.flow.blocks[block].end; ++i) {
      const Instruction& each = effect(facts, i);
      if (!each.is_known || each.stores)
        return false;
      observes |= each.loads;
      changes |= each.atomic == Atomic::Changes;
      stores_in_frame |= each.stores_in_frame && !each.stores_constant;
    }
  if (pauses_each_time(facts, loop))
    return true;
  return observes && !changes && !stores_in_frame && stores_same_values(facts, loop) &&
         (read_first(facts, loop.blocks, loop.header, true) & writes(facts, loop.blocks)) == 0;
}

bool WaitingLoops::counts(Facts& facts, const CodeLoop& loop, std::uint32_t block) {
  if (pauses(facts, loop.header) || pauses(facts, block))
    return true;
  // Whether the loop may end after this block, before it comes to its header again: then it may be the first iteration.
  std::set<std::uint32_t> reached{block};
  std::vector<std::uint32_t> open{block};
  bool may_end = false;
  while (!open.empty() && !may_end) {
    const CodeBlock& from = facts.flow.blocks[open.back()];
    open.pop_back();
    may_end = from.leaves;
    for (const std::uint32_t next : from.next) {
      may_end |= !loop.has(next);
      if (loop.has(next) && next != loop.header && reached.insert(next).second)
        open.push_back(next);
    }
  }
  if (!may_end && block != loop.header)
    return true;
  for (const std::uint32_t each : loop.blocks)
    for (std::size_t i = facts.flow.blocks[each].begin; i < facts.flow.blocks[each].end; ++i)
      if (effect(facts, i).atomic != Atomic::None)
        return true;
  // Where a loop that does not wait begins at the same block, and this one is longer, the way around may be one
  // that the program never takes.
  for (std::size_t i = 0; i < facts.flow.loops.size() && loop.blocks.size() > 1; ++i)
    if (facts.flow.loops[i].header == loop.header && !waits(facts, i))
      return false;
  return reads_the_same(facts, loop);
}

// Whether the memory that it reads is the same in all loops around it.
bool WaitingLoops::reads_the_same(Facts& facts, const CodeLoop& loop) {
  if (facts.flow.has_unknown_jumps)
    return false;
  Registers addressed = 0;
  bool is_by_memory = false; // its addresses are in memory themselves
  for (bool grows = true; grows;) {
    const Registers before = addressed;
    for (const std::uint32_t block : loop.blocks)
      for (std::size_t i = facts.flow.blocks[block].begin; i < facts.flow.blocks[block].end; ++i) {
        const Instruction& each = effect(facts, i);
        addressed |= each.addressed;
        if ((each.writes & addressed) == 0)
          continue;
        addressed |= each.reads;
        is_by_memory |= each.loads;
      }
    grows = addressed != before;
  }
  addressed &= ~writes(facts, loop.blocks);
  return std::ranges::all_of(facts.flow.loops, [&](const CodeLoop& around) {
    return &around == &loop || !around.has(loop.header) ||
           ((writes(facts, around.blocks) & addressed) == 0 &&
            !(is_by_memory && writes_memory(facts, around.blocks)));
  });
}

bool WaitingLoops::writes_memory(Facts& facts, const std::vector<std::uint32_t>& blocks) {
  for (const std::uint32_t block : blocks)
    for (std::size_t i = facts.flow.blocks[block].begin; i < facts.flow.blocks[block].end; ++i) {
      const Instruction& each = effect(facts, i);
      if (!each.is_known || each.stores || each.stores_in_frame || each.atomic != Atomic::None)
        return true;
    }
  return false;
}

const Instruction& WaitingLoops::effect(Facts& facts, std::size_t instruction) {
  const Instruction& here = facts.flow.code[instruction];
  if (here.flow != Flow::Call)
    return here;
  const auto known = facts.effects.find(instruction);
  return known != facts.effects.end()
             ? known->second
             : facts.effects.emplace(instruction, effect_of_call(facts, here)).first->second;
}

Instruction WaitingLoops::effect_of_call(Facts& facts, const Instruction& call) {
  std::optional<Instruction> found;
  if (call.target_at)
    found = effect_by_name(program_.import_at(facts.module, *call.target_at), facts.machine);
  else if (call.target)
    found = effect_of({facts.module, *call.target}, facts.machine);
  if (found)
    return *found;
  Instruction anything = call;
  anything.is_known = false;
  anything.writes = changed_by_calls(facts.machine);
  return anything;
}

std::optional<Instruction> WaitingLoops::effect_of(const StackCall& function, CodeMachine machine) {
  for (const std::string& name : {program_.symbol_at(function), name_behind(function)})
    if (const auto found = effect_by_name(name, machine))
      return found;
  Facts* const facts = facts_of(function);
  if (!facts || facts->flow.code.empty() || facts->flow.code.front().address != function.address ||
      !is_harmless(*facts))
    return std::nullopt;
  return facts->effect;
}

// Of a function that only jumps to another one, as those of the procedure linkage table do.
std::string WaitingLoops::name_behind(const StackCall& function) {
  constexpr std::size_t kMostBytes = 32;
  const auto code = program_.code_at(function, kMostBytes);
  if (!code)
    return {};
  std::uint64_t page = 0; // AArch64: adrp x16, page; ldr x17, [x16, offset]; add x16, ...; br x17
  for (const Instruction& each : decode(code->machine, code->code, code->begin)) {
    if (each.target_at)
      return each.flow == Flow::Leaves ? program_.import_at(function.module, *each.target_at)
                                       : std::string();
    if (each.page)
      page = *each.page;
    if (page != 0 && each.loads && each.offset)
      return program_.import_at(function.module, page + *each.offset);
    if (!each.is_known || each.flow != Flow::Next)
      break;
  }
  return {};
}

std::optional<Instruction> WaitingLoops::effect_by_name(const std::string& name,
                                                        CodeMachine machine) const {
  Instruction effect;
  effect.is_known = true;
  effect.flow = Flow::Call;
  effect.writes = effect.sets = changed_by_calls(machine);
  if (gives_cpu_away(name)) {
    effect.pauses = true;
    return effect;
  }
  // Atomic operations in a function of their own (-moutline-atomics): value, address; of cas: expected, new, address.
  constexpr std::string_view kOutline = "__aarch64_";
  if (!name.starts_with(kOutline))
    return std::nullopt;
  const std::string_view operation = std::string_view(name).substr(kOutline.size());
  const bool is_cas = operation.starts_with("cas");
  const auto is_any = [&](auto... names) { return (operation.starts_with(names) || ...); };
  if (!is_cas && !is_any("swp", "ldset", "ldclr", "ldadd", "ldeor"))
    return std::nullopt;
  effect.addressed = is_cas ? 4 : 2;
  effect.stored = is_cas ? 2 : 1;
  effect.reads = is_cas ? 7 : 3;
  effect.loads = true;
  effect.atomic = is_any("ldadd", "ldeor") ? Atomic::Changes : Atomic::Sets;
  return effect;
}

// It writes no memory of others, and ends.
bool WaitingLoops::is_harmless(Facts& facts) {
  using Callee = Facts::Callee;
  if (facts.callee != Callee::NotAsked)
    return facts.callee == Callee::Harmless;
  facts.callee = Callee::Asked;
  if (facts.flow.code.empty() || facts.flow.code.size() > kMostInstructionsOfCallee ||
      facts.flow.has_unknown_jumps || depth_ >= kDeepest)
    return false;
  ++depth_;
  Instruction all;
  all.is_known = true;
  all.flow = Flow::Call;
  bool is_harmless = true, passes_arguments = false;
  const auto add = [&](const Instruction& each) {
    is_harmless &= each.is_known && !each.stores && each.status == 0;
    all.loads |= each.loads;
    all.atomic = std::max(all.atomic, each.atomic);
    all.pauses |= each.pauses && facts.flow.blocks.size() == 1;
  };
  for (std::size_t i = 0; i < facts.flow.code.size() && is_harmless; ++i) {
    const Instruction& each = effect(facts, i);
    add(each);
    if ((each.flow != Flow::Jump && each.flow != Flow::Branch) || !each.target ||
        facts.flow.block_at(*each.target))
      continue;
    const auto behind = effect_of({facts.module, *each.target}, facts.machine); // a tail call
    is_harmless &= behind.has_value();
    if (behind)
      add(*behind);
    passes_arguments = true;
  }
  // One that waits is its own loop, and one that computes does more than try.
  for (std::size_t i = 0; i < facts.flow.loops.size() && is_harmless; ++i)
    is_harmless = pauses_each_time(facts, facts.flow.loops[i]);
  --depth_;
  if (is_harmless) {
    all.reads = arguments(facts.machine);
    if (!passes_arguments)
      all.reads &= read_first(facts, all_blocks(facts.flow), 0, false);
    all.addressed = all.reads;
    all.stored = all.atomic == Atomic::None ? 0 : all.reads;
    all.writes = all.sets = changed_by_calls(facts.machine);
    facts.effect = all;
  }
  facts.callee = is_harmless ? Callee::Harmless : Callee::Other;
  return is_harmless;
}

bool WaitingLoops::pauses(Facts& facts, std::uint32_t block) {
  for (std::size_t i = facts.flow.blocks[block].begin; i < facts.flow.blocks[block].end; ++i)
    if (effect(facts, i).pauses)
      return true;
  return false;
}

bool WaitingLoops::pauses_each_time(Facts& facts, const CodeLoop& loop) {
  // Whether the header leads to the jump back without.
  std::set<std::uint32_t> reached;
  std::vector<std::uint32_t> open{loop.header};
  while (!open.empty()) {
    const std::uint32_t block = open.back();
    open.pop_back();
    if (!reached.insert(block).second || pauses(facts, block))
      continue;
    if (block == loop.latch)
      return false;
    for (const std::uint32_t next : facts.flow.blocks[block].next)
      if (loop.has(next) && next != loop.header)
        open.push_back(next);
  }
  return true;
}

Registers WaitingLoops::writes(Facts& facts, const std::vector<std::uint32_t>& blocks) {
  Registers all = 0;
  for (const std::uint32_t block : blocks)
    for (std::size_t i = facts.flow.blocks[block].begin; i < facts.flow.blocks[block].end; ++i)
      all |= effect(facts, i).writes;
  return all;
}

// What may be read, from `entry` on, before it is written; in a loop, before its header comes again.
Registers WaitingLoops::read_first(Facts& facts, const std::vector<std::uint32_t>& blocks,
                                   std::uint32_t entry, bool is_loop) {
  std::map<std::uint32_t, Registers> known;
  for (bool changed = true; changed;) {
    changed = false;
    for (auto block = blocks.rbegin(); block != blocks.rend(); ++block) {
      const CodeBlock& here = facts.flow.blocks[*block];
      Registers registers = 0;
      for (const std::uint32_t next : here.next)
        if (has(blocks, next) && !(is_loop && next == entry))
          registers |= known[next];
      for (std::size_t i = here.end; i-- > here.begin;) {
        const Instruction& each = effect(facts, i);
        registers = (registers & ~each.sets) | each.reads;
      }
      changed |= known[*block] != registers;
      known[*block] = registers;
    }
  }
  return known[entry];
}

// Whether each atomic operation writes what does not depend on memory, nor on earlier iterations.
bool WaitingLoops::stores_same_values(Facts& facts, const CodeLoop& loop) {
  const Registers written = writes(facts, loop.blocks);
  bool writes_frame = false;
  for (const std::uint32_t block : loop.blocks)
    for (std::size_t i = facts.flow.blocks[block].begin; i < facts.flow.blocks[block].end; ++i)
      writes_frame |= effect(facts, i).stores_in_frame;
  std::map<std::uint32_t, Registers>
      same; // at the beginning of each block: registers of such values
  for (const std::uint32_t block : loop.blocks)
    same[block] = block == loop.header ? ~written : ~Registers{0};
  bool is_same = true;
  for (bool changed = true; changed;) {
    changed = false;
    is_same = true;
    for (const std::uint32_t block : loop.blocks) {
      const CodeBlock& here = facts.flow.blocks[block];
      Registers registers = same[block];
      for (std::size_t i = here.begin; i < here.end; ++i) {
        const Instruction& each = effect(facts, i);
        is_same &= each.atomic == Atomic::None || (each.stored & ~registers) == 0;
        const bool loads = each.loads && (writes_frame || !each.loads_from_frame);
        const bool depends = loads || each.atomic != Atomic::None || (each.reads & ~registers) != 0;
        registers = depends ? registers & ~each.writes : registers | each.sets;
      }
      for (const std::uint32_t next : here.next)
        if (loop.has(next) && next != loop.header && (same[next] & ~registers) != 0) {
          same[next] &= registers;
          changed = true;
        }
    }
  }
  return is_same;
}

} // namespace tp::analysis
