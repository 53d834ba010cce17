// SPDX-License-Identifier: Apache-2.0
// Simulates a run with work stealing: at each tick of a global clock one thread does one thing that
// is possible.
#include "random_program.h"

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <random>

namespace tp::test {
namespace {

using Figures = StepFigures;

// ---- the event DAG
// ----------------------------------------------------------------------------------------------

struct SimFrame;

constexpr const char* kFirstUse = "the first oneTBB call";
constexpr std::uint32_t kFirstRegionLine = 100;

struct Node {
  const SimFrame* owner = nullptr; // of a step
  std::uint64_t weight = 0;
  std::uint32_t line = 0;
  std::map<unsigned, std::uint64_t> regions;
  std::vector<int> before; // in order of preference if lengths are equal
  bool first = false;      // of a task: its `before` is the spawn
  bool loop_begin = false; // a loop body begins here
  bool loop_end = false;   // a loop body ends here
  std::uint64_t iterations = 1, grain = 1;
  std::string from, to;        // of a step: its boundaries
  bool spawns = false;         // of a step: it ends with a spawn
  bool ends_task = false;      // of a step: it is the last of a task
  bool is_wait = false;        // the end of a wait
  std::uint32_t wait_line = 0; // line of the task that the waiting frame spawned last
  std::vector<int> again;      // ends that the waiting frame has already joined
};

// The largest part of a range that is halved until no part exceeds the grain size.
std::uint64_t largest_part(std::uint64_t iterations, std::uint64_t grain) {
  if (iterations <= grain)
    return iterations;
  return std::max(largest_part(iterations / 2, grain),
                  largest_part(iterations - iterations / 2, grain));
}

// For the schedule-independent length, the loop bodies of one task run in parallel: all begin where
// the first began, later by the steps between them. An inner list contains the bodies inside a
// body.
struct Bodies {
  std::uint64_t begin = 0, longest = 0;
  bool open = false;
};

// Corrects the length at `node` for the loop bodies of its task. Returns the length at which a task
// spawned there starts.
std::uint64_t divide(const Node& node, std::uint64_t& length, std::vector<Bodies>& levels) {
  if (!levels.empty() && !levels.back().open)
    levels.back().begin += node.weight;
  if (node.loop_begin) {
    if (levels.empty() || levels.back().open)
      levels.push_back({length, 0, false});
    levels.back().open = true;
    length = levels.back().begin;
  }
  if (node.loop_end) {
    Bodies& level = levels.back();
    const std::uint64_t added = length - level.begin;
    const std::uint64_t largest =
        largest_part(node.iterations, std::max<std::uint64_t>(node.grain, 1));
    // Small numbers, so the products cannot overflow.
    level.longest =
        std::max(level.longest,
                 level.begin + (node.iterations == 0 ? added : added * largest / node.iterations));
    level.open = false;
    length = level.longest;
    if (levels.size() > 1)
      levels.pop_back();
  }
  return !levels.empty() && !levels.back().open ? levels.back().begin : length;
}

struct Lengths {
  std::function<std::uint64_t(const Node&)> weight = [](const Node& node) { return node.weight; };
  std::function<std::uint64_t(const Node& from, const Node& to)> burden = {};
  std::vector<int>* chosen = nullptr;
  bool divisible = false;
  std::optional<std::uint32_t> removed_wait = {};
};

struct Dag {
  std::vector<Node> nodes;
  int add(Node node) {
    nodes.push_back(std::move(node));
    return static_cast<int>(nodes.size()) - 1;
  }
  std::vector<std::uint64_t> lengths(const Lengths& options) const {
    std::vector<std::uint64_t> length(nodes.size()), at_spawn;
    std::map<const SimFrame*, std::vector<Bodies>> bodies;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Node& node = nodes[i];
      std::vector<int> before = node.before;
      if (options.removed_wait && node.is_wait) {
        if (node.wait_line == *options.removed_wait)
          before = {node.before.back()}; // the waiting frame
        else
          before.insert(before.begin(), node.again.begin(), node.again.end());
      }
      std::uint64_t longest = 0;
      int from = -1;
      for (const int b : before) {
        const auto at = static_cast<std::size_t>(b);
        const std::uint64_t candidate =
            length[at] + (options.burden ? options.burden(nodes[at], node) : 0);
        if (from < 0 || candidate > longest) {
          longest = candidate;
          from = b;
        }
      }
      length[i] = longest + options.weight(node);
      if (options.chosen)
        options.chosen->push_back(from);
      if (options.divisible) {
        if (node.first)
          length[i] = at_spawn[static_cast<std::size_t>(from)];
        at_spawn.push_back(divide(node, length[i], bodies[node.owner]));
      }
    }
    return length;
  }
};

// ---- the simulated program
// --------------------------------------------------------------------------------------

// A critical section, or one that is inside another of its lock, which counts as none.
struct SimSection {
  unsigned lock = 0;
  std::uint32_t place = 0;
  bool shared = false, inner = false;
  const SimFrame* owner = nullptr;
  int taken_in = -1, given_in = -1; // nodes; given_in: -1 as long as it is held
  std::uint64_t taken_at = 0, given_at = 0;
  std::uint64_t waited = 0;
  bool contended = false;
};

struct SimLock {
  unsigned readers = 0;
  const SimFrame* writer = nullptr;
};

struct SimContext {
  std::uint64_t id = 0;
  bool exclusive = false;
  // Made by parallel_for_each: a wait inside joins what the waiting task itself spawned.
  bool for_each = false;
  // Made by the user: what an algorithm splits off a task counts as part of that task.
  bool users = false;
  SimFrame* creator = nullptr;
  bool over = false;
  std::vector<SimFrame*> tasks;
  unsigned unfinished = 0;
  // Tasks that running frames wait for alone and that accept fed tasks; the newest is last.
  std::vector<SimFrame*> takers;
  // What the last frame that waited has joined: that frame does not join them again.
  const SimFrame* last_waiter = nullptr;
  std::size_t joined = 0;
  unsigned waits = 0;
};

struct SimNode {
  SimNode* outer = nullptr;
  int outer_side = 0;
  int end[2] = {-1, -1};
};

struct SimFrame {
  bool task = false;
  bool no_steps = false; // a worker thread's root, or the base below a suspended stack
  bool base = false;
  std::uint64_t id = 0;
  SimFrame* spawner = nullptr;
  unsigned depth = 0;  // number of spawners up to the root
  unsigned number = 0; // of the task among those of its spawner; of the root among all roots
  unsigned spawned = 0;
  bool part = false;  // split off by an algorithm in a user's context
  bool alone = false; // its spawner waits for it and its descendants, for nothing else
  const SimFrame* fed_to = nullptr; // a task waited for alone: a wait for that one joins this one
  SimContext* own = nullptr;
  SimContext* last = nullptr;
  std::uint32_t line = 0;
  int start = -1, current = -1, end = -1;
  bool released = false, joined = false;
  SimNode* node = nullptr;
  int side = 0;
  std::vector<int> loops;
  SimContext* waiting = nullptr;
  const SimFrame* waiting_for = nullptr; // waits for this task alone
  unsigned events = 0;
  std::string opened; // the boundary that the open step begins with
  bool used_tbb = false;
  std::uint32_t last_spawned = 0;
  std::vector<std::size_t> held; // sections
};

struct SimThread {
  StreamBuilder* stream = nullptr;
  std::uint32_t number = 0;
  std::vector<SimFrame*> stack;
  std::uint64_t recorded_until = 0; // local time of the last record
  std::int64_t skew = 0;
  std::uint32_t last_site = 0;
  std::uint64_t contexts = 0, releases = 0, stacks = 0;
  bool over = false;
  bool has_locks = false; // its stream has named them
  // A task that has released its waiters, but whose End is not written yet.
  bool ending = false, ending_as_task = false;
  TaskOperand ending_operand;
  std::uint64_t ending_work = 0;
};

class Simulation {
public:
  explicit Simulation(const RandomOptions& options) : options_(options), random_(options.seed) {}
  RandomProgram run();
  OracleQuestions questions(std::shared_ptr<const Simulation> self) const;
  OracleLocks lock_sums(std::optional<std::uint32_t> place, std::optional<std::uint32_t> line,
                        std::uint64_t factor) const;

private:
  std::uint64_t pick(std::uint64_t below) { return below == 0 ? 0 : random_() % below; }
  bool chance(unsigned percent) { return pick(100) < percent; }
  std::uint64_t amount() { return options_.late ? 1 + pick(1000000) : chance(20) ? 0 : pick(12); }

