/* SPDX-License-Identifier: Apache-2.0 */
/* The C ABI of the Taskpath runtime, the only way into it. Five groups of callers:
 *   1. the patched libtbb (tbb-patch/), which contains the runtime: tp_on_*
 *   2. the patched oneTBB headers, compiled into the user's program: sites, loops, folds, edges
 *      under an address; declared weak there (oneapi_hooks.h), so that such a program also runs on
 *      a stock libtbb
 *   3. annotations and the virtual clock, also weak: see annotations/include/tp
 *   4. the library that tp-run preloads (profiler-lib/preload), also weak: threads, ends of processes
 *   5. the OpenMP tool (openmp-tool/), which is linked with libtbb
 *
 * No function throws, blocks on another thread, or allocates on its usual path. Any thread may
 * call them at any time, also before the runtime has started and after it has ended; they do
 * nothing then. Below, "closes" and "opens" mean that the step of the calling thread's current
 * frame (the task it is executing) ends or begins there; what lies between is tasking overhead.
 * Pointers are borrowed for the call unless stated otherwise. C99 and C++11. */
#ifndef TP_HOOKS_H
#define TP_HOOKS_H

#include "tp/loop_range.h"
#include "tp/task_word.h"

#include <stdint.h>

/* The constructs of oneTBB and OpenMP whose contexts are distinguished: X(enumerator, number, name).
 * The numbers are those of the trace and never change; the names are those of sites.jsonl and of
 * reports.
 *
 * To add one (docs/how-to/contribute.md), add a row here; most of what has to follow does not
 * compile, or fails a test, until it does:
 *
 *   trace::Construct and its names        tp/trace/trace_format.h; see src/builder/agreement.cpp
 *   tp_traits()                           tbb-patch/include/tp/scheduler_hooks.h
 *   the calls that tp-c++ tags            rewriter/text/constructs.h; see constructs_test.cpp
 *   types of tasks, role of the schedule  analyzer/sites/constructs.h; see constructs_test.cpp */
#define TP_CONSTRUCTS(X)                                                                           \
  X(UNKNOWN, 0, "task")                                                                            \
  X(PARALLEL_FOR, 1, "parallel_for")                                                               \
  X(PARALLEL_FOR_EACH, 2, "parallel_for_each")                                                     \
  X(PARALLEL_INVOKE, 3, "parallel_invoke")                                                         \
  X(PARALLEL_REDUCE, 4, "parallel_reduce")                                                         \
  X(PARALLEL_SCAN, 5, "parallel_scan")                                                             \
  X(PARALLEL_SORT, 6, "parallel_sort")                                                             \
  X(PARALLEL_PIPELINE, 7, "parallel_pipeline")                                                     \
  X(TASK_GROUP, 8, "task_group")                                                                   \
  X(USER_CONTEXT, 9, "task_group_context") /* may serve several groups and algorithms at a time */ \
  X(FLOW_GRAPH, 10, "flow_graph")                                                                  \
  X(TASK_ARENA, 11, "task_arena")                                                                  \
  X(DEFAULT, 12, "enqueue") /* the arena's default context: enqueued tasks and the like */         \
  X(THREAD, 13, "thread")   /* not of oneTBB: of a thread that the program creates */              \
  X(OMP_PARALLEL, 14, "omp_parallel") /* of OpenMP, up to the end: implicit tasks of a region */   \
  X(OMP_TASK, 15, "omp_task")                                                                      \
  X(OMP_TASKLOOP, 16, "omp_taskloop")                                                              \
  X(OMP_FOR, 17, "omp_for")                   /* what one thread runs of a loop */                 \
  X(OMP_SECTIONS, 18, "omp_sections")         /* the same of sections */                           \
  X(OMP_BARRIER, 19, "omp_barrier")           /* what comes before a barrier */                    \
  X(OMP_PARALLEL_GCC, 20, "omp_parallel_gcc") /* as OMP_PARALLEL: static loops are part of it */   \
  X(OMP_REDUCTION, 21, "omp_reduction")       /* what threads combine of one in its barrier */     \
  X(OMP_TEAMS, 22, "omp_teams")           /* of teams: what each runs outside of its regions */    \
  X(OMP_DISTRIBUTE, 23, "omp_distribute") /* what one team runs of a distributed loop */           \
  X(OMP_TEAMS_GCC, 24, "omp_teams_gcc")   /* as OMP_TEAMS: distributed loops are part of it */

enum tp_construct {
#define TP_ENUMERATOR(enumerator, number, name) TP_CONSTRUCT_##enumerator = number,
  TP_CONSTRUCTS(TP_ENUMERATOR)
#undef TP_ENUMERATOR
#define TP_ONE(enumerator, number, name) +1
      TP_CONSTRUCT_COUNT = 0 TP_CONSTRUCTS(TP_ONE)
#undef TP_ONE
};

