// SPDX-License-Identifier: Apache-2.0
// A line is a word and key=value pairs.
#include "trace_script.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <stdexcept>

namespace tp::test {
namespace {

struct Line {
  std::string word;
  std::vector<std::string> positionals;
  std::map<std::string, std::string> values;

  bool has(const std::string& key) const { return values.count(key) > 0; }
  std::string text(const std::string& key, const std::string& otherwise) const {
    const auto it = values.find(key);
    return it == values.end() ? otherwise : it->second;
  }
  std::uint64_t number(const std::string& key, std::uint64_t otherwise = 0) const {
    return has(key) ? std::stoull(values.at(key)) : otherwise;
  }
};

Line split(const std::string& text) {
  Line line;
  std::istringstream words(text.substr(0, text.find('#')));
  words >> line.word;
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      line.positionals.push_back(word);
    else
      line.values[word.substr(0, equals)] = word.substr(equals + 1);
  }
  return line;
}

// Rows, then columns if there are any.
std::vector<trace::LoopDimension> dimensions_of(const Line& line) {
  std::vector<trace::LoopDimension> found{{line.number("rows", 1), line.number("row_grain", 1)}};
  if (line.number("cols") > 0)
    found.push_back({line.number("cols"), line.number("col_grain", 1)});
  return found;
}

std::uint64_t parse_id(const std::string& text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string::npos)
    throw std::runtime_error("not STREAM.ORDINAL: " + text);
  return trace::pack_id(static_cast<std::uint32_t>(std::stoul(text.substr(0, dot))),
                        std::stoull(text.substr(dot + 1)));
}

trace::Construct construct_of(const std::string& name) {
  const auto* const known =
      std::find(std::begin(trace::kConstructNames), std::end(trace::kConstructNames), name);
  if (known == std::end(trace::kConstructNames))
    throw std::runtime_error("trace script: construct: expected one of kConstructNames, got " +
                             name);
  return static_cast<trace::Construct>(known - std::begin(trace::kConstructNames));
}

trace::LockKind lock_kind_of(const std::string& name) {
  const auto* const known =
      std::find(std::begin(trace::kLockKindNames), std::end(trace::kLockKindNames), name);
  if (known == std::end(trace::kLockKindNames))
    throw std::runtime_error("trace script: kind: expected one of kLockKindNames, got " + name);
  return static_cast<trace::LockKind>(known - std::begin(trace::kLockKindNames));
}

bool add_lock_record(StreamBuilder& stream, const Line& line) {
  const auto slot = static_cast<std::uint16_t>(line.number("slot"));
  const auto place = static_cast<std::uint32_t>(line.number("place"));
  const StepFigures figures{line.number("work"), line.number("lead"), line.number("waited")};
  const auto sections = static_cast<std::uint32_t>(line.number("many"));
  const unsigned flags = (line.number("shared") != 0 ? trace::kLockShared : 0) |
                         (line.number("contended") != 0 ? trace::kLockContended : 0) |
                         (sections != 0 ? trace::kLockMany : 0);
  if (line.word == "lock")
    stream.lock(slot, line.number("address"), lock_kind_of(line.text("kind", "spin_mutex")),
                static_cast<std::uint32_t>(line.number("generation")),
                (line.number("reused") != 0 ? trace::kLockMayBeReused : 0) |
                    (line.number("rest") != 0 ? trace::kLocksNotApart : 0));
  else if (line.word == "section")
    stream.section(figures, slot, place, flags, sections,
                   static_cast<std::uint32_t>(line.number("error")));
  else if (line.word == "take")
    stream.take_lock(figures, slot, place, flags);
  else if (line.word == "give")
    stream.give_lock(figures.lead, slot, flags);
  else if (line.word == "slept-in-section") {
    const trace::SleptInSectionPayload payload{line.number("time"), slot, 0, 0};
    stream.extended(trace::ExtendedKind::SleptInSection, &payload, sizeof payload);
  } else if (line.word == "lock-wait")
    stream.lock_wait(slot, place, line.number("ticks"));
  else if (line.word == "lock-tries")
    stream.lock_tries(slot, place, line.number("tries"), line.number("work"));
  else if (line.word == "lock-untimed")
    stream.lock_untimed(slot, place, static_cast<std::uint32_t>(line.number("sections")),
                        line.number("work"), line.number("error"));
  else if (line.word == "lock-call")
    stream.lock_call(slot, line.number("ticks"));
  else if (line.word == "lock-handed-over")
    stream.lock_handed_over(slot, line.number("since_release"), line.number("since_wake", 0));
  else
    return false;
  return true;
}