  template <typename Object>
  Object* make(std::deque<Object>& store) {
    return &store.emplace_back();
  }
  void setup();
  bool act(SimThread& thread);
  bool run_action(SimThread& thread, SimFrame& frame);
  bool idle_action(SimThread& thread);

  std::uint64_t local(const SimThread& thread) {
    return now_ + static_cast<std::uint64_t>(thread.skew);
  }
  Figures figures(SimThread& thread, std::uint64_t work);
  std::uint64_t idle(SimThread& thread);
  // Closes the frame's step: adds a node, and writes the region records first.
  Figures close(SimThread& thread, SimFrame& frame, const std::string& to);
  int step_node(SimThread& thread, SimFrame& frame, std::uint64_t work, bool is_last = false);
  void use_locks(SimThread& thread, SimFrame& frame, int node, bool is_last);
  void acquire_lock(SimFrame& frame, int node, std::uint64_t at);
  void release_lock(SimThread& thread, SimFrame& frame, std::size_t held, int node,
                    std::uint64_t at);
  unsigned flags_of(const SimSection& section) const;
  std::uint64_t inside(int node, std::optional<std::uint32_t> place,
                       std::optional<std::uint32_t> line, std::uint64_t begin,
                       std::uint64_t end) const;
  SimContext* choose_context(SimThread& thread, SimFrame& frame, bool for_wait,
                             ContextOperand& operand);
  bool may_wait(const SimFrame& frame, const SimContext* context, const SimThread& thread) const;
  static bool may_join_in(const SimContext& context);
  const SimFrame* taker_for(const SimFrame& frame, const SimContext& context) const;
  SiteOperand choose_site(SimThread& thread, const SimFrame& frame, std::uint32_t& line);
  void spawn(SimThread& thread, SimFrame& frame, bool wait);
  bool wait_possible(const SimFrame& frame) const;
  std::vector<SimFrame*> joined(const SimFrame& frame) const;
  void end_wait(SimThread& thread, SimFrame& frame);
  void release_frame(SimFrame& frame);
  void deposit(SimNode* node, int side, int end);
  TaskOperand operand_of(const SimThread& thread, const SimFrame& task);
  void begin(SimThread& thread, std::size_t index);
  void finish_ending(SimThread& thread);
  void compute(OracleResult& result) const;
  void compute_sites(OracleResult& result, const std::vector<std::uint64_t>& length,
                     const std::vector<int>& chosen) const;
  void compute_on_span(OracleResult& result, const std::vector<std::uint64_t>& length,
                       const std::vector<int>& chosen) const;
  bool is_below(const SimFrame* frame, const SimFrame& ancestor) const;
  bool has_just_begun(const SimFrame& frame) const;
  OracleSite whole(const SimFrame& frame, const std::vector<std::uint64_t>& length) const;
  std::uint64_t span(const Lengths& options) const;

  static constexpr std::uint32_t kLines[] = {0,  10, 20,
                                             30, 20, 50}; // of sites 1..5: two are on line 20
  // Line 20 is in two functions (of a template), so all lines of these have one caller.
  static constexpr const char* kFunctions[] = {"",    "f()",       "g<int>()",
                                               "f()", "g<char>()", "g<char>()"};
  static unsigned caller_of(std::uint32_t line) {
    return line == 0 ? 0 : line == 10 || line == 30 ? 1 : 2;
  }