/* Added to a construct: waits on the context join all of its tasks. Otherwise a wait joins those
 * that descend from the task that waits. */
#define TP_CONTEXT_EXCLUSIVE 64u
/* Added to that: a wait on the context also joins what enters it while the wait lasts, if something that
 * entered it before has not ended yet. */
#define TP_CONTEXT_GATHERS 128u

/* The kinds of locks: X(enumerator, number, name), as TP_CONSTRUCTS; trace::LockKind. */
#define TP_LOCK_KINDS(X)                                                                           \
  X(UNKNOWN, 0, "lock")                                                                            \
  X(SPIN_MUTEX, 1, "spin_mutex")                                                                   \
  X(SPIN_RW_MUTEX, 2, "spin_rw_mutex")                                                             \
  X(QUEUING_MUTEX, 3, "queuing_mutex")                                                             \
  X(QUEUING_RW_MUTEX, 4, "queuing_rw_mutex")                                                       \
  X(MUTEX, 5, "mutex")                                                                             \
  X(RW_MUTEX, 6, "rw_mutex")                                                                       \
  X(SPECULATIVE_SPIN_MUTEX, 7, "speculative_spin_mutex") /* where the lock is really taken */      \
  X(SPECULATIVE_SPIN_RW_MUTEX, 8, "speculative_spin_rw_mutex")                                     \
  X(ACCESSOR, 9, "accessor") /* of an element of a concurrent_hash_map */                          \
  X(PTHREAD_MUTEX, 10, "pthread_mutex")                                                            \
  X(PTHREAD_RWLOCK, 11, "pthread_rwlock")                                                          \
  X(PTHREAD_SPINLOCK, 12, "pthread_spinlock")                                                      \
  X(USER, 13, "user_lock") /* tp/lock.h */                                                         \
  X(ITT, 14, "itt_lock")   /* __itt_sync_* */                                                      \
  X(OMP_CRITICAL, 15, "omp_critical")                                                              \
  X(OMP_LOCK, 16, "omp_lock")                                                                      \
  X(OMP_NEST_LOCK, 17, "omp_nest_lock")                                                            \
  X(OMP_ORDERED, 18, "omp_ordered") /* of a loop: its ordered blocks, one after the other */       \
  X(HASH_MAP_BUCKET, 19, "hash_map_bucket") /* of a concurrent_hash_map */                         \
  X(OMP_ATOMIC, 20, "omp_atomic") /* of atomic constructs and reductions that need a lock */       \
  /* Of tasks that exclude each other. Its "address" is a number that is given once. */            \
  X(OMP_MUTEXINOUTSET, 21, "omp_mutexinoutset")                                                    \
  /* Of the C library: taken, shared, and given at once, by who passes it. */                      \
  X(SEMAPHORE, 22, "semaphore")                                                                    \
  /* One thread at a time does the operations of all that have asked for some by then. */          \
  X(CONCURRENT_PRIORITY_QUEUE, 23, "concurrent_priority_queue")                                    \
  /* The same of a node of a flow graph, or of one of its ports. */                                \
  X(FLOW_GRAPH_NODE, 24, "flow_graph_node")                                                        \
  X(CONCURRENT_LRU_CACHE, 25, "concurrent_lru_cache") /* the same */

enum tp_lock_kind {
#define TP_ENUMERATOR(enumerator, number, name) TP_LOCK_##enumerator = number,
  TP_LOCK_KINDS(TP_ENUMERATOR)
#undef TP_ENUMERATOR
#define TP_ONE(enumerator, number, name) +1
      TP_LOCK_KIND_COUNT = 0 TP_LOCK_KINDS(TP_ONE)
#undef TP_ONE
};

/* What a thread slept in. */
enum tp_sleep_kind {
  TP_SLEEP_UNKNOWN = 0,
  TP_SLEEP_READ_FILE = 1,
  TP_SLEEP_WRITE_FILE = 2,
  TP_SLEEP_READ_PIPE = 3,
  TP_SLEEP_WRITE_PIPE = 4,
  TP_SLEEP_READ_SOCKET = 5,
  TP_SLEEP_WRITE_SOCKET = 6,
  TP_SLEEP_READ_DEVICE = 7,
  TP_SLEEP_WRITE_DEVICE = 8,
  TP_SLEEP_CLOCK = 9,
  TP_SLEEP_CHILD_PROCESS = 10,
  TP_SLEEP_PAGE_FAULT = 11,
  TP_SLEEP_KIND_COUNT
};

/* How a lock is acquired: flags of tp_on_lock_taken. */
#define TP_LOCK_SHARED 1u    /* by a reader */
#define TP_LOCK_RECURSIVE 2u /* the thread may have it already: the outermost acquisition counts */
#define TP_LOCK_BY_LIBRARY                                                                         \
  4u /* the library's code acquires it for the program's, which called it */
#define TP_LOCK_MAY_SUCCEED 8u /* of tp_on_lock_try_failed: called before the attempt */
#define TP_LOCK_DONE                                                                               \
  16u /* another thread has done in its section what this one is for: it is empty */

