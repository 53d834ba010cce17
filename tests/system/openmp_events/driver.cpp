// SPDX-License-Identifier: Apache-2.0
// A small runtime that calls the OpenMP tool's callbacks as libomp does, from threads of its own: libomp is built
// without sanitizers, so they find what the tool does wrong only here. Prints work and span of what it has run, with
// the virtual clock; check.py compares them with the profile.
#include "ompt.h"

#include "tp/hooks.h"

#include <atomic>
#include <cstdio>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

extern "C" tp::omp::StartToolResult* ompt_start_tool(unsigned version, const char* name);

namespace {

using namespace tp::omp;

constexpr unsigned kThreads = 4, kTasks = 50, kRegions = 20, kChain = 10;
constexpr std::uint64_t kTask = 20, kChild = 5, kLocked = 2, kLink = 30, kChunk = 6;

AnyFunction callbacks[64];
template <typename... Arguments>
void report(Event event, Arguments... arguments) {
  reinterpret_cast<void (*)(Arguments...)>(callbacks[static_cast<int>(event)])(arguments...);
}
int set_callback(int event, AnyFunction callback) {
  callbacks[event] = callback;
  return kAlways;
}

thread_local Data* running = nullptr; // the task that the thread executes
int task_info(int, int*, Data** task, Frame**, Data**, int*) {
  *task = running;
  return running != nullptr ? 2 : 0;
}
AnyFunction look_up(const char* name) {
  if (std::strcmp(name, "ompt_set_callback") == 0)
    return reinterpret_cast<AnyFunction>(set_callback);
  if (std::strcmp(name, "ompt_get_task_info") == 0)
    return reinterpret_cast<AnyFunction>(task_info);
  return nullptr;
}

struct Task {
  Data data{};
  std::uint64_t units = 0;
  bool has_child = false;
  const Task* after = nullptr; // by its depend clauses
  std::atomic<bool> ended{false};
};

struct Team {
  std::mutex mutex;
  std::deque<Task*> ready;
  std::vector<Task*> all;
  std::atomic<unsigned> left{0}, arrived{0}, departed{0};
  Data region{};
};

std::mutex critical;
int variable; // of depend clauses

void create(Team& team, std::uint64_t units, bool has_child, const Task* after, bool depends) {
  auto* const task = new Task;
  task->units = units;
  task->has_child = has_child;
  task->after = after;
  report<Data*, const Frame*, Data*, int, int, const void*>(
      Event::TaskCreate, running, nullptr, &task->data, kTaskExplicit, depends ? 1 : 0,
      reinterpret_cast<const void*>(&create));
  const Dependence each{Data{.ptr = &variable}, DependenceType::InOut};
  if (depends)
    report<Data*, const Dependence*, int>(Event::Dependences, &task->data, &each, 1);
  ++team.left;
  const std::lock_guard lock(team.mutex);
  team.ready.push_back(task);
  team.all.push_back(task);
}

const Task* last_of(Team& team) {
  const std::lock_guard lock(team.mutex);
  return team.all.back();
}

void use_lock() {
  const auto id = reinterpret_cast<std::uint64_t>(&critical);
  report<Mutex, unsigned, unsigned, std::uint64_t, const void*>(Event::MutexAcquire,
                                                                Mutex::Critical, 0, 0, id, nullptr);
  critical.lock();
  report<Mutex, std::uint64_t, const void*>(Event::MutexAcquired, Mutex::Critical, id, nullptr);
  tp_spend(kLocked);
  critical.unlock();
  report<Mutex, std::uint64_t, const void*>(Event::MutexReleased, Mutex::Critical, id, nullptr);
}

// A task that can run; false: there is none now.
bool run_one(Team& team) {
  Task* task = nullptr;
  {
    const std::lock_guard lock(team.mutex);
    for (auto each = team.ready.begin(); each != team.ready.end() && task == nullptr; ++each)
      if ((*each)->after == nullptr || (*each)->after->ended.load(std::memory_order_acquire)) {
        task = *each;
        team.ready.erase(each);
        break;
      }
  }
  if (task == nullptr)
    return false;
  Data* const before = running;
  report<Data*, TaskStatus, Data*>(Event::TaskSchedule, before, TaskStatus::Switch, &task->data);
  running = &task->data;
  tp_spend(task->units);
  if (task->has_child) {
    use_lock();
    create(team, kChild, false, nullptr, false);
  }
  report<Data*, TaskStatus, Data*>(Event::TaskSchedule, &task->data, TaskStatus::Complete, before);
  running = before;
  task->ended.store(true, std::memory_order_release);
  --team.left;
  return true;
}

void synchronize(Team& team, SyncRegion kind) {
  Data* const data = running;
  report<SyncRegion, Endpoint, Data*, Data*, const void*>(Event::SyncRegion, kind, Endpoint::Begin,
                                                          &team.region, data, nullptr);
  const unsigned round = team.arrived++ / kThreads;
  while (team.arrived < (round + 1) * kThreads || team.left > 0)
    if (!run_one(team))
      std::this_thread::yield();
  if (kind == SyncRegion::BarrierExplicit)
    report<SyncRegion, Endpoint, Data*, Data*, const void*>(Event::SyncRegion, kind, Endpoint::End,
                                                            &team.region, data, nullptr);
  ++team.departed; // tasks of the next phase must not be run in this barrier
  while (team.departed < (round + 1) * kThreads)
    std::this_thread::yield();
}

void implicit_task(Team& team, unsigned index) {
  Data data{};
  report<Endpoint, Data*, Data*, unsigned, unsigned, int>(
      Event::ImplicitTask, Endpoint::Begin, &team.region, &data, kThreads, index, kTaskImplicit);
  Data* const outer = running;
  running = &data;
  tp_spend(10);
  for (unsigned i = 0; i < kTasks; ++i)
    create(team, kTask, true, nullptr, false);
  synchronize(team, SyncRegion::BarrierExplicit);
  if (index == 0) {
    const Task* before = nullptr;
    for (unsigned i = 0; i < kChain; ++i) {
      create(team, kLink, false, before, true);
      before = last_of(team);
    }
  }
  synchronize(team, SyncRegion::BarrierExplicit);
  report<Work, Endpoint, Data*, Data*, std::uint64_t, const void*>(
      Event::Work, Work::LoopDynamic, Endpoint::Begin, &team.region, &data, kThreads, nullptr);
  Chunk chunk{index, 1};
  report<Data*, Data*, Dispatch, Data>(Event::Dispatch, &team.region, &data, Dispatch::LoopChunk,
                                       Data{.ptr = &chunk});
  tp_spend(kChunk);
  report<Work, Endpoint, Data*, Data*, std::uint64_t, const void*>(
      Event::Work, Work::LoopDynamic, Endpoint::End, &team.region, &data, kThreads, nullptr);
  synchronize(team, SyncRegion::BarrierImplicitParallel);
  report<Endpoint, Data*, Data*, unsigned, unsigned, int>(
      Event::ImplicitTask, Endpoint::End, nullptr, &data, kThreads, index, kTaskImplicit);
  running = outer;
}

void worker(Team& team, unsigned index) {
  report<ThreadType, Data*>(Event::ThreadBegin, ThreadType::Worker, nullptr);
  implicit_task(team, index);
  report<Data*>(Event::ThreadEnd, nullptr);
}

void region() {
  Team team;
  report<Data*, const Frame*, Data*, unsigned, int, const void*>(
      Event::ParallelBegin, running, nullptr, &team.region, kThreads, 0,
      reinterpret_cast<const void*>(&region));
  std::vector<std::thread> workers;
  for (unsigned i = 1; i < kThreads; ++i)
    workers.emplace_back(worker, std::ref(team), i);
  implicit_task(team, 0);
  for (std::thread& each : workers)
    each.join();
  report<Data*, Data*, int, const void*>(Event::ParallelEnd, &team.region, running, 0, nullptr);
  for (Task* each : team.all)
    delete each;
}

} // namespace

int main() {
  StartToolResult* const tool = ompt_start_tool(202011, "driver");
  if (tool == nullptr || tool->initialize(look_up, 0, &tool->tool) != 1)
    return 1;
  for (unsigned i = 0; i < kRegions; ++i) {
    tp_spend(7);
    region();
  }
  tp_spend(3);
  report<Data*>(Event::ThreadEnd, nullptr);
  const std::uint64_t tasks = kThreads * (10 + kTasks * (kTask + kLocked + kChild) + kChunk);
  std::printf("{\"work\":%llu,\"span\":%llu}\n",
              static_cast<unsigned long long>(kRegions * (7 + tasks + kChain * kLink) + 3),
              static_cast<unsigned long long>(
                  kRegions * (7 + 10 + kTask + kLocked + kChild + kChain * kLink + kChunk) + 3));
}