  RandomOptions options_;
  std::mt19937_64 random_;
  TraceBuilder trace_;
  Dag dag_;
  std::uint64_t now_ = 1000;
  std::deque<SimFrame> frames_;
  std::deque<SimContext> contexts_;
  std::deque<SimNode> nodes_;
  std::deque<SimThread> threads_;
  std::vector<SimFrame*> pool_; // spawned, not begun
  struct Edge {
    std::uint64_t id;
    int from;
    bool kept;
  };
  std::vector<Edge> edges_;
  std::vector<std::pair<std::uint64_t, std::vector<SimFrame*>>> aside_;
  unsigned tasks_ = 0;
  unsigned roots_ = 0;
  SimLock locks_[kOracleLocks];
  std::vector<SimSection> sections_;
};

void Simulation::setup() {
  for (std::uint32_t site = 1; site <= 5; ++site) {
    const std::string line = std::to_string(kLines[site]);
    trace_.site_line("{\"site\":" + std::to_string(site) +
                     ",\"tag\":\"explicit\",\"file\":\"p.cpp\",\"line\":" + line +
                     ",\"column\":1,\"end_line\":" + line + ",\"function\":\"" + kFunctions[site] +
                     "\",\"construct\":\"task_group\"}");
  }
  for (unsigned region = 0; region < kOracleRegions; ++region)
    trace_.region(region, "r" + std::to_string(region), "p.cpp", kFirstRegionLine + region);
  if (options_.locks)
    for (unsigned at = 0; at < kOracleLockPlaces; ++at)
      trace_.lock_place(at, trace::LockKind::RwMutex, "p.cpp", kFirstLockLine + at);
  const unsigned count = 1 + static_cast<unsigned>(pick(4));
  for (unsigned i = 0; i < count; ++i) {
    SimThread& thread = *make(threads_);
    thread.number = i;
    const bool worker = i > 0 && chance(60);
    thread.skew = options_.late ? static_cast<std::int64_t>(pick(60)) : 0;
    thread.recorded_until = local(thread);
    thread.stream = &trace_.stream(thread.recorded_until);
    const std::uint64_t prior = !worker && chance(30) ? amount() : 0;
    thread.stream->thread_begin(worker   ? trace::ThreadRole::Worker
                                : i == 0 ? trace::ThreadRole::Main
                                         : trace::ThreadRole::External,
                                prior);
    SimFrame* const root = make(frames_);
    root->number = roots_++;
    root->no_steps = worker;
    Node node;
    node.owner = root;
    node.weight = prior;
    node.from = "the start of the program";
    node.to = kFirstUse;
    root->opened = node.from;
    root->start = root->current = dag_.add(node);
    thread.stack.push_back(root);
  }
}

Figures Simulation::figures(SimThread& thread, std::uint64_t work) {
  const std::uint64_t total = local(thread) - thread.recorded_until;
  const std::uint64_t lead = pick(total + 1);
  thread.recorded_until = local(thread);
  return {work, lead, total - lead};
}

std::uint64_t Simulation::idle(SimThread& thread) {
  const std::uint64_t ticks = local(thread) - thread.recorded_until;
  thread.recorded_until = local(thread);
  return ticks;
}

std::string place(std::uint32_t line) {
  return line == 0 ? "the program" : "p.cpp:" + std::to_string(line);
}
std::string join_in(const SimFrame& frame) {
  return "a join or a pause in " + place(frame.line);
}

// The first cut of a thread that has not named a context before is the thread's first oneTBB call.
std::string cut_in(SimFrame& frame) {
  const bool is_first_use = !frame.task && !frame.used_tbb;
  frame.used_tbb = true;
  return is_first_use ? kFirstUse : join_in(frame);
}

constexpr std::uint64_t lock_address(unsigned lock) {
  return 64 * (lock + 1);
}

unsigned Simulation::flags_of(const SimSection& section) const {
  return (section.shared ? trace::kLockShared : 0) |
         (section.contended ? trace::kLockContended : 0);
}

// A lock that is free, or that the frame holds alone, which makes the section an inner one.
void Simulation::acquire_lock(SimFrame& frame, int node, std::uint64_t at) {
  SimSection section{.lock = static_cast<unsigned>(pick(kOracleLocks)),
                     .place = static_cast<std::uint32_t>(pick(kOracleLockPlaces)),
                     .shared = chance(40),
                     .owner = &frame,
                     .taken_in = node,
                     .taken_at = at,
                     .contended = chance(30)};
  SimLock& lock = locks_[section.lock];
  if (section.shared ? lock.writer != nullptr
                     : lock.readers > 0 || (lock.writer && lock.writer != &frame))
    return;
  section.inner = lock.writer == &frame;
  // Where it is not clear from the work whether an empty section comes before this one or is in it, it is in it.
  if (!section.shared && !section.inner)
    for (SimSection& each : sections_)
      each.inner |= each.lock == section.lock && !each.shared && each.taken_in == node &&
                    each.given_in == node && each.taken_at == at;
  section.waited = section.contended ? pick(50) : 0;
  if (section.shared)
    ++lock.readers;
  else
    lock.writer = &frame;
  frame.held.push_back(sections_.size());
  sections_.push_back(section);
}

// `held`: an index into the frame's. The last section of the same lock and mode ends.
void Simulation::release_lock(SimThread& thread, SimFrame& frame, std::size_t held, int node,
                              std::uint64_t at) {
  for (std::size_t later = held + 1; later < frame.held.size(); ++later) {
    const SimSection &a = sections_[frame.held[held]], &b = sections_[frame.held[later]];
    if (a.lock == b.lock && a.shared == b.shared)
      held = later;
  }
  SimSection& section = sections_[frame.held[held]];
  frame.held.erase(frame.held.begin() + static_cast<std::ptrdiff_t>(held));
  section.given_in = node;
  section.given_at = at;
  SimLock& lock = locks_[section.lock];
  if (section.shared)
    --lock.readers;
  else if (!section.inner)
    lock.writer = nullptr;
  const auto slot = static_cast<std::uint16_t>(section.lock);
  if (section.taken_in == node)
    thread.stream->section({at - section.taken_at, section.taken_at, section.waited}, slot,
                           section.place, flags_of(section));
  else
    thread.stream->give_lock(at, slot, section.shared ? trace::kLockShared : 0);
}

// Acquires and releases at points in the step, in order of time.
void Simulation::use_locks(SimThread& thread, SimFrame& frame, int node, bool is_last) {
  if (!thread.has_locks) {
    thread.has_locks = true;
    for (unsigned lock = 0; lock < kOracleLocks; ++lock)
      thread.stream->lock(static_cast<std::uint16_t>(lock), lock_address(lock),
                          trace::LockKind::RwMutex);
  }
  const std::uint64_t work = dag_.nodes[static_cast<std::size_t>(node)].weight;
  std::vector<std::uint64_t> points;
  for (std::uint64_t i = pick(5); i > 0; --i)
    points.push_back(pick(work + 1));
  std::ranges::sort(points);
  for (const std::uint64_t at : points)
    if (!frame.held.empty() && chance(50))
      release_lock(thread, frame, pick(frame.held.size()), node, at);
    else if (frame.held.size() < 4)
      acquire_lock(frame, node, at);
  // Some are never released.
  while (!frame.held.empty() && (is_last ? chance(97) : chance(60)))
    release_lock(thread, frame, frame.held.size() - 1, node, work);
  for (const std::size_t held : frame.held)
    if (const SimSection& section = sections_[held]; section.taken_in == node)
      thread.stream->take_lock({0, section.taken_at, section.waited},
                               static_cast<std::uint16_t>(section.lock), section.place,
                               flags_of(section));
}

int Simulation::step_node(SimThread& thread, SimFrame& frame, std::uint64_t work, bool is_last) {
  Node node;
  node.owner = &frame;
  node.from = frame.opened;
  node.to = "the end of " + place(frame.line);
  node.weight = work;
  node.line = frame.line;
  node.before = {frame.current};
  std::uint64_t rest = work;
  while (rest > 0 && chance(25)) {
    const auto region = static_cast<unsigned>(pick(kOracleRegions));
    const std::uint64_t part = 1 + pick(rest);
    thread.stream->region(region, part);
    node.regions[region] += part;
    rest -= part;
  }
  frame.current = dag_.add(node);
  if (options_.locks)
    use_locks(thread, frame, frame.current, is_last);
  return frame.current;
}

Figures Simulation::close(SimThread& thread, SimFrame& frame, const std::string& to) {
  const std::uint64_t work = amount();
  step_node(thread, frame, work);
  dag_.nodes.back().to = frame.opened = to;
  return figures(thread, work);
}

bool Simulation::may_wait(const SimFrame& frame, const SimContext* context,
                          const SimThread& thread) const {
  if (!context->exclusive)
    return true;
  for (const SimFrame* each = &frame; each; each = each->spawner)
    if (each->own == context)
      return false;
  for (const SimFrame* each : thread.stack)
    if (each->own == context)
      return false;
  return true;
}

// The owner of an unrelated frame's tasks in a parallel_for_each is certain while that is waited
// for.
bool Simulation::may_join_in(const SimContext& context) {
  if (!context.for_each)
    return true;
  for (const SimFrame* task : context.tasks)
    if (task->spawner == context.creator && !task->joined)
      return context.creator->waiting == &context;
  return false;
}

// The task, waited for alone, of the parallel_for_each that `frame` feeds in `context`.
const SimFrame* Simulation::taker_for(const SimFrame& frame, const SimContext& context) const {
  const auto takes = [&](const SimFrame* task) {
    return std::find(context.takers.begin(), context.takers.end(), task) != context.takers.end();
  };
  for (const SimFrame* task = &frame; task->task && task->own == &context; task = task->spawner) {
    if (task->fed_to)
      return task->fed_to;
    if (takes(task))
      return task;
  }
  // The newest one; late records do not show which that is.
  return options_.late || context.takers.empty() ? nullptr : context.takers.back();
}

SimContext* Simulation::choose_context(SimThread& thread, SimFrame& frame, bool for_wait,
                                       ContextOperand& operand) {
  frame.used_tbb = true;
  std::vector<SimContext*> usable;
  for (SimContext& context : contexts_) {
    if (context.over)
      continue;
    const bool related = context.creator == &frame || frame.own == &context;
    // With late records only a frame that is certain to be joined may add tasks.
    if (!related && (options_.late || !chance(15) || !may_join_in(context)))
      continue;
    if (for_wait && !may_wait(frame, &context, thread))
      continue;
    usable.push_back(&context);
  }
  SimContext* context = nullptr;
  if (usable.empty() || chance(25)) {
    context = make(contexts_);
    context->exclusive = chance(60);
    context->for_each = !context->exclusive && chance(50);
    context->users = !context->exclusive && !context->for_each && chance(50);
    context->creator = &frame;
    context->id = trace::pack_id(thread.number, thread.contexts++);
    operand = ContextOperand::fresh(context->exclusive);
    if (context->for_each)
      operand.construct = trace::Construct::ParallelForEach;
    if (context->users)
      operand.construct = trace::Construct::UserContext;
    frame.last = context;
    return context;
  }
  context = usable[pick(usable.size())];
  if (context == frame.own && chance(90))
    operand = ContextOperand::own();
  else if (context == frame.last && chance(90))
    operand = ContextOperand::last();
  else {
    operand = ContextOperand::of(context->id);
    frame.last = context;
  }
  return context;
}

SiteOperand Simulation::choose_site(SimThread& thread, const SimFrame& frame, std::uint32_t& line) {
  if (chance(30)) {
    line = frame.line;
    return SiteOperand::inherit();
  }
  if (thread.last_site != 0 && chance(30)) {
    line = kLines[thread.last_site];
    return SiteOperand::last();
  }
  thread.last_site = 1 + static_cast<std::uint32_t>(pick(5));
  line = kLines[thread.last_site];
  SiteOperand operand = SiteOperand::of(thread.last_site);
  if (chance(20))
    operand.code = trace::SiteCode::U32;
  return operand;
}

void Simulation::spawn(SimThread& thread, SimFrame& frame, bool wait) {
  ++tasks_;
  ContextOperand context_operand;
  std::uint32_t line = 0;
  const SiteOperand site = choose_site(thread, frame, line);
  SimContext* const context = choose_context(thread, frame, wait, context_operand);
  // In a user's context, an algorithm waits for its own task alone, or something is fed to one.
  const bool alone = wait && context->users && chance(60);
  const bool takes = alone && chance(60);
  const SimFrame* const fed_to =
      !wait && context->users && chance(40) ? taker_for(frame, *context) : nullptr;
  const bool split = !wait && chance(20);
  const Figures step =
      close(thread, frame, (wait ? "the wait after " : "the spawn at ") + place(line));
  dag_.nodes.back().spawns = true;
  frame.last_spawned = line;
  SimFrame* const task = make(frames_);
  task->task = true;
  task->opened = "the start of " + place(line);
  task->last_spawned = line;
  task->id = trace::pack_id(thread.number, thread.stream->spawns());
  task->spawner = &frame;
  task->depth = frame.depth + 1;
  task->number = frame.spawned++;
  task->own = context;
  task->alone = alone;
  task->fed_to = fed_to;
  task->part = context->users && !wait && !fed_to && frame.task && frame.own == context &&
               site.code == trace::SiteCode::Inherit;
  task->line = line;
  Node first;
  first.owner = task;
  first.first = true;
  first.before = {frame.current};
  task->start = task->current = dag_.add(first);
  context->tasks.push_back(task);
  ++context->unfinished;
  if (split) {
    SimNode* const node = make(nodes_);
    node->outer = frame.node;
    node->outer_side = frame.side;
    frame.node = task->node = node;
    frame.side = 0;
    task->side = 1;
  }
  if (takes || fed_to)
    thread.stream->extended(trace::ExtendedKind::Feed, nullptr, 0);
  thread.stream->spawn(step, site, context_operand, split || alone, wait);
  if (takes)
    context->takers.push_back(task);
  pool_.push_back(task);
  if (wait) {
    frame.waiting = context;
    frame.waiting_for = alone ? task : nullptr;
    ++context->waits;
  }
}

// Whether the chain of creators from `task` upwards, within this context, starts at `frame` or at
// the task that `frame` waits for alone.
bool descends(const SimFrame* task, const SimFrame& frame) {
  const SimContext* const context = task->own;
  if (context->for_each && frame.own == context)
    return task->spawner == &frame;
  // A wait for the parallel_for_each also joins what a frame from outside feeds to it.
  if (context->for_each)
    return &frame == context->creator;
  while (task->task && task->own == context) {
    // A split-off task counts as a sibling of its spawner.
    while (task->part)
      task = task->spawner;
    if (frame.waiting_for && (task == frame.waiting_for || task->fed_to == frame.waiting_for))
      return true;
    if (task->alone || task->fed_to)
      return false;
    task = task->spawner;
    if (task == &frame && !frame.waiting_for)
      return true;
  }
  return false;
}

// The order in which tasks would end if each ran where it was spawned: the order of the spawner, and
// a child before it.
bool precedes(const SimFrame* a, const SimFrame* b) {
  const SimFrame *of_a = nullptr, *of_b = nullptr; // children of a and b on the way up
  while (a != b && (a->spawner || b->spawner)) {
    const unsigned depth = std::max(a->depth, b->depth);
    if (a->depth == depth)
      a = (of_a = a)->spawner;
    if (b->depth == depth)
      b = (of_b = b)->spawner;
  }
  if (a != b) // roots
    return a->number < b->number;
  return of_b ? of_a && of_a->number < of_b->number : of_a != nullptr;
}

std::vector<SimFrame*> Simulation::joined(const SimFrame& frame) const {
  std::vector<SimFrame*> tasks;
  for (SimFrame* task : frame.waiting->tasks)
    if (frame.waiting->exclusive || descends(task, frame))
      tasks.push_back(task);
  return tasks;
}

bool Simulation::wait_possible(const SimFrame& frame) const {
  for (const SimFrame* task : joined(frame))
    if (!task->released)
      return false;
  return true;
}

void Simulation::end_wait(SimThread& thread, SimFrame& frame) {
  Node node;
  node.owner = &frame;
  node.is_wait = true;
  node.wait_line = frame.last_spawned;
  SimContext& context = *frame.waiting;
  std::size_t skip = 0;
  if (context.exclusive) {
    if (context.last_waiter == &frame)
      skip = context.joined;
    context.last_waiter = &frame;
    context.joined = context.tasks.size();
  }
  std::vector<const SimFrame*> fresh;
  for (SimFrame* task : joined(frame)) {
    if (skip > 0) {
      --skip;
      node.again.push_back(task->end);
      continue;
    }
    if (!context.exclusive && task->joined)
      continue;
    task->joined = true;
    fresh.push_back(task);
  }
  std::ranges::sort(fresh, precedes);
  for (const SimFrame* task : fresh)
    node.before.push_back(task->end);
  node.before.push_back(frame.current);
  frame.current = dag_.add(node);
  --frame.waiting->waits;
  context.takers.erase(std::remove(context.takers.begin(), context.takers.end(), frame.waiting_for),
                       context.takers.end());
  frame.waiting = nullptr;
  frame.waiting_for = nullptr;
  thread.stream->wait_end(idle(thread));
}

void Simulation::deposit(SimNode* node, int side, int end) {
  while (node) {
    node->end[side] = end;
    if (node->end[1 - side] < 0)
      return;
    // Both ends are unjoined: they go on to the outer node.
    Node both;
    both.before = {node->end[1], node->end[0]};
    end = dag_.add(both);
    side = node->outer_side;
    node = node->outer;
  }
}

void Simulation::release_frame(SimFrame& frame) {
  frame.end = frame.current;
  dag_.nodes[static_cast<std::size_t>(frame.end)].ends_task = true;
  frame.released = true;
  if (frame.own)
    --frame.own->unfinished;
  if (frame.node)
    deposit(frame.node, frame.side, frame.end);
}

TaskOperand Simulation::operand_of(const SimThread& thread, const SimFrame& task) {
  if (trace::id_stream(task.id) != thread.number || chance(20))
    return TaskOperand::of(task.id);
  const std::uint64_t back = thread.stream->spawns() - 1 - trace::id_ordinal(task.id);
  return back == 0 ? TaskOperand::newest() : TaskOperand::back(back);
}

void Simulation::begin(SimThread& thread, std::size_t index) {
  SimFrame* const task = pool_[index];
  pool_.erase(pool_.begin() + static_cast<std::ptrdiff_t>(index));
  const TaskOperand operand = operand_of(thread, *task);
  thread.stack.push_back(task);
  if (chance(30)) {
    // A task without events inside.
    const std::uint64_t work = amount();
    step_node(thread, *task, work, true);
    release_frame(*task);
    thread.ending = thread.ending_as_task = true;
    thread.ending_operand = operand;
    thread.ending_work = work;
    if (!options_.late)
      finish_ending(thread);
    return;
  }
  thread.stream->begin(operand, idle(thread));
}

void Simulation::finish_ending(SimThread& thread) {
  const Figures step = figures(thread, thread.ending_work);
  if (thread.ending_as_task)
    thread.stream->task(thread.ending_operand, step);
  else
    thread.stream->end(step);
  thread.ending = thread.ending_as_task = false;
  thread.stack.pop_back();
}

// Chooses what a running frame does next and does it. Returns false if that is impossible.
bool Simulation::run_action(SimThread& thread, SimFrame& frame) {
  StreamBuilder& stream = *thread.stream;
  const bool wind_down = tasks_ >= options_.most_tasks || ++frame.events > 12;
  // Towards the end of the run, tasks end and roots only wait.
  if (wind_down && !frame.task && (pool_.empty() || !chance(20)))
    return false;
  const std::uint64_t what = wind_down && frame.task && chance(60) ? 99
                             : wind_down && !frame.task            ? 40
                                                                   : pick(100);
  if (what < 35 && !wind_down) {
    spawn(thread, frame, chance(25));
  } else if (what < 50) {
    ContextOperand operand;
    if (contexts_.empty())
      return false;
    SimContext* const context = choose_context(thread, frame, true, operand);
    stream.wait(close(thread, frame, "the wait after " + place(frame.last_spawned)), operand);
    frame.waiting = context;
    ++context->waits;
  } else if (what < 56 && frame.loops.size() < 3) {
    stream.loop_begin(close(thread, frame, "the start of a loop body of " + place(frame.line)));
    dag_.nodes[static_cast<std::size_t>(frame.current)].loop_begin = true;
    frame.loops.push_back(frame.current);
  } else if (what < 64 && !frame.loops.empty()) {
    const std::uint64_t iterations = pick(100), grain = pick(20);
    stream.loop_end(close(thread, frame, "the end of a loop body of " + place(frame.line)),
                    iterations, grain);
    Node& node = dag_.nodes[static_cast<std::size_t>(frame.current)];
    node.loop_end = true;
    node.iterations = iterations;
    node.grain = grain;
    frame.loops.pop_back();
  } else if (what < 67) {
    const bool kept = pick(4) == 0;
    stream.release(close(thread, frame, join_in(frame)), kept);
    edges_.push_back({trace::pack_id(thread.number, thread.releases++), frame.current, kept});
  } else if (what < 71 && !edges_.empty()) {
    const std::size_t index = pick(edges_.size());
    const auto [id, from, kept] = edges_[index];
    if (!kept)
      edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(index));
    const bool alone = options_.restarts && frame.loops.empty() && pick(4) == 0;
    stream.acquire(close(thread, frame, join_in(frame)), id, alone);
    Node node;
    node.owner = &frame;
    node.before = {frame.current, from};
    if (alone)
      node.before = {from};
    frame.current = dag_.add(node);
    if (frame.task && has_just_begun(frame))
      frame.start = frame.current;
  } else if (what < 78 && frame.node && frame.node->end[1 - frame.side] >= 0) {
    stream.join(close(thread, frame, join_in(frame)));
    const int other = frame.node->end[1 - frame.side];
    Node node;
    node.owner = &frame;
    if (frame.side == 1)
      node.before = {frame.current, other};
    else
      node.before = {other, frame.current};
    frame.current = dag_.add(node);
    const SimNode* const passed = frame.node;
    frame.node = passed->outer;
    frame.side = passed->outer_side;
  } else if (what < 80) {
    stream.cut(close(thread, frame, cut_in(frame)));
  } else if (what < 84 && !options_.late) {
    for (SimContext& context : contexts_)
      if (!context.over && context.creator == &frame && context.unfinished == 0 &&
          context.waits == 0 && context.tasks.size() > 0) {
        stream.context_end(ContextOperand::of(context.id));
        frame.last = nullptr;
        context.over = true;
        return true;
      }
    return false;
  } else if (what < 86 && frame.task) {
    stream.cut(close(thread, frame, join_in(frame)));
    stream.extended(trace::ExtendedKind::StackOut, nullptr, 0);
    aside_.emplace_back(trace::pack_id(thread.number, thread.stacks++), thread.stack);
    thread.stack.clear();
    SimFrame* const base = make(frames_);
    Node node;
    base->start = base->current = dag_.add(node);
    base->base = base->no_steps = true;
    base->number = roots_++;
    thread.stack.push_back(base);
  } else if (frame.task && (wind_down || what >= 92)) {
    thread.ending_work = amount();
    step_node(thread, frame, thread.ending_work, true);
    release_frame(frame);
    thread.ending = true;
    if (!options_.late)
      finish_ending(thread);
  } else {
    return false;
  }
  return true;
}

