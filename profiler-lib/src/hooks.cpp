// The C entry points (tp/hooks.h): fetch the thread's state, call one function of the builder. Hot.
//
// A thread without a state (its first event, or after a fork) gets one here; while nothing is
// recorded every hook is two loads and a branch.
#include "tp/hooks.h"

#include "causal_region.h"
#include "dpst_builder.h"
#include "edge_table.h"
#include "session.h"

using namespace tp::rt;

namespace {

TP_COLD ThreadState* first_event(bool is_worker) noexcept {
  ThreadState* const thread = enter_thread(is_worker);
  if (thread != nullptr && !is_worker)
    open_step(*thread, thread->root);
  return thread;
}

// The state of a thread that has had events; null if nothing is to be recorded.
TP_HOT ThreadState* known_thread() noexcept {
  return recording.load(std::memory_order_relaxed) == Recording::On ? this_thread : nullptr;
}

// The same, but an external thread that comes for the first time is welcome.
TP_HOT ThreadState* any_thread() noexcept {
  ThreadState* const thread = known_thread();
  if (thread == nullptr) [[unlikely]]
    return recording.load(std::memory_order_relaxed) == Recording::Off ? nullptr
                                                                       : first_event(false);
  return thread;
}

TP_HOT Frame& top(ThreadState& thread) noexcept {
  return *thread.frame.load(std::memory_order_relaxed);
}

// Does the frame have steps now? Not while it waits, and never at the bottom of a worker or of a
// borrowed stack: the scheduler's code there (observers, callbacks of suspended tasks) is no task's.
TP_HOT bool has_steps(const ThreadState& thread, const Frame& frame) noexcept {
  return frame.waits == 0 && &frame != &thread.base &&
         !(thread.is_worker && &frame == &thread.root);
}

// The id of a site record, with kInternalSite.
TP_HOT std::uint32_t id_of_site(ThreadState& thread, Frame& frame, const void* site) noexcept {
  const auto key = reinterpret_cast<std::uint64_t>(site);
  std::uint32_t id = thread.sites.find(key);
  if (id == 0) [[unlikely]] {
    const OutsideOfStep outside(thread, frame);
    id = register_site(site);
    thread.sites.remember(key, id);
  }
  return id;
}

// Where the edge table keeps the site of an object: beside its edges, since objects are aligned.
const void* name_key(const void* object) noexcept {
  return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(object) | 1);
}

TP_HOT Frame& as_frame(tp_frame* storage) noexcept {
  return *reinterpret_cast<Frame*>(storage);
}

} // namespace

#define TP_EXPORT [[gnu::visibility("default")]]

