// SPDX-License-Identifier: Apache-2.0
// CALL PATH: the calls that led to a call of oneTBB, which distinguish the callers of a user's
// wrapper. Hot: each time a site is entered.
#pragma once

#include "base/attributes.h"
#include "sites/frame_rules.h"

#include <atomic>
#include <cstdint>

namespace tp::rt {

// Where the library that contains the runtime (libtbb) is mapped; empty until find_own_code().
struct CodeRange {
  std::atomic<std::uintptr_t> begin{0}, end{0};
  bool contains(std::uintptr_t address) const noexcept {
    return address - begin.load(std::memory_order_relaxed) <
           end.load(std::memory_order_relaxed) - begin.load(std::memory_order_relaxed);
  }
};
// And other task libraries (tp_on_library_code): libomp, and our tool for it.
struct OwnCode : CodeRange {
  static constexpr unsigned kMostOthers = 3;
  CodeRange others[kMostOthers];
  std::atomic<unsigned> other_count{0};
  bool contains(std::uintptr_t address) const noexcept {
    if (CodeRange::contains(address))
      return true;
    const unsigned count = other_count.load(std::memory_order_acquire);
    for (unsigned i = 0; i < count; ++i)
      if (others[i].contains(address))
        return true;
    return false;
  }
};
extern OwnCode own_code;
// Any thread, any number of times. Cold.
TP_COLD void find_own_code() noexcept;
// The module with that address is a task library, too. Calls must not overlap. Cold.
TP_COLD void add_own_code(const void* address) noexcept;

// In place of a `task_stack`: the path ends where a task library has called the code, that is with the task. For code
// that makes no calls of its own through the library, as oneTBB's users do by task_arena::execute().
inline const void* const kUpToLibrary = reinterpret_cast<const void*>(std::uintptr_t{1});

// At the end of a function that passes its own frame on: its last call does not become a jump, which would end the frame.
#define TP_KEEP_FRAME() asm volatile("" ::: "memory")

// How many calls the path of the calling thread has, found anew. Takes microseconds for each.
TP_COLD unsigned calls_of_path(const void* task_stack) noexcept;

// A thread's memory of paths. Where a program spawns in a loop, the stack above the call is the same
// each time; then comparing the words that decided where the path went is enough, at a fifth of
// the cost of finding it again.
class CallPaths {
public:
  // A number for the path of calls from here, innermost first, without those inside libtbb; 0: not
  // known. Paths with equal numbers have equal calls, but for one pair in 2^64. kUnlearned: learn()
  // knows it. `task_stack`: as in stack_of_caller().
  [[gnu::noinline]] std::uint64_t find(const void* task_stack) noexcept;
  // The same, from the frame of one of the callers on: `frame` is its __builtin_frame_address(0), and it still has
  // that frame: see TP_KEEP_FRAME.
  std::uint64_t find(const void* frame, const void* task_stack) noexcept;
  static constexpr std::uint64_t kUnlearned = UINT64_MAX;
  // Takes microseconds for each call that the thread has not met.
  TP_COLD std::uint64_t learn(const void* task_stack) noexcept;

  // A path, and what it depends on.
  struct Memo {
    // More are not remembered. Frames with a frame pointer have two each.
    static constexpr unsigned kMostWords = 40;
    struct Word {
      std::uintptr_t at, value;
    };
    const void* frame = nullptr; // of find()
    const void* task_stack = nullptr;
    std::uint64_t path = 0;
    unsigned count = 0;
    Word words[kMostWords + 1]; // behind the last one, one that never matches
    // Is that path the one of calls from there, now?
    bool is_of(const void* from, const void* task) const noexcept;
  };
  // Where find() keeps what it found from that frame last.
  const Memo& memo_of(const void* frame) const noexcept { return memos_[index_of(frame)]; }

private:
  // Which memos share a place depends on the distance of their frames only, not on where the stack
  // is: equal runs execute equal instructions.
  static constexpr unsigned kMemos = 13;
  static unsigned index_of(const void* frame) noexcept {
    return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(frame) / 16) % kMemos;
  }

  template <typename RuleAt>
  static std::uint64_t walk(RuleAt rule_at, const void* frame, const void* task_stack,
                            Memo& memo) noexcept;
  TP_COLD std::uint64_t find_anew(const void* frame, const void* task_stack, Memo& memo) noexcept;