// What a thread without a running task does: it begins one, or ends its wait.
bool Simulation::idle_action(SimThread& thread) {
  SimFrame& top = *thread.stack.back();
  if (top.base && thread.stack.size() == 1 && !aside_.empty() && chance(50)) {
    const std::size_t index = pick(aside_.size());
    thread.stream->stack_in(aside_[index].first, idle(thread));
    thread.stack = aside_[index].second;
    aside_.erase(aside_.begin() + static_cast<std::ptrdiff_t>(index));
    return true;
  }
  if (top.waiting && wait_possible(top) && chance(60)) {
    end_wait(thread, top);
    return true;
  }
  if (!pool_.empty() && thread.stack.size() < 40) {
    // Mostly the newest, as oneTBB does, sometimes the oldest or a random one.
    begin(thread, chance(60) ? pool_.size() - 1 : pick(pool_.size()));
    return true;
  }
  return false;
}

bool Simulation::act(SimThread& thread) {
  if (thread.ending) {
    if (!chance(30))
      return true;
    finish_ending(thread);
    return true;
  }
  SimFrame& top = *thread.stack.back();
  return top.waiting || top.no_steps ? idle_action(thread) : run_action(thread, top);
}

std::uint64_t at(const std::vector<std::uint64_t>& lengths, int node) {
  return lengths[static_cast<std::size_t>(node)];
}

