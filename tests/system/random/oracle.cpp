// SPDX-License-Identifier: Apache-2.0
// The walk, and brute force on its DAG.
//
// A loop with the simple partitioner is halved down to its grain size, one task per part; for any
// other partitioner this is the schedule-independent span. A run has at least the span of this tree
// (of that of single iterations, if splits are proportional) without the joins that the schedule
// decides on; at most that of one task for all iterations, and all those joins. So such programs are
// walked several times (kDivided, ...). So are pipelines whose items may overtake each other: at best
// no item is delayed by another, at most everything runs one after the other.
//
// Tasks are walked where they are spawned, to their end. That is one of the orders in which the
// program can run, and by construction all orders join the same tasks. It is also the order of the
// tree: of equally long ends that a wait joins the one that comes first here is on the critical
// path, and any of them is rather than the path of the task that waits.
#include "oracle.h"

#include <algorithm>
#include <deque>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

namespace random_program {
namespace {

constexpr unsigned kNoRegion = kRegions;
constexpr unsigned kNoArena = kArenas + 1; // that of the thread

struct Frame;
struct GroupState {
  struct End {
    int node;
    std::vector<const Frame*> joined_by;
  };
  std::vector<End> ends; // of its tasks
  bool cancelled = false;
  bool threw = false;
};

struct Frame {
  const Frame* spawner = nullptr;
  bool is_task = false;
  unsigned row = 0;
  unsigned region = kNoRegion;       // the outermost open one
  const GroupState* group = nullptr; // to which the task belongs
  unsigned arena = kNoArena;         // that it is in now; tasks that it creates run there
  unsigned locks = 0;                // that it holds, by bits
  int start = -1, current = -1;
};

struct Node {
  const Frame* owner = nullptr;
  Units weight = 0, latency = 0;
  unsigned region = kNoRegion;
  unsigned arena = kNoArena;
  std::vector<int> before;
  unsigned locks = 0;  // of its owner
  bool ordered = true; // by `before`: of equal paths the first is the critical one; else any
};

// Of a lock: from one node to another.
struct Section {
  unsigned lock = 0;
  bool shared = false;
  int take = -1, give = -1;
};

struct Items;
struct Scope {
  Scope* outer = nullptr;
  const Block* block = nullptr;
  std::vector<GroupState> groups;
  Items* items = nullptr; // of the innermost parallel_for_each
};

// The tasks of a running parallel_for_each.
struct Items {
  unsigned row = 0;
  Scope* scope = nullptr;
  std::vector<int> ends;
  bool any_fed = false;
};

// A box of iterations, split along its longest side, measured in grain sizes: as oneTBB's ranges of
// three dimensions, and with one page those of two, and with one column those of one.
struct Part {
  struct Side {
    unsigned from, to, grain;
    unsigned size() const { return to - from; }
    bool is_divisible() const { return size() > grain; }
  };
  Side pages, rows, columns;

  bool is_divisible() const {
    return pages.is_divisible() || rows.is_divisible() || columns.is_divisible();
  }
  // Keeps the first half and returns the second.
  Part split() {
    const auto is_shorter = [](const Side& a, const Side& b) {
      return a.size() * b.grain < b.size() * a.grain;
    };
    Side Part::* const page_or_row = is_shorter(pages, rows) ? &Part::rows : &Part::pages;
    Side Part::* const side =
        is_shorter(this->*page_or_row, columns) ? &Part::columns : page_or_row;
    Part second = *this;
    Side &kept = this->*side, &given = second.*side;
    kept.to = given.from = kept.from + kept.size() / 2;
    return second;
  }
  std::vector<unsigned> iterations(unsigned all_rows, unsigned all_columns) const {
    std::vector<unsigned> list;
    for (unsigned page = pages.from; page < pages.to; ++page)
      for (unsigned row = rows.from; row < rows.to; ++row)
        for (unsigned column = columns.from; column < columns.to; ++column)
          list.push_back((page * all_rows + row) * all_columns + column);
    return list;
  }
};

struct Splitting {
  bool all;   // loops that the schedule decides on are halved to their grain size; else not at all
  bool fine;  // those with proportional splits to single iterations
  bool joins; // that the schedule decides on
};
constexpr Splitting kDivided = {true, false, true};
constexpr Splitting kUnjoined = {true, false, false};
constexpr Splitting kLeast = {true, true, false};
constexpr Splitting kMost = {false, false, false};
enum class Outcome : std::uint8_t { Normal, Threw };

bool can_overtake(const Statement& pipeline) {
  return std::find(pipeline.unordered.begin(), pipeline.unordered.end(), true) !=
         pipeline.unordered.end();
}

class Walk {
public:
  Walk(const Program& program, Sites sites, Splitting splitting);

  std::deque<Frame> frames;
  std::vector<Node> nodes;
  std::array<bool, kRegions> entered{};
  std::array<Units, kKinds> executed{};
  std::vector<Section> sections;
  std::set<unsigned> graph_rows;
  // The task of one call of each reduction in whose joins the schedule has a say.
  std::map<const Statement*, const Frame*> loosely_joined;
  std::map<unsigned, std::set<Units>> join_costs; // by row
  Units one_join_each = 0;                        // of all calls of reductions
  Units tasks = 0;

private:
  int add(const Frame& owner, Units weight, std::vector<int> before, unsigned region = kNoRegion);
  Frame& begin_root();
  Frame& begin_thread(Frame& creator, unsigned row);
  void join(Frame& frame, const std::vector<int>& ends);
  void join_in_any_order(Frame& frame, const std::vector<int>& ends);
  Frame& spawn(Frame& parent, unsigned row);
  // A task that comes after the nodes `before`, not after its spawner.
  Frame& start(Frame& spawner, unsigned row, std::vector<int> before);
  bool halves(const Statement& s) const {
    return splitting_.all || (s.partitioner == Partitioner::Simple && s.kind != Kind::Scan);
  }