#ifdef __cplusplus
#define TP_NOEXCEPT noexcept
extern "C" {
#else
#define TP_NOEXCEPT
#endif

struct tp_spawn_site;

/* 0: nothing is recorded any more, and the hooks of group 1 do nothing. Read atomically, by libtbb
 * only, which then need not describe tasks. It becomes 0 at most once in a process, at any time. */
extern __attribute__((visibility("hidden"))) int tp_recording;

/* One executing task, on the stack of the thread that runs it. Opaque; owned by the caller from
 * tp_on_task_begin to tp_on_task_end. */
typedef struct tp_frame {
  uint64_t words[14];
} tp_frame;

/* How the library describes a task_group_context. `word` is 8 bytes inside the context that the
 * runtime owns; tp_on_context_init must have cleared them. `traits` is a tp_construct, plus
 * TP_CONTEXT_EXCLUSIVE and TP_CONTEXT_GATHERS where that applies. */
typedef struct tp_context {
  uint64_t* word;
  unsigned traits;
} tp_context;

/* How the library describes a task. `words` are two 8-byte words inside the task that the runtime
 * owns (tp/task_word.h). `type` is the task's vtable pointer, `caller` an address inside the code
 * that asked for the spawn (`type` if a task returned it): both together identify the site of code
 * that was not recompiled. */
typedef struct tp_task {
  uint64_t* words;
  const void* type;
  const void* caller;
} tp_task;

/* What the library says of an arena, in memory inside of it that is zero at first. All zero: an arena
 * that has as many slots as the machine has CPUs, because nothing else was asked for. */
typedef struct tp_arena {
  uint32_t id;           /* the runtime's */
  uint32_t asked;        /* concurrency that the program asked for */
  uint32_t reserved;     /* of it, for external threads only */
  uint32_t slots;        /* how many threads can be inside at a time */
  uint32_t like_machine; /* the runtime's: `asked` is what an arena gets without asking */
  uint32_t enqueued;     /* the runtime's: a task has been enqueued */
} tp_arena;

/* ---- threads: called by the thread in question ---- */
/* An external thread uses the library for the first time: closes; tp_on_scheduler_ready opens. */
void tp_on_external_thread(void) TP_NOEXCEPT;
void tp_on_scheduler_ready(void) TP_NOEXCEPT;
/* The thread is going to block in the library, outside of its waits: closes; the next wait
 * opens, or tp_on_unblock before it. */
void tp_on_block(void) TP_NOEXCEPT;
void tp_on_unblock(void) TP_NOEXCEPT;
/* A worker thread of the library has started. */
void tp_on_worker_thread(void) TP_NOEXCEPT;

/* ---- limits of concurrency ---- */
/* The program asked for an arena's concurrency; `cpus`: what it gets without asking. Before any thread
 * is inside. */
void tp_on_arena_made(tp_arena* arena, int asked, unsigned reserved, unsigned slots,
                      int cpus) TP_NOEXCEPT;
/* The thread has got a slot of the arena: as a worker thread, or again after another arena
 * (`entered` 0); or by a call of the current frame (1). It may still have slots of others. Neither
 * closes nor opens. */
void tp_on_arena(const tp_arena* arena, int entered) TP_NOEXCEPT;
/* Whether the thread runs code outside of all tasks and of arenas for which the program gave a number. */
int tp_is_outside_of_tasks(void) TP_NOEXCEPT;
/* A task is enqueued: a worker thread will come even to an arena that asks for none. */
void tp_on_enqueue(tp_arena* arena) TP_NOEXCEPT;
/* global_control: from now on so many threads may run tasks, external threads in addition to the
 * first one; `all`: as many as without a global_control. */
void tp_on_allowed_threads(uint64_t threads, uint64_t all) TP_NOEXCEPT;

/* ---- tasks ---- */
/* The current frame creates a task. Closes; tp_on_spawn_end opens. The task must not be visible to
 * other threads yet. A task that was spawned before (the scheduler queues it again) is ignored. */
void tp_on_spawn(const tp_task* task, const tp_context* context) TP_NOEXCEPT;
void tp_on_spawn_end(void) TP_NOEXCEPT;
/* The task that is about to be created continues the current frame on another thread: it has the
 * frame's site and is inside the frame's open causal region. */
void tp_on_delegate(const tp_task* task) TP_NOEXCEPT;
/* The current frame waits on a context, after creating `task` in `task_context` (execute_and_wait)
 * if task is not null. Closes; tp_on_wait_end opens. Waits nest. */
void tp_on_wait(const tp_task* task, const tp_context* task_context,
                const tp_context* context) TP_NOEXCEPT;
void tp_on_wait_end(int by_exception) TP_NOEXCEPT;
/* The thread starts to run a task, and has returned from it. tp_on_task_begin reads and clears
 * task->words[0]; the task may be destroyed before tp_on_task_end. If the task ended by an
 * exception, the library runs it again to cancel it, which continues the same frame. */
void tp_on_task_begin(tp_frame* storage, const tp_task* task, const tp_context* context,
                      int cancelled) TP_NOEXCEPT;
void tp_on_task_end(tp_frame* storage, int by_exception) TP_NOEXCEPT;
/* The thread found no task in its own queue and searches elsewhere: it is idle until it starts a
 * task or leaves its wait. */
void tp_on_search(void) TP_NOEXCEPT;
/* A context is made, or about to be destroyed: `word` as in tp_context. */
void tp_on_context_init(uint64_t* word) TP_NOEXCEPT;
void tp_on_context_end(uint64_t* word) TP_NOEXCEPT;
/* Resumable tasks: the thread leaves its call stack, with its frames, and continues on another.
 * tp_on_stack_out closes and returns a token, which the caller keeps on the stack that is left
 * and passes to tp_on_stack_in once, when a thread (any one) continues there: opens. Token 0 is
 * ignored. */
uint64_t tp_on_stack_out(void) TP_NOEXCEPT;
void tp_on_stack_in(uint64_t token) TP_NOEXCEPT;

/* ---- edges: dependences that neither a spawn nor a wait expresses (pipelines, flow graphs, scans,
 * resumed tasks) ---- */
/* The current frame publishes its path so far: closes, opens. Returns the edge, 0 if nothing is
 * recorded. It can be acquired once, or any number of times if `kept` is not 0 (which costs the
 * analyzer memory to the end of the trace). */
uint64_t tp_on_release(int kept) TP_NOEXCEPT;
/* The current frame continues after the edge as well or, if `alone` is not 0, after the edge
 * only (a task object that is used again for work that does not depend on its previous work):
 * closes, opens. Edge 0 is ignored. */
void tp_on_acquire(uint64_t edge, int alone) TP_NOEXCEPT;
/* The edge, which is not a kept one, will not be acquired: the analyzer can forget it. Edge 0 is
 * ignored. */
void tp_forget_edge(uint64_t edge) TP_NOEXCEPT;
/* The same where the caller has no room to store the edge: the runtime stores it under the
 * address of an object, whose code must acquire or forget all edges there before the address is
 * reused. tp_on_acquire_from takes all edges that were released there; or, if `kept` is not 0,
 * acquires the one edge there and leaves it for others. */
void tp_on_release_to(const void* key, int kept) TP_NOEXCEPT;
void tp_on_acquire_from(const void* key, int kept) TP_NOEXCEPT;
void tp_forget_edges(const void* key) TP_NOEXCEPT;
/* The function of a collaborative_call_once has ended: releases a kept edge to `waited_at`, for the
 * threads that wait, and stores it as the edge of `flag`, in place of an older one at that address.
 * tp_on_after_once: the caller has seen that the flag's function has ended; the current frame
 * continues after the flag's edge, unless it already does: closes and opens then. */
void tp_on_once_end(const void* waited_at, const void* flag) TP_NOEXCEPT;
void tp_on_after_once(const void* flag) TP_NOEXCEPT;
/* The current frame, a task that has just begun, depends on all edges released to `key` and on
 * nothing else, not even on its spawn. Without edges there nothing changes. */
void tp_on_start_after(const void* key) TP_NOEXCEPT;
/* 1 if there are edges at `key`, else 0. */
int tp_has_edges(const void* key) TP_NOEXCEPT;
/* Moves the edges from one address to another. */
void tp_pass_edges(const void* from, const void* to) TP_NOEXCEPT;
/* A message is copied: `to` gets the edges of `from` as well. */
void tp_copy_edges(const void* from, const void* to) TP_NOEXCEPT;
/* Gives an object (a node of a flow graph) a spawn site, the site of the tasks that it creates.
 * A null `site` takes it away, which the object's code must do before the address is reused.
 * tp_name_of returns the site's number, 0 if the object has none. */
void tp_name_object(const void* object, const void* site) TP_NOEXCEPT;
void tp_copy_name(const void* from, const void* to) TP_NOEXCEPT;
uint32_t tp_name_of(const void* object) TP_NOEXCEPT;
/* The same for a filter of a pipeline, which is made at `site`; tp_name_object takes it away. */
void tp_name_filter(const void* node, const void* site) TP_NOEXCEPT;
/* The spawn site of a pipeline's calls of its filter `number` (from 1): that of the filter's node, if
 * it has a name; else of the call of parallel_pipeline, if that is tagged; else one that `type`, the
 * filter's vtable pointer, and `caller`, the call's return address, identify: it has to be below on
 * the stack. `mode`: bit 0, the filter is serial; bit 1, in no order. 0: nothing is recorded. */
uint32_t tp_filter_site(const void* node, const void* type, const void* caller, unsigned number,
                        unsigned mode) TP_NOEXCEPT;
/* A node of a flow graph with limited concurrency has a number of `places`, all free at first. The
 * place of a serial node is taken again as it was given back; a node with several places is a
 * limiter (tp_on_admit). tp_on_message_done: the current frame has run the body for a message:
 * releases an edge to the address `to`, where the frame's ticket of the node moves as well.
 * tp_give_place: its place is given back, perhaps by another thread: who takes it depends on the
 * edges at `from`, which are removed there. */
void tp_on_message_done(const void* to, const void* node) TP_NOEXCEPT;
void tp_give_place(const void* from, const void* node, uint64_t places) TP_NOEXCEPT;
/* The message at `to` takes one of the node's places: it depends on the edges with which that place
 * was given back and, if it has no edges yet, on the current frame. */
void tp_take_place(const void* node, uint64_t places, const void* to) TP_NOEXCEPT;
/* The node is destroyed or reset. */
void tp_forget_places(const void* node) TP_NOEXCEPT;
/* Messages carry tickets: of which admissions they are the result. tp_on_send: the current frame
 * sends the message at that address, which has no edges yet: releases an edge to it, and adds the
 * frame's tickets, those of the messages that it acquired. tp_pass_message: the same as
 * tp_pass_edges, but where `from` has no edges, since the current frame spawns the message's task
 * itself, the task at `to` gets the frame's tickets. */
void tp_on_send(const void* message) TP_NOEXCEPT;
void tp_pass_message(const void* from, const void* to) TP_NOEXCEPT;
/* The current frame calls the input filter of a parallel_pipeline with so many tokens, as the first
 * one of the pipeline that does. */
void tp_on_tokens(uint64_t tokens) TP_NOEXCEPT;
/* A limiter_node lets in the message at that address, at most `slots` messages at a time: it
 * depends on the current frame, if it has no edges yet, and on the edges with which the message
 * left that was admitted `slots` messages earlier (if that one has not left, on those of another
 * one of the same round of `slots` messages), and gets a ticket. At a node, calls may overlap,
 * except for tp_forget_limiter. */
void tp_on_admit(const void* node, uint64_t slots, const void* message) TP_NOEXCEPT;
/* No successor has accepted the message that was admitted. */
void tp_on_rejected(const void* node, const void* message) TP_NOEXCEPT;
/* A limiter is decremented by `count`: that many messages leave it, with the edges at `from`, which
 * are removed there. Which ones: by the tickets at `from`, the newest that has not left; where
 * there is none, the one that was admitted first of those that have not left. */
void tp_on_left(const void* from, const void* node, uint64_t count) TP_NOEXCEPT;
/* The limiter is destroyed or reset. */
void tp_forget_limiter(const void* node) TP_NOEXCEPT;
/* An input_node offers its item, a copy of which is at `message`, to its successors. If the calling
 * thread admits that message to a limiter, the node's next call depends on the same edges as the
 * message; they are added to those of the item, at `source`. Null: the offer is over. */
void tp_offer_message(const void* message, const void* source) TP_NOEXCEPT;
/* The current frame, a task that has just begun, is about to make the next item: it depends on the
 * edges at `source`, if any, and, if a limiter admitted the item before, on nothing else. */
void tp_on_next_call(const void* source) TP_NOEXCEPT;
/* Messages can be requested. Between tp_begin_pull and tp_end_pull the thread requests one on
 * behalf of a node, to be written to `message`. tp_on_got_message: outside of such a pair, the
 * current frame has got the message and continues after its edges. */
void tp_begin_pull(const void* message) TP_NOEXCEPT;
void tp_end_pull(const void* message) TP_NOEXCEPT;
void tp_on_got_message(const void* message) TP_NOEXCEPT;

/* tp-run --as-if-cores N. tp_concurrency: the concurrency that partitioners and the program see
 * for an arena of `slots` slots: N for an arena of all the machine's cores (it has `all` slots),
 * else `slots`. tp_threads: the number of cores to use, at most N, so that no thread's index
 * exceeds the concurrency that the program sees. */
int tp_concurrency(int slots, int all) TP_NOEXCEPT;
int tp_threads(int cores) TP_NOEXCEPT;

/* ---- from recompiled programs: patched headers ---- */
/* A public entry point is called at `site`: a tp_spawn_site or the compiler's source location
 * record, a constant that stays valid. Spawns of the current frame belong to it until
 * tp_leave_site. If an entry point calls another one in the same frame, the outer site counts.
 * Returns the argument for tp_leave_site. */
uint32_t tp_enter_site(const void* site) TP_NOEXCEPT;
void tp_leave_site(uint32_t previous) TP_NOEXCEPT;
/* A body call of a loop (a divisible leaf): closes, opens. */
void tp_on_loop_begin(void) TP_NOEXCEPT;
void tp_on_loop_end(uint64_t iterations, uint64_t grain) TP_NOEXCEPT; /* one dimension, no joins */
/* The same for any range. */
void tp_on_body_end(const tp_range* range) TP_NOEXCEPT;
/* Inside a body call: a portion of it is over, which could have been a body call of its own; the
 * results of two portions have been joined: closes, opens. What follows the last portion is no
 * iteration. */
void tp_on_portion_end(const tp_range* range) TP_NOEXCEPT;
void tp_on_portions_joined(void) TP_NOEXCEPT;
/* Inside a body call whose iterations run one by one. Called before the first iteration, with a
 * state of zeros, and then after as many as it returned (at least 1, at most `left`), as long as
 * `left` is not 0. It ends portions at a low rate (kPortionNs); with the virtual clock after each
 * iteration. */
uint64_t tp_on_iterations(tp_iterations* state, uint64_t left) TP_NOEXCEPT;
/* The current frame is about to start a loop that divides its range in proportion to the number of
 * threads instead of halving it: this is the whole range. */
void tp_on_proportional_loop(const tp_range* range) TP_NOEXCEPT;
/* tp-run --divide: 1 if it was given; and whether the body call in progress should divide its range
 * further before it calls the body, because so many iterations are likely to take long. */
int tp_divides(void) TP_NOEXCEPT;
int tp_start_dividing(uint64_t iterations) TP_NOEXCEPT; /* of the whole range, once */
int tp_should_divide(uint64_t iterations) TP_NOEXCEPT;
/* The next spawn of the current frame splits it: child and parent meet at a fold node. The one
 * of the two that arrives last calls tp_on_fold before the join's code runs: closes, opens. */
void tp_on_fold_split(void) TP_NOEXCEPT;
void tp_on_fold_join(void) TP_NOEXCEPT; /* `joins` is not known */
/* The same; `joins`: whether there are two results, which the code that follows joins. */
void tp_on_fold(int joins) TP_NOEXCEPT;

/* ---- from the preloaded library ---- */
/* A thread that the program creates, in memory of the caller's. */
typedef struct tp_thread {
  uint64_t words[2];
  uint64_t context;
} tp_thread;
/* The current frame creates a thread, which will call function(argument); `caller` is the return
 * address of the call. Closes; tp_on_thread_created opens, with `failed` not 0 if there is no thread.
 * 0: the thread is not recorded, and none of these hooks is to be called for it. So it is for the
 * library's own threads, and before the process has recorded anything if no library of its own needs
 * oneTBB. */
int tp_on_thread_create(tp_thread* thread, const void* function, const void* argument,
                        const void* caller) TP_NOEXCEPT;
void tp_on_thread_created(tp_thread* thread, int failed) TP_NOEXCEPT;
/* The thread runs, and is a task of its creator's until it ends. Not used after this call, unless
 * by tp_on_thread_joined. */
void tp_on_thread_begin(tp_thread* thread) TP_NOEXCEPT;
/* The current frame, which called tp_on_block, has joined the thread: opens. */
void tp_on_thread_joined(tp_thread* thread) TP_NOEXCEPT;
/* The thread waits for another one of the program, inside of a step; it may be asleep then. Neither
 * closes nor opens. tp_on_thread_wait_end takes what the first call returned. */
uint64_t tp_on_thread_wait(void) TP_NOEXCEPT;
void tp_on_thread_wait_end(uint64_t begun) TP_NOEXCEPT;
/* Around a call of the C library that may sleep until a file, a device, the clock or a child process lets
 * it go on. What tp_on_call_end returns it slept there, in the unit of work: not 0 at most where it was
 * off its CPU. The caller then says what it slept in. Neither closes nor opens. */
uint64_t tp_on_call(void) TP_NOEXCEPT;
uint64_t tp_on_call_end(uint64_t begun) TP_NOEXCEPT;
void tp_on_slept(unsigned kind, uint64_t time) TP_NOEXCEPT; /* a tp_sleep_kind */
/* From here on these hooks are called for each thread of the program. */
void tp_threads_are_seen(void) TP_NOEXCEPT;
/* The process ends without running the destructors of its libraries. */
void tp_end_recording(void) TP_NOEXCEPT;
/* 1: this process is being recorded; 0: it is not, or it shares the memory of one that is (vfork). */
int tp_is_recording_here(void) TP_NOEXCEPT;

/* ---- from the OpenMP tool ---- */
/* The module that contains the address is the code of a task library, as libtbb is: its calls are none of
 * the user's, and the threads that it creates are its own. At most three modules; others are ignored. */
void tp_on_library_code(const void* address) TP_NOEXCEPT;
/* A construct of OpenMP: where it is, and which calls led there. */
struct tp_openmp_call {
  const void* caller; /* return address of the call of the runtime */
  const void* code;   /* the function with the construct's code, which says more; or null */
  const struct tp_spawn_site* place; /* what says most: a constant with TP_SITE_EXPLICIT; or null */
  unsigned construct;                /* a tp_construct */
  uint32_t
      around; /* the site of the region whose code has led to the call, on any thread; 0: none */
  int with_callers; /* 0: the calls that led to it do not matter */
};
/* The number of its spawn site, for tp_task::words[1] with TP_TASK_SITE_PRESET. 0: nothing is recorded. */
uint32_t tp_openmp_site(const struct tp_openmp_call* call) TP_NOEXCEPT;
/* The current frame arrives at a barrier of so many `threads`, each of which calls this with the same
 * context, one that gathers and that only this barrier uses: closes; tp_on_wait_end opens. It continues
 * after all of them, and after what the context contains. */
void tp_on_barrier(const tp_context* context, unsigned threads) TP_NOEXCEPT;
/* What no wait has joined of the tasks that the current frame created in `from` belongs to `to` from here
 * on, an exclusive context that gathers; `from` ends, and its word becomes 0. In the open step. */
void tp_on_hand_over(const tp_context* from, const tp_context* to) TP_NOEXCEPT;
/* The program calls a function of the runtime that prepares something, such as the memory of a task, and runs no code
 * of the program's; it has returned, or reports an event: what lies between belongs to no step. Neither closes nor
 * opens. The second without the first does nothing. */
void tp_on_runtime_call(void) TP_NOEXCEPT;
void tp_on_runtime_return(void) TP_NOEXCEPT;
/* The runtime calls code of the program's inside of such a call, or between the tasks that one creates: that code belongs
 * to the step, which opens if it is not open. Returns what the second takes when that code has returned. */
unsigned tp_on_program_code(void) TP_NOEXCEPT;
void tp_on_program_code_end(unsigned state) TP_NOEXCEPT;
/* As tp_on_spawn, for a task that such a call creates: closes where the call began. */
void tp_on_spawn_in_call(const tp_task* task, const tp_context* context) TP_NOEXCEPT;
/* The same, and tp_on_task_begin, of a task in a context of its creator's children (TP_CONSTRUCT_OMP_TASK,
 * TP_CONTEXT_EXCLUSIVE): the commonest ones. `words`: as in tp_task, set by the first. `context`: as in tp_context; the
 * second takes a copy of the word as well. */
void tp_on_child_in_call(uint64_t* words, uint32_t site, uint64_t* context) TP_NOEXCEPT;
void tp_on_child_begin(tp_frame* storage, uint64_t* words, uint64_t* context) TP_NOEXCEPT;
/* As tp_on_loop_end; opens nothing: what follows, up to the next event, is the runtime's. */
void tp_on_last_loop_end(uint64_t iterations, uint64_t grain) TP_NOEXCEPT;
/* The current frame continues after these edges as well, of each of which one use is left for
 * tp_forget_edge: closes, opens. Edges of 0 are ignored. */
void tp_on_acquire_shared(const uint64_t* edges, unsigned count) TP_NOEXCEPT;

/* ---- locks: from patched headers, libtbb, the preloaded library and annotations ---- */
/* Not 0: locks are recorded, and the hooks below are to be called; bits of tp/counted_locks.h say if some need
 * not be. Read by relaxed atomic loads. Weak where it is not defined. */
extern unsigned char tp_locks_are_on;
/* The thread's first attempt to acquire a lock has failed, and it waits: until tp_on_lock_wait_end
 * nothing is work of the open step. Neither closes nor opens, and runs no tasks in between. Pairs
 * nest; the outermost counts. What the thread waited for is the lock of the last tp_on_lock_taken before the end,
 * if it still has that; else, unless `failed` is 1 (a timed attempt), that of the next call. What it waited
 * without getting a lock is sleep of its. 2: it did not have to wait, as turned out; it was in the runtime's code. `lock`: who releases it meanwhile says where it was acquired, which is
 * recorded with the wait. tp_on_lock_wait: it is not known yet. */
void tp_on_lock_wait_for(const void* lock) TP_NOEXCEPT;
void tp_on_lock_wait(void) TP_NOEXCEPT;
void tp_on_lock_wait_end(int failed) TP_NOEXCEPT;
/* The thread has acquired the lock at that address. `kind` is a tp_lock_kind, `mode` of TP_LOCK_*;
 * `caller` an address in the code that did it, null: the call's return address. Locks of the library's own
 * code, and those taken outside of steps, are ignored. With TP_LOCK_DONE the thread has waited until the one that
 * has the lock had done its part, and need not have it itself; tp_on_lock_given has to follow all the same. */
void tp_on_lock_taken(const void* lock, unsigned kind, unsigned mode,
                      const void* caller) TP_NOEXCEPT;
/* An attempt to acquire the lock that does not wait has failed; with TP_LOCK_MAY_SUCCEED it is about to be made, and
 * fails unless the thread acquires the lock before it tries again. The rest as tp_on_lock_taken. From there to the
 * thread's next attempt to acquire the lock, in the same step, it may do something else or wait: that stays work, and
 * is recorded. Ignored while the thread waits (tp_on_lock_wait, tp_on_busy_wait). Neither closes nor opens. */
void tp_on_lock_try_failed(const void* lock, unsigned kind, unsigned mode,
                           const void* caller) TP_NOEXCEPT;
/* It is going to release the lock, or has just done so. Returns 1 if it had acquired it as far as these
 * hooks know, 2 if others wait for it as well, else 0. */
int tp_on_lock_given(const void* lock) TP_NOEXCEPT;
/* Around the call that wakes who waits for that lock, in or after its release: no work of the program. The first
 * returns 1 if the second has to follow: the thread has released it, and the last tp_on_lock_given, which was
 * for it, has returned 2. */
int tp_on_lock_release(const void* lock) TP_NOEXCEPT;
void tp_on_lock_released(void) TP_NOEXCEPT;
/* The lock at that address is made, or destroyed: what is acquired there next is another lock. */
void tp_on_lock_renewed(const void* lock) TP_NOEXCEPT;
/* As tp_on_lock_renewed, of a lock of kind TP_LOCK_FLOW_GRAPH_NODE that is made. */
void tp_on_node_lock_made(const void* lock) TP_NOEXCEPT;
/* A node of a flow graph is made: wherever locks of that kind in its `size` bytes are acquired, their place is that of
 * `site`, or of the call of a library's that makes the node. `what`: its class, a constant. */
void tp_name_node_locks(const void* node, unsigned long size, const char* what,
                        const void* site) TP_NOEXCEPT;
/* What an annotation says of a place where locks are acquired. Strings may be null, and must stay valid until
 * the process ends. */
typedef struct tp_lock_place {
  const char* name; /* of the lock */
  const char* file;
  unsigned line;
} tp_lock_place;
/* As tp_on_lock_taken, of kind TP_LOCK_USER, at a place that is a constant. */
void tp_on_user_lock_taken(const void* lock, unsigned mode, const tp_lock_place* place) TP_NOEXCEPT;
/* The same, from code that counts sections at that place (tp/counted_locks.h) from then on; one mode for each. */
void tp_on_counted_user_lock_taken(const void* lock, unsigned mode,
                                   const tp_lock_place* place) TP_NOEXCEPT;
/* As tp_on_lock_try_failed, at a place that is a constant. */
void tp_on_user_lock_try_failed(const void* lock, const tp_lock_place* place) TP_NOEXCEPT;
/* As tp_on_user_lock_taken, of another kind, and at a place that is in `caller`'s code: of `name` only the name counts. It may
 * be null. */
void tp_on_named_lock_taken(const void* lock, unsigned kind, unsigned mode, const void* caller,
                            const tp_lock_place* name) TP_NOEXCEPT;
/* The thread waits for others in a loop of its own: until tp_on_busy_wait_end its time is sleep that
 * waits for other threads, not work. Pairs nest. */
void tp_on_busy_wait(void) TP_NOEXCEPT;
void tp_on_busy_wait_end(void) TP_NOEXCEPT;
/* From the preloaded library: the locks of the C library are announced. */
void tp_c_locks_are_seen(void) TP_NOEXCEPT;

/* ---- annotations ---- */
/* A causal region, identified by its name or, if that is null or empty, by file and line. The
 * strings must stay valid until the process ends. */
typedef struct tp_region {
  const char* name;
  const char* file;
  unsigned line;
  double factor; /* expected speedup of the region, 0: not given */
  uint32_t reserved;
} tp_region;
void tp_region_begin(tp_region* region) TP_NOEXCEPT;
void tp_region_end(tp_region* region) TP_NOEXCEPT;
/* 1: what follows is left out of the profile; 0: recording goes on. For all threads; the steps
 * that are open in other threads are not divided, they count as they began. */
void tp_set_paused(int paused) TP_NOEXCEPT;
/* Virtual clock: adds `units` to the work of the current step. Ignored with any other clock. */
void tp_spend(uint64_t units) TP_NOEXCEPT;
/* Virtual clock: the current step sleeps so many units. Ignored with any other clock. */
void tp_sleep(uint64_t units) TP_NOEXCEPT;

/* ---- for tp-run and tp-doctor ---- */
/* Can all events of `event` (as in TP_EVENT) be opened here? 0: yes. The answer is JSON:
 * {"works":true or false,"reason":"why not","command":"that changes it, or nothing"}. */
int tp_probe_event(const char* event, char* message, unsigned long size) TP_NOEXCEPT;
/* Tries every source of the work clock and writes JSON of schema taskpath.doctor/1. Returns 0 if
 * the text fits, with its terminating zero. Both functions change the process's clock, so call
 * them where nothing is profiled. */
int tp_report_clocks(char* json, unsigned long size) TP_NOEXCEPT;
/* Version of the runtime: "0.1.0". Static. */
const char* tp_version(void) TP_NOEXCEPT;

#ifdef __cplusplus
}
#endif
#endif