bool Simulation::is_below(const SimFrame* frame, const SimFrame& ancestor) const {
  for (; frame; frame = frame->spawner)
    if (frame == &ancestor)
      return true;
  return false;
}

// No step with work, and no task created so far.
bool Simulation::has_just_begun(const SimFrame& frame) const {
  for (const Node& node : dag_.nodes)
    if (node.owner == &frame && (node.weight > 0 || node.spawns))
      return false;
  return true;
}

// The measures of one task, by their definitions.
OracleSite Simulation::whole(const SimFrame& frame,
                             const std::vector<std::uint64_t>& length) const {
  OracleSite site;
  site.local.count = 1;
  std::uint64_t work = 0, latest = at(length, frame.start);
  for (const Node& node : dag_.nodes) {
    if (node.owner == &frame)
      site.local.work += node.weight;
    if (is_below(node.owner, frame))
      work += node.weight;
  }
  for (const SimFrame& other : frames_)
    if (is_below(&other, frame))
      latest = std::max(latest, at(length, other.end));
  bool top_call_site = true, top_caller = true;
  for (const SimFrame* each = frame.spawner; each; each = each->spawner) {
    if (!each->task)
      continue;
    top_call_site &= each->line != frame.line;
    top_caller &= caller_of(each->line) != caller_of(frame.line);
  }
  const OracleSums sums{1, work, std::min(work, latest - at(length, frame.start))};
  if (top_call_site)
    site.top_call_site = sums;
  if (top_caller)
    site.top_caller = sums;
  return site;
}

