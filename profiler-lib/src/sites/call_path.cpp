// SPDX-License-Identifier: Apache-2.0
// See call_path.h.
#include "sites/call_path.h"

#include "tp/trace/trace_format.h"

#include <link.h>

namespace tp::rt {
namespace {

// Frames of libtbb that are looked at: those between the runtime and the user's call, and those of
// calls that run a function of the user's, such as task_arena::execute().
constexpr unsigned kMostOwnFrames = 32;

struct CodeSearch {
  std::uintptr_t address;
  CodeRange& found;
};

// For dl_iterate_phdr: finds where the module that contains an address is mapped.
int match_code(dl_phdr_info* info, std::size_t, void* data) {
  const CodeSearch& search = *static_cast<CodeSearch*>(data);
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD)
      continue;
    const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
    if (start < low)
      low = start;
    if (start + header.p_memsz > high)
      high = start + header.p_memsz;
  }
  if (search.address < low || search.address >= high)
    return 0;
  search.found.begin.store(low, std::memory_order_relaxed);
  search.found.end.store(high, std::memory_order_relaxed);
  return 1;
}

} // namespace

constinit OwnCode own_code;

void find_own_code() noexcept {
  if (own_code.end.load(std::memory_order_relaxed) != 0)
    return;
  CodeSearch search{reinterpret_cast<std::uintptr_t>(&find_own_code), own_code};
  dl_iterate_phdr(match_code, &search);
}

void add_own_code(const void* address) noexcept {
  const unsigned count = own_code.other_count.load(std::memory_order_relaxed);
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  if (count == OwnCode::kMostOthers || own_code.contains(wanted))
    return;
  CodeSearch search{wanted, own_code.others[count]};
  if (dl_iterate_phdr(match_code, &search) != 0)
    own_code.other_count.store(count + 1, std::memory_order_release);
}

#if defined(__x86_64__)

namespace {

// Calls visit(return address) for each call of the path; the rest as in visit_calls().
template <typename RuleAt, typename Visit, typename DependsOn>
[[gnu::always_inline, gnu::no_sanitize_address, gnu::no_sanitize_thread]] inline bool
visit_path(RuleAt&& rule_at, const void* frame, const void* task_stack, Visit&& visit,
           DependsOn&& depends_on) noexcept {
  static constexpr FrameRule kEnd{};
  unsigned own = 0, halves = 0;
  bool is_own = false, is_of_user = false;
  return visit_calls(
      [&](std::uintptr_t address) -> const FrameRule* {
        const FrameRule* const rule = rule_at(address);
        if (is_own || rule == nullptr)
          return rule;
        halves += rule->kind == FrameRule::Kind::FramePointer ? 1 : 2;
        return halves < 2 * trace::kMaxPathCalls ? rule : &kEnd;
      },
      frame, task_stack,
      [&](std::uintptr_t address) {
        is_own = own_code.contains(address);
        if (is_own)
          return ++own < kMostOwnFrames && !(is_of_user && task_stack == kUpToLibrary);
        is_of_user = true;
        visit(address);
        return true;
      },
      depends_on);
}

} // namespace

template <typename RuleAt>
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] std::uint64_t
CallPaths::walk(RuleAt rule_at, const void* frame, const void* task_stack, Memo& memo) noexcept {
  std::uint64_t number = 0;
  unsigned words = 0;
  const bool is_learned = visit_path(
      rule_at, frame, task_stack,
      [&](std::uintptr_t address) {
        number = (number ^ address) * 0x9e3779b97f4a7c15ull;
        number ^= number >> 32;
      },
      [&](std::uintptr_t at, std::uintptr_t value) {
        if (words < Memo::kMostWords)
          memo.words[words] = {at, value};
        ++words;
      });
  if (number == kUnlearned)
    number = 0;
  static constinit const std::uintptr_t kZero = 0;
  if (words <= Memo::kMostWords)
    memo.words[words] = {reinterpret_cast<std::uintptr_t>(&kZero), 1};
  memo.frame = is_learned && words <= Memo::kMostWords ? frame : nullptr;
  memo.task_stack = task_stack;
  memo.path = number;
  memo.count = words;
  return is_learned ? number : kUnlearned;
}

