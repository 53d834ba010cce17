// SPDX-License-Identifier: Apache-2.0
// The rules that determine a program's figures, applied while its text is made from front to back.
//
// Every block that owns groups is a *scope*. The rules for a group:
//  * Its owner runs tasks on it and waits for it, in any order with its other groups.
//  * A *right* lets others run on it: blocks that the owner calls and waits for (loops,
//    parallel_invoke), because they are over before the owner continues. A member of a group may
//    run on that group, and on groups that the owner declares later; each such group is then
//    *blocked*: its owner waits for the member's group first.
//  * Another task waits for it only in hand_over(), during which the owner cannot use it. Members
//    of such a group never wait (they are *leafy*): otherwise a thread could wait, above a member
//    that waits, for that member.
//  * Threads in an isolated region, or in another arena, may not see the tasks of groups outside:
//    no right is passed in. A thread waits in its own arena for what it has spawned in another, where the
//    thread that started it may be the only one.
//  * A user's context serves any number of algorithms at a time.
//  * A task that throws, or a cancelled group, does not share its group. Contexts are bound where
//    they are first used, and oneTBB cancels along these bindings: in programs with failures each
//    owner uses its group at once.
//
// Loops with another partitioner than the simple one have bodies that leave no task behind, and joins
// of nothing but work, the same for all of the program: then the schedule-independent span is
// determined. If they have one body for all iterations, it is known without --divide.
// Proportional splits (static, affinity) divide at other places than halving does: with a grain size
// above one iteration the schedule-independent span is known with --divide only.
//
// The element functions of std:: algorithms run in isolation; a thread has nothing in common with the
// task that starts it, and waits until it has ended.
#include "generator.h"
#include "graph_shape.h"

#include <algorithm>
#include <cassert>
#include <iterator>
#include <memory>
#include <random>
#include <set>

namespace random_program {
namespace {

struct Scope;

struct Group {
  unsigned number = 0, index = 0;
  bool isolated = false;
  bool leafy = false;
  bool active = false; // may have tasks that no wait has joined
  Scope* owner = nullptr;
  std::vector<const Group*> blocked_by;
};

struct Right {
  Group* group;
  const Group* via; // must be waited for before `group`
};

// The conditions under which a block runs.
struct Place {
  std::vector<Right> rights; // inherited
  std::vector<unsigned> contexts;
  unsigned depth = 0;
  int arena = -1;                  // the last that a thread on the way here has entered
  bool in_arena_of_thread = false; // and not in that one, but in a thread's own
  bool isolation = false;
  bool leafy = false; // no wait is allowed here
  // In an item of parallel_for_each, or an algorithm inside it: where a new item runs.
  std::shared_ptr<const Place> item;
  unsigned item_context = 0; // the user's context of the parallel_for_each
  bool outermost = false;    // in no task and only in the thread's first arena
  unsigned regions = 0;
};

struct Scope {
  Place place;
  std::vector<Group> groups;
  std::vector<unsigned> contexts;

  std::vector<unsigned> all_contexts() const {
    std::vector<unsigned> all = place.contexts;
    all.insert(all.end(), contexts.begin(), contexts.end());
    return all;
  }
};

class Generator {
public:
  explicit Generator(std::uint64_t seed);
  Program run();

private:
  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  bool chance(unsigned percent) { return pick(100) < percent; }
  bool afford(unsigned tasks);
  Statement make(Kind kind);
  Statement spend();
  void add_spend(Block& to, unsigned percent = 100);
  std::vector<Right> rights_of(Scope& scope);
  Place inside(Scope& scope);
  Place inside_algorithm(Scope& scope, unsigned context);
  Place member_of(Group& group);
  Group* quiet_group(Scope& scope);

  void declare(Block& block, Scope& scope);
  void fill(Block& to, Scope& scope, unsigned statements);
  void add(Block& to, Scope& scope);
  void finish(Block& to, Scope& scope);
  Block block(Place place);
  Block leaf(unsigned spends);
  Block throwing(Place place);

  bool run(Block& to, Scope& scope);
  bool cascade(Block& to, Scope& scope);
  Block cascading(Group& group, Units units, unsigned depth);
  void run_on(Block& to, Group& group, Block member);
  unsigned some_context(const Scope& scope);
  bool run_and_wait(Block& to, Scope& scope);
  bool wait(Block& to, Scope& scope);
  void wait_for(Block& to, Scope& scope, Group& group);
  bool hand_over(Block& to, Scope& scope);
  bool cancel(Block& to, Scope& scope);
  Block cancelling(Group& group);
  bool fail(Block& to, Scope& scope);
  void fail_inside(Block& to, Scope& scope, bool is_caught);
  bool invoke(Block& to, Scope& scope);
  bool loop(Block& to, Scope& scope, Kind kind);
  void shape_range(Statement& statement);
  void shape_reduction(Statement& statement);
  bool for_each(Block& to, Scope& scope);
  bool feed(Block& to, Scope& scope);
  bool pipeline(Block& to, Scope& scope);
  void failing_pipeline(Block& to, Scope& scope);
  bool graph(Block& to, Scope& scope);
  void failing_graph(Block& to, Scope& scope);
  Place inside_graph(Scope& scope);
  bool full_arena(Block& to, Scope& scope);
  bool suspend(Block& to, Scope& scope);
  bool region(Block& to, Scope& scope);
  bool standard(Block& to, Scope& scope);
  bool threads(Block& to, Scope& scope);
  bool arena(Block& to, Scope& scope);
  unsigned enter_arena(Place& place);
  bool isolate(Block& to, Scope& scope);
  bool sort(Block& to, Scope& scope);