void add(OracleSums& to, const OracleSums& from) {
  to.count += from.count;
  to.work += from.work;
  to.span += from.span;
}

void add(OracleSite& to, const OracleSite& from) {
  add(to.top_call_site, from.top_call_site);
  add(to.top_caller, from.top_caller);
  add(to.local, from.local);
}

void Simulation::compute_sites(OracleResult& result, const std::vector<std::uint64_t>& length,
                               const std::vector<int>& chosen) const {
  for (const SimFrame& frame : frames_) {
    OracleSite site = whole(frame, length);
    if (!frame.task)
      site = {{}, {}, {0, site.local.work, 0}};
    for (int i = frame.end; i >= 0; i = chosen[static_cast<std::size_t>(i)])
      if (dag_.nodes[static_cast<std::size_t>(i)].owner == &frame)
        site.local.span += dag_.nodes[static_cast<std::size_t>(i)].weight;
    add(result.sites[frame.line], site);
  }
}

void Simulation::compute_on_span(OracleResult& result, const std::vector<std::uint64_t>& length,
                                 const std::vector<int>& chosen) const {
  // A root wins against tasks, which it has joined or nothing has.
  const SimFrame* last = nullptr;
  for (const SimFrame& frame : frames_)
    if (at(length, frame.end) == result.span &&
        (!last || (last->task == frame.task ? precedes(&frame, last) : !frame.task)))
      last = &frame;
  if (last) {
    std::map<std::uint32_t, OracleSite> sites;
    std::set<const SimFrame*> on_path;
    for (int i = last->end; i >= 0; i = chosen[static_cast<std::size_t>(i)]) {
      const Node& node = dag_.nodes[static_cast<std::size_t>(i)];
      if (node.owner && on_path.insert(node.owner).second)
        add(sites[node.owner->line], whole(*node.owner, length));
      if (node.weight > 0)
        sites[node.line].local.span += node.weight;
      for (const auto& [region, work] : node.regions)
        sites[kFirstRegionLine + region].local.span += work;
    }
    if (const auto main = sites.find(0); main != sites.end())
      main->second = {{}, {}, {0, 0, main->second.local.span}};
    std::erase_if(sites, [](const auto& each) { return each.second == OracleSite{}; });
    result.on_span = sites;
  }
}

