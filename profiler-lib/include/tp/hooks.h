/* The C ABI of the Taskpath runtime: the only door between it and the programs it watches. Three
 * groups of callers:
 *   1. the patched libtbb (tbb-patch/), which contains the runtime: tp_on_*
 *   2. the patched oneTBB headers, compiled into the user's program: sites, loops, folds, edges under
 *      an address; declared weak there (oneapi_hooks.h), so that such a program also runs on a stock
 *      libtbb
 *   3. annotations and the virtual clock, likewise weak: see annotations/include/tp
 *
 * No function throws, blocks on another thread, or allocates on its usual path. All may be called
 * from any thread at any time, also before the runtime has started and after it has ended: they do
 * nothing then. "Closes" and "opens" below: the step of the calling thread's current frame ends or
 * begins there; what lies between is tasking overhead. C99 and C++11. */
#ifndef TP_HOOKS_H
#define TP_HOOKS_H

#include <stdint.h>

#ifdef __cplusplus
#define TP_NOEXCEPT noexcept
extern "C" {
#else
#define TP_NOEXCEPT
#endif

struct tp_spawn_site;

/* 0: nothing is recorded from now on, the hooks of group 1 do nothing. Atomic; for libtbb only, which
 * need not describe tasks then. It becomes 0 at most once in a process, at any time. */
extern __attribute__((visibility("hidden"))) int tp_recording;

/* One executing task, on the stack of the thread that runs it. Opaque; owned by the caller from
 * tp_on_task_begin to tp_on_task_end. */
typedef struct tp_frame {
  uint64_t words[14];
} tp_frame;

/* What the library tells about a task_group_context. `word` is 8 bytes inside the context that the
 * runtime owns; tp_on_context_init must have cleared them. `traits` is trace::Construct, with 64
 * added if waits on it join all of its tasks (see trace_format.h, kContextExclusive). */
typedef struct tp_context {
  uint64_t* word;
  unsigned traits;
} tp_context;

/* What the library tells about a task. `words` are two 8-byte words inside the task that the
 * runtime owns; zero in a new task, but for words[1] if its site was told in advance: the site's id
 * with the top bit set. `type` is the task's vtable pointer, `caller` an address inside the code that asked for
 * the spawn (`type` if a task returned it): both together name the site of code that was not recompiled.
 */
typedef struct tp_task {
  uint64_t* words;
  const void* type;
  const void* caller;
} tp_task;

/* ---- threads: the library's scheduler meets a thread, on that thread ---- */
/* An external thread starts to use the library: closes; tp_on_scheduler_ready opens. */
void tp_on_external_thread(void) TP_NOEXCEPT;
void tp_on_scheduler_ready(void) TP_NOEXCEPT;
/* The thread is going to block in the library, outside of its waits: closes; the next wait opens, or
 * tp_on_unblock before it. */
void tp_on_block(void) TP_NOEXCEPT;
void tp_on_unblock(void) TP_NOEXCEPT;
void tp_on_worker_thread(void) TP_NOEXCEPT;

/* ---- tasks ---- */
/* The current frame creates a task. Closes; tp_on_spawn_end opens. The task must not be visible to
 * other threads yet. A task that has been spawned already (re-queued by the scheduler) is ignored.
 */
void tp_on_spawn(const tp_task* task, const tp_context* context) TP_NOEXCEPT;
void tp_on_spawn_end(void) TP_NOEXCEPT;
/* The task, about to be created, is a part of what the current frame does: it has the frame's site
 * and is inside the frame's open causal region. */
void tp_on_delegate(const tp_task* task) TP_NOEXCEPT;
/* The current frame waits on a context, after creating `task` in `task_context` (execute_and_wait)
 * if task is not null. Closes; tp_on_wait_end opens. They nest. */
void tp_on_wait(const tp_task* task, const tp_context* task_context,
                const tp_context* context) TP_NOEXCEPT;
void tp_on_wait_end(int by_exception) TP_NOEXCEPT;
/* The thread starts to run a task, and is back from it. tp_on_task_begin reads and clears
 * task->words: the task may be gone afterwards. If the task left by an exception, the library runs
 * it again to cancel it, which continues the same frame. */
void tp_on_task_begin(tp_frame* frame, const tp_task* task, const tp_context* context,
                      int cancelled) TP_NOEXCEPT;
void tp_on_task_end(tp_frame* frame, int by_exception) TP_NOEXCEPT;
/* The thread found nothing to do in its own queue and looks elsewhere: idle until it starts a task
 * or leaves its wait. */
void tp_on_search(void) TP_NOEXCEPT;
void tp_on_context_init(uint64_t* word) TP_NOEXCEPT;
void tp_on_context_end(uint64_t* word) TP_NOEXCEPT;
/* The thread leaves its stack of frames and continues on another (resumable tasks). tp_on_stack_out
 * closes and returns a token to be kept on the stack that is left; tp_on_stack_in, given the token,
 * on whichever thread, opens. */
uint64_t tp_on_stack_out(void) TP_NOEXCEPT;
void tp_on_stack_in(uint64_t token) TP_NOEXCEPT;

/* ---- edges: order that neither a spawn nor a wait expresses (pipelines, flow graphs, scans, resumed
 * tasks) ---- */
/* The current frame publishes its path so far: closes, opens. Returns the edge, 0 if nothing is
 * recorded. It can be acquired once, or any number of times if `kept` is not 0 (which costs the
 * analyzer memory to the end of the trace). */
uint64_t tp_on_release(int kept) TP_NOEXCEPT;
/* The current frame continues after the edge as well, or, if `alone`, after the edge only (a task that
 * is used again for something that does not depend on what it did): closes, opens. 0 is ignored. */
void tp_on_acquire(uint64_t edge, int alone) TP_NOEXCEPT;
/* Nobody will acquire the edge, which is not a kept one: the analyzer need not remember it. 0 is ignored. */
void tp_forget_edge(uint64_t edge) TP_NOEXCEPT;
/* The same where there is no room to keep the edge: it is kept under the address of an object, whose
 * code must acquire or forget all of them before the address is used again. tp_on_acquire_from takes
 * all that were released there; or, if `kept`, leaves the one that is there for others. */
void tp_on_release_to(const void* key, int kept) TP_NOEXCEPT;
void tp_on_acquire_from(const void* key, int kept) TP_NOEXCEPT;
void tp_forget_edges(const void* key) TP_NOEXCEPT;
/* A function that is called once per flag (collaborative_call_once) has ended: a kept edge is released to `waited_at`, for
 * who waited, and replaces the one of the flag, or of a flag that was there before. tp_on_after_once: the flag says so;
 * the current frame continues after that edge, if it does not yet: closes and opens then. */
void tp_on_once_end(const void* waited_at, const void* flag) TP_NOEXCEPT;
void tp_on_after_once(const void* flag) TP_NOEXCEPT;
/* The current frame, a task that has just begun, comes after all edges released to `key`, and after
 * nothing else, not even its spawn; without edges there nothing changes. */
void tp_on_start_after(const void* key) TP_NOEXCEPT;
int tp_has_edges(const void* key) TP_NOEXCEPT;
/* Edges move from one address to another. */
void tp_pass_edges(const void* from, const void* to) TP_NOEXCEPT;
/* A message is copied: what `from` has, `to` has as well. */
void tp_copy_edges(const void* from, const void* to) TP_NOEXCEPT;
/* An object (a node of a flow graph) stands for a spawn site: the site of what it creates. Null: no
 * longer, which its code must tell before the address is used again. 0: it has none. */
void tp_name_object(const void* object, const void* site) TP_NOEXCEPT;
void tp_copy_name(const void* from, const void* to) TP_NOEXCEPT;
uint32_t tp_name_of(const void* object) TP_NOEXCEPT;
/* A node of a flow graph lets only so many messages in at a time: it has that many places, at first
 * free. Those given back are taken again in that order, as in a counting semaphore that is fair. The
 * edges at `from` become what gave `count` places back. */
void tp_give_places(const void* from, const void* node, uint64_t count) TP_NOEXCEPT;
/* The message at `to` takes a place: it comes after what gave it back, and after the current frame
 * if it has no edges yet. */
void tp_take_place(const void* node, uint64_t places, const void* to) TP_NOEXCEPT;
/* It did not need the place. */
void tp_return_place(const void* node) TP_NOEXCEPT;
/* The node is gone, or reset. */
void tp_forget_places(const void* node) TP_NOEXCEPT;
/* Messages can be asked for. Between these two calls the thread asks for one on behalf of a node, to
 * be written to `message`; else the current frame, that gets it, continues after its edges. */
void tp_begin_pull(const void* message) TP_NOEXCEPT;
void tp_end_pull(const void* message) TP_NOEXCEPT;
void tp_on_got_message(const void* message) TP_NOEXCEPT;

/* tp-run --as-if-cores N. The concurrency of an arena of `slots` slots, as partitioners and the program shall see it, where an
 * arena of all the machine's cores has `all`: N for such an arena, else `slots`. And the number of cores
 * to use: at most N, so that no thread has an index beyond what the program was told. */
int tp_concurrency(int slots, int all) TP_NOEXCEPT;
int tp_threads(int cores) TP_NOEXCEPT;

/* ---- from recompiled programs: patched headers ---- */
/* A public entry point is called at `site` (a tp_spawn_site or the compiler's source location
 * record, a constant). Spawns of the current frame belong to it until tp_leave_site. An entry point
 * called by another one, in the same frame, does not count. Returns what tp_leave_site wants. */
uint32_t tp_enter_site(const void* site) TP_NOEXCEPT;
void tp_leave_site(uint32_t previous) TP_NOEXCEPT;
/* A body call of a loop (a divisible leaf): closes, opens. */
void tp_on_loop_begin(void) TP_NOEXCEPT;
void tp_on_loop_end(uint64_t iterations, uint64_t grain) TP_NOEXCEPT;
/* The next spawn of the current frame splits it: child and parent meet at a fold node, whose join
 * tp_on_fold_join announces, in whichever of the two comes last, before the join's code runs:
 * closes, opens. */
void tp_on_fold_split(void) TP_NOEXCEPT;
void tp_on_fold_join(void) TP_NOEXCEPT;

/* ---- annotations ---- */
/* A causal region, identified by name, or by its place if name is null or empty. The strings must
 * stay valid. */
typedef struct tp_region {
  const char* name;
  const char* file;
  unsigned line;
  double factor; /* expected speedup of the region, 0: not told */
  uint32_t reserved;
} tp_region;
void tp_region_begin(tp_region* region) TP_NOEXCEPT;
void tp_region_end(tp_region* region) TP_NOEXCEPT;
void tp_set_paused(int paused) TP_NOEXCEPT;
/* Virtual clock: the current step has done `units` of work. */
void tp_spend(uint64_t units) TP_NOEXCEPT;

/* ---- for tp-run and tp-doctor ---- */
/* Can all events of `event` (as in TP_EVENT) be opened here? 0: yes. The answer is JSON:
 * {"works":true or false,"reason":"why not","command":"that changes it, or nothing"}. */
int tp_probe_event(const char* event, char* message, unsigned long size) TP_NOEXCEPT;
/* Tries every source of the work clock; the answer is JSON of schema taskpath.doctor/1. 0: it fits.
 * Both take the process's clock, so call them where nothing is profiled. */
int tp_report_clocks(char* json, unsigned long size) TP_NOEXCEPT;
/* Version of the runtime, "0.1.0". */
const char* tp_version(void) TP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