  std::mt19937_64 random_;
  Program program_;
  bool small_amounts_;
  Units join_units_;   // of joins that the schedule decides on
  bool equal_amounts_; // many paths have the same length
  bool loose_;         // loops may have any partitioner
  bool alike_;         // each of those has one body, and the splits of halving
  unsigned tasks_;     // that may still be made
  unsigned times_ = 1; // how often the current block runs
  unsigned groups_ = 0, contexts_ = 0;
  unsigned statements_ = 0;
};

Generator::Generator(std::uint64_t seed) : random_(seed) {
  small_amounts_ = chance(25);
  equal_amounts_ = chance(20);
  loose_ = chance(35);
  alike_ = chance(60);
  program_.failures = chance(45);
  join_units_ = spend().units;
  tasks_ = 10 + pick(chance(20) ? 600 : 120);
}

Program Generator::run() {
  const unsigned threads = chance(70) ? 1 : 2 + pick(3);
  Scope shared{{}, {}, {}};
  if (threads > 1 && chance(60))
    declare(program_.prologue, shared);
  Place place = inside(shared);
  place.outermost = true;
  for (unsigned i = 0; i < threads; ++i)
    program_.threads.push_back(block(place));
  add_spend(program_.epilogue, 50);
  finish(program_.epilogue, shared);
  add_spend(program_.epilogue, 50);
  return std::move(program_);
}

// Reserves `tasks` more tasks for each run of the current block; returns false if that is too many.
bool Generator::afford(unsigned tasks) {
  const unsigned all = tasks * times_;
  if (all > tasks_)
    return false;
  tasks_ -= all;
  return true;
}

Statement Generator::make(Kind kind) {
  Statement statement;
  statement.kind = kind;
  statement.number = ++statements_;
  statement.form = chance(50) ? Form::Plain : Form::Alternative;
  statement.site = pick(kSites);
  return statement;
}

Statement Generator::spend() {
  Statement statement = make(Kind::Spend);
  statement.units = equal_amounts_ ? 10 : small_amounts_ ? pick(5) : 1 + pick(1000000);
  return statement;
}

void Generator::add_spend(Block& to, unsigned percent) {
  if (chance(percent))
    to.statements.push_back(spend());
}

// ---- scopes and rights ----

std::vector<Right> Generator::rights_of(Scope& scope) {
  std::vector<Right> rights = scope.place.rights;
  for (Group& group : scope.groups)
    rights.push_back({&group, nullptr});
  return rights;
}

// The place of a block that the scope's task waits for before it continues.
Place Generator::inside(Scope& scope) {
  Place place = scope.place;
  place.rights = rights_of(scope);
  place.contexts = scope.all_contexts();
  ++place.depth;
  place.item = nullptr;
  place.outermost = false;
  place.regions = 0;
  return place;
}

// The same, in a task of an algorithm with this context: it can feed the enclosing
// parallel_for_each. If that has a user's context, both must be the same: otherwise it is open
// which parallel_for_each of several in that context is fed.
Place Generator::inside_algorithm(Scope& scope, unsigned context) {
  Place place = inside(scope);
  if (scope.place.item_context == 0 || scope.place.item_context == context)
    place.item = scope.place.item;
  return place;
}

Place Generator::member_of(Group& group) {
  Place place = group.owner->place;
  place.contexts = group.owner->all_contexts();
  ++place.depth;
  place.item = nullptr;
  place.outermost = false;
  place.regions = 0;
  place.leafy = group.leafy;
  if (group.isolated) {
    place.isolation = true;
    place.rights.clear();
  } else {
    for (std::size_t i = group.index + 1; i < group.owner->groups.size(); ++i)
      place.rights.push_back({&group.owner->groups[i], &group});
  }
  place.rights.push_back({&group, nullptr});
  return place;
}

// One of the scope's own groups that has no tasks and is not blocked, or null.
Group* Generator::quiet_group(Scope& scope) {
  std::vector<Group*> quiet;
  for (Group& group : scope.groups)
    if (!group.active && group.blocked_by.empty())
      quiet.push_back(&group);
  return quiet.empty() ? nullptr : quiet[pick(static_cast<unsigned>(quiet.size()))];
}

void Generator::declare(Block& block, Scope& scope) {
  const unsigned count = scope.place.leafy ? 0 : pick(4);
  // In programs with failures a context would have to be bound here as well.
  if (!program_.failures && chance(15)) {
    block.contexts.push_back(++contexts_);
    scope.contexts.push_back(contexts_);
  }
  for (unsigned i = 0; i < count; ++i) {
    Group group;
    group.number = ++groups_;
    group.index = i;
    group.isolated = chance(15);
    group.leafy = chance(30);
    group.owner = &scope;
    scope.groups.push_back(group);
    block.groups.push_back({group.number, group.isolated});
    if (!program_.failures)
      continue;
    // Must be bound here.
    Statement first_use = make(Kind::RunAndWait);
    first_use.number = 0;
    first_use.group = group.number;
    first_use.form = Form::Plain;
    first_use.blocks.emplace_back();
    block.statements.push_back(first_use);
  }
}

Block Generator::block(Place place) {
  Block block;
  Scope scope{std::move(place), {}, {}};
  declare(block, scope);
  fill(block, scope, 1 + pick(scope.place.depth < 2 ? 7 : 4));
  finish(block, scope);
  return block;
}

Block Generator::leaf(unsigned spends) {
  Block block;
  for (unsigned i = 0; i < spends; ++i)
    add_spend(block);
  return block;
}

void Generator::fill(Block& to, Scope& scope, unsigned statements) {
  for (unsigned i = 0; i < statements; ++i)
    add(to, scope);
}

void Generator::add(Block& to, Scope& scope) {
  add_spend(to, 60);
  const bool deep = scope.place.depth >= 6;
  if (!deep && chance(25) && feed(to, scope))
    return;
  const unsigned what = pick(120);
  const bool added = deep || what < 10 ? region(to, scope)
                     : what < 34       ? run(to, scope)
                     : what < 39       ? run_and_wait(to, scope)
                     : what < 48       ? wait(to, scope)
                     : what < 53       ? hand_over(to, scope)
                     : what < 57       ? cancel(to, scope)
                     : what < 63       ? fail(to, scope)
                     : what < 69       ? invoke(to, scope)
                     : what < 79       ? loop(to, scope, Kind::Loop)
                     : what < 85       ? loop(to, scope, Kind::Reduce)
                     : what < 92       ? for_each(to, scope)
                     : what < 95       ? arena(to, scope)
                     : what < 97       ? isolate(to, scope)
                     : what < 98       ? pipeline(to, scope)
                     : what < 99       ? suspend(to, scope)
                     : what < 100      ? sort(to, scope)
                     : what < 101      ? loop(to, scope, Kind::Scan)
                     : what < 104      ? full_arena(to, scope)
                     : what < 108      ? cascade(to, scope)
                     : what < 111      ? standard(to, scope)
                     : what < 114      ? threads(to, scope)
                                       : graph(to, scope);
  if (!added)
    add_spend(to);
}

// Waits for all groups that may have tasks.
void Generator::finish(Block& to, Scope& scope) {
  // A group is blocked by earlier ones only.
  for (Group& group : scope.groups)
    if (group.active || !group.blocked_by.empty())
      wait_for(to, scope, group);
}

// ---- groups ----

bool Generator::run(Block& to, Scope& scope) {
  const std::vector<Right> rights = rights_of(scope);
  if (rights.empty() || !afford(1))
    return false;
  const auto [group, via] = rights[pick(static_cast<unsigned>(rights.size()))];
  if (via &&
      std::find(group->blocked_by.begin(), group->blocked_by.end(), via) == group->blocked_by.end())
    group->blocked_by.push_back(via);
  run_on(to, *group, block(member_of(*group)));
  // Only a wait outside of all tasks is certain to run what was enqueued.
  if (scope.place.outermost && group->owner == &scope && !group->isolated && chance(15))
    to.statements.back().form = Form::Third;
  return true;
}

// Tasks of the scope's own group that spawn others there, and are over before these: all with the
// same amount of work, so that many of them end on equally long paths.
bool Generator::cascade(Block& to, Scope& scope) {
  Group* const group = quiet_group(scope);
  if (!group)
    return false;
  const Units units = spend().units;
  for (unsigned roots = 1 + pick(3); roots > 0 && afford(1); --roots)
    run_on(to, *group, cascading(*group, units, 1 + pick(3)));
  return group->active;
}

Block Generator::cascading(Group& group, Units units, unsigned depth) {
  Block block;
  const unsigned before = pick(3);
  for (unsigned part = 0; part < 3; ++part) {
    if (part > 0 && depth > 0 && afford(1))
      run_on(block, group, cascading(group, units, depth - 1));
    if (part != before)
      continue;
    block.statements.push_back(make(Kind::Spend));
    block.statements.back().units = units;
  }
  return block;
}

// One of the existing groups, or none.
unsigned Generator::some_context(const Scope& scope) {
  const std::vector<unsigned> contexts = scope.all_contexts();
  return contexts.empty() || chance(50) ? 0
                                        : contexts[pick(static_cast<unsigned>(contexts.size()))];
}

void Generator::run_on(Block& to, Group& group, Block member) {
  Statement statement = make(Kind::Run);
  statement.group = group.number;
  statement.blocks.push_back(std::move(member));
  to.statements.push_back(std::move(statement));
  group.active = true;
}

bool Generator::run_and_wait(Block& to, Scope& scope) {
  std::vector<Group*> usable;
  for (Group& group : scope.groups)
    if (group.blocked_by.empty())
      usable.push_back(&group);
  if (usable.empty() || !afford(1))
    return false;
  Group& group = *usable[pick(static_cast<unsigned>(usable.size()))];
  Statement statement = make(Kind::RunAndWait);
  statement.group = group.number;
  if (group.isolated)
    statement.form = Form::Plain;
  group.active = true;
  statement.blocks.push_back(block(member_of(group)));
  to.statements.push_back(std::move(statement));
  group.active = false;
  for (Group& other : scope.groups)
    std::erase(other.blocked_by, &group);
  return true;
}

bool Generator::wait(Block& to, Scope& scope) {
  if (scope.groups.empty())
    return false;
  Group& group = scope.groups[pick(static_cast<unsigned>(scope.groups.size()))];
  if (!group.blocked_by.empty())
    return false;
  wait_for(to, scope, group);
  return true;
}

void Generator::wait_for(Block& to, Scope& scope, Group& group) {
  assert(group.blocked_by.empty());
  Statement statement = make(Kind::Wait);
  statement.group = group.number;
  to.statements.push_back(std::move(statement));
  group.active = false;
  for (Group& other : scope.groups)
    std::erase(other.blocked_by, &group);
}

// One or two tasks wait for a group that they do not own.
bool Generator::hand_over(Block& to, Scope& scope) {
  Group* const waiters = quiet_group(scope);
  if (!waiters || waiters->isolated || waiters->leafy)
    return false;
  std::vector<Group*> given;
  for (Group& group : scope.groups)
    if (&group != waiters && group.leafy && group.active && group.blocked_by.empty())
      given.push_back(&group);
  if (given.empty())
    return false;
  const unsigned number = given[pick(static_cast<unsigned>(given.size()))]->number;
  for (unsigned i = 1 + pick(2); i > 0; --i) {
    if (!afford(1))
      break;
    Block waiter = leaf(pick(2));
    Statement wait = make(Kind::Wait);
    wait.group = number;
    waiter.statements.push_back(wait);
    add_spend(waiter, 80);
    run_on(to, *waiters, std::move(waiter));
    add_spend(to, 50);
  }
  wait_for(to, scope, *waiters);
  return true;
}

// Tasks run on a cancelled group never begin; those that have begun continue.
bool Generator::cancel(Block& to, Scope& scope) {
  Group* const group = program_.failures ? quiet_group(scope) : nullptr;
  if (!group || !afford(12))
    return false;
  if (chance(30)) {
    Statement statement = make(Kind::Cancel);
    statement.group = group->number;
    to.statements.push_back(std::move(statement));
    for (unsigned i = 1 + pick(2); i > 0; --i)
      run_on(to, *group, leaf(1 + pick(2)));
  } else {
    // Each is spawned by the previous one: all have begun when the last cancels the group.
    Block member = cancelling(*group);
    for (unsigned i = pick(3); i > 0; --i) {
      Block spawner = leaf(1);
      run_on(spawner, *group, std::move(member));
      add_spend(spawner);
      member = std::move(spawner);
    }
    run_on(to, *group, std::move(member));
  }
  add_spend(to, 50);
  wait_for(to, scope, *group);
  return true;
}

// The body of a member that cancels its group, itself or through a task that it waits for. Groups
// inside are cancelled with it, until a wait for them ends; loops called afterwards do nothing,
// except in another arena.
Block Generator::cancelling(Group& group) {
  Block block;
  Place place = member_of(group);
  place.rights.clear();
  place.leafy = false; // only the owner waits for the group
  Scope scope{std::move(place), {}, {}};
  declare(block, scope);
  fill(block, scope, pick(3));
  finish(block, scope);
  Statement statement = make(Kind::Cancel);
  statement.group = group.number;
  Group* const inner = quiet_group(scope);
  if (inner && chance(50)) {
    Block task = leaf(1);
    task.statements.push_back(std::move(statement));
    add_spend(task);
    run_on(block, *inner, std::move(task));
  } else {
    block.statements.push_back(std::move(statement));
    if (inner)
      run_on(block, *inner, leaf(1));
  }
  add_spend(block, 50);
  finish(block, scope);
  run_on(block, group, leaf(1));
  loop(block, scope, chance(50) ? Kind::Loop : Kind::Reduce);
  if (inner)
    run_on(block, *inner, leaf(1));
  if (chance(40)) {
    Statement other = make(Kind::Arena);
    Place there = inside(scope);
    there.rights.clear();
    other.arena = enter_arena(there);
    other.blocks.push_back(this->block(std::move(there)));
    block.statements.push_back(std::move(other));
  }
  finish(block, scope);
  return block;
}

// ---- exceptions ----

bool Generator::fail(Block& to, Scope& scope) {
  if (!program_.failures || scope.place.leafy || !afford(2))
    return false;
  Statement attempt = make(Kind::Try);
  attempt.blocks.emplace_back();
  add_spend(attempt.blocks[0], 50);
  fail_inside(attempt.blocks[0], scope, true);
  to.statements.push_back(std::move(attempt));
  return true;
}

// Statements that end with an exception, and one that must not be reached.
void Generator::fail_inside(Block& to, Scope& scope, bool is_caught) {
  Group* const group = quiet_group(scope);
  const unsigned what = scope.place.leafy || !afford(1) ? 99 : pick(100);
  if (what < 40 && group) {
    Place place = member_of(*group);
    place.rights.clear();
    Statement run = make(what < 30 ? Kind::Run : Kind::RunAndWait);
    run.group = group->number;
    if (group->isolated)
      run.form = Form::Plain;
    run.blocks.push_back(throwing(std::move(place)));
    const bool waits = run.kind == Kind::RunAndWait;
    to.statements.push_back(std::move(run));
    if (!waits) {
      add_spend(to, 70);
      wait_for(to, scope, *group);
    }
  } else if (what < 55) {
    Statement loop = make(Kind::Loop);
    loop.iterations = 1;
    Place place = inside(scope);
    place.rights.clear();
    loop.blocks.push_back(throwing(std::move(place)));
    to.statements.push_back(std::move(loop));
  } else if (what < 60) {
    failing_pipeline(to, scope);
  } else if (what < 65) {
    failing_graph(to, scope);
  } else if (what < 85) {
    Statement around = make(what < 71 ? Kind::Region : what < 78 ? Kind::Isolate : Kind::Arena);
    around.form = Form::Plain;
    around.region = pick(kRegions);
    Place place = inside(scope);
    place.rights.clear();
    if (around.kind == Kind::Isolate)
      place.isolation = true;
    if (around.kind == Kind::Arena)
      around.arena = enter_arena(place);
    around.blocks.push_back(throwing(std::move(place)));
    to.statements.push_back(std::move(around));
  } else {
    to.statements.push_back(make(Kind::Throw));
  }
  if (!is_caught || chance(30))
    to.statements.push_back(spend());
}

Block Generator::throwing(Place place) {
  Block block;
  Scope scope{std::move(place), {}, {}};
  declare(block, scope);
  fill(block, scope, pick(3));
  finish(block, scope);
  fail_inside(block, scope, false);
  return block;
}

// ---- algorithms ----

bool Generator::invoke(Block& to, Scope& scope) {
  const unsigned parts = 2 + pick(chance(70) ? 3 : 9);
  if (scope.place.leafy || !afford(parts))
    return false;
  Statement statement = make(Kind::Invoke);
  statement.context = some_context(scope);
  for (unsigned i = 0; i < parts; ++i)
    statement.blocks.push_back(block(inside_algorithm(scope, statement.context)));
  to.statements.push_back(std::move(statement));
  return true;
}

bool Generator::loop(Block& to, Scope& scope, Kind kind) {
  Statement statement = make(kind);
  const bool is_scan = kind == Kind::Scan;
  const bool is_loose = loose_ && (is_scan || chance(60));
  if (is_scan && !loose_)
    return false;
  // Many iterations without tasks: few threads leave leaves that could be split further.
  const bool is_wide = is_loose && !is_scan && times_ <= 2 && chance(40);
  statement.iterations = pick(is_wide ? 5000 : is_loose && chance(50) ? 200 : 13);
  if (scope.place.leafy || !afford(is_wide ? 20 : statement.iterations))
    return false;
  statement.partitioner = is_scan    ? static_cast<Partitioner>(pick(2))
                          : is_loose ? static_cast<Partitioner>(1 + pick(3))
                                     : Partitioner::Simple;
  shape_range(statement);
  if (!is_scan)
    statement.context = some_context(scope);
  if (kind == Kind::Reduce)
    shape_reduction(statement);
  if (program_.failures && !is_scan && chance(10)) {
    statement.cancelled = true;
    to.statements.push_back(std::move(statement));
    return true;
  }
  program_.exact &= !is_loose;
  program_.tasks_exact &= !is_loose;
  program_.divisible_exact &= !is_scan;
  const unsigned outer_times = times_;
  times_ *= std::max(1u, statement.iterations);
  const unsigned bodies_of_loop = is_loose && alike_ ? 1 : 1 + pick(3);
  const bool over_index = kind == Kind::Loop && statement.form == Form::Alternative;
  program_.parts_alike &= !is_loose || bodies_of_loop == 1 || over_index;
  if (bodies_of_loop > 1 && statement.iterations > 0 && chance(30))
    statement.outlier = pick(statement.iterations);
  for (unsigned bodies = bodies_of_loop; bodies > 0; --bodies) {
    Place place = is_loose ? inside(scope) : inside_algorithm(scope, statement.context);
    if (is_loose)
      place.rights.clear();
    statement.blocks.push_back(is_wide ? leaf(1) : block(std::move(place)));
  }
  times_ = outer_times;
  to.statements.push_back(std::move(statement));
  return true;
}

void Generator::shape_range(Statement& statement) {
  const bool is_loop = statement.kind == Kind::Loop;
  const bool halves = statement.partitioner <= Partitioner::Auto;
  const auto some_grain = [&](unsigned most) { return halves || !alike_ ? 1 + pick(most) : 1; };
  if (is_loop && chance(statement.partitioner == Partitioner::Auto ? 60 : 30)) {
    statement.form = chance(60) ? Form::Third : Form::Fourth;
    statement.columns = 1 + pick(12);
    if (statement.form == Form::Fourth)
      statement.pages = 1 + pick(4);
    statement.iterations -= statement.iterations % (statement.columns * statement.pages);
    statement.grain = some_grain(chance(50) ? 3 : 12);
    statement.column_grain = some_grain(chance(50) ? 3 : 12);
    if (statement.form == Form::Fourth)
      statement.page_grain = some_grain(3);
  } else if (is_loop && statement.form == Form::Alternative) {
    statement.stride = 1 + pick(3);
  } else {
    statement.grain = some_grain(4);
  }
  const bool is_fine =
      statement.grain == 1 && statement.column_grain == 1 && statement.page_grain == 1;
  program_.parts_alike &= halves || is_fine;
  program_.splits_alike &= halves || is_fine;
}

// The set of joins is determined in the deterministic form with the simple partitioner.
void Generator::shape_reduction(Statement& statement) {
  const bool simple = statement.partitioner == Partitioner::Simple;
  statement.deterministic = (simple || statement.partitioner == Partitioner::Static) && chance(70);
  if (has_loose_joins(statement)) {
    const bool proportional = statement.partitioner >= Partitioner::Static;
    if (!loose_ || (proportional && alike_) || chance(40))
      return;
    Statement join = make(Kind::Spend);
    join.units = join_units_;
    statement.join.statements.push_back(join);
    program_.exact = false;
    // The figure may have one join too many: docs/explanation/what-is-exact.md.
    if (proportional || statement.iterations > 200)
      program_.parts_alike = program_.splits_alike = false;
    return;
  }
  add_spend(statement.join, 80);
  if (chance(30)) {
    Statement region = make(Kind::Region);
    region.region = pick(kRegions);
    region.blocks.push_back(leaf(1));
    statement.join.statements.push_back(std::move(region));
  }
}

bool Generator::for_each(Block& to, Scope& scope) {
  Statement statement = make(Kind::ForEach);
  const bool random_access = statement.form == Form::Plain;
  statement.iterations = pick(14);
  if (scope.place.leafy || (random_access && !loose_) || !afford(2 * statement.iterations + 1))
    return false;
  if (random_access)
    statement.partitioner = Partitioner::Auto;
  program_.exact &= !random_access;
  program_.tasks_exact &= !random_access;
  statement.context = some_context(scope);
  const unsigned outer_times = times_;
  times_ *= std::max(1u, statement.iterations);
  for (unsigned bodies = random_access ? 1 : 1 + pick(3); bodies > 0; --bodies) {
    Place place = inside(scope);
    place.item_context = statement.context;
    if (random_access)
      place.rights.clear();
    else
      place.item = std::make_shared<Place>(place);
    statement.blocks.push_back(block(std::move(place)));
  }
  times_ = outer_times;
  to.statements.push_back(std::move(statement));
  return true;
}

bool Generator::feed(Block& to, Scope& scope) {
  if (!scope.place.item || !afford(1))
    return false;
  Statement statement = make(Kind::Feed);
  // The new item outlives this scope.
  Place place = *scope.place.item;
  place.depth = scope.place.depth + 1;
  place.item = scope.place.item;
  statement.blocks.push_back(block(std::move(place)));
  to.statements.push_back(std::move(statement));
  return true;
}

// With fewer tokens than items the order in which items leave matters: that of a serial filter is
// known. So does the order in which they reach a serial_out_of_order filter.
bool Generator::pipeline(Block& to, Scope& scope) {
  Statement statement = make(Kind::Pipeline);
  const unsigned filters = 1 + pick(kMostFilters);
  statement.iterations = pick(10);
  if (scope.place.leafy || !afford((statement.iterations + 1) * filters))
    return false;
  program_.tasks_exact = false;
  const unsigned outer_times = times_;
  times_ *= statement.iterations + 1;
  for (unsigned i = 0; i < filters; ++i) {
    statement.serial.push_back(i == 0 || chance(50));
    statement.unordered.push_back(statement.serial.back() && loose_ && chance(40));
    statement.blocks.push_back(block(inside(scope)));
  }
  times_ = outer_times;
  statement.tokens = statement.serial.back() ? 1 + pick(12) : statement.iterations + 1;
  // After an input without order there is no order either.
  const bool can_overtake = statement.tokens > 1 && filters > 1 &&
                            std::find(statement.unordered.begin(), statement.unordered.end(),
                                      true) != statement.unordered.end();
  program_.exact &= !can_overtake;
  program_.divisible_exact &= !can_overtake;
  to.statements.push_back(std::move(statement));
  return true;
}

// One item at a time; the first is not passed on.
void Generator::failing_pipeline(Block& to, Scope& scope) {
  Statement statement = make(Kind::Pipeline);
  program_.tasks_exact = false;
  statement.iterations = 1;
  for (unsigned filters = 1 + pick(3), i = 0; i < filters; ++i) {
    Place place = inside(scope);
    place.rights.clear();
    statement.serial.push_back(i == 0 || chance(50));
    statement.unordered.push_back(statement.serial.back() && chance(30));
    statement.blocks.push_back(i + 1 < filters ? leaf(1) : throwing(std::move(place)));
  }
  to.statements.push_back(std::move(statement));
}

// Threads that run bodies, or wait for the graph, may see any task that is not isolated.
Place Generator::inside_graph(Scope& scope) {
  Place place = inside(scope);
  place.rights.clear();
  place.isolation = true;
  return place;
}

bool Generator::graph(Block& to, Scope& scope) {
  const bool continues = chance(35);
  const unsigned nodes = 1 + pick(7), messages = 1 + pick(chance(25) ? 9 : 4);
  if (scope.place.leafy || !afford(3 * nodes * messages))
    return false;
  Statement statement = make(Kind::Graph);
  const auto pick_below = [this](unsigned below) { return pick(below); };
  statement.iterations = messages;
  statement.nodes =
      continues ? continue_graph(pick_below, nodes) : message_graph(pick_below, nodes, messages);
  const unsigned outer_times = times_;
  times_ *= messages;
  for (const GraphNode& node : statement.nodes)
    statement.blocks.push_back(!has_block(node.kind)          ? Block()
                               : node.kind == NodeKind::Light ? leaf(2)
                                                              : block(inside_graph(scope)));
  times_ = outer_times;
  const GraphNode& entry = statement.nodes[0];
  if (entry.kind != NodeKind::Limited || entry.slots == 1 || entry.slots == messages)
    add_spend(statement.join, 60);
  for (const GraphNode& node : statement.nodes)
    program_.has_priorities |= node.has_priority;
  for (const GraphNode& node : statement.nodes)
    program_.has_windows |=
        node.kind == NodeKind::Limited && node.slots > 1 && node.slots < messages;
  program_.tasks_exact &= continues;
  to.statements.push_back(std::move(statement));
  return true;
}

// A chain of nodes, the last of which throws.
void Generator::failing_graph(Block& to, Scope& scope) {
  Statement statement = make(Kind::Graph);
  statement.iterations = 1;
  const bool continues = chance(50);
  const unsigned nodes = 1 + pick(3);
  for (unsigned i = 0; i < nodes; ++i) {
    GraphNode node;
    node.kind = continues ? NodeKind::Continue : NodeKind::Function;
    if (i > 0)
      node.from.push_back(i - 1);
    statement.nodes.push_back(node);
    statement.blocks.push_back(i + 1 < nodes ? leaf(1) : throwing(inside_graph(scope)));
  }
  to.statements.push_back(std::move(statement));
}

// Others wait outside until the thread inside is ready to help, or leaves: that thread must wait
// only for its own tasks.
bool Generator::full_arena(Block& to, Scope& scope) {
  if (scope.place.leafy || !afford(2))
    return false;
  Statement statement = make(Kind::FullArena);
  program_.tasks_exact = false;
  statement.blocks.push_back(leaf(1 + pick(3)));
  to.statements.push_back(std::move(statement));
  return true;
}

// A task of a quiet group resumes it. Only in the thread's first arena and outside of isolated
// regions: elsewhere oneTBB may need the one thread that waits.
bool Generator::suspend(Block& to, Scope& scope) {
  const Place& place = scope.place;
  Group* const group = quiet_group(scope);
  if (!group || group->isolated || place.leafy || place.isolation || place.arena >= 0 || !afford(1))
    return false;
  Statement statement = make(Kind::Suspend);
  statement.group = group->number;
  program_.suspends = true;
  statement.blocks.push_back(leaf(pick(3)));
  statement.blocks.push_back(leaf(pick(3)));
  group->active = true;
  to.statements.push_back(std::move(statement));
  return true;
}

bool Generator::sort(Block& to, Scope& scope) {
  // It cancels a context of its own.
  if (!program_.failures || scope.place.leafy || !afford(20))
    return false;
  program_.tasks_exact = false;
  to.statements.push_back(make(Kind::Sort));
  return true;
}

// As a loop with the automatic partitioner; a reduction there has two elements or more per part.
bool Generator::standard(Block& to, Scope& scope) {
  Statement statement = make(Kind::Standard);
  statement.form = static_cast<Form>(pick(3));
  statement.iterations = pick(60);
  if (!loose_ || scope.place.leafy || !afford(statement.iterations))
    return false;
  statement.partitioner = Partitioner::Auto;
  if (call_of(statement) == Call::StdReduce)
    statement.grain = 3;
  program_.exact = program_.tasks_exact = false;
  const unsigned outer_times = times_;
  times_ *= std::max(1u, statement.iterations);
  const unsigned bodies = alike_ ? 1 : 1 + pick(3);
  program_.parts_alike &= bodies == 1;
  for (unsigned i = 0; i < bodies; ++i) {
    Place place = inside(scope);
    place.rights.clear();
    place.isolation = true;
    statement.blocks.push_back(block(std::move(place)));
  }
  times_ = outer_times;
  to.statements.push_back(std::move(statement));
  return true;
}

bool Generator::threads(Block& to, Scope& scope) {
  Statement statement = make(Kind::Threads);
  statement.iterations = 1 + pick(4);
  if (scope.place.leafy || !afford(2 * statement.iterations))
    return false;
  const unsigned outer_times = times_;
  times_ *= statement.iterations;
  for (unsigned bodies = 1 + pick(2); bodies > 0; --bodies) {
    Place place = inside(scope);
    place.rights.clear();
    place.contexts.clear();
    place.isolation = false;
    place.in_arena_of_thread = true;
    statement.blocks.push_back(block(std::move(place)));
  }
  times_ = outer_times;
  to.statements.push_back(std::move(statement));
  return true;
}

// ---- enclosing statements of the same task ----

bool Generator::region(Block& to, Scope& scope) {
  if (scope.place.regions > 2)
    return false;
  Statement statement = make(Kind::Region);
  statement.region = pick(kRegions);
  statement.blocks.emplace_back();
  ++scope.place.regions;
  fill(statement.blocks[0], scope, 1 + pick(2));
  --scope.place.regions;
  to.statements.push_back(std::move(statement));
  return true;
}

bool Generator::arena(Block& to, Scope& scope) {
  if (scope.place.leafy)
    return false;
  Statement statement = make(Kind::Arena);
  Place place = inside(scope);
  statement.arena = enter_arena(place);
  statement.blocks.push_back(block(std::move(place)));
  to.statements.push_back(std::move(statement));
  return true;
}

// Chooses this arena or one with a higher number: never back to one in which a wait is active. Two
// threads could wait there for each other's tasks.
unsigned Generator::enter_arena(Place& place) {
  const unsigned lowest = place.arena < 0 ? 0 : static_cast<unsigned>(place.arena);
  const unsigned arena = lowest + pick(kArenas - lowest);
  if (place.arena != static_cast<int>(arena) || place.in_arena_of_thread || place.isolation)
    place.rights.clear();
  place.arena = static_cast<int>(arena);
  place.in_arena_of_thread = false;
  place.isolation = false;
  return arena;
}

bool Generator::isolate(Block& to, Scope& scope) {
  if (scope.place.leafy)
    return false;
  Statement statement = make(Kind::Isolate);
  Place place = inside(scope);
  place.rights.clear();
  place.isolation = true;
  statement.blocks.push_back(block(std::move(place)));
  to.statements.push_back(std::move(statement));
  return true;
}

// Some of the code sleeps after its work, but no joins: how many of them run may be the schedule's. By
// numbers of their own, so that the rest of a seed's program is the same with and without sleep.
void add_sleep(Block& block, std::mt19937_64& random, unsigned percent) {
  for (Statement& each : block.statements) {
    if (each.kind == Kind::Spend && random() % 100 < percent)
      each.sleep = random() % 4 == 0 ? random() % 5 : random() % 1000000;
    for (Block& inner : each.blocks)
      add_sleep(inner, random, percent);
  }
}

// Sections of locks around statements that leave nothing behind, and use no group of the code around
// them. Locks that are taken inside of a section have higher numbers, so no schedule deadlocks. By
// numbers of their own, too.
class LockAdder {
public:
  // `suspends`: while a task is suspended, oneTBB may let another thread continue what a thread has begun that waits. It
  // would release what that one has acquired: no section contains a wait then.
  LockAdder(std::uint64_t seed, bool suspends) : random_(seed), waits_inside_(!suspends) {
    percent_ = random_() % 2 == 0 ? 0 : 1 + random_() % 50;
    locks_ = 1 + static_cast<unsigned>(random_() % kLocks);
  }