  FrameRules rules_;
  std::uintptr_t unlearned_ = 0; // the address that find() knew no rule for
  Memo memos_[kMemos];
};

#if defined(__x86_64__)
// Reads another function's frame.
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] inline std::uintptr_t
word_of_stack(std::uintptr_t at) noexcept {
  return *reinterpret_cast<const std::uintptr_t*>(at);
}

TP_HOT bool CallPaths::Memo::is_of(const void* from, const void* task) const noexcept {
  if (frame != from || task_stack != task)
    return false;
  const Word* word = words;
  while (word_of_stack(word->at) == word->value)
    ++word;
  return word == words + count;
}

TP_HOT std::uint64_t CallPaths::find(const void* frame, const void* task_stack) noexcept {
  Memo& memo = memos_[index_of(frame)];
  return memo.is_of(frame, task_stack) ? memo.path : find_anew(frame, task_stack, memo);
}

// A function with more ends the path.
inline constexpr std::uintptr_t kMostFrameBytes = 16u << 20;

// Calls visit(return address) for each call on the calling thread's stack, innermost first, until
// it returns false. `frame`: __builtin_frame_address(0) in the function whose return address comes
// first. rule_at(return address) returns a const FrameRule*, null to give up: then so does this,
// and returns false. Calls depends_on(address, word) for each word of the stack that decides which
// calls follow.
template <typename RuleAt, typename Visit, typename DependsOn>
[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] inline bool
visit_calls(RuleAt&& rule_at, const void* frame, const void* task_stack, Visit&& visit,
            DependsOn&& depends_on) noexcept {
  const auto begin = reinterpret_cast<std::uintptr_t>(frame);
  std::uintptr_t frame_pointer_at = begin; // where it is saved
  std::uintptr_t address_at = begin + 8;
  std::uintptr_t stack_pointer = begin + 16;
  // AddressSanitizer may keep the task's frame elsewhere.
  const auto task = reinterpret_cast<std::uintptr_t>(task_stack);
  const std::uintptr_t end = task > begin ? task : UINTPTR_MAX;
  while (true) {
    const std::uintptr_t address = word_of_stack(address_at);
    depends_on(address_at, address);
    if (address == 0 || stack_pointer > end || !visit(address))
      return true;
    const FrameRule* const found = rule_at(address);
    if (found == nullptr) [[unlikely]]
      return false;
    const FrameRule rule = *found;
    if (rule.kind == FrameRule::Kind::None)
      return true;
    std::uintptr_t cfa = stack_pointer;
    std::uintptr_t frame_pointer = 0;
    if (rule.kind != FrameRule::Kind::StackPointer ||
        rule.saved == FrameRule::kSavedAtFramePointer) {
      frame_pointer = word_of_stack(frame_pointer_at);
      depends_on(frame_pointer_at, frame_pointer);
      // Code whose description is wrong (assembly) must not lead anywhere else.
      if (frame_pointer - stack_pointer > kMostFrameBytes || frame_pointer % 8 != 0)
        return true;
      if (rule.kind != FrameRule::Kind::StackPointer)
        cfa = frame_pointer;
    }
    cfa += static_cast<std::uintptr_t>(std::intptr_t{rule.offset});
    if (rule.kind == FrameRule::Kind::Indirect) {
      const std::uintptr_t at = cfa;
      cfa = word_of_stack(at);
      depends_on(at, cfa);
    }
    if (cfa <= stack_pointer || cfa - stack_pointer > kMostFrameBytes || cfa % 8 != 0)
      return true; // not a frame that contains the previous one
    if (rule.saved == FrameRule::kSavedAtFramePointer)
      frame_pointer_at = frame_pointer;
    else if (rule.saved != 0)
      frame_pointer_at = cfa + 8 * static_cast<std::uintptr_t>(std::intptr_t{rule.saved});
    address_at = cfa - 8;
    stack_pointer = cfa;
  }
}
#elif !defined(__aarch64__)
TP_HOT std::uint64_t CallPaths::find(const void*, const void*) noexcept {
  return 0;
}
TP_HOT bool CallPaths::Memo::is_of(const void*, const void*) const noexcept {
  return true;
}
#endif

} // namespace tp::rt