std::uint64_t CallPaths::find(const void* task_stack) noexcept {
  const std::uint64_t path = find(__builtin_frame_address(0), task_stack);
  TP_KEEP_FRAME();
  return path;
}

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] std::uint64_t
CallPaths::find_anew(const void* frame, const void* task_stack, Memo& memo) noexcept {
  return walk(
      [this](std::uintptr_t address) {
        const FrameRule* const known = rules_.find(address);
        if (known == nullptr) [[unlikely]]
          unlearned_ = address;
        return known;
      },
      frame, task_stack, memo);
}

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] std::uint64_t
CallPaths::learn(const void* task_stack) noexcept {
  const auto rule_at = [this](std::uintptr_t address) {
    const FrameRule* const known = rules_.find(address);
    return known != nullptr ? known : &rules_.learn(address);
  };
  rule_at(unlearned_); // that of find()'s own return address is not on this path
  Memo unused;
  return walk(rule_at, __builtin_frame_address(0), task_stack, unused);
}

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] unsigned
calls_of_path(const void* task_stack) noexcept {
  FrameRule rule;
  unsigned calls = 0;
  visit_path(
      [&](std::uintptr_t address) {
        rule = frame_rule_at(address);
        return &rule;
      },
      __builtin_frame_address(0), task_stack, [&](std::uintptr_t) { ++calls; },
      [](std::uintptr_t, std::uintptr_t) {});
  return calls;
}

#elif defined(__aarch64__)

// Functions that call others have a frame record, by the rules of the platform: where the caller's is, and the
// return address. Records are on one stack, each further up. Code without them ends the path.
namespace {

constexpr std::uintptr_t kMostFrameBytes = 1u << 20;

// Calls visit(return address) for each call of the path.
template <typename Visit>
[[gnu::always_inline, gnu::no_sanitize_address, gnu::no_sanitize_thread]] inline void
visit_path(const void* frame, const void* task_stack, Visit&& visit) noexcept {
  constexpr std::uintptr_t kAddress = (std::uintptr_t{1} << 48) - 1; // without its signature
  auto at = reinterpret_cast<std::uintptr_t>(frame);
  const auto task = reinterpret_cast<std::uintptr_t>(task_stack);
  const std::uintptr_t end = task > at ? task : UINTPTR_MAX;
  unsigned own = 0, calls = 0;
  while (true) {
    const auto* const record = reinterpret_cast<const std::uintptr_t*>(at);
    const std::uintptr_t next = record[0], address = record[1] & kAddress;
    if (address == 0)
      return;
    if (own_code.contains(address)) {
      if (++own >= kMostOwnFrames)
        return;
    } else {
      visit(address);
      if (++calls >= trace::kMaxPathCalls)
        return;
    }
    if (next <= at || next - at > kMostFrameBytes || next % 16 != 0 || next >= end)
      return;
    at = next;
  }
}

std::uint64_t number_of_path(const void* frame, const void* task_stack) noexcept {
  std::uint64_t number = 0;
  visit_path(frame, task_stack, [&](std::uintptr_t address) {
    number = (number ^ address) * 0x9e3779b97f4a7c15ull;
    number ^= number >> 32;
  });
  return number == CallPaths::kUnlearned ? 0 : number;
}

} // namespace

unsigned calls_of_path(const void* task_stack) noexcept {
  unsigned calls = 0;
  visit_path(__builtin_frame_address(0), task_stack, [&](std::uintptr_t) { ++calls; });
  return calls;
}
std::uint64_t CallPaths::find(const void* frame, const void* task_stack) noexcept {
  Memo& memo = memos_[index_of(frame)];
  memo.path = number_of_path(frame, task_stack);
  return memo.path;
}
bool CallPaths::Memo::is_of(const void* from, const void* task) const noexcept {
  return path == number_of_path(from, task);
}
std::uint64_t CallPaths::find(const void* task_stack) noexcept {
  const std::uint64_t path = number_of_path(__builtin_frame_address(0), task_stack);
  TP_KEEP_FRAME();
  return path;
}
std::uint64_t CallPaths::learn(const void* task_stack) noexcept {
  const std::uint64_t path = number_of_path(__builtin_frame_address(0), task_stack);
  TP_KEEP_FRAME();
  return path;
}

#else

unsigned calls_of_path(const void*) noexcept {
  return 0;
}
std::uint64_t CallPaths::find(const void*) noexcept {
  return 0;
}
std::uint64_t CallPaths::learn(const void*) noexcept {
  return 0;
}

#endif

} // namespace tp::rt