  void add(Block& block) {
    for (Statement& each : block.statements)
      for (Block& inner : each.blocks)
        add(inner);
    for (std::size_t first = 0; first < block.statements.size(); ++first) {
      if (random_() % 100 >= percent_)
        continue;
      std::size_t end = first;
      const std::size_t most = 1 + random_() % 3;
      lowest_ = kLocks;
      while (end < block.statements.size() && end - first < most &&
             may_be_inside(block.statements[end]))
        ++end;
      const unsigned lock = static_cast<unsigned>(random_() % locks_);
      if (end == first || lowest_ <= lock)
        continue;
      Statement around;
      around.kind = Kind::Lock;
      around.number = kFirstNumber + added_++;
      around.lock = lock;
      around.shared = may_be_shared(lock) && random_() % 3 != 0;
      const auto from = block.statements.begin() + static_cast<std::ptrdiff_t>(first);
      const auto to = block.statements.begin() + static_cast<std::ptrdiff_t>(end);
      around.blocks.emplace_back();
      around.blocks[0].statements.assign(std::make_move_iterator(from),
                                         std::make_move_iterator(to));
      block.statements.erase(from + 1, to);
      block.statements[first] = std::move(around);
    }
  }
  bool any() const { return added_ > 0; }

private:
  static constexpr unsigned kFirstNumber = 1'000'000;

