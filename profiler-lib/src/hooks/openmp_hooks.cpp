// SPDX-License-Identifier: Apache-2.0
// The C entry points of tp/hooks.h for the OpenMP tool, beyond those that it shares with libtbb.
#include "tp/hooks.h"

#include "builder/dpst_builder.h"
#include "builder/plain_steps.h"
#include "hooks/current_thread.h"
#include "session/session.h"
#include "sites/address_sites.h"
#include "sites/call_path.h"

using namespace tp::rt;

namespace {

TP_COLD std::uint32_t learn_call(ThreadState& thread, Frame& frame,
                                 const tp_openmp_call& call) noexcept {
  const OutsideOfStep outside(thread, frame);
  const std::uint64_t path = call.with_callers != 0 ? thread.call_paths.learn(kUpToLibrary) : 0;
  const std::uint32_t id = register_openmp_call(call, path);
  thread.sites.remember(openmp_key(call, path), id);
  return id;
}

// Where the runtime called code of the program's.
enum ProgramCode : unsigned {
  kProgramCodeGoesOn, // in an open step, or where none may open
  kProgramCodeInCall,
  kProgramCodeBetweenSteps,
};

constexpr unsigned kChildTraits = TP_CONSTRUCT_OMP_TASK | TP_CONTEXT_EXCLUSIVE;

// What is not plain, as with the hooks for any task.
TP_COLD void spawn_any_child(uint64_t* words, uint32_t site, uint64_t* context) noexcept {
  words[0] = 0;
  words[1] = site | TP_TASK_SITE_PRESET;
  const tp_task task{words, nullptr, nullptr};
  const tp_context entered{context, kChildTraits};
  tp_on_spawn_in_call(&task, &entered);
}
TP_COLD void begin_any_child(tp_frame* storage, uint64_t* words, uint64_t* context) noexcept {
  const tp_task task{words, nullptr, nullptr};
  const tp_context entered{context, kChildTraits};
  tp_on_task_begin(storage, &task, &entered, 0);
}

} // namespace

#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT void tp_on_library_code(const void* address) noexcept {
  add_own_code(address);
}

TP_EXPORT uint32_t tp_openmp_site(const tp_openmp_call* call) noexcept {
  ThreadState* const thread = thread_state_or_create();
  if (thread == nullptr)
    return 0;
  const std::uint64_t path = call->with_callers != 0 ? thread->call_paths.find(kUpToLibrary) : 0;
  const std::uint32_t known =
      path != CallPaths::kUnlearned ? thread->sites.find(openmp_key(*call, path)) : 0;
  return known != 0 ? known : learn_call(*thread, top(*thread), *call);
}

TP_EXPORT void tp_on_barrier(const tp_context* context, unsigned threads) noexcept {
  if (ThreadState* thread = thread_state_or_create())
    arrive(*thread, top(*thread), *context, threads);
}

TP_EXPORT void tp_on_hand_over(const tp_context* from, const tp_context* to) noexcept {
  if (ThreadState* thread = thread_state())
    hand_over(*thread, top(*thread), *from, *to);
}

TP_EXPORT void tp_on_runtime_call(void) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr)
    return;
  Frame& frame = top(*thread);
  if (!frame.step_open || !read_plainly(thread->clock, thread->runtime_call)) [[unlikely]]
    return begin_runtime_call(*thread, frame);
  thread->in_runtime_call = kPlainCall;
}

TP_EXPORT void tp_on_runtime_return(void) noexcept {
  if (ThreadState* thread = thread_state())
    end_runtime_call(*thread, top(*thread));
}

TP_EXPORT unsigned tp_on_program_code(void) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr)
    return kProgramCodeGoesOn;
  Frame& frame = top(*thread);
  if (thread->in_runtime_call) {
    end_runtime_call(*thread, frame);
    return kProgramCodeInCall;
  }
  if (frame.step_open || !frame.reopen || frame.waits > 0)
    return kProgramCodeGoesOn;
  open_plain_step(*thread, frame);
  return kProgramCodeBetweenSteps;
}

TP_EXPORT void tp_on_program_code_end(unsigned state) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr || state == kProgramCodeGoesOn)
    return;
  Frame& frame = top(*thread);
  if (state == kProgramCodeInCall)
    begin_runtime_call(*thread, frame);
  else if ((frame.reopen = frame.step_open))
    cut(*thread, frame);
}

TP_EXPORT void tp_on_spawn_in_call(const tp_task* task, const tp_context* context) noexcept {
  if (ThreadState* const thread = thread_state_or_create())
    spawn_in_runtime_call(*thread, top(*thread), *task, *context);
}

TP_EXPORT void tp_on_child_in_call(uint64_t* words, uint32_t site, uint64_t* context) noexcept {
  ThreadState* const thread =
      this_thread; // that something is recorded was asked where the call began
  if (thread == nullptr || !spawn_plainly(*thread, top(*thread), {words, nullptr, nullptr},
                                          site | TP_TASK_SITE_PRESET, {context, kChildTraits}))
      [[unlikely]]
    spawn_any_child(words, site, context);
}

TP_EXPORT void tp_on_child_begin(tp_frame* storage, uint64_t* words, uint64_t* context) noexcept {
  ThreadState* const thread = thread_state();
  // What a hook has said of its spawn had a site, and no region: then the compiler leaves out a few questions.
  if (thread == nullptr ||
      !begin_new_task(*thread, *reinterpret_cast<Frame*>(storage), {words, nullptr, nullptr},
                      {context, kChildTraits},
                      static_cast<std::uint32_t>(words[1]) | TP_TASK_SITE_TAGGED, false))
      [[unlikely]]
    begin_any_child(storage, words, context);
}

TP_EXPORT void tp_on_last_loop_end(uint64_t iterations, uint64_t grain) noexcept {
  if (ThreadState* thread = thread_state())
    end_loop(*thread, top(*thread), {{{iterations, grain}}, 1, 0}, /*opens=*/false);
}

TP_EXPORT void tp_on_acquire_shared(const uint64_t* edges, unsigned count) noexcept {
  ThreadState* const thread = thread_state();
  if (thread == nullptr)
    return;
  Frame& frame = top(*thread);
  for (unsigned i = 0; i < count; ++i)
    if (edges[i] != 0) {
      change_edge_uses(*thread, frame, edges[i], 1);
      acquire_edges(*thread, frame, &edges[i], 1, Acquire::Also);
    }
}

} // extern "C"