  // `items` belongs to the parallel_for_each whose item the block is; if null, that of the outer
  // block applies.
  Outcome block(const Block& block, Scope* outer, Frame& frame, Items* items = nullptr);
  Outcome statements(const Block& block, Scope& scope, Frame& frame);
  Outcome statement(const Statement& s, Scope& scope, Frame& frame);
  Outcome region(const Statement& s, Scope& scope, Frame& frame);
  Outcome lock(const Statement& s, Scope& scope, Frame& frame);
  void run(const Statement& s, Scope& scope, Frame& frame);
  Outcome wait(const Statement& s, Scope& scope, Frame& frame);
  void invoke(const Statement& s, Scope& scope, Frame& frame);
  Outcome loop(const Statement& s, Scope& scope, Frame& frame);
  void note_joins(const Statement& s, const Frame& root);
  Outcome parts(const Statement& s, Scope& scope, Frame& frame, const Part& part,
                std::vector<int>& ends);
  void for_each(const Statement& s, Scope& scope, Frame& frame);
  void feed(const Statement& s, Frame& frame, Items& items);
  Outcome pipeline(const Statement& s, Scope& scope, Frame& frame);
  void threads(const Statement& s, Scope& scope, Frame& frame);
  Outcome graph(const Statement& s, Scope& scope, Frame& frame);
  Frame& graph_node(const Statement& s, unsigned node, Frame& spawner,
                    const std::vector<Frame*>& passed, std::vector<int> before);
  void suspend(const Statement& s, Scope& scope, Frame& frame);
  void cancel(const Statement& s, Scope& scope);
  Outcome other_arena(const Statement& s, Scope& scope, Frame& frame);
  std::pair<GroupState*, Scope*> find(unsigned number, Scope& scope) const;

  unsigned filter_row(const Statement& pipeline, unsigned filter) const {
    return kFilterRows + filter + (sites_ == Sites::Explicit ? kMostFilters * pipeline.site : 0);
  }
  unsigned row_of(const Statement& s) const {
    const bool has_line = sites_ == Sites::Explicit && s.kind != Kind::Standard;
    return has_line ? 1 + s.site : 1 + kSites + static_cast<unsigned>(call_of(s));
  }