std::uint64_t Simulation::span(const Lengths& options) const {
  const auto length = dag_.lengths(options);
  std::uint64_t longest = 0;
  for (const SimFrame& frame : frames_)
    // With loops split, a joined task is part of another one's path, perhaps scaled down there.
    if (!options.divisible || !frame.joined)
      longest = std::max(longest, at(length, frame.end));
  return longest;
}

void Simulation::compute(OracleResult& result) const {
  std::vector<int> chosen;
  const auto length = dag_.lengths({.chosen = &chosen});
  for (const Node& node : dag_.nodes)
    result.work += node.weight;
  result.span = span({});
  result.divisible_span = span({.divisible = true});
  compute_sites(result, length, chosen);
  compute_on_span(result, length, chosen);
  for (const auto& [line, site] : result.sites)
    if (line != 0)
      result.chains[line] = span({.weight = [line = line](const Node& node) {
        const SimFrame* frame = node.owner;
        while (frame && (!frame->task || frame->line != line))
          frame = frame->spawner;
        return frame ? node.weight : 0;
      }});
  result.burdened_cilk = span({.burden = [](const Node& from, const Node& to) {
    const bool continuation = from.spawns && from.owner == to.owner && !to.first;
    return (continuation ? kOracleBurden : 0) + (from.ends_task ? kOracleBurden : 0);
  }});
  result.burdened_tbb =
      span({.burden = [](const Node&, const Node& to) { return to.first ? kOracleBurden : 0; }});
  for (int region = -1; region < static_cast<int>(kOracleRegions); ++region)
    for (const std::uint64_t factor : kOracleFactors) {
      std::uint64_t work = 0;
      const auto weight = [&](const Node& node) {
        std::uint64_t inside = 0;
        for (const auto& [id, part] : node.regions)
          if (region < 0 || static_cast<int>(id) == region)
            inside += part;
        return (node.weight - inside) * factor + inside;
      };
      for (const Node& node : dag_.nodes)
        work += weight(node);
      result.what_if[{region, factor}] = {span({.weight = weight}), work};
    }
}

OracleQuestions Simulation::questions(std::shared_ptr<const Simulation> self) const {
  const auto cheaper = [self](std::uint64_t factor, auto part) {
    return self->span({.weight = [&](const Node& node) {
      const std::uint64_t inside = part(node);
      return (node.weight - inside) * factor + inside;
    }});
  };
  OracleQuestions ask;
  ask.site = [=](std::uint32_t line, std::uint64_t factor) {
    return cheaper(factor, [=](const Node& n) { return n.line == line ? n.weight : 0; });
  };
  ask.site_or_region = [=](std::uint32_t line, unsigned region, std::uint64_t factor) {
    return cheaper(factor, [=](const Node& n) {
      const auto part = n.regions.find(region);
      return n.line == line ? n.weight : part == n.regions.end() ? 0 : part->second;
    });
  };
  ask.stretch = [=](const std::string& from, const std::string& to, std::uint64_t factor) {
    const bool is_first_use = to.starts_with(kFirstUse); // the oracle does not know before what
    return cheaper(factor, [&](const Node& n) {
      return n.from == from && (n.to == to || (is_first_use && n.to == kFirstUse)) ? n.weight : 0;
    });
  };
  ask.without_wait = [=](std::uint32_t line) { return self->span({.removed_wait = line}); };
  ask.grain = [=](std::uint32_t line, std::uint64_t grain) {
    Simulation changed = *self;
    for (Node& node : changed.dag_.nodes)
      if (node.loop_end && node.line == line)
        node.grain = grain;
    return changed.span({.divisible = true});
  };
  return ask;
}

// How much of a part of a node is in a section of the place that its own task holds, or, for a line,
// whether it is of that line.
std::uint64_t Simulation::inside(int node, std::optional<std::uint32_t> place,
                                 std::optional<std::uint32_t> line, std::uint64_t begin,
                                 std::uint64_t end) const {
  const Node& of = dag_.nodes[static_cast<std::size_t>(node)];
  if (line)
    return of.owner && of.line == *line ? end - begin : 0;
  if (!place || !of.owner)
    return 0;
  std::set<std::uint64_t> units; // brute force: one by one
  for (const SimSection& section : sections_) {
    if (section.inner || section.place != *place || section.owner != of.owner ||
        section.taken_in > node || (section.given_in >= 0 && section.given_in < node))
      continue;
    const std::uint64_t from = section.taken_in == node ? section.taken_at : 0;
    const std::uint64_t to = section.given_in == node ? section.given_at : of.weight;
    for (std::uint64_t unit = std::max(from, begin); unit < std::min(to, end); ++unit)
      units.insert(unit);
  }
  return units.size();
}

