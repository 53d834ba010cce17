/* SPDX-License-Identifier: Apache-2.0 */
// What the patched sources of libtbb need: RAII scopes, so that each hook is one line in them.
// Included at the end of scheduler_common.h, outside every namespace. C++11.
#ifndef TP_SCHEDULER_HOOKS_H
#define TP_SCHEDULER_HOOKS_H

#include "tp/hooks.h"

#include <exception>

namespace tbb {
namespace detail {
namespace r1 {

// tp_context::traits of a context, from the name that the algorithm gave it. Contexts that an
// algorithm creates for itself, and those of a task_group or a flow graph, are joined as a whole;
// parallel_for_each waits for blocks of tasks within one context; and a context supplied by the
// user may serve several algorithms at a time.
inline unsigned tp_traits(d0::string_resource_index name, bool concurrent_wait) {
  static_assert(TP_CONSTRUCT_COUNT == 25, "tp_traits: which contexts does the new construct have?");
  switch (name) {
  case d0::PARALLEL_FOR:
    return TP_CONSTRUCT_PARALLEL_FOR | TP_CONTEXT_EXCLUSIVE;
  case d0::PARALLEL_FOR_EACH:
    return TP_CONSTRUCT_PARALLEL_FOR_EACH;
  case d0::PARALLEL_INVOKE:
    return TP_CONSTRUCT_PARALLEL_INVOKE | TP_CONTEXT_EXCLUSIVE;
  case d0::PARALLEL_REDUCE:
    return TP_CONSTRUCT_PARALLEL_REDUCE | TP_CONTEXT_EXCLUSIVE;
  case d0::PARALLEL_SCAN:
    return TP_CONSTRUCT_PARALLEL_SCAN | TP_CONTEXT_EXCLUSIVE;
  case d0::PARALLEL_SORT:
    return TP_CONSTRUCT_PARALLEL_SORT | TP_CONTEXT_EXCLUSIVE;
  case d0::PARALLEL_PIPELINE:
    return TP_CONSTRUCT_PARALLEL_PIPELINE | TP_CONTEXT_EXCLUSIVE;
  case d0::CUSTOM_CTX:
    if (concurrent_wait)
      return TP_CONSTRUCT_TASK_GROUP | TP_CONTEXT_EXCLUSIVE;
    return TP_CONSTRUCT_USER_CONTEXT;
  case d0::FLOW_TASKS:
    return TP_CONSTRUCT_FLOW_GRAPH | TP_CONTEXT_EXCLUSIVE;
  default:
    return TP_CONSTRUCT_DEFAULT;
  }
}

inline tp_context tp_describe(d1::task_group_context& ctx) {
  return tp_context{task_group_context_impl::tp_word(ctx),
                    task_group_context_impl::tp_traits_of(ctx)};
}

inline tp_task tp_describe(d1::task& t, const void* caller) {
  return tp_task{task_accessor::tp_words(t), *reinterpret_cast<const void* const*>(&t), caller};
}

// True if the run is being recorded. If not, tasks need not be described.
inline bool tp_records() {
  return __atomic_load_n(&tp_recording, __ATOMIC_RELAXED) != 0;
}

// A call that another thread will execute: the task, which is about to be created, continues the
// caller.
inline void tp_delegate(d1::task& t) {
  if (!tp_records())
    return;
  const tp_task task = tp_describe(t, nullptr);
  tp_on_delegate(&task);
}

// A task is created: the time from the constructor to the end of the scope is tasking overhead.
struct tp_spawn_scope {
  tp_spawn_scope(d1::task& t, d1::task_group_context& ctx, const void* caller)
      : recorded(tp_records()) {
    if (!recorded)
      return;
    const tp_task task = tp_describe(t, caller);
    const tp_context context = tp_describe(ctx);
    tp_on_spawn(&task, &context);
  }
  ~tp_spawn_scope() {
    if (recorded)
      tp_on_spawn_end();
  }
  const bool recorded;
};

// A wait, after the creation of t unless t is null. It ends with the scope, also if the wait
// rethrows an exception.
struct tp_wait_scope {
  tp_wait_scope(d1::task* t, d1::task_group_context& ctx, const void* caller)
      : recorded(tp_records()), exceptions(recorded ? std::uncaught_exceptions() : 0) {
    if (!recorded)
      return;
    const tp_context context = tp_describe(ctx);
    if (t == nullptr) {
      tp_on_wait(nullptr, nullptr, &context);
    } else {
      const tp_task task = tp_describe(*t, caller);
      const tp_context task_context = tp_describe(*task_accessor::context(*t));
      tp_on_wait(&task, &task_context, &context);
    }
  }
  ~tp_wait_scope() {
    if (recorded)
      tp_on_wait_end(std::uncaught_exceptions() != exceptions);
  }
  const bool recorded;
  const int exceptions;
};

// One execution (or cancellation) of a task by the dispatch loop. left() takes the result of
// execute(): a task that runs next without a call of spawn(), or null.
struct tp_task_scope {
  tp_task_scope(d1::task& t, d1::task_group_context& ctx, bool cancelled)
      : recorded(tp_records() && !task_accessor::is_resume_task(t)) {
    if (!recorded)
      return;
    const tp_task task = tp_describe(t, nullptr);
    const tp_context context = tp_describe(ctx);
    tp_on_task_begin(&frame, &task, &context, cancelled);
  }
  d1::task* left(d1::task* next, d1::task_group_context* ctx) {
    if (recorded) {
      if (next != nullptr && !task_accessor::is_resume_task(*next)) {
        const tp_task task = tp_describe(*next, *reinterpret_cast<const void* const*>(next));
        const tp_context context = tp_describe(*ctx);
        tp_on_spawn(&task, &context);
      }
      tp_on_task_end(&frame, 0);
      recorded = false;
    }
    return next;
  }
  ~tp_task_scope() {
    if (recorded)
      tp_on_task_end(&frame, 1);
  }
  tp_frame frame;
  bool recorded;
};

} // namespace r1
} // namespace detail
} // namespace tbb

#endif