  Sites sites_;
  Splitting splitting_;
  std::size_t threads_;
};

Walk::Walk(const Program& program, Sites sites, Splitting splitting)
    : sites_(sites), splitting_(splitting), threads_(program.threads.size()) {
  Scope shared{nullptr, &program.prologue, std::vector<GroupState>(program.prologue.groups.size())};
  Frame& main = begin_root();
  statements(program.prologue, shared, main);
  // All are created before any of them, or main(), goes on in this walk: what they share is joined in
  // the order of their blocks.
  std::vector<Frame*> running{&main};
  for (std::size_t i = 1; i < program.threads.size(); ++i)
    running.push_back(&begin_thread(main, 1 + kSites + static_cast<unsigned>(Call::Thread)));
  for (std::size_t i = 0; i < running.size(); ++i)
    block(program.threads[i], &shared, *running[i]);
  for (const Frame* thread : running)
    if (thread->is_task)
      join(main, {thread->current});
  statements(program.epilogue, shared, main);
}

Frame& Walk::begin_root() {
  Frame& root = frames.emplace_back();
  root.start = root.current = add(root, 0, {});
  return root;
}

int Walk::add(const Frame& owner, Units weight, std::vector<int> before, unsigned region) {
  nodes.push_back({&owner, weight, 0, region, owner.arena, std::move(before), owner.locks});
  return static_cast<int>(nodes.size()) - 1;
}

void Walk::join(Frame& frame, const std::vector<int>& ends) {
  std::vector<int> before = ends;
  before.push_back(frame.current);
  frame.current = add(frame, 0, std::move(before));
}

// By edges, or where the order of the tasks depends on the schedule.
void Walk::join_in_any_order(Frame& frame, const std::vector<int>& ends) {
  join(frame, ends);
  nodes.back().ordered = false;
}

Frame& Walk::spawn(Frame& parent, unsigned row) {
  return start(parent, row, {parent.current});
}

Frame& Walk::start(Frame& spawner, unsigned row, std::vector<int> before) {
  ++tasks;
  Frame& task = frames.emplace_back();
  task.spawner = &spawner;
  task.is_task = true;
  task.arena = spawner.arena;
  task.row = row;
  const bool ordered = before.size() == 1;
  task.start = task.current = add(task, 0, std::move(before));
  nodes.back().ordered = ordered;
  return task;
}

// The group with that number, and the scope that owns it.
std::pair<GroupState*, Scope*> Walk::find(unsigned number, Scope& scope) const {
  for (Scope* each = &scope;; each = each->outer)
    for (std::size_t i = 0; i < each->groups.size(); ++i)
      if (each->block->groups[i].number == number)
        return {&each->groups[i], each};
}

Outcome Walk::block(const Block& block, Scope* outer, Frame& frame, Items* items) {
  Scope scope{outer, &block, std::vector<GroupState>(block.groups.size()),
              items || !outer ? items : outer->items};
  return statements(block, scope, frame);
}

Outcome Walk::statements(const Block& block, Scope& scope, Frame& frame) {
  for (const Statement& s : block.statements)
    if (statement(s, scope, frame) == Outcome::Threw)
      return Outcome::Threw;
  return Outcome::Normal;
}

Outcome Walk::statement(const Statement& s, Scope& scope, Frame& frame) {
  ++executed[static_cast<unsigned>(s.kind)];
  switch (s.kind) {
  case Kind::Spend:
    frame.current = add(frame, s.units, {frame.current}, frame.region);
    nodes.back().latency = s.sleep;
    break;
  case Kind::Region:
    return region(s, scope, frame);
  case Kind::Throw:
    return Outcome::Threw;
  case Kind::Try:
    block(s.blocks[0], &scope, frame);
    break;
  case Kind::Run:
    run(s, scope, frame);
    break;
  case Kind::RunAndWait:
    run(s, scope, frame);
    return wait(s, scope, frame);
  case Kind::Wait:
    return wait(s, scope, frame);
  case Kind::Cancel:
    cancel(s, scope);
    break;
  case Kind::Invoke:
    invoke(s, scope, frame);
    break;
  case Kind::Loop:
  case Kind::Reduce:
  case Kind::Scan:
  case Kind::Standard:
    return loop(s, scope, frame);
  case Kind::ForEach:
    for_each(s, scope, frame);
    break;
  case Kind::Feed:
    feed(s, frame, *scope.items);
    break;
  case Kind::Threads:
    threads(s, scope, frame);
    break;
  case Kind::Arena:
  case Kind::FullArena:
    return other_arena(s, scope, frame);
  case Kind::Isolate:
    return block(s.blocks[0], &scope, frame);
  case Kind::Sort:
    break;
  case Kind::Pipeline:
    return pipeline(s, scope, frame);
  case Kind::Graph:
    return graph(s, scope, frame);
  case Kind::Suspend:
    suspend(s, scope, frame);
    break;
  case Kind::Lock:
    return lock(s, scope, frame);
  }
  return Outcome::Normal;
}

// What is inside belongs to the section whichever task does it, as far as the release comes after it.
Outcome Walk::lock(const Statement& s, Scope& scope, Frame& frame) {
  Section section{s.lock, s.shared, frame.current = add(frame, 0, {frame.current})};
  frame.locks |= 1u << s.lock;
  const Outcome outcome = block(s.blocks[0], &scope, frame);
  frame.locks &= ~(1u << s.lock);
  section.give = frame.current = add(frame, 0, {frame.current});
  sections.push_back(section);
  return outcome;
}

// Of nested regions only the outermost counts.
Outcome Walk::region(const Statement& s, Scope& scope, Frame& frame) {
  const unsigned outer = frame.region;
  if (outer == kNoRegion) {
    entered[s.region] = true;
    frame.region = s.region;
  }
  const Outcome outcome = block(s.blocks[0], &scope, frame);
  frame.region = outer;
  return outcome;
}

void Walk::run(const Statement& s, Scope& scope, Frame& frame) {
  const auto [group, owner] = find(s.group, scope);
  Frame& task = spawn(frame, row_of(s));
  task.group = group;
  if (!group->cancelled && block(s.blocks[0], owner, task) == Outcome::Threw)
    group->threw = true;
  group->ends.push_back({task.current, {}});
}

// What a frame has joined it does not join again.
Outcome Walk::wait(const Statement& s, Scope& scope, Frame& frame) {
  GroupState& group = *find(s.group, scope).first;
  std::vector<int> ends;
  for (GroupState::End& end : group.ends) {
    if (std::ranges::count(end.joined_by, &frame) > 0)
      continue;
    ends.push_back(end.node);
    end.joined_by.push_back(&frame);
  }
  join(frame, ends);
  // Of more than two threads it is open which comes first.
  nodes.back().ordered = threads_ <= 2;
  group.cancelled = false;
  const bool threw = group.threw;
  group.threw = false;
  return threw ? Outcome::Threw : Outcome::Normal;
}

// Also cancels all groups that the group's tasks have made.
void Walk::cancel(const Statement& s, Scope& scope) {
  const auto [group, owner] = find(s.group, scope);
  group->cancelled = true;
  for (Scope* inside = &scope; inside != owner; inside = inside->outer)
    for (GroupState& each : inside->groups)
      each.cancelled = true;
}

// Code that is called in another arena does not belong to the group of the calling task.
Outcome Walk::other_arena(const Statement& s, Scope& scope, Frame& frame) {
  const GroupState* const group = std::exchange(frame.group, nullptr);
  const unsigned arena = std::exchange(frame.arena, s.kind == Kind::Arena ? s.arena : kArenas);
  const Outcome outcome = block(s.blocks[0], &scope, frame);
  frame.group = group;
  frame.arena = arena;
  return outcome;
}

// Of more than three functions the first three share a subroot, which is the task of the first of
// them, and so on.
void Walk::invoke(const Statement& s, Scope& scope, Frame& frame) {
  const std::vector<Block>& parts = s.blocks;
  std::vector<int> ends;
  const auto run_part = [&](const Block& part, Frame& task) {
    block(part, &scope, task);
    ends.push_back(task.current);
  };
  std::size_t next = 0;
  for (; parts.size() - next > 3; next += 3) {
    Frame& subroot = spawn(frame, row_of(s));
    run_part(parts[next + 2], spawn(subroot, row_of(s)));
    run_part(parts[next + 1], spawn(subroot, row_of(s)));
    run_part(parts[next], subroot);
  }
  for (; next < parts.size(); ++next)
    run_part(parts[next], spawn(frame, row_of(s)));
  join(frame, ends);
}

Outcome Walk::loop(const Statement& s, Scope& scope, Frame& frame) {
  if (s.iterations == 0)
    return Outcome::Normal;
  Frame& root = spawn(frame, row_of(s));
  if (s.cancelled || (frame.group && frame.group->cancelled))
    return Outcome::Normal;
  std::vector<int> ends;
  const bool proportional = s.partitioner >= Partitioner::Static;
  const auto grain = [&](unsigned size) { return splitting_.fine && proportional ? 1 : size; };
  const Part whole{{0, s.pages, grain(s.page_grain)},
                   {0, s.iterations / s.columns / s.pages, grain(s.grain)},
                   {0, s.columns, grain(s.column_grain)}};
  if (s.kind == Kind::Reduce && whole.is_divisible())
    note_joins(s, root);
  const Outcome outcome = parts(s, scope, root, whole, ends);
  ends.push_back(root.current);
  join(frame, ends);
  return outcome;
}

// The frame's task splits off one half, continues with the other, and, in a reduction, after both.
Outcome Walk::parts(const Statement& s, Scope& scope, Frame& frame, const Part& part,
                    std::vector<int>& ends) {
  if (!part.is_divisible() || !halves(s)) {
    for (const unsigned i : part.iterations(s.iterations / s.columns / s.pages, s.columns))
      if (block(block_of(s, i), &scope, frame) == Outcome::Threw)
        return Outcome::Threw;
    return Outcome::Normal;
  }
  Part left = part;
  Frame& right = spawn(frame, row_of(s));
  parts(s, scope, right, left.split(), ends);
  ends.push_back(right.current);
  parts(s, scope, frame, left, ends);
  if (s.kind == Kind::Reduce) {
    join(frame, {right.current});
    if (splitting_.joins || !has_loose_joins(s))
      block(s.join, &scope, frame);
  }
  return Outcome::Normal;
}

void Walk::note_joins(const Statement& s, const Frame& root) {
  if (has_loose_joins(s))
    loosely_joined.try_emplace(&s, &root);
  Units cost = 0;
  for (const Statement& part : s.join.statements) {
    cost += part.units;
    for (const Block& inner : part.blocks) // a region
      for (const Statement& each : inner.statements)
        cost += each.units;
  }
  join_costs[root.row].insert(cost);
  if (has_loose_joins(s))
    one_join_each += cost;
}

// Forward iterators: a root passes on blocks of up to four items; each block is a task that waits
// for its items, and the root spawns itself again for the rest. Random access: a loop inside the
// root.
void Walk::for_each(const Statement& s, Scope& scope, Frame& frame) {
  if (s.iterations == 0)
    return;
  const unsigned row = row_of(s);
  Frame* root = &spawn(frame, row);
  Items items{row, &scope, {}, false};
  if (s.form == Form::Plain) {
    loop(s, scope, *root);
    items.ends.push_back(root->current);
  } else {
    // The rest comes before the block, the first item after the others.
    std::vector<std::vector<int>> blocks;
    for (unsigned from = 0; from < s.iterations; from += 4) {
      Frame& rest = spawn(*root, row);
      Frame& task = spawn(*root, row);
      std::vector<int> ends, fed_by_first;
      for (unsigned i = from; i < std::min(from + 4, s.iterations); ++i) {
        Frame& item = spawn(task, row);
        block(block_of(s, i), &scope, item, &items);
        ends.push_back(item.current);
        if (i == from)
          fed_by_first.swap(items.ends);
      }
      std::ranges::rotate(ends, ends.begin() + 1);
      join(task, ends);
      blocks.push_back(std::exchange(items.ends, {}));
      std::ranges::copy(fed_by_first, std::back_inserter(blocks.back()));
      blocks.back().push_back(task.current);
      root = &rest;
    }
    for (auto each = blocks.rbegin(); each != blocks.rend(); ++each)
      std::ranges::copy(*each, std::back_inserter(items.ends));
  }
  // In a context of the user it is open whether an item comes before those that it fed.
  if (s.context != 0 && items.any_fed)
    join_in_any_order(frame, items.ends);
  else
    join(frame, items.ends);
}

void Walk::feed(const Statement& s, Frame& frame, Items& items) {
  Frame& item = spawn(frame, sites_ == Sites::Calls ? row_of(s) : items.row);
  block(s.blocks[0], items.scope, item, &items);
  items.ends.push_back(item.current);
  items.any_fed = true;
}

// A call of a filter comes after the item's previous filter, and in a serial filter after its
// previous call; a call of the input also after the item that returned its token. Each call is an
// invocation of its filter, by the code that calls the pipeline.
Outcome Walk::pipeline(const Statement& s, Scope& scope, Frame& frame) {
  const bool all_serial = !splitting_.all && can_overtake(s);
  const int begin = frame.current;
  std::vector<int> last(s.blocks.size(), begin), left;
  Outcome outcome = Outcome::Normal;
  for (unsigned item = 0; item < s.iterations && outcome == Outcome::Normal; ++item) {
    int at = all_serial && item > 0 ? left.back() : item < s.tokens ? begin : left[item - s.tokens];
    for (std::size_t filter = 0; filter < s.blocks.size() && outcome == Outcome::Normal; ++filter) {
      std::vector<int> before{at};
      if (s.serial[filter])
        before.push_back(last[filter]);
      Frame& call = start(frame, filter_row(s, static_cast<unsigned>(filter)), std::move(before));
      outcome = block(s.blocks[filter], &scope, call);
      at = last[filter] = call.current;
    }
    left.push_back(at);
  }
  join_in_any_order(frame, left);
  return outcome;
}

// Unless tp-run is there, nothing shows that the starting task waits for them: roots, each from 0.
void Walk::threads(const Statement& s, Scope& scope, Frame& frame) {
  for (unsigned i = 0; i < s.iterations; ++i) {
    Frame& thread = begin_thread(frame, row_of(s));
    block(block_of(s, i), &scope, thread);
    if (thread.is_task)
      join(frame, {thread.current});
  }
}

Frame& Walk::begin_thread(Frame& creator, unsigned row) {
  if (sites_ != Sites::StockCalls)
    return begin_root();
  Frame& thread = spawn(creator, row);
  thread.arena = kNoArena;
  return thread;
}

// A body comes after the messages it needs; after a serial entry also after the previous body,
// after a limiter after the decrement by the message that many slots before.
Outcome Walk::graph(const Statement& s, Scope& scope, Frame& frame) {
  graph_rows.insert(row_of(s));
  Outcome outcome = Outcome::Normal;
  std::vector<Frame*> all;
  std::vector<int> before_entry; // what freed the entry's slot
  std::vector<int> left;         // where each message has left the limiter
  const bool continues = s.nodes[0].kind == NodeKind::Continue;
  for (unsigned message = 0; message < s.iterations; ++message) {
    std::vector<int> at(s.nodes.size()); // where each node has passed it on
    std::vector<Frame*> passed;          // in which task
    for (unsigned node = 0; node < s.nodes.size() && outcome == Outcome::Normal; ++node) {
      std::vector<int> before;
      for (const unsigned from : s.nodes[node].from)
        before.push_back(at[from]);
      if (before.empty()) {
        statements(s.join, scope, frame);
        before = before_entry;
        before.push_back(frame.current);
      }
      Frame& task = graph_node(s, node, frame, passed, std::move(before));
      outcome = block(s.blocks[node], &scope, task);
      passed.push_back(&task);
      all.push_back(&task);
      at[node] = task.current;
    }
    if (s.nodes[0].kind == NodeKind::Serial)
      before_entry = {at[0]};
    left.push_back(at[s.nodes[0].until]);
    if (s.nodes[0].kind == NodeKind::Limited && message + 1 >= s.nodes[0].slots)
      before_entry = {left[message + 1 - s.nodes[0].slots]};
    if (!continues && message + 1 < s.iterations)
      continue;
    std::vector<int> ends;
    for (const Frame* task : all)
      ends.push_back(task->current);
    join_in_any_order(frame, ends);
  }
  return outcome;
}

// The task that runs the node's body; for a node without a body, a frame for the task that carries
// the message.
Frame& Walk::graph_node(const Statement& s, unsigned node, Frame& spawner,
                        const std::vector<Frame*>& passed, std::vector<int> before) {
  const GraphNode& made = s.nodes[node];
  if (made.kind == NodeKind::Light)
    return *passed[made.from[0]];
  return start(made.from.empty() ? spawner : *passed[made.from[0]], row_of(s), std::move(before));
}

// The frame continues after the resuming task's call of resume(), not after its end.
void Walk::suspend(const Statement& s, Scope& scope, Frame& frame) {
  const auto [group, owner] = find(s.group, scope);
  Frame& task = spawn(frame, row_of(s));
  block(s.blocks[0], owner, task);
  const int resumed = task.current;
  block(s.blocks[1], owner, task);
  group->ends.push_back({task.current, {}});
  frame.current = add(frame, 0, {frame.current, resumed});
}

// ---- figures ----

template <typename Weight>
std::vector<Units> lengths(const Walk& walk, const Weight& weight) {
  std::vector<Units> length;
  for (const Node& node : walk.nodes) {
    Units longest = 0;
    for (const int before : node.before)
      longest = std::max(longest, length[static_cast<std::size_t>(before)]);
    length.push_back(longest + weight(node));
  }
  return length;
}

template <typename Weight>
Units span(const Walk& walk, const Weight& weight) {
  const std::vector<Units> length = lengths(walk, weight);
  return *std::max_element(length.begin(), length.end());
}

Units weight_of(const Node& node) {
  return node.weight;
}

Units with_latency(const Node& node) {
  return node.weight + node.latency;
}

// The weight times the factor, except for work in the region.
struct Scaled {
  unsigned region; // kRegions: any
  Units factor;
  Units operator()(const Node& node) const {
    const bool inside = node.region != kNoRegion && (region == kRegions || node.region == region);
    return inside ? node.weight : node.weight * factor;
  }
};

bool is_outermost(const Frame& frame) {
  for (const Frame* each = frame.spawner; each; each = each->spawner)
    if (each->is_task && each->row == frame.row)
      return false;
  return true;
}

// Only outermost invocations count, each from its start to the latest end in it. An edge from
// outside may delay that end, but the span is at most the work.
void fill_rows(const Walk& walk, const std::map<const Frame*, Units>& joins, Expected& expected) {
  const std::vector<Units> length = lengths(walk, weight_of);
  const auto at = [&](int node) { return length[static_cast<std::size_t>(node)]; };
  std::map<const Frame*, Units> work, latest;
  for (const Node& node : walk.nodes) {
    work[node.owner] += node.weight;
    expected.rows[node.owner->row].exclusive += node.weight;
    expected.rows[node.owner->row].latency += node.latency;
  }
  for (const auto& [frame, units] : joins) {
    work[frame] += units;
    expected.rows[frame->row].exclusive += units;
  }
  for (const unsigned row : walk.graph_rows)
    expected.rows[row].is_loose = true;
  // Tasks come after their spawners.
  for (auto frame = walk.frames.rbegin(); frame != walk.frames.rend(); ++frame) {
    latest[&*frame] = std::max(latest[&*frame], at(frame->current));
    if (!frame->is_task)
      continue;
    work[frame->spawner] += work[&*frame];
    latest[frame->spawner] = std::max(latest[frame->spawner], latest[&*frame]);
    ExpectedRow& row = expected.rows[frame->row];
    ++row.invocations;
    if (!is_outermost(*frame))
      continue;
    row.work += work[&*frame];
    row.span += std::min(work[&*frame], latest[&*frame] - at(frame->start));
  }
}

// The most work in tasks of the row, and below them, on one path.
struct Below {
  unsigned row;
  Units operator()(const Node& node) const {
    for (const Frame* each = node.owner; each; each = each->spawner)
      if (row == 0 || (each->is_task && each->row == row))
        return node.weight;
    return 0;
  }
};

// The compositions of the longest paths that may be the critical one: a single one, unless edges or
// more than two threads are involved; empty if there are too many.
class LongestPaths {
public:
  explicit LongestPaths(const Walk& walk) : walk_(walk), length_(lengths(walk, weight_of)) {}