OracleLocks Simulation::lock_sums(std::optional<std::uint32_t> place,
                                  std::optional<std::uint32_t> line, std::uint64_t factor) const {
  const std::size_t count = dag_.nodes.size();
  const auto weight = [&](std::size_t node, std::uint64_t begin, std::uint64_t end) {
    return factor * (end - begin) -
           (factor - 1) * inside(static_cast<int>(node), place, line, begin, end);
  };
  std::vector<std::uint64_t> whole(count), before(count), after(count);
  OracleLocks sums;
  for (std::size_t i = 0; i < count; ++i) {
    whole[i] = weight(i, 0, dag_.nodes[i].weight);
    sums.work += whole[i];
    for (const int from : dag_.nodes[i].before)
      if (from >= 0)
        before[i] = std::max(before[i], before[static_cast<std::size_t>(from)] +
                                            whole[static_cast<std::size_t>(from)]);
  }
  for (const SimFrame& frame : frames_)
    sums.span = std::max(sums.span, before[static_cast<std::size_t>(frame.end)] +
                                        whole[static_cast<std::size_t>(frame.end)]);
  for (std::size_t i = count; i-- > 0;)
    for (const int from : dag_.nodes[i].before)
      if (from >= 0)
        after[static_cast<std::size_t>(from)] =
            std::max(after[static_cast<std::size_t>(from)], after[i] + whole[i]);
  struct Counted {
    bool shared;
    std::uint64_t span, before, after;
  };
  std::map<unsigned, std::vector<Counted>> of_lock;
  for (const SimSection& section : sections_) {
    OracleLock& lock = sums.objects[lock_address(section.lock)];
    ++lock.acquisitions;
    lock.contended += section.contended;
    lock.shared += section.shared;
    lock.waited += section.waited;
    const auto from = static_cast<std::size_t>(section.taken_in);
    const auto to = static_cast<std::size_t>(section.given_in);
    const std::uint64_t least_before = before[from] + weight(from, 0, section.taken_at);
    std::uint64_t span = 0, plain = 0;
    if (section.given_in < 0) {
      ++lock.open;
      continue;
    }
    if (from == to) {
      span = weight(from, section.taken_at, section.given_at);
      plain = section.given_at - section.taken_at;
    } else {
      // The longest path from one to the other, node by node.
      std::vector<std::int64_t> path(count, -1), plain_path(count, -1);
      for (std::size_t i = from; i < to; ++i) {
        if (i == from) {
          path[i] =
              static_cast<std::int64_t>(weight(from, section.taken_at, dag_.nodes[from].weight));
          plain_path[i] = static_cast<std::int64_t>(dag_.nodes[from].weight - section.taken_at);
          continue;
        }
        for (const int each : dag_.nodes[i].before)
          if (each >= 0 && path[static_cast<std::size_t>(each)] >= 0) {
            path[i] = std::max(path[i], path[static_cast<std::size_t>(each)] +
                                            static_cast<std::int64_t>(whole[i]));
            plain_path[i] =
                std::max(plain_path[i], plain_path[static_cast<std::size_t>(each)] +
                                            static_cast<std::int64_t>(dag_.nodes[i].weight));
          }
      }
      std::int64_t longest = -1, plain_longest = -1;
      for (const int each : dag_.nodes[to].before)
        if (each >= 0) {
          longest = std::max(longest, path[static_cast<std::size_t>(each)]);
          plain_longest = std::max(plain_longest, plain_path[static_cast<std::size_t>(each)]);
        }
      if (longest < 0) {
        ++lock.open;
        continue;
      }
      span = static_cast<std::uint64_t>(longest) + weight(to, 0, section.given_at);
      plain = static_cast<std::uint64_t>(plain_longest) + section.given_at;
    }
    if (section.inner)
      continue;
    lock.held += plain;
    (section.shared ? lock.longest_shared : lock.exclusive) =
        section.shared ? std::max(lock.longest_shared, span) : lock.exclusive + span;
    of_lock[section.lock].push_back(
        {section.shared, span, least_before,
         after[to] + weight(to, section.given_at, dag_.nodes[to].weight)});
  }
  // All sets of the exclusive sections and at most one shared one.
  for (const auto& [lock, sections] : of_lock) {
    OracleLock& sum = sums.objects[lock_address(lock)];
    for (std::size_t reader = 0; reader <= sections.size(); ++reader) {
      if (reader < sections.size() && !sections[reader].shared)
        continue;
      std::uint64_t total = 0, first = ~std::uint64_t{0}, last = ~std::uint64_t{0};
      for (std::size_t i = 0; i < sections.size(); ++i) {
        if (sections[i].shared && i != reader)
          continue;
        total += sections[i].span;
        first = std::min(first, sections[i].before);
        last = std::min(last, sections[i].after);
      }
      if (first != ~std::uint64_t{0})
        sum.bound = std::max(sum.bound, first + total + last);
      if (first != ~std::uint64_t{0})
        sum.in_thirds = std::max(sum.in_thirds, first + (total + 2) / 3 + last);
    }
  }
  return sums;
}

RandomProgram Simulation::run() {
  RandomProgram program;
  setup();
  unsigned stuck = 0;
  for (unsigned ticks = 0; ticks < 20000; ++ticks) {
    now_ += 1 + pick(3);
    SimThread& thread = threads_[pick(threads_.size())];
    const bool did = act(thread);
    if (did && chance(3))
      thread.stream->new_chunk(thread.recorded_until);
    stuck = did ? 0 : stuck + 1;
    const bool over =
        tasks_ >= options_.most_tasks && pool_.empty() && aside_.empty() &&
        std::all_of(threads_.begin(), threads_.end(), [](const SimThread& thread) {
          return thread.stack.size() == 1 && !thread.stack[0]->waiting && !thread.stack[0]->task;
        });
    if (over) {
      program.valid = true;
      break;
    }
    if (stuck > 300)
      break;
  }
  if (!program.valid)
    return program;
  for (SimThread& thread : threads_) {
    now_ += 1;
    SimFrame& root = *thread.stack[0];
    const std::uint64_t work = root.no_steps ? 0 : amount();
    step_node(thread, root, work, true);
    root.end = root.current;
    const Figures step = figures(thread, work);
    if (chance(50)) {
      thread.stream->end(step);
      thread.stream->thread_end(1);
    } else {
      dag_.nodes[static_cast<std::size_t>(root.end)].to = cut_in(root);
      thread.stream->cut(step);
    }
  }
  for (SimFrame& frame : frames_)
    if (frame.end < 0)
      frame.end = frame.current; // bases
  compute(program.expected);
  program.trace = std::move(trace_);
  program.tasks = tasks_;
  return program;
}

} // namespace

RandomProgram make_random_program(const RandomOptions& options) {
  const auto simulation = std::make_shared<Simulation>(options);
  RandomProgram program = simulation->run();
  program.ask = simulation->questions(simulation);
  program.locks = [simulation](std::optional<std::uint32_t> place,
                               std::optional<std::uint32_t> line, std::uint64_t factor) {
    return simulation->lock_sums(place, line, factor);
  };
  return program;
}

} // namespace tp::test