bool add_limit_record(StreamBuilder& stream, const Line& line) {
  const auto as32 = [&](const char* name, std::uint64_t otherwise = 0) {
    return static_cast<std::uint32_t>(line.number(name, otherwise));
  };
  const bool like_machine = line.number("like_machine") != 0;
  if (line.word == "in-arena") {
    const std::uint32_t asked = as32("asked");
    const trace::InArenaPayload payload{line.number("work"),
                                        as32("arena"),
                                        asked,
                                        as32("reserved", asked > 0 ? 1 : 0),
                                        as32("slots", asked > 0 ? std::max(asked, 2u) : 0),
                                        (line.number("entered") != 0 ? trace::kArenaEntered : 0u) |
                                            (like_machine ? trace::kArenaLikeMachine : 0u),
                                        0};
    stream.extended(trace::ExtendedKind::InArena, &payload, sizeof payload);
  } else if (line.word == "tokens") {
    const trace::TokensPayload payload{line.number("count")};
    stream.extended(trace::ExtendedKind::Tokens, &payload, sizeof payload);
  } else if (line.word == "enqueued") {
    const trace::EnqueuedPayload payload{as32("arena"), 0};
    stream.extended(trace::ExtendedKind::Enqueued, &payload, sizeof payload);
  } else if (line.word == "allowed") {
    const trace::AllowedThreadsPayload payload{line.number("time"), line.number("work"),
                                               as32("threads"),
                                               like_machine ? trace::kAllowedLikeMachine : 0u};
    stream.extended(trace::ExtendedKind::AllowedThreads, &payload, sizeof payload);
  } else {
    return false;
  }
  return true;
}

ContextOperand context_of(const Line& line) {
  const std::string text = line.text("ctx", "own");
  if (text == "own")
    return ContextOperand::own();
  if (text == "last")
    return ContextOperand::last();
  if (text == "new" || text == "new-exclusive" || text == "new-gathering") {
    ContextOperand fresh = ContextOperand::fresh(text != "new");
    fresh.gathers = text == "new-gathering";
    fresh.construct = construct_of(line.text("construct", "task_group"));
    return fresh;
  }
  return ContextOperand::of(parse_id(text));
}

SiteOperand site_of(const Line& line) {
  const std::string text = line.text("site", "inherit");
  if (text == "inherit")
    return SiteOperand::inherit();
  if (text == "last")
    return SiteOperand::last();
  return SiteOperand::of(static_cast<std::uint32_t>(std::stoul(text)));
}

TaskOperand task_of(const Line& line) {
  const std::string text = line.text("task", "newest");
  if (text == "newest")
    return TaskOperand::newest();
  if (text[0] == '-')
    return TaskOperand::back(std::stoull(text.substr(1)));
  return TaskOperand::of(parse_id(text));
}

void add_edge_uses(StreamBuilder& stream, std::uint64_t edge, const std::string& change) {
  const trace::EdgeUsesPayload payload{edge, std::stoi(change), 0};
  stream.extended(trace::ExtendedKind::EdgeUses, &payload, sizeof payload);
}

void add_hand_over(StreamBuilder& stream, std::uint64_t from, const std::string& to) {
  const bool is_new = to == "new";
  const trace::HandOverPayload payload{
      from, is_new ? 0 : parse_id(to), is_new ? std::uint32_t{trace::kHandOverNew} : 0,
      is_new ? trace::kContextExclusive | trace::kContextGathers |
                   static_cast<unsigned>(trace::Construct::OmpBarrier)
             : 0};
  stream.extended(trace::ExtendedKind::HandOver, &payload, sizeof payload);
}

void add_barrier(StreamBuilder& stream, std::uint64_t threads) {
  const trace::BarrierWaitPayload payload{static_cast<std::uint32_t>(threads), 0};
  stream.extended(trace::ExtendedKind::BarrierWait, &payload, sizeof payload);
}

