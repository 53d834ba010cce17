// SPDX-License-Identifier: Apache-2.0
// ENTRY POINTS of the OpenMP runtime that the library puts in front of libomp's, to know what OMPT does not report:
// the place in the source, the function with a construct's code, when the creation of a task is over, and when a
// chunk of a loop is. Each calls libomp's. Without them (OMP_TOOL_LIBRARIES instead of LD_PRELOAD) everything is
// recorded, with worse names, and with time inside libomp that counts as work.
//
// Those that run the user's code must not stay on the stack below it, and __kmpc_fork_call has any number of
// arguments: it is in assembly, and jumps.
#include "call_sites.h"
#include "chunks.h"
#include "loop_order.h"
#include "program_code.h"
#include "tasks.h"
#include "team_limits.h"

#include "tp/hooks.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <new>
#include <type_traits>
#include <unistd.h>

namespace tp::omp {

constinit thread_local void* detachable_task [[gnu::tls_model("initial-exec")]] = nullptr;

namespace {

template <typename Function>
Function* next_function(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

// The same for functions that are called per task: found at the first call, without the guard of a static variable.
template <typename Function>
class NextFunction {
public:
  constexpr explicit NextFunction(const char* name) : name_(name) {}
  [[gnu::always_inline]] Function* get() {
    Function* const found = found_.load(std::memory_order_relaxed);
    return found != nullptr ? found : find();
  }

private:
  [[gnu::noinline, gnu::cold]] Function* find() {
    auto* const found = next_function<Function>(name_);
    found_.store(found, std::memory_order_relaxed);
    return found;
  }
  const char* name_;
  std::atomic<Function*> found_{nullptr};
};

// libomp, once it has loaded us.
std::uintptr_t runtime_begin = 0, runtime_end = 0;

bool is_of_runtime(const void* caller) {
  return reinterpret_cast<std::uintptr_t>(caller) - runtime_begin < runtime_end - runtime_begin;
}

int find_runtime(dl_phdr_info* module, std::size_t, void* address) {
  const auto wanted = reinterpret_cast<std::uintptr_t>(address);
  std::uintptr_t begin = UINTPTR_MAX, end = 0;
  for (unsigned i = 0; i < module->dlpi_phnum; ++i)
    if (const auto& part = module->dlpi_phdr[i]; part.p_type == PT_LOAD) {
      begin = std::min(begin, module->dlpi_addr + part.p_vaddr);
      end = std::max(end, module->dlpi_addr + part.p_vaddr + part.p_memsz);
    }
  if (wanted < begin || wanted >= end)
    return 0;
  runtime_begin = begin;
  runtime_end = end;
  return 1;
}

// While a call that creates tasks lasts. Tasks that it runs make calls of their own.
class Creation {
public:
  explicit Creation(Call& call) : call_(call), outer_(here.task_call) {
    call_.depth = here.tasks_begun;
    here.task_call = &call_;
    tp_on_runtime_call();
  }
  ~Creation() {
    here.task_call = outer_;
    if (call_.creator != nullptr) [[likely]] {
      call_.creator->creates = false;
      tp_on_spawn_end();
    } else if (!call_.is_used) { // a taskloop without iterations
      tp_on_runtime_return();
    }
  }
  Creation(const Creation&) = delete;
  Creation& operator=(const Creation&) = delete;

private:
  Call& call_;
  Call* const outer_;
};

// libomp's functions for g++ call those for clang: then the outer call counts.
bool is_inside_another(const void* caller) {
  return here.task_call != nullptr && is_of_runtime(caller);
}

} // namespace

void note_runtime(const void* address) {
  dl_iterate_phdr(find_runtime, const_cast<void*>(address));
}

extern "C" [[gnu::visibility("hidden"), gnu::used]] void*
tp_omp_note_fork(const Ident* ident, int, void* function, void* caller) {
  region_call = {.ident = ident,
                 .function = function,
                 .caller = caller,
                 .is_of_runtime = ident == nullptr && is_of_runtime(caller)};
  static void* const next = dlsym(RTLD_NEXT, "__kmpc_fork_call");
  return next;
}

extern "C" [[gnu::visibility("hidden"), gnu::used]] void*
tp_omp_note_teams(const Ident* ident, int, void* function, void* caller) {
  if (!is_of_runtime(caller)) // else GOMP_teams_reg has noted it
    region_call = {.ident = ident, .function = function, .caller = caller};
  static void* const next = dlsym(RTLD_NEXT, "__kmpc_fork_teams");
  return next;
}

// libomp 19 crashes in these functions of g++'s where a loop is not divided among threads. Then there is nothing to wait
// for.
namespace {
bool has_one_thread() {
  static auto* const team_size = next_function<int()>("omp_get_num_threads");
  return team_size() == 1;
}
bool is_alone() {
  if (!has_one_thread())
    return false;
  note_order();
  return true;
}
void do_nothing() {}
} // namespace

extern "C" [[gnu::visibility("hidden"), gnu::used]] void* tp_omp_wait_for() {
  static void* const next = dlsym(RTLD_NEXT, "GOMP_doacross_wait");
  return is_alone() ? reinterpret_cast<void*>(&do_nothing) : next;
}
extern "C" [[gnu::visibility("hidden"), gnu::used]] void* tp_omp_wait_for_ull() {
  static void* const next = dlsym(RTLD_NEXT, "GOMP_doacross_ull_wait");
  return is_alone() ? reinterpret_cast<void*>(&do_nothing) : next;
}

} // namespace tp::omp

// Functions with any number of arguments: `decide`, called with the first three and the return address, returns where
// to jump.
#if defined(__x86_64__)
#define TP_JUMP(name, decide)                                                                      \
  __asm__(".text\n"                                                                                \
          ".globl " #name "\n"                                                                     \
          ".type " #name ", @function\n" #name ":\n"                                               \
          ".cfi_startproc\n"                                                                       \
          "endbr64\n"                                                                              \
          "pushq %rdi\n"                                                                           \
          "pushq %rsi\n"                                                                           \
          "pushq %rdx\n"                                                                           \
          "pushq %rcx\n"                                                                           \
          "pushq %r8\n"                                                                            \
          "pushq %r9\n"                                                                            \
          "pushq %rax\n"                                                                           \
          ".cfi_adjust_cfa_offset 56\n"                                                            \
          "movq 56(%rsp), %rcx\n"                                                                  \
          "call " #decide "\n"                                                                     \
          "movq %rax, %r11\n"                                                                      \
          "popq %rax\n"                                                                            \
          "popq %r9\n"                                                                             \
          "popq %r8\n"                                                                             \
          "popq %rcx\n"                                                                            \
          "popq %rdx\n"                                                                            \
          "popq %rsi\n"                                                                            \
          "popq %rdi\n"                                                                            \
          ".cfi_adjust_cfa_offset -56\n"                                                           \
          "jmp *%r11\n"                                                                            \
          ".cfi_endproc\n"                                                                         \
          ".size " #name ", . - " #name "\n")
#elif defined(__aarch64__)
#define TP_JUMP(name, decide)                                                                      \
  __asm__(".text\n"                                                                                \
          ".globl " #name "\n"                                                                     \
          ".type " #name ", %function\n" #name ":\n"                                               \
          ".cfi_startproc\n"                                                                       \
          "stp x29, x30, [sp, #-80]!\n"                                                            \
          ".cfi_adjust_cfa_offset 80\n"                                                            \
          "stp x0, x1, [sp, #16]\n"                                                                \
          "stp x2, x3, [sp, #32]\n"                                                                \
          "stp x4, x5, [sp, #48]\n"                                                                \
          "stp x6, x7, [sp, #64]\n"                                                                \
          "mov x3, x30\n"                                                                          \
          "bl " #decide "\n"                                                                       \
          "mov x16, x0\n"                                                                          \
          "ldp x0, x1, [sp, #16]\n"                                                                \
          "ldp x2, x3, [sp, #32]\n"                                                                \
          "ldp x4, x5, [sp, #48]\n"                                                                \
          "ldp x6, x7, [sp, #64]\n"                                                                \
          "ldp x29, x30, [sp], #80\n"                                                              \
          ".cfi_adjust_cfa_offset -80\n"                                                           \
          "br x16\n"                                                                               \
          ".cfi_endproc\n"                                                                         \
          ".size " #name ", . - " #name "\n")
#endif

TP_JUMP(__kmpc_fork_call, tp_omp_note_fork);   // (ident_t*, int count, function, ...)
TP_JUMP(__kmpc_fork_teams, tp_omp_note_teams); // the same
TP_JUMP(GOMP_doacross_wait, tp_omp_wait_for);  // (long, ...)
TP_JUMP(GOMP_doacross_ull_wait, tp_omp_wait_for_ull);

using namespace tp::omp;

#define TP_ENTRY extern "C" [[gnu::visibility("default")]]
#define TP_CALLER __builtin_return_address(0)

// The start of a loop, or of sections. g++'s look for the thread's first chunk, too.
struct StartOfLoop {
  explicit StartOfLoop(const Call& call) {
    loop_call = call;
    loop_call.starts_search = true;
    tp_on_runtime_call(); // until libomp reports the loop
  }
  ~StartOfLoop() {
    end_search();
    tp_on_runtime_return(); // of a loop that it did not report
    loop_call = {};
  }
  StartOfLoop(const StartOfLoop&) = delete;
  StartOfLoop& operator=(const StartOfLoop&) = delete;
};
template <typename Result, typename... Arguments>
static Result start_search(Result (*next)(Arguments...), const Call& call, Arguments... arguments) {
  const StartOfLoop start(call);
  return next(arguments...);
}

// ---- both compilers' programs

TP_ENTRY void omp_set_num_threads(int threads) {
  static auto* const next = next_function<void(int)>("omp_set_num_threads");
  note_set_threads();
  next(threads);
}
TP_ENTRY void omp_set_num_threads_(const int* threads) { // Fortran's
  static auto* const next = next_function<void(const int*)>("omp_set_num_threads_");
  note_set_threads();
  next(threads);
}

// After a hard pause libomp 19 fails, or waits for ever, in the next region; libgomp does not. A soft one does what the
// program can rely on.
static int soft(int pause) {
  constexpr int kSoft = 1, kHard = 2; // omp_pause_...
  return pause == kHard ? kSoft : pause;
}
TP_ENTRY int omp_pause_resource(int pause, int device) {
  static auto* const next = next_function<int(int, int)>("omp_pause_resource");
  return next(soft(pause), device);
}
TP_ENTRY int omp_pause_resource_all(int pause) {
  static auto* const next = next_function<int(int)>("omp_pause_resource_all");
  return next(soft(pause));
}
TP_ENTRY int omp_pause_resource_(const int* pause, const int* device) { // Fortran's
  static auto* const next = next_function<int(const int*, const int*)>("omp_pause_resource_");
  const int soft_one = soft(*pause);
  return next(&soft_one, device);
}
TP_ENTRY int omp_pause_resource_all_(const int* pause) {
  static auto* const next = next_function<int(const int*)>("omp_pause_resource_all_");
  const int soft_one = soft(*pause);
  return next(&soft_one);
}

// ---- clang's

TP_ENTRY void __kmpc_push_num_threads(Ident* ident, std::int32_t thread, std::int32_t threads) {
  static auto* const next =
      next_function<void(Ident*, std::int32_t, std::int32_t)>("__kmpc_push_num_threads");
  note_clause(threads > 0 ? static_cast<std::uint32_t>(threads) : 0);
  next(ident, thread, threads);
}

TP_ENTRY void __kmpc_serialized_parallel(Ident* ident, std::int32_t thread) {
  static auto* const next = next_function<void(Ident*, std::int32_t)>("__kmpc_serialized_parallel");
  if (region_call.ident == nullptr &&
      region_call.caller == nullptr) // else a fork that was asked for
    region_call = {.ident = ident, .caller = TP_CALLER};
  if (has_leagues.load(std::memory_order_relaxed) && !is_of_runtime(TP_CALLER)) {
    const SerialRegionBegin begin;
    next(ident, thread);
  } else {
    next(ident, thread);
  }
  region_call = {};
}
TP_ENTRY void __kmpc_end_serialized_parallel(Ident* ident, std::int32_t thread) {
  static auto* const next =
      next_function<void(Ident*, std::int32_t)>("__kmpc_end_serialized_parallel");
  if (!has_leagues.load(std::memory_order_relaxed) || is_of_runtime(TP_CALLER))
    return next(ident, thread);
  const SerialRegionEnd end;
  next(ident, thread);
}

using AllocTask = void*(Ident*, std::int32_t, std::int32_t, std::size_t, std::size_t, void*);
static constinit std::atomic<AllocTask*> next_alloc_task = nullptr;
constexpr std::int32_t kDetachable = 0x40;
// Apart from the usual ones, which then save no registers.
[[gnu::noinline, gnu::cold]] static void* alloc_any_task(Ident* ident, std::int32_t thread,
                                                         std::int32_t flags, std::size_t size,
                                                         std::size_t shared, void* function) {
  static auto* const next = next_function<AllocTask>("__kmpc_omp_task_alloc");
  next_alloc_task.store(next, std::memory_order_relaxed);
  void* const task = next(ident, thread, flags, size, shared, function);
  detachable_task = (flags & kDetachable) != 0 ? task : nullptr;
  return task;
}

TP_ENTRY void* __kmpc_omp_task_alloc(Ident* ident, std::int32_t thread, std::int32_t flags,
                                     std::size_t size, std::size_t shared, void* function) {
  AllocTask* const next = next_alloc_task.load(std::memory_order_relaxed);
  if (next == nullptr || (flags & kDetachable) != 0) [[unlikely]]
    return alloc_any_task(ident, thread, flags, size, shared, function);
  detachable_task = nullptr;
  return next(ident, thread, flags, size, shared, function);
}

static constinit NextFunction<std::int32_t(Ident*, std::int32_t, void*)> next_task{
    "__kmpc_omp_task"};

// Apart from calls of libomp's, which then save no registers.
[[gnu::noinline]] static std::int32_t create_task(Ident* ident, std::int32_t thread, void* task,
                                                  const void* caller) {
  Call call{.ident = ident, .caller = caller, .task = task, .is_simple = true};
  const Creation creation(call);
  return next_task.get()(ident, thread, task);
}
[[gnu::noinline, gnu::cold]] static std::int32_t create_part(Ident* ident, std::int32_t thread,
                                                             void* task) {
  note_end_of_part();
  return next_task.get()(ident, thread, task);
}

TP_ENTRY std::int32_t __kmpc_omp_task(Ident* ident, std::int32_t thread, void* task) {
  // Parts of an untied task after the first come here as well; where no task is deferred, they run inside.
  std::int32_t part = 0; // of kmp_task_t, after two pointers
  std::memcpy(&part, static_cast<const char*>(task) + 2 * sizeof(void*), sizeof part);
  if (part > 0) [[unlikely]]
    return create_part(ident, thread, task);
  const void* const caller = TP_CALLER;
  if (is_inside_another(caller))
    return next_task.get()(ident, thread, task);
  return create_task(ident, thread, task, caller);
}

TP_ENTRY std::int32_t __kmpc_omp_task_with_deps(Ident* ident, std::int32_t thread, void* task,
                                                std::int32_t count, void* dependences,
                                                std::int32_t other_count, void* others) {
  static auto* const next =
      next_function<std::int32_t(Ident*, std::int32_t, void*, std::int32_t, void*, std::int32_t,
                                 void*)>("__kmpc_omp_task_with_deps");
  if (is_inside_another(TP_CALLER))
    return next(ident, thread, task, count, dependences, other_count, others);
  Call call{.ident = ident, .caller = TP_CALLER, .task = task, .is_simple = true};
  const Creation creation(call);
  return next(ident, thread, task, count, dependences, other_count, others);
}

TP_ENTRY void __kmpc_omp_task_begin_if0(Ident* ident, std::int32_t thread, void* task) {
  static auto* const next =
      next_function<void(Ident*, std::int32_t, void*)>("__kmpc_omp_task_begin_if0");
  if (is_inside_another(TP_CALLER))
    return next(ident, thread, task);
  Call call{.ident = ident, .caller = TP_CALLER, .is_undeferred = true};
  const Creation creation(call);
  next(ident, thread, task);
}

// libomp 19 notes dependences of two kinds that a taskwait or an undeferred task has for tools behind the end of its list,
// and so ends the program or writes over its memory. It gets them as it notes them well: mutexinoutset as inout, which it
// makes of it anyway since such a task excludes no other, and inoutset in its second list.
namespace {

struct ListedDependence { // kmp_depend_info_t
  std::intptr_t address;
  std::size_t size;
  std::uint8_t kind;
};
constexpr std::uint8_t kInOut = 3, kMutexInOutSet = 4, kInOutSet = 8;

// How many of them are of the first list. Neither list has an order.
std::int32_t in_first_list(ListedDependence* begin, std::int32_t count) {
  ListedDependence* const end = begin + count;
  for (auto* each = begin; each != end; ++each)
    if (each->kind == kMutexInOutSet)
      each->kind = kInOut;
  const auto is_of_first = [](const ListedDependence& each) { return each.kind != kInOutSet; };
  return static_cast<std::int32_t>(std::partition(begin, end, is_of_first) - begin);
}

} // namespace

TP_ENTRY void __kmpc_omp_wait_deps(Ident* ident, std::int32_t thread, std::int32_t count,
                                   ListedDependence* dependences, std::int32_t other_count,
                                   ListedDependence* others) {
  static auto* const next =
      next_function<void(Ident*, std::int32_t, std::int32_t, ListedDependence*, std::int32_t,
                         ListedDependence*)>("__kmpc_omp_wait_deps");
  const std::int32_t first = in_first_list(dependences, count);
  if (other_count > 0) // by no known compiler
    return next(ident, thread, count, dependences, other_count, others);
  next(ident, thread, first, dependences, count - first, dependences + first);
}

TP_ENTRY void __kmpc_omp_taskwait_deps_51(Ident* ident, std::int32_t thread, std::int32_t count,
                                          ListedDependence* dependences, std::int32_t other_count,
                                          ListedDependence* others, std::int32_t nowait) {
  static auto* const next =
      next_function<void(Ident*, std::int32_t, std::int32_t, ListedDependence*, std::int32_t,
                         ListedDependence*, std::int32_t)>("__kmpc_omp_taskwait_deps_51");
  const std::int32_t first = in_first_list(dependences, count);
  if (other_count > 0)
    return next(ident, thread, count, dependences, other_count, others, nowait);
  next(ident, thread, first, dependences, count - first, dependences + first, nowait);
}

// How many tasks libomp creates in one go, unless KMP_TASKLOOP_MIN_TASKS says so.
static std::uint64_t most_tasks_at_once(std::uint64_t threads) {
  constexpr std::uint64_t kPerThread = 10, kMost = 256;
  static const long wanted = [] {
    const char* const text = std::getenv("KMP_TASKLOOP_MIN_TASKS");
    return text != nullptr ? std::strtol(text, nullptr, 10) : 0;
  }();
  return wanted > 0 ? static_cast<std::uint64_t>(wanted) : std::min(threads * kPerThread, kMost);
}

// How libomp divides a taskloop. `in_order`: it creates the tasks one after the other, however many there are.
static void note_taskloop(Taskloop& loop, std::uint64_t lower, std::uint64_t upper,
                          std::int64_t stride, std::int32_t schedule, std::uint64_t grain,
                          bool in_order) {
  static auto* const team_size = next_function<int()>("omp_get_num_threads");
  const auto threads = static_cast<std::uint64_t>(team_size());
  const std::uint64_t count = stride > 0
                                  ? (upper - lower) / static_cast<std::uint64_t>(stride) + 1
                                  : (lower - upper) / static_cast<std::uint64_t>(-stride) + 1;
  constexpr std::uint64_t kPerThread = 10;
  std::uint64_t tasks = schedule == 0 ? threads * kPerThread : grain;
  if (schedule == 1 && grain > 0)
    tasks = std::max<std::uint64_t>(count / grain, 1);
  tasks = std::min(tasks, count);
  if (tasks == 0)
    return;
  loop.tasks = tasks;
  loop.iterations = count / tasks;
  loop.longer = count % tasks;
  loop.most_at_once = in_order ? tasks : most_tasks_at_once(threads);
}

TP_ENTRY void __kmpc_taskloop(Ident* ident, std::int32_t thread, void* task, std::int32_t if_value,
                              std::uint64_t* lower, std::uint64_t* upper, std::int64_t stride,
                              std::int32_t no_group, std::int32_t schedule, std::uint64_t grain,
                              Duplicate* duplicate) {
  static auto* const next =
      next_function<void(Ident*, std::int32_t, void*, std::int32_t, std::uint64_t*, std::uint64_t*,
                         std::int64_t, std::int32_t, std::int32_t, std::uint64_t, Duplicate*)>(
          "__kmpc_taskloop");
  constexpr std::int32_t kGrainSize = 1; // of the clauses that say how many tasks
  const bool is_inside = is_inside_another(TP_CALLER);
  Taskloop loop{.grain = schedule == kGrainSize && grain > 0 ? grain : 1};
  // GOMP_taskloop has not said how libomp divides it.
  note_taskloop(is_inside && here.task_call->taskloop != nullptr ? *here.task_call->taskloop : loop,
                *lower, *upper, stride, schedule, grain, is_of_runtime(TP_CALLER) || if_value == 0);
  if (is_inside)
    return next(ident, thread, task, if_value, lower, upper, stride, no_group, schedule, grain,
                duplicate);
  Call call{.ident = ident, .caller = TP_CALLER, .taskloop = &loop, .is_undeferred = if_value == 0};
  const Creation creation(call);
  next(ident, thread, task, if_value, lower, upper, stride, no_group, schedule, grain,
       as_program_code(duplicate));
}

// Reductions of clang's. `lock`: for the code with which the threads combine their values themselves, if the result is 1.
template <typename Function>
static std::int32_t reduce(Function* next, Ident* ident, std::int32_t thread, std::int32_t count,
                           std::size_t size, void* data, Combine* combine, void* lock,
                           const void* caller, bool waits) {
  if (data == nullptr || combine == nullptr)
    return next(ident, thread, count, size, data, combine, lock);
  Reduction reduction(data, combine, ident, caller, waits);
  return next(ident, thread, count, size, &reduction, &Reduction::combine, lock);
}
using Reduce = std::int32_t(Ident*, std::int32_t, std::int32_t, std::size_t, void*, Combine*,
                            void*);
TP_ENTRY std::int32_t __kmpc_reduce(Ident* ident, std::int32_t thread, std::int32_t count,
                                    std::size_t size, void* data, Combine* combine, void* lock) {
  static auto* const next = next_function<Reduce>("__kmpc_reduce");
  return reduce(next, ident, thread, count, size, data, combine, lock, TP_CALLER, true);
}
TP_ENTRY std::int32_t __kmpc_reduce_nowait(Ident* ident, std::int32_t thread, std::int32_t count,
                                           std::size_t size, void* data, Combine* combine,
                                           void* lock) {
  static auto* const next = next_function<Reduce>("__kmpc_reduce_nowait");
  return reduce(next, ident, thread, count, size, data, combine, lock, TP_CALLER, false);
}
TP_ENTRY void __kmpc_end_reduce(Ident* ident, std::int32_t thread, void* lock) {
  static auto* const next = next_function<void(Ident*, std::int32_t, void*)>("__kmpc_end_reduce");
  note_end_of_reduction();
  next(ident, thread, lock);
}

// Of tasks: what clang says of each variable (kmp_taskred_input_t).
struct TaskReduction {
  void* shared;
  void* original;
  std::size_t size;
  void* initialize;
  void* finish;
  Combine* combine;
  std::uint32_t flags;
};
static TaskReduction* with_program_code(TaskReduction* copies, const TaskReduction* given,
                                        std::int32_t count) {
  for (std::int32_t i = 0; i < count; ++i) {
    copies[i] = given[i];
    copies[i].combine = as_code_after_group(given[i].combine);
  }
  return copies;
}
#define TP_COPY_OF(given, count)                                                                   \
  with_program_code(static_cast<TaskReduction*>(__builtin_alloca(static_cast<std::size_t>(count) * \
                                                                 sizeof(TaskReduction))),          \
                    static_cast<const TaskReduction*>(given), count)
TP_ENTRY void* __kmpc_taskred_init(std::int32_t thread, std::int32_t count, void* given) {
  static auto* const next =
      next_function<void*(std::int32_t, std::int32_t, void*)>("__kmpc_taskred_init");
  return next(thread, count, TP_COPY_OF(given, count));
}
TP_ENTRY void* __kmpc_taskred_modifier_init(Ident* ident, std::int32_t thread,
                                            std::int32_t is_worksharing, std::int32_t count,
                                            void* given) {
  static auto* const next =
      next_function<void*(Ident*, std::int32_t, std::int32_t, std::int32_t, void*)>(
          "__kmpc_taskred_modifier_init");
  return next(ident, thread, is_worksharing, count, TP_COPY_OF(given, count));
}

// Static loops and sections. `lower` and `upper` are those of the loop before, of the thread's first chunk after.
template <typename Index, typename Stride>
static void static_init(void (*next)(Ident*, std::int32_t, std::int32_t, std::int32_t*, Index*,
                                     Index*, Stride*, Stride, Stride),
                        Ident* ident, std::int32_t thread, std::int32_t schedule,
                        std::int32_t* last, Index* lower, Index* upper, Stride* stride,
                        Stride increment, Stride chunk, void* caller) {
  constexpr std::int32_t kModifiers = 3 << 29, kChunked = 33, kStatic = 34;
  constexpr std::int32_t kDistributeChunked = 91, kDistribute = 92; // to the teams of a league
  const Index begin = *lower, end = *upper;
  const std::int32_t kind = schedule & ~kModifiers;
  loop_call = {.ident = ident,
               .caller = caller,
               .is_counted = kind == kStatic || kind == kChunked || kind == kDistribute ||
                             kind == kDistributeChunked};
  next(ident, thread, schedule, last, lower, upper, stride, increment, chunk);
  loop_call = {};
  const auto steps = [&](Index from, Index to) -> std::uint64_t { // that the loop makes
    const bool is_up = increment > 0;
    const auto distance = static_cast<std::uint64_t>(is_up ? to : from) -
                          static_cast<std::uint64_t>(is_up ? from : to);
    return distance / static_cast<std::uint64_t>(is_up ? increment : -increment);
  };
  const bool is_empty = increment > 0 ? end < begin || *lower > end : end > begin || *lower < end;
  if (is_empty || increment == 0)
    return;
  switch (kind) {
  case kStatic:
  case kDistribute:
    if (increment > 0 ? *lower <= *upper : *lower >= *upper)
      note_iterations(steps(*lower, *upper) + 1);
    return;
  case kChunked:
  case kDistributeChunked: {
    const std::uint64_t all = steps(begin, end) + 1, first = steps(begin, *lower);
    if (increment > 0 ? *lower > *upper : *lower < *upper)
      return;
    const std::uint64_t each = steps(*lower, *upper) + 1;
    const std::uint64_t apart = std::max<std::uint64_t>(
        static_cast<std::uint64_t>(*stride > 0 ? *stride : -*stride) /
            static_cast<std::uint64_t>(increment > 0 ? increment : -increment),
        1);
    const std::uint64_t others = (all - first - 1) / apart; // chunks after the first
    return note_iterations(others * each + std::min(each, all - first - others * apart));
  }
  default:
    return;
  }
}

#define TP_STATIC_INIT(suffix, Index, Stride)                                                      \
  TP_ENTRY void __kmpc_for_static_init_##suffix(                                                   \
      Ident* ident, std::int32_t thread, std::int32_t schedule, std::int32_t* last, Index* lower,  \
      Index* upper, Stride* stride, Stride increment, Stride chunk) {                              \
    static auto* const next =                                                                      \
        next_function<void(Ident*, std::int32_t, std::int32_t, std::int32_t*, Index*, Index*,      \
                           Stride*, Stride, Stride)>("__kmpc_for_static_init_" #suffix);           \
    static_init(next, ident, thread, schedule, last, lower, upper, stride, increment, chunk,       \
                TP_CALLER);                                                                        \
  }
TP_STATIC_INIT(4, std::int32_t, std::int32_t)
TP_STATIC_INIT(4u, std::uint32_t, std::int32_t)
TP_STATIC_INIT(8, std::int64_t, std::int64_t)
TP_STATIC_INIT(8u, std::uint64_t, std::int64_t)

// Doacross loops, also those of g++, for which libomp calls these. It reports what is done after the fact, when another
// thread may have seen it. libomp 19 ends the program where the only thread of a region in a league comes to such a loop:
// it is not called for loops in which no other thread takes part.
TP_ENTRY void __kmpc_doacross_init(Ident* ident, std::int32_t thread, std::int32_t dimensions,
                                   const void* bounds) {
  static auto* const next =
      next_function<void(Ident*, std::int32_t, std::int32_t, const void*)>("__kmpc_doacross_init");
  note_dimensions(dimensions);
  if (!has_one_thread())
    next(ident, thread, dimensions, bounds);
}
TP_ENTRY void __kmpc_doacross_post(Ident* ident, std::int32_t thread,
                                   const std::int64_t* iteration) {
  static auto* const next =
      next_function<void(Ident*, std::int32_t, const std::int64_t*)>("__kmpc_doacross_post");
  note_done(iteration);
  if (!has_one_thread())
    next(ident, thread, iteration);
}
TP_ENTRY void __kmpc_doacross_wait(Ident* ident, std::int32_t thread,
                                   const std::int64_t* iteration) {
  static auto* const next =
      next_function<void(Ident*, std::int32_t, const std::int64_t*)>("__kmpc_doacross_wait");
  if (has_one_thread())
    return note_order();
  const WaitForIteration wait(iteration);
  next(ident, thread, iteration);
}
TP_ENTRY void __kmpc_doacross_fini(Ident* ident, std::int32_t thread) {
  static auto* const next = next_function<void(Ident*, std::int32_t)>("__kmpc_doacross_fini");
  if (!has_one_thread())
    next(ident, thread);
}

TP_ENTRY void __kmpc_end_ordered(Ident* ident, std::int32_t thread) {
  static auto* const next = next_function<void(Ident*, std::int32_t)>("__kmpc_end_ordered");
  const LeavingOrdered leaving;
  next(ident, thread);
}

#define TP_DISPATCH_INIT(suffix, Index, Stride)                                                    \
  TP_ENTRY void __kmpc_dispatch_init_##suffix(Ident* ident, std::int32_t thread,                   \
                                              std::int32_t schedule, Index lower, Index upper,     \
                                              Stride stride, Stride chunk) {                       \
    static auto* const next =                                                                      \
        next_function<void(Ident*, std::int32_t, std::int32_t, Index, Index, Stride, Stride)>(     \
            "__kmpc_dispatch_init_" #suffix);                                                      \
    start_search(next, {.ident = ident, .caller = TP_CALLER}, ident, thread, schedule, lower,      \
                 upper, stride, chunk);                                                            \
  }
TP_DISPATCH_INIT(4, std::int32_t, std::int32_t)
TP_DISPATCH_INIT(4u, std::uint32_t, std::int32_t)
TP_DISPATCH_INIT(8, std::int64_t, std::int64_t)
TP_DISPATCH_INIT(8u, std::uint64_t, std::int64_t)

#define TP_DISPATCH_NEXT(suffix, Index, Stride)                                                    \
  TP_ENTRY std::int32_t __kmpc_dispatch_next_##suffix(Ident* ident, std::int32_t thread,           \
                                                      std::int32_t* last, Index* lower,            \
                                                      Index* upper, Stride* stride) {              \
    static auto* const next =                                                                      \
        next_function<std::int32_t(Ident*, std::int32_t, std::int32_t*, Index*, Index*, Stride*)>( \
            "__kmpc_dispatch_next_" #suffix);                                                      \
    const Search search;                                                                           \
    return next(ident, thread, last, lower, upper, stride);                                        \
  }
TP_DISPATCH_NEXT(4, std::int32_t, std::int32_t)
TP_DISPATCH_NEXT(4u, std::uint32_t, std::int32_t)
TP_DISPATCH_NEXT(8, std::int64_t, std::int64_t)
TP_DISPATCH_NEXT(8u, std::uint64_t, std::int64_t)

// ---- g++'s

template <typename Result, typename... Arguments>
[[gnu::noinline, gnu::cold]] static Result run_region_beside_leagues(Result (*next)(Arguments...),
                                                                     Arguments... arguments) {
  const KeptTask kept;
  return next(arguments...);
}
template <typename Result, typename... Arguments>
static Result run_region(Result (*next)(Arguments...), Arguments... arguments) {
  if (has_leagues.load(std::memory_order_relaxed)) [[unlikely]]
    return run_region_beside_leagues(next, arguments...);
  return next(arguments...);
}

TP_ENTRY void GOMP_parallel(void (*function)(void*), void* data, unsigned threads, unsigned flags) {
  static auto* const next =
      next_function<void(void (*)(void*), void*, unsigned, unsigned)>("GOMP_parallel");
  region_call = {.function = reinterpret_cast<const void*>(function), .caller = TP_CALLER};
  note_clause(threads);
  run_region(next, function, data, threads, flags);
}

TP_ENTRY void GOMP_teams_reg(void (*function)(void*), void* data, unsigned teams, unsigned threads,
                             unsigned flags) {
  static auto* const next =
      next_function<void(void (*)(void*), void*, unsigned, unsigned, unsigned)>("GOMP_teams_reg");
  region_call = {.function = reinterpret_cast<const void*>(function), .caller = TP_CALLER};
  next(function, data, teams, threads, flags);
}

// With reduction(task, ...).
TP_ENTRY unsigned GOMP_parallel_reductions(void (*function)(void*), void* data, unsigned threads,
                                           unsigned flags) {
  static auto* const next = next_function<unsigned(void (*)(void*), void*, unsigned, unsigned)>(
      "GOMP_parallel_reductions");
  region_call = {.function = reinterpret_cast<const void*>(function), .caller = TP_CALLER};
  note_clause(threads);
  return run_region(next, function, data, threads, flags);
}

#define TP_PARALLEL_LOOP(kind)                                                                     \
  TP_ENTRY void GOMP_parallel_loop_##kind(void (*function)(void*), void* data, unsigned threads,   \
                                          long start, long end, long step, long chunk,             \
                                          unsigned flags) {                                        \
    static auto* const next =                                                                      \
        next_function<void(void (*)(void*), void*, unsigned, long, long, long, long, unsigned)>(   \
            "GOMP_parallel_loop_" #kind);                                                          \
    region_call = {.function = reinterpret_cast<const void*>(function),                            \
                   .caller = TP_CALLER,                                                            \
                   .is_loop = true};                                                               \
    note_clause(threads);                                                                          \
    run_region(next, function, data, threads, start, end, step, chunk, flags);                     \
  }
TP_PARALLEL_LOOP(static)
TP_PARALLEL_LOOP(dynamic)
TP_PARALLEL_LOOP(guided)
TP_PARALLEL_LOOP(nonmonotonic_dynamic)
TP_PARALLEL_LOOP(nonmonotonic_guided)

#define TP_PARALLEL_RUNTIME_LOOP(kind)                                                             \
  TP_ENTRY void GOMP_parallel_loop_##kind(void (*function)(void*), void* data, unsigned threads,   \
                                          long start, long end, long step, unsigned flags) {       \
    static auto* const next =                                                                      \
        next_function<void(void (*)(void*), void*, unsigned, long, long, long, unsigned)>(         \
            "GOMP_parallel_loop_" #kind);                                                          \
    region_call = {.function = reinterpret_cast<const void*>(function),                            \
                   .caller = TP_CALLER,                                                            \
                   .is_loop = true};                                                               \
    note_clause(threads);                                                                          \
    run_region(next, function, data, threads, start, end, step, flags);                            \
  }
TP_PARALLEL_RUNTIME_LOOP(runtime)
TP_PARALLEL_RUNTIME_LOOP(nonmonotonic_runtime)
TP_PARALLEL_RUNTIME_LOOP(maybe_nonmonotonic_runtime)

TP_ENTRY void GOMP_parallel_sections(void (*function)(void*), void* data, unsigned threads,
                                     unsigned count, unsigned flags) {
  static auto* const next =
      next_function<void(void (*)(void*), void*, unsigned, unsigned, unsigned)>(
          "GOMP_parallel_sections");
  region_call = {.function = reinterpret_cast<const void*>(function),
                 .caller = TP_CALLER,
                 .is_sections = true,
                 .is_loop = true};
  note_clause(threads);
  run_region(next, function, data, threads, count, flags);
}

using Unsigned = unsigned long long;

// Memory that the team shares, for scans and for lastprivate(conditional: ...): libomp ends the program with a message
// about itself. In its place, what the user can do.
static void refuse_team_memory(void** memory) {
  if (memory == nullptr)
    return;
  static constexpr char kText[] =
      "tp: error: OpenMP: the program uses scan or lastprivate(conditional: ...), which libomp "
      "does not support in programs of g++\n"
      "hint: tp-run --no-openmp, or compile it with clang++\n";
  static std::atomic_flag is_said;
  while (is_said.test_and_set()) // by another thread, which is about to end the process
    pause();
  [[maybe_unused]] const ssize_t written = write(2, kText, sizeof kText - 1);
  _exit(1);
}
#define TP_LOOP_START_WITH_MEMORY(kind)                                                            \
  TP_ENTRY bool GOMP_loop_##kind(long begin, long end, long step, long schedule, long chunk,       \
                                 long* from, long* to, std::uintptr_t* reductions,                 \
                                 void** memory) {                                                  \
    static auto* const next =                                                                      \
        next_function<bool(long, long, long, long, long, long*, long*, std::uintptr_t*, void**)>(  \
            "GOMP_loop_" #kind);                                                                   \
    refuse_team_memory(memory);                                                                    \
    return start_search(next, {.caller = TP_CALLER}, begin, end, step, schedule, chunk, from, to,  \
                        reductions, memory);                                                       \
  }                                                                                                \
  TP_ENTRY bool GOMP_loop_ull_##kind(bool up, Unsigned begin, Unsigned end, Unsigned step,         \
                                     long schedule, Unsigned chunk, Unsigned* from, Unsigned* to,  \
                                     std::uintptr_t* reductions, void** memory) {                  \
    static auto* const next =                                                                      \
        next_function<bool(bool, Unsigned, Unsigned, Unsigned, long, Unsigned, Unsigned*,          \
                           Unsigned*, std::uintptr_t*, void**)>("GOMP_loop_ull_" #kind);           \
    refuse_team_memory(memory);                                                                    \
    return start_search(next, {.caller = TP_CALLER}, up, begin, end, step, schedule, chunk, from,  \
                        to, reductions, memory);                                                   \
  }
TP_LOOP_START_WITH_MEMORY(start)
TP_LOOP_START_WITH_MEMORY(ordered_start)

// libomp reports sections of their own as a dynamic loop without a place.
TP_ENTRY unsigned GOMP_sections_start(unsigned count) {
  static auto* const next = next_function<unsigned(unsigned)>("GOMP_sections_start");
  return start_search(next, {.caller = TP_CALLER, .is_sections = true}, count);
}
TP_ENTRY unsigned GOMP_sections2_start(unsigned count, std::uintptr_t* reductions, void** memory) {
  static auto* const next =
      next_function<unsigned(unsigned, std::uintptr_t*, void**)>("GOMP_sections2_start");
  refuse_team_memory(memory);
  return start_search(next, {.caller = TP_CALLER, .is_sections = true}, count, reductions, memory);
}
TP_ENTRY unsigned GOMP_sections_next() {
  static auto* const next = next_function<unsigned()>("GOMP_sections_next");
  const Search search;
  return next();
}

// A thread that cancels a loop or sections, or sees that they are, goes to their end without asking for another chunk.
// libomp waits for all threads to ask until none is left before it uses its memory of the loop for another one, so
// programs of g++'s, which end on libgomp, would wait for ever. So the thread asks for what is left, and runs nothing of
// it.
template <typename Next>
static void ask_for_rest(Next next) {
  const Search search;
  loop_call = {.is_counted = true}; // the chunks count as none
  while (next()) {
  }
  loop_call = {};
}
// Of loops over unsigned numbers as well: libomp keeps both alike.
static void finish_cancelled_loop() {
  if (!is_in_loop())
    return;
  static auto* const next = next_function<bool(long*, long*)>("GOMP_loop_dynamic_next");
  long from = 0, to = 0;
  ask_for_rest([&] { return next(&from, &to); });
}
static void finish_cancelled_sections() {
  if (!is_in_loop())
    return;
  static auto* const next = next_function<unsigned()>("GOMP_sections_next");
  ask_for_rest([] { return next() != 0; });
}
#define TP_END(Result, name, finish_cancelled)                                                     \
  TP_ENTRY Result name() {                                                                         \
    static auto* const next = next_function<Result()>(#name);                                      \
    finish_cancelled();                                                                            \
    return next();                                                                                 \
  }
TP_END(void, GOMP_loop_end, finish_cancelled_loop)
TP_END(void, GOMP_loop_end_nowait, finish_cancelled_loop)
TP_END(bool, GOMP_loop_end_cancel, finish_cancelled_loop)
TP_END(void, GOMP_sections_end, finish_cancelled_sections)
TP_END(void, GOMP_sections_end_nowait, finish_cancelled_sections)
TP_END(bool, GOMP_sections_end_cancel, finish_cancelled_sections)

static constinit NextFunction<void(void (*)(void*), void*, void (*)(void*, void*), long, long, bool,
                                   unsigned, void**, int, void*)>
    next_gnu_task{"GOMP_task"};

// libgomp runs untied tasks like any other, and g++'s code has no parts that another thread could go on with. In libomp
// tied and untied tasks that wait for each other can leave a task that no thread may begin: a thread that waits in a tied one
// begins only what descends from it. As tied tasks, of which each thread may begin its own, they end.
constexpr unsigned kGnuUntied = 1u << 0; // GOMP_TASK_FLAG_UNTIED

// The last parameters came with later versions of GCC: what is passed on for them then is not read.
TP_ENTRY void GOMP_task(void (*function)(void*), void* data, void (*copy)(void*, void*), long size,
                        long alignment, bool if_value, unsigned flags, void** dependences,
                        int priority, void* detach) {
  auto* const next = next_gnu_task.get();
  Call call{.caller = TP_CALLER, .is_simple = if_value, .is_undeferred = !if_value};
  const Creation creation(call);
  next(function, data, as_program_code(copy), size, alignment, if_value, flags & ~kGnuUntied,
       dependences, priority, detach);
}

// libomp compares the bounds of a taskloop of g++'s as unsigned numbers, and upwards: one that counts down, or from below
// zero to above, would run wrong iterations, or end the program. Such a loop is made one from 0 upwards.
//
// What its tasks get in place of the program's data, which follows.
struct CountedLoop {
  std::uint64_t from, to;    // of the task, by libomp
  std::uintptr_t reductions; // where libomp looks for them
  void (*function)(void*);
  void (*copy)(void*, void*);
  std::uint64_t start, step;
  std::size_t size; // up to the program's data

  std::uint64_t* data() {
    return reinterpret_cast<std::uint64_t*>(reinterpret_cast<char*>(this) + size);
  }
  static void run(void* block) {
    auto& loop = *static_cast<CountedLoop*>(block);
    std::uint64_t* const data = loop.data();
    data[0] = loop.start + loop.from * loop.step;
    data[1] = loop.start + loop.to * loop.step;
    loop.function(data);
  }
  // All bytes have been copied before.
  static void copy_data(void* to, void* from) {
    auto& loop = *static_cast<CountedLoop*>(from);
    loop.copy(static_cast<CountedLoop*>(to)->data(), loop.data());
  }
};

template <typename Index>
using TaskloopFunction = void(void (*)(void*), void*, void (*)(void*, void*), long, long, unsigned,
                              unsigned long, int, Index, Index, Index);
constexpr unsigned kTaskloopUp = 1u << 8; // GOMP_TASK_FLAG_UP

template <typename Index>
static bool is_counted_wrongly(unsigned flags, Index start, Index end) {
  return (flags & kTaskloopUp) == 0 || start >= end ||
         (std::is_signed_v<Index> && start < 0 && end > 0);
}

template <typename Index>
[[gnu::noinline]] static void count_taskloop(TaskloopFunction<Index>* next, void (*function)(void*),
                                             void* data, void (*copy)(void*, void*), long size,
                                             long alignment, unsigned flags, unsigned long count,
                                             int priority, Index start, Index end, Index step) {
  const bool is_up = (flags & kTaskloopUp) != 0;
  const bool is_empty =
      is_up ? start >= end : start <= end; // its reductions are registered all the same
  auto stride = static_cast<std::uint64_t>(step);
  // A step of a shorter type may lack its sign.
  if (!is_up && static_cast<std::int64_t>(stride) > 0)
    stride |= ~std::uint64_t{0} << std::bit_width(stride);
  const auto first = static_cast<std::uint64_t>(start), last = static_cast<std::uint64_t>(end);
  const std::uint64_t distance = is_empty ? 0 : is_up ? last - first : first - last;
  const std::uint64_t each = is_up ? stride : -stride;
  const std::uint64_t iterations = distance / each + (distance % each > 0 ? 1 : 0);
  const std::size_t aligned = std::max<std::size_t>(alignment, alignof(CountedLoop));
  const std::size_t header = (sizeof(CountedLoop) + aligned - 1) / aligned * aligned;
  auto* const memory =
      static_cast<char*>(__builtin_alloca(header + static_cast<std::size_t>(size) + aligned));
  char* const block =
      memory + (aligned - reinterpret_cast<std::uintptr_t>(memory) % aligned) % aligned;
  std::uintptr_t reductions = 0;
  constexpr std::size_t kReductions = 2 * sizeof(std::uint64_t);
  if (static_cast<std::size_t>(size) >= kReductions + sizeof reductions)
    std::memcpy(&reductions, static_cast<char*>(data) + kReductions, sizeof reductions);
  new (block) CountedLoop{.from = 0,
                          .to = 0,
                          .reductions = reductions,
                          .function = function,
                          .copy = copy,
                          .start = first,
                          .step = stride,
                          .size = header};
  std::memcpy(block + header, data, static_cast<std::size_t>(size));
  next(&CountedLoop::run, block, copy != nullptr ? &CountedLoop::copy_data : nullptr,
       static_cast<long>(header) + size, static_cast<long>(aligned), flags | kTaskloopUp, count,
       priority, Index{0}, static_cast<Index>(iterations), Index{1});
}

#define TP_TASKLOOP(suffix, Index)                                                                 \
  TP_ENTRY void GOMP_taskloop##suffix(                                                             \
      void (*function)(void*), void* data, void (*copy)(void*, void*), long size, long alignment,  \
      unsigned flags, unsigned long count, int priority, Index start, Index end, Index step) {     \
    static auto* const next = next_function<TaskloopFunction<Index>>("GOMP_taskloop" #suffix);     \
    constexpr unsigned kGrainSize = 1u << 9, kIf = 1u << 10; /* GOMP_TASK_FLAG_... */              \
    Taskloop loop{.grain = (flags & kGrainSize) != 0 && count > 0 ? count : 1};                    \
    Call call{.caller = TP_CALLER, .taskloop = &loop, .is_undeferred = (flags & kIf) == 0};        \
    const Creation creation(call);                                                                 \
    Copy* const own_copy = as_program_code(copy);                                                  \
    flags &= ~kGnuUntied;                                                                          \
    (is_counted_wrongly(flags, start, end)                                                         \
         ? count_taskloop<Index>(next, function, data, own_copy, size, alignment, flags, count,    \
                                 priority, start, end, step)                                       \
         : next(function, data, own_copy, size, alignment, flags, count, priority, start, end,     \
                step));                                                                            \
  }
TP_TASKLOOP(, long)
TP_TASKLOOP(_ull, Unsigned)

TP_ENTRY void GOMP_ordered_end() {
  static auto* const next = next_function<void()>("GOMP_ordered_end");
  const LeavingOrdered leaving;
  next();
}

TP_ENTRY void GOMP_doacross_post(long* iteration) {
  static auto* const next = next_function<void(long*)>("GOMP_doacross_post");
  if (!is_alone())
    next(iteration);
}
TP_ENTRY void GOMP_doacross_ull_post(unsigned long long* iteration) {
  static auto* const next = next_function<void(unsigned long long*)>("GOMP_doacross_ull_post");
  if (!is_alone())
    next(iteration);
}

#define TP_LOOP_START(kind)                                                                        \
  TP_ENTRY bool GOMP_loop_##kind##_start(long begin, long end, long step, long chunk, long* from,  \
                                         long* to) {                                               \
    static auto* const next =                                                                      \
        next_function<bool(long, long, long, long, long*, long*)>("GOMP_loop_" #kind "_start");    \
    return start_search(next, {.caller = TP_CALLER}, begin, end, step, chunk, from, to);           \
  }                                                                                                \
  TP_ENTRY bool GOMP_loop_ull_##kind##_start(bool up, Unsigned begin, Unsigned end, Unsigned step, \
                                             Unsigned chunk, Unsigned* from, Unsigned* to) {       \
    static auto* const next =                                                                      \
        next_function<bool(bool, Unsigned, Unsigned, Unsigned, Unsigned, Unsigned*, Unsigned*)>(   \
            "GOMP_loop_ull_" #kind "_start");                                                      \
    return start_search(next, {.caller = TP_CALLER}, up, begin, end, step, chunk, from, to);       \
  }
// With schedule(runtime), which has the size of chunks.
#define TP_LOOP_START_RUNTIME(kind)                                                                \
  TP_ENTRY bool GOMP_loop_##kind##_start(long begin, long end, long step, long* from, long* to) {  \
    static auto* const next =                                                                      \
        next_function<bool(long, long, long, long*, long*)>("GOMP_loop_" #kind "_start");          \
    return start_search(next, {.caller = TP_CALLER}, begin, end, step, from, to);                  \
  }                                                                                                \
  TP_ENTRY bool GOMP_loop_ull_##kind##_start(bool up, Unsigned begin, Unsigned end, Unsigned step, \
                                             Unsigned* from, Unsigned* to) {                       \
    static auto* const next =                                                                      \
        next_function<bool(bool, Unsigned, Unsigned, Unsigned, Unsigned*, Unsigned*)>(             \
            "GOMP_loop_ull_" #kind "_start");                                                      \
    return start_search(next, {.caller = TP_CALLER}, up, begin, end, step, from, to);              \
  }
TP_LOOP_START(static)
TP_LOOP_START(dynamic)
TP_LOOP_START(guided)
TP_LOOP_START(nonmonotonic_dynamic)
TP_LOOP_START(nonmonotonic_guided)
TP_LOOP_START_RUNTIME(runtime)
TP_LOOP_START_RUNTIME(nonmonotonic_runtime)
TP_LOOP_START_RUNTIME(maybe_nonmonotonic_runtime)
TP_LOOP_START(ordered_static)
TP_LOOP_START(ordered_dynamic)
TP_LOOP_START(ordered_guided)
TP_LOOP_START_RUNTIME(ordered_runtime)

#define TP_DOACROSS_START(name, Index)                                                             \
  TP_ENTRY bool name(unsigned dimensions, Index* counts, Index chunk, Index* from, Index* to) {    \
    static auto* const next = next_function<bool(unsigned, Index*, Index, Index*, Index*)>(#name); \
    return start_search(next, {.caller = TP_CALLER}, dimensions, counts, chunk, from, to);         \
  }
#define TP_DOACROSS_START_RUNTIME(name, Index)                                                     \
  TP_ENTRY bool name(unsigned dimensions, Index* counts, Index* from, Index* to) {                 \
    static auto* const next = next_function<bool(unsigned, Index*, Index*, Index*)>(#name);        \
    return start_search(next, {.caller = TP_CALLER}, dimensions, counts, from, to);                \
  }
#define TP_DOACROSS_START_WITH_MEMORY(name, Index)                                                 \
  TP_ENTRY bool name(unsigned dimensions, Index* counts, long schedule, Index chunk, Index* from,  \
                     Index* to, std::uintptr_t* reductions, void** memory) {                       \
    static auto* const next = next_function<bool(unsigned, Index*, long, Index, Index*, Index*,    \
                                                 std::uintptr_t*, void**)>(#name);                 \
    refuse_team_memory(memory);                                                                    \
    return start_search(next, {.caller = TP_CALLER}, dimensions, counts, schedule, chunk, from,    \
                        to, reductions, memory);                                                   \
  }
TP_DOACROSS_START(GOMP_loop_doacross_static_start, long)
TP_DOACROSS_START(GOMP_loop_doacross_dynamic_start, long)
TP_DOACROSS_START(GOMP_loop_doacross_guided_start, long)
TP_DOACROSS_START_RUNTIME(GOMP_loop_doacross_runtime_start, long)
TP_DOACROSS_START_WITH_MEMORY(GOMP_loop_doacross_start, long)
TP_DOACROSS_START(GOMP_loop_ull_doacross_static_start, Unsigned)
TP_DOACROSS_START(GOMP_loop_ull_doacross_dynamic_start, Unsigned)
TP_DOACROSS_START(GOMP_loop_ull_doacross_guided_start, Unsigned)
TP_DOACROSS_START_RUNTIME(GOMP_loop_ull_doacross_runtime_start, Unsigned)
TP_DOACROSS_START_WITH_MEMORY(GOMP_loop_ull_doacross_start, Unsigned)

#define TP_LOOP_NEXT(kind)                                                                         \
  TP_ENTRY bool GOMP_loop_##kind##_next(long* start, long* end) {                                  \
    static auto* const next = next_function<bool(long*, long*)>("GOMP_loop_" #kind "_next");       \
    const Search search;                                                                           \
    return next(start, end);                                                                       \
  }                                                                                                \
  TP_ENTRY bool GOMP_loop_ull_##kind##_next(unsigned long long* start, unsigned long long* end) {  \
    static auto* const next = next_function<bool(unsigned long long*, unsigned long long*)>(       \
        "GOMP_loop_ull_" #kind "_next");                                                           \
    const Search search;                                                                           \
    return next(start, end);                                                                       \
  }
TP_LOOP_NEXT(static)
TP_LOOP_NEXT(dynamic)
TP_LOOP_NEXT(guided)
TP_LOOP_NEXT(runtime)
TP_LOOP_NEXT(nonmonotonic_dynamic)
TP_LOOP_NEXT(nonmonotonic_guided)
TP_LOOP_NEXT(nonmonotonic_runtime)
TP_LOOP_NEXT(maybe_nonmonotonic_runtime)
TP_LOOP_NEXT(ordered_static)
TP_LOOP_NEXT(ordered_dynamic)
TP_LOOP_NEXT(ordered_guided)
TP_LOOP_NEXT(ordered_runtime)