  bool may_be_inside(const Statement& s) {
    const unsigned before = lowest_;
    if (is_closed(s, {}))
      return true;
    lowest_ = before;
    return false;
  }
  bool is_closed(const Block& block, std::set<unsigned> groups) {
    if (!block.contexts.empty())
      return false;
    for (const GroupDeclaration& group : block.groups)
      groups.insert(group.number);
    return std::ranges::all_of(block.statements,
                               [&](const Statement& s) { return is_closed(s, groups); });
  }
  bool is_closed(const Statement& s, const std::set<unsigned>& groups) {
    switch (s.kind) {
    case Kind::Lock:
      lowest_ = std::min(lowest_, s.lock);
      break;
    case Kind::Run:
    case Kind::RunAndWait:
    case Kind::Wait:
      if (!waits_inside_ || s.form == Form::Third || !groups.contains(s.group))
        return false;
      break;
    case Kind::Invoke:
    case Kind::Loop:
    case Kind::Reduce:
      if (!waits_inside_ || s.context != 0 || s.cancelled)
        return false;
      break;
    case Kind::Spend:
    case Kind::Region:
    case Kind::Isolate:
      break;
    default:
      return false;
    }
    return std::ranges::all_of(s.blocks,
                               [&](const Block& each) { return is_closed(each, groups); });
  }

  std::mt19937_64 random_;
  const bool waits_inside_;
  std::uint64_t percent_ = 0;
  unsigned locks_ = 1, added_ = 0;
  unsigned lowest_ = kLocks; // of the locks in what is to be in a section
};

} // namespace

Program generate(std::uint64_t seed) {
  Program program = Generator(seed).run();
  std::mt19937_64 random(seed * 2 + 1);
  const unsigned percent = random() % 2 == 0 ? 0 : 1 + random() % 60;
  add_sleep(program.prologue, random, percent);
  for (Block& thread : program.threads)
    add_sleep(thread, random, percent);
  add_sleep(program.epilogue, random, percent);
  LockAdder locks(seed * 2 + 0x10c4, program.suspends);
  for (Block& thread : program.threads)
    locks.add(thread);
  locks.add(program.epilogue);
  program.has_locks = locks.any();
  return program;
}

} // namespace random_program