void add_waited_at(StreamBuilder& stream, std::uint64_t work, std::uint64_t time,
                   std::uint64_t waited) {
  const trace::WaitedAtPayload payload{work, {time, waited}};
  stream.extended(trace::ExtendedKind::WaitedAt, &payload, sizeof payload);
}

void add_asleep(StreamBuilder& stream, trace::ExtendedKind kind, std::uint64_t time,
                std::uint64_t waited) {
  const trace::AsleepPayload payload{time, waited};
  stream.extended(kind, &payload, sizeof payload);
}

void add_asleep_in(StreamBuilder& stream, std::uint64_t time, std::uint64_t kind) {
  const trace::AsleepInPayload payload{time, static_cast<std::uint32_t>(kind), 0};
  stream.extended(trace::ExtendedKind::AsleepIn, &payload, sizeof payload);
}

void set_run(TraceBuilder& builder, const Line& line) {
  builder.complete = line.number("complete", 1) != 0;
  builder.cpus = static_cast<std::uint32_t>(line.number("cpus", 2));
  builder.unit = line.text("unit", builder.unit);
  builder.clock = line.text("clock", builder.clock);
  builder.hz = line.number("hz", 0);
  builder.time_hz = line.number("time_hz", builder.time_hz);
  builder.step_cost = line.number("step_cost", 0);
  builder.gap_cost_ns = line.number("gap_cost_ns", 0);
  builder.same_as_time = line.number("same_as_time", 0) != 0;
  builder.sleep_seen = line.number("sleep_seen", 0) != 0;
  builder.waits_seen = line.number("waits_seen", 0) != 0;
  builder.threads_seen = line.number("threads_seen", 0) != 0;
  builder.section_sleep_seen = line.number("section_sleep_seen", 0) != 0;
  builder.cpu_ns = line.number("cpu_ns", builder.cpu_ns);
  builder.wall_ns = line.number("wall_ns", builder.wall_ns);
  builder.virtual_work = line.number("virtual_work", 0);
  builder.locks = line.text("locks", builder.locks);
  builder.c_locks_seen = line.number("c_locks_seen", 1) != 0;
  builder.wake_latency_ns = line.number("wake_latency_ns", 0);
  builder.wake_call_ns = line.number("wake_call_ns", 0);
  builder.wake_sampled_ns = line.number("wake_sampled_ns", 0);
  builder.wake_sparse_ns = line.number("wake_sparse_ns", 0);
  builder.sparse_ns = line.number("sparse_ns", 0);
  builder.run_delay_ns = line.number("run_delay_ns", 0);
  builder.others_cpu_ns = line.number("others_cpu_ns", builder.others_cpu_ns);
  builder.voluntary_switches = line.number("voluntary_switches", 0);
}