  std::set<Composition> all() {
    std::set<Composition> compositions;
    for (const Frame* frame : ends()) {
      const auto to_end = to(frame->current);
      if (!to_end)
        return {};
      compositions.insert(to_end->begin(), to_end->end());
    }
    return compositions;
  }

private:
  // Threads win against tasks that nothing waited for, main against all.
  std::vector<const Frame*> ends() const {
    const Units longest = *std::max_element(length_.begin(), length_.end());
    std::vector<const Frame*> roots, tasks;
    for (const Frame& frame : walk_.frames)
      if (length_[static_cast<std::size_t>(frame.current)] == longest)
        (frame.is_task ? tasks : roots).push_back(&frame);
    if (roots.empty())
      return tasks;
    if (roots.front() == &walk_.frames.front())
      roots.resize(1);
    return roots;
  }

  static constexpr std::size_t kMost = 200;
  using Set = std::optional<std::set<Composition>>;

  // Without recursion: paths are as long as programs.
  Set to(int end) {
    std::vector<int> pending{end};
    while (!pending.empty()) {
      const int node = pending.back();
      if (known_.count(node)) {
        pending.pop_back();
        continue;
      }
      bool ready = true;
      for (const int before : longest_before(node))
        if (!known_.count(before)) {
          pending.push_back(before);
          ready = false;
        }
      if (ready)
        known_[node] = compose(node);
    }
    return known_[end];
  }