extern "C" {

TP_EXPORT void tp_on_external_thread(void) noexcept {
  if (ThreadState* thread = any_thread()) {
    Frame& frame = top(*thread);
    frame.reopen = frame.step_open;
    if (frame.step_open)
      cut(*thread, frame);
  }
}

TP_EXPORT void tp_on_scheduler_ready(void) noexcept {
  if (ThreadState* thread = known_thread())
    if (Frame& frame = top(*thread); frame.reopen)
      open_step(*thread, frame);
}

TP_EXPORT void tp_on_block(void) noexcept {
  if (ThreadState* thread = known_thread())
    if (Frame& frame = top(*thread); frame.step_open)
      cut(*thread, frame);
}

TP_EXPORT void tp_on_worker_thread(void) noexcept {
  if (known_thread() == nullptr && recording.load(std::memory_order_relaxed) != Recording::Off)
    first_event(true);
}

TP_EXPORT void tp_on_spawn(const tp_task* task, const tp_context* context) noexcept {
  ThreadState* const thread = any_thread();
  if (thread == nullptr)
    return;
  Frame& frame = top(*thread);
  frame.reopen = false;
  if (task->words[0] == 0)
    spawn(*thread, frame, *task, *context);
}

TP_EXPORT void tp_on_spawn_end(void) noexcept {
  if (ThreadState* thread = known_thread())
    if (Frame& frame = top(*thread); frame.reopen)
      open_step(*thread, frame);
}

TP_EXPORT void tp_on_wait(const tp_task* task, const tp_context* task_context,
                          const tp_context* context) noexcept {
  if (ThreadState* thread = any_thread())
    wait(*thread, top(*thread), task, task_context, *context);
}

TP_EXPORT void tp_on_wait_end(int by_exception) noexcept {
  if (ThreadState* thread = known_thread())
    end_wait(*thread, top(*thread), by_exception != 0);
}

TP_EXPORT void tp_on_task_begin(tp_frame* storage, const tp_task* task, const tp_context* context,
                                int cancelled) noexcept {
  Frame& frame = as_frame(storage);
  ThreadState* const thread = any_thread();
  if (thread == nullptr) {
    frame.thread = nullptr;
    return;
  }
  begin_task(*thread, frame, *task, *context, cancelled != 0);
}

TP_EXPORT void tp_on_task_end(tp_frame* storage, int by_exception) noexcept {
  Frame& frame = as_frame(storage);
  if (frame.thread == nullptr)
    return;
  ThreadState* const thread = known_thread();
  // Not this thread's frame on top: recording has ended, or the process forked inside the task.
  if (thread == nullptr || &top(*thread) != &frame)
    return;
  end_task(*thread, frame, by_exception != 0);
}

TP_EXPORT void tp_on_search(void) noexcept {
  if (ThreadState* thread = known_thread())
    if (thread->search_start == 0)
      thread->search_start = read_time();
}

TP_EXPORT void tp_on_context_init(uint64_t* word) noexcept {
  *word = 0;
}

TP_EXPORT void tp_on_context_end(uint64_t* word) noexcept {
  const std::uint64_t id = __atomic_load_n(word, __ATOMIC_RELAXED);
  if (id == 0)
    return;
  if (ThreadState* thread = known_thread())
    end_context(*thread, top(*thread), id);
}

TP_EXPORT uint64_t tp_on_stack_out(void) noexcept {
  ThreadState* const thread = known_thread();
  if (thread == nullptr)
    return 0;
  return reinterpret_cast<std::uint64_t>(put_aside(*thread));
}

TP_EXPORT void tp_on_stack_in(uint64_t token) noexcept {
  if (token == 0)
    return;
  ThreadState* const thread = any_thread();
  if (thread == nullptr)
    return;
  take_back(*thread, reinterpret_cast<StackToken*>(token));
}

TP_EXPORT int tp_concurrency(int real) noexcept {
  const int cores = as_if_cores();
  return cores > 0 && recording.load(std::memory_order_relaxed) != Recording::Off ? cores : real;
}

TP_EXPORT uint32_t tp_enter_site(const void* site) noexcept {
  ThreadState* const thread = any_thread();
  if (thread == nullptr)
    return 0;
  Frame& frame = top(*thread);
  const std::uint32_t previous = frame.call_site;
  if (previous != 0)
    return previous; // one entry point calls another
  const std::uint32_t id = id_of_site(*thread, frame, site);
  // A call written in a library header belongs to the task around it.
  frame.call_site = (id & kInternalSite) != 0 ? frame.site : id;
  return previous;
}

TP_EXPORT void tp_leave_site(uint32_t previous) noexcept {
  if (ThreadState* thread = known_thread())
    top(*thread).call_site = previous;
}

TP_EXPORT void tp_on_loop_begin(void) noexcept {
  if (ThreadState* thread = any_thread())
    begin_loop(*thread, top(*thread));
}

TP_EXPORT void tp_on_loop_end(uint64_t iterations, uint64_t grain) noexcept {
  if (ThreadState* thread = known_thread())
    end_loop(*thread, top(*thread), iterations, grain);
}

TP_EXPORT void tp_on_fold_split(void) noexcept {
  if (ThreadState* thread = any_thread())
    top(*thread).split_next = true;
}

TP_EXPORT void tp_on_fold_join(void) noexcept {
  if (ThreadState* thread = any_thread())
    join_fold(*thread, top(*thread));
}

TP_EXPORT uint64_t tp_on_release(int kept) noexcept {
  ThreadState* const thread = any_thread();
  if (thread == nullptr || !has_steps(*thread, top(*thread)))
    return 0;
  return release_edge(*thread, top(*thread), kept != 0);
}

TP_EXPORT void tp_on_acquire(uint64_t edge, int alone) noexcept {
  ThreadState* const thread = edge != 0 ? known_thread() : nullptr;
  if (thread != nullptr && has_steps(*thread, top(*thread)))
    acquire_edge(*thread, top(*thread), edge, alone != 0);
}

TP_EXPORT void tp_on_release_to(const void* key, int kept) noexcept {
  if (const std::uint64_t edge = tp_on_release(kept))
    put_edge(key, edge);
}

TP_EXPORT void tp_on_acquire_from(const void* key, int kept) noexcept {
  if (known_thread() == nullptr)
    return;
  if (kept)
    return tp_on_acquire(peek_edge(key), 0);
  while (const std::uint64_t edge = take_edge(key))
    tp_on_acquire(edge, 0);
}

TP_EXPORT void tp_forget_edges(const void* key) noexcept {
  if (known_thread() != nullptr)
    forget_edges(key);
}

TP_EXPORT void tp_on_start_after(const void* key) noexcept {
  if (known_thread() == nullptr)
    return;
  int alone = 1;
  while (const std::uint64_t edge = take_edge(key)) {
    tp_on_acquire(edge, alone);
    alone = 0;
  }
}

TP_EXPORT int tp_has_edges(const void* key) noexcept {
  return known_thread() != nullptr && peek_edge(key) != 0;
}

TP_EXPORT void tp_pass_edges(const void* from, const void* to, int only_one) noexcept {
  if (known_thread() == nullptr)
    return;
  while (const std::uint64_t edge = take_edge(from)) {
    put_edge(to, edge);
    if (only_one)
      break;
  }
}

TP_EXPORT void tp_name_object(const void* object, const void* site) noexcept {
  if (site == nullptr) {
    if (known_thread() != nullptr)
      forget_edges(name_key(object));
    return;
  }
  ThreadState* const thread = any_thread();
  const std::uint32_t id = thread != nullptr ? id_of_site(*thread, top(*thread), site) : 0;
  if (id == 0 || (id & kInternalSite) != 0)
    return; // made by the library for itself
  forget_edges(name_key(object));
  put_edge(name_key(object), id);
}

TP_EXPORT void tp_copy_name(const void* from, const void* to) noexcept {
  if (const std::uint32_t id = tp_name_of(from))
    put_edge(name_key(to), id);
}

TP_EXPORT uint32_t tp_name_of(const void* object) noexcept {
  return known_thread() != nullptr ? static_cast<std::uint32_t>(peek_edge(name_key(object))) : 0;
}

TP_EXPORT void tp_region_begin(tp_region* region) noexcept {
  if (ThreadState* thread = any_thread())
    begin_region(*thread, top(*thread), *region);
}

TP_EXPORT void tp_region_end(tp_region* region) noexcept {
  if (ThreadState* thread = known_thread())
    end_region(*thread, top(*thread), *region);
}

TP_EXPORT void tp_set_paused(int pause) noexcept {
  const bool wanted = pause != 0;
  if (paused() == wanted)
    return;
  // The step in progress is divided here: before a pause it counts, after it does not.
  ThreadState* const thread =
      recording.load(std::memory_order_relaxed) == Recording::NotStarted && wanted ? nullptr
                                                                                   : any_thread();
  if (thread != nullptr) {
    Frame& frame = top(*thread);
    const bool open = frame.step_open;
    if (open)
      cut(*thread, frame);
    write_pause(*thread, wanted);
    recording_paused.store(wanted, std::memory_order_relaxed);
    if (open)
      open_step(*thread, frame);
  }
  recording_paused.store(wanted, std::memory_order_relaxed);
}

TP_EXPORT void tp_spend(uint64_t units) noexcept {
  if (clock_config.kind != ClockKind::Virtual &&
      recording.load(std::memory_order_relaxed) == Recording::On)
    return;
  if (ThreadState* thread = any_thread())
    thread->clock.virtual_work += units;
}

} // extern "C"