bool add_record(StreamBuilder& stream, const Line& line, bool same_as_time) {
  const StepFigures step{line.number("work"), line.number("lead"),
                         line.number("wall", same_as_time ? 0 : line.number("work"))};
  const std::string& word = line.word;
  if (word == "thread") {
    const std::string role = line.text("role", "main");
    stream.thread_begin(role == "main"       ? trace::ThreadRole::Main
                        : role == "external" ? trace::ThreadRole::External
                                             : trace::ThreadRole::Worker,
                        line.number("prior"));
  } else if (word == "thread-end")
    stream.thread_end(line.number("cpu"), line.number("paused"));
  else if (word == "spawn" || word == "spawn-wait")
    stream.spawn(step, site_of(line), context_of(line),
                 line.number("split", line.number("alone")) != 0, word == "spawn-wait");
  else if (word == "wait")
    stream.wait(step, context_of(line));
  else if (word == "wait-end")
    stream.wait_end(line.number("idle"));
  else if (word == "begin")
    stream.begin(task_of(line), line.number("idle"));
  else if (word == "end")
    stream.end(step);
  else if (word == "task")
    stream.task(task_of(line), step, line.number("cancelled") != 0 ? trace::kTaskCancelled : 0u);
  else if (word == "loop-begin")
    stream.loop_begin(step);
  else if (word == "loop-end")
    stream.loop_end(step, line.number("n", 1), line.number("grain", 1), line.number("joins") != 0);
  else if (word == "portion-end")
    stream.portion_end(step, line.number("n", 1), line.number("grain", 1),
                       line.number("joins") != 0);
  else if (word == "portions-joined")
    stream.portions_joined(step);
  else if (word == "shape" || word == "whole")
    stream.loop_range(word == "shape" ? trace::ExtendedKind::LoopShape
                                      : trace::ExtendedKind::LoopWhole,
                      dimensions_of(line));
  else if (word == "join")
    stream.join(step, line.number("runs") != 0      ? trace::kJoinRuns
                      : line.number("skipped") != 0 ? trace::kJoinSkipped
                                                    : 0);
  else if (word == "release")
    stream.release(step, line.number("kept") != 0);
  else if (word == "acquire")
    stream.acquire(step, parse_id(line.text("edge", "")), line.number("alone") != 0);
  else if (word == "region")
    stream.region(static_cast<std::uint32_t>(line.number("id")), line.number("work"));
  else if (word == "context-end")
    stream.context_end(context_of(line));
  else if (word == "cut")
    stream.cut(step);
  else if (word == "asleep" || word == "asleep-before")
    add_asleep(stream,
               word == "asleep" ? trace::ExtendedKind::Asleep : trace::ExtendedKind::AsleepBefore,
               line.number("time"), line.number("waited"));
  else if (word == "waited-at")
    add_waited_at(stream, line.number("work"), line.number("time"), line.number("waited"));
  else if (word == "asleep-in")
    add_asleep_in(stream, line.number("time"), line.number("kind"));
  else if (word == "hand-over")
    add_hand_over(stream, parse_id(line.text("from", "")), line.text("to", "new"));
  else if (word == "barrier")
    add_barrier(stream, line.number("threads"));
  else if (word == "pause")
    stream.extended(trace::ExtendedKind::Pause, nullptr, 0);
  else if (word == "resume")
    stream.extended(trace::ExtendedKind::Resume, nullptr, 0);
  else if (word == "stack-out")
    stream.extended(trace::ExtendedKind::StackOut, nullptr, 0);
  else if (word == "stack-in")
    stream.stack_in(parse_id(line.text("stack", "")), line.number("idle"));
  else if (word == "feed")
    stream.extended(trace::ExtendedKind::Feed, nullptr, 0);
  else if (word == "edge-uses")
    add_edge_uses(stream, parse_id(line.text("edge", "")), line.text("change", ""));
  else if (word == "chunk")
    stream.new_chunk(line.number("base"));
  else
    return add_lock_record(stream, line) || add_limit_record(stream, line);
  return true;
}

} // namespace

TraceBuilder parse_trace_script(const std::string& text) {
  TraceBuilder builder;
  StreamBuilder* stream = nullptr;
  std::istringstream lines(text);
  std::size_t number = 0;
  for (std::string each; std::getline(lines, each);) {
    ++number;
    const Line line = split(each);
    const auto& p = line.positionals;
    const auto as32 = [&](std::size_t i) {
      return static_cast<std::uint32_t>(std::stoul(p.at(i)));
    };
    try {
      if (line.word.empty())
        continue;
      if (line.word == "run")
        set_run(builder, line);
      else if (line.word == "site")
        builder.site(as32(0), p.at(1), as32(2), p.size() > 3 ? as32(3) : 1,
                     line.text("construct", "task_group"), line.text("tag", "explicit"));
      else if (line.word == "region" && !p.empty())
        builder.region(as32(0), p.at(1), p.at(2), as32(3));
      else if (line.word == "lock-place")
        builder.lock_place(as32(0), lock_kind_of(p.at(1)), p.at(2), as32(3), line.text("name", ""));
      else if (line.word == "stream") {
        while (builder.stream_count() <= as32(0))
          builder.stream(line.number("base"));
        stream = &builder.at(as32(0));
      } else if (!stream || !add_record(*stream, line, builder.same_as_time)) {
        throw std::runtime_error("unknown record, or no stream");
      }
    } catch (const std::exception& error) {
      throw std::runtime_error("trace script line " + std::to_string(number) + ": " + error.what() +
                               ": " + each);
    }
  }
  return builder;
}

TraceBuilder load_trace_script(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    throw std::runtime_error("cannot open " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return parse_trace_script(text.str());
}

} // namespace tp::test