  std::vector<int> longest_before(int node) const {
    const Node& at = walk_.nodes[static_cast<std::size_t>(node)];
    std::vector<int> longest;
    for (const int before : at.before)
      if (length_[static_cast<std::size_t>(before)] + at.weight ==
          length_[static_cast<std::size_t>(node)])
        longest.push_back(before);
    if (at.ordered && !longest.empty())
      longest.resize(1);
    return longest;
  }

  Set compose(int node) {
    const Node& at = walk_.nodes[static_cast<std::size_t>(node)];
    std::set<Composition> all;
    if (at.before.empty())
      all.insert(Composition{});
    for (const int before : longest_before(node)) {
      if (!known_[before])
        return std::nullopt;
      all.insert(known_[before]->begin(), known_[before]->end());
    }
    std::set<Composition> extended;
    for (Composition composition : all) {
      composition[at.owner->row] += at.weight;
      extended.insert(composition);
    }
    return extended.size() > kMost ? Set() : Set(std::move(extended));
  }

  const Walk& walk_;
  const std::vector<Units> length_;
  std::map<int, Set> known_;
};

// ---- locks ----

// The heaviest path from the section's acquisition to its release. Only what is walked in between is on
// such a path.
template <typename Weight>
Units own_span(const Walk& walk, const Section& section, const Weight& weight) {
  std::map<int, Units> length{{section.take, 0}};
  for (int node = section.take + 1; node <= section.give; ++node)
    for (const int before : walk.nodes[static_cast<std::size_t>(node)].before)
      if (const auto at = length.find(before); at != length.end())
        length[node] =
            std::max(length[node], at->second + weight(walk.nodes[static_cast<std::size_t>(node)]));
  return length.at(section.give);
}

struct Sections {
  Units exclusive = 0, longest_shared = 0, all = 0;
  Units total() const { return exclusive + longest_shared; }
};

template <typename Weight>
std::map<unsigned, Sections> sections_of(const Walk& walk, const Weight& weight) {
  std::map<unsigned, Sections> found;
  for (const Section& each : walk.sections) {
    const Units span = own_span(walk, each, weight);
    Sections& of = found[each.lock];
    of.all += span;
    if (each.shared)
      of.longest_shared = std::max(of.longest_shared, span);
    else
      of.exclusive += span;
  }
  return found;
}

// The longest path from each node to an end, without the node itself.
template <typename Weight>
std::vector<Units> lengths_after(const Walk& walk, const Weight& weight) {
  std::vector<Units> after(walk.nodes.size());
  for (std::size_t node = walk.nodes.size(); node-- > 0;)
    for (const int before : walk.nodes[node].before) {
      Units& from = after[static_cast<std::size_t>(before)];
      from = std::max(from, after[node] + weight(walk.nodes[node]));
    }
  return after;
}

// The least of these before and after what runs in an arena, with sleep; of one in which nothing runs, 0.
std::array<std::pair<Units, Units>, kArenas + 1> ends_of_arenas(const Walk& walk) {
  std::array<std::pair<Units, Units>, kArenas + 1> found{};
  const std::vector<Units> until = lengths(walk, with_latency),
                           after = lengths_after(walk, with_latency);
  std::array<bool, kArenas + 1> any{};
  for (std::size_t i = 0; i < walk.nodes.size(); ++i) {
    const Node& node = walk.nodes[i];
    if (node.arena == kNoArena || with_latency(node) == 0)
      continue;
    const Units before = until[i] - with_latency(node);
    auto& ends = found[node.arena];
    ends.first = any[node.arena] ? std::min(ends.first, before) : before;
    ends.second = any[node.arena] ? std::min(ends.second, after[i]) : after[i];
    any[node.arena] = true;
  }
  return found;
}

// Of a lock whose heaviest part has a share of its sections.
struct Bound {
  Units before = 0, sections = 0, after = 0;
  Units least_time(Units parts) const { return before + (sections + parts - 1) / parts + after; }
};

// H, and with the least that comes before and after. A reader's section counts with what is around it, too.
template <typename Weight>
std::vector<Bound> bounds_of(const Walk& walk, unsigned lock, const Sections& sections,
                             const Weight& weight) {
  const std::vector<Units> until = lengths(walk, weight);
  const std::vector<Units> after = lengths_after(walk, weight);
  constexpr Units kNone = ~Units{0};
  Units least_before = kNone, least_after = kNone;
  for (const Section& each : walk.sections)
    if (each.lock == lock && !each.shared) {
      least_before = std::min(least_before, until[static_cast<std::size_t>(each.take)]);
      least_after = std::min(least_after, after[static_cast<std::size_t>(each.give)]);
    }
  std::vector<Bound> bounds{{0, sections.total(), 0}};
  if (least_before != kNone)
    bounds.push_back({least_before, sections.exclusive, least_after});
  for (const Section& each : walk.sections)
    if (each.lock == lock && each.shared)
      bounds.push_back({std::min(least_before, until[static_cast<std::size_t>(each.take)]),
                        sections.exclusive + own_span(walk, each, weight),
                        std::min(least_after, after[static_cast<std::size_t>(each.give)])});
  return bounds;
}

// What comes before and after is counted of locks whose sections take a hundredth of the span.
std::set<unsigned> heavy_locks(const Walk& walk, const std::map<unsigned, Sections>& awake,
                               const std::map<unsigned, Sections>& asleep) {
  std::set<unsigned> heavy;
  for (const auto& [lock, sections] : awake) {
    const Units work = sections.total(), time = asleep.at(lock).total();
    if ((100 * work >= span(walk, weight_of) && work > 0) ||
        (100 * time >= span(walk, with_latency) && time > work))
      heavy.insert(lock);
  }
  return heavy;
}

template <typename Weight>
Units least_time(const Walk& walk, unsigned lock, const std::set<unsigned>& heavy,
                 const Weight& weight, const std::map<unsigned, Sections>& sections,
                 Units parts = 1) {
  const Sections& own = sections.at(lock);
  if (heavy.count(lock) == 0)
    return Bound{0, own.total(), 0}.least_time(parts);
  Units least = 0;
  for (const Bound& each : bounds_of(walk, lock, own, weight))
    least = std::max(least, each.least_time(parts));
  return least;
}

// The greatest of all locks.
template <typename Weight>
Units greatest(const Walk& walk, const std::set<unsigned>& heavy, const Weight& weight,
               unsigned except = kLocks) {
  const std::map<unsigned, Sections> sections = sections_of(walk, weight);
  Units most = 0;
  for (const auto& [lock, own] : sections)
    if (lock != except)
      most = std::max(most, least_time(walk, lock, heavy, weight, sections));
  return most;
}

// The weight times the factor, except for what the holder of the lock does itself.
struct ShorterSections {
  unsigned lock;
  Units factor;
  Units operator()(const Node& node) const {
    return (node.locks >> lock & 1) != 0 ? node.weight : node.weight * factor;
  }
};

void fill_locks(const Walk& walk, const Walk& whole, Units of_joins, bool exact,
                Expected& expected) {
  const std::map<unsigned, Sections> found = sections_of(walk, weight_of);
  const std::map<unsigned, Sections> most = sections_of(whole, weight_of);
  const std::map<unsigned, Sections> asleep = sections_of(walk, with_latency);
  const std::map<unsigned, Sections> most_asleep = sections_of(whole, with_latency);
  const std::set<unsigned> heavy = heavy_locks(walk, found, asleep);
  std::set<unsigned> all;
  for (const auto& [lock, sections] : found) {
    all.insert(lock);
    ExpectedLock& to = expected.locks[lock];
    for (const Section& each : walk.sections) {
      to.acquisitions += each.lock == lock;
      to.shared += each.lock == lock && each.shared;
    }
    to.held = {sections.all, most.at(lock).all + of_joins};
    to.exclusive = {sections.exclusive, most.at(lock).exclusive + of_joins};
    to.sections = {sections.total(), most.at(lock).total() + of_joins};
    to.exclusive_with_latency = {asleep.at(lock).exclusive,
                                 most_asleep.at(lock).exclusive + of_joins};
    to.sections_with_latency = {asleep.at(lock).total(), most_asleep.at(lock).total() + of_joins};
    if (!exact)
      continue;
    to.bound = least_time(walk, lock, heavy, weight_of, found);
    const Units others = std::max(span(walk, weight_of), greatest(walk, heavy, weight_of, lock));
    to.without = others;
    for (const Units factor : kLockFactors) {
      const ShorterSections shorter{lock, factor};
      Units work = 0;
      for (const Node& node : walk.nodes)
        work += shorter(node);
      to.shorter[factor] = {std::max(span(walk, shorter), greatest(walk, heavy, shorter)), work};
      to.split[factor] = std::max(others, least_time(walk, lock, heavy, weight_of, found, factor));
    }
  }
  for (unsigned region = 0; region <= kRegions; ++region)
    for (const Units factor : kFactors) {
      // At least as if all of each section were in the region.
      expected.sections_what_if[{region, factor}] = {
          greatest(walk, exact ? heavy : std::set<unsigned>(), weight_of),
          greatest(whole, exact ? heavy : all, Scaled{region, factor}) + of_joins * factor};
    }
}

} // namespace

Expected expect(const Program& program, Sites sites,
                const std::map<const Statement*, Units>& joins) {
  Expected expected;
  const Walk walk(program, sites, program.exact ? kDivided : kLeast);
  const Walk whole(program, sites, program.exact ? kDivided : kMost);
  const Walk divided(program, sites, kDivided);
  Units of_joins = 0;
  std::map<const Frame*, Units> joins_of;
  std::set<unsigned> joined_rows;
  for (const auto& [statement, times] : joins) {
    const Frame* const task = walk.loosely_joined.at(statement);
    of_joins += joins_of[task] += times * statement->join.statements[0].units;
    joined_rows.insert(task->row);
  }
  for (const auto& [statement, task] : divided.loosely_joined) {
    expected.joins_alike &= divided.join_costs.at(task->row).size() == 1;
    expected.all_joined &= statement->join.statements.empty() || joined_rows.contains(task->row);
  }
  for (const Node& node : walk.nodes) {
    expected.work += node.weight;
    expected.latency += node.latency;
    if (node.arena != kNoArena) {
      expected.work_in_arenas[node.arena] += node.weight;
      expected.latency_in_arenas[node.arena] += node.latency;
    }
  }
  for (const auto& [task, units] : joins_of)
    if (task->arena != kNoArena)
      expected.work_in_arenas[task->arena] += units;
  expected.work += of_joins;
  expected.span = {span(walk, weight_of), span(whole, weight_of) + of_joins};
  expected.span_with_latency = {span(walk, with_latency), span(whole, with_latency) + of_joins};
  expected.divisible_span = {span(divided, weight_of), span(divided, weight_of)};
  if (!expected.all_joined || !expected.joins_alike)
    expected.divisible_span.least = span(Walk(program, sites, kUnjoined), weight_of);
  if (!program.divisible_exact)
    expected.divisible_span.most = std::max(expected.divisible_span.most, expected.span.most);
  expected.one_join_each = divided.one_join_each;
  expected.parts_alike = program.parts_alike;
  expected.tasks = walk.tasks;
  expected.entered = walk.entered;
  expected.executed = walk.executed;
  fill_rows(walk, joins_of, expected);
  for (unsigned row = 0; row < kRows; ++row)
    expected.rows[row].chain = {span(walk, Below{row}), span(whole, Below{row}) + of_joins};
  for (unsigned region = 0; region <= kRegions; ++region)
    for (const Units factor : kFactors) {
      const Scaled scaled{region, factor};
      Units work = of_joins * factor;
      for (const Node& node : walk.nodes)
        work += scaled(node);
      expected.what_if[{region, factor}] = {
          {span(walk, scaled), span(whole, scaled) + of_joins * factor}, work};
    }
  fill_locks(walk, whole, of_joins, program.exact, expected);
  const auto least_ends = ends_of_arenas(walk), most_ends = ends_of_arenas(whole);
  for (std::size_t arena = 0; arena < expected.ends_of_arenas.size(); ++arena)
    expected.ends_of_arenas[arena] = {
        {least_ends[arena].first, most_ends[arena].first + of_joins},
        {least_ends[arena].second, most_ends[arena].second + of_joins}};
  if (program.exact)
    expected.critical = LongestPaths(walk).all();
  const auto roots = std::ranges::count_if(walk.frames, [](const Frame& f) { return !f.is_task; });
  // Which of two tasks runs the join of a reduction is the schedule's, and so are local spans.
  expected.all_determined =
      program.exact && program.tasks_exact && roots <= 2 &&
      walk.executed[static_cast<unsigned>(Kind::Reduce)] == 0 &&
      std::ranges::all_of(walk.nodes, [](const Node& node) { return node.ordered; });
  return expected;
}

} // namespace random_program
