// SPDX-License-Identifier: Apache-2.0
// Uses the same encoder as the profiler.
#include "trace_builder.h"

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace tp::test {

using trace::Op;

template <typename Operands>
void StreamBuilder::emit(Op op, unsigned flags, const StepFigures& step, Operands&& operands) {
  // Extended payloads may be longer than any record that the profiler writes.
  std::vector<std::byte> space(trace::kMaxRecordBytes + (op == Op::Extended ? 70000 : 0));
  trace::RecordEncoder encoder(space.data());
  const unsigned lead = encoder.field(step.lead);
  const unsigned work = encoder.field(step.work);
  const unsigned wall = encoder.field(step.wall);
  if (!extra.empty() && trace::closes_step(op)) {
    unsigned codes = 0;
    for (std::size_t i = 0; i < extra.size(); ++i)
      codes |= trace::width_code(extra[i]) << 2 * i;
    encoder.operand(static_cast<std::uint16_t>(codes));
    for (const std::uint64_t value : extra)
      encoder.field(value);
  }
  operands(encoder);
  std::byte* const end = encoder.commit(trace::make_tag(op, lead, work, wall, flags));
  records_.insert(records_.end(), space.data(), end);
}

void StreamBuilder::extended(trace::ExtendedKind kind, const void* payload, std::size_t size,
                             std::uint64_t idle) {
  emit(Op::Extended, 0, {.lead = idle}, [&](trace::RecordEncoder& encoder) {
    encoder.operand(static_cast<std::uint8_t>(kind));
    encoder.operand(std::uint8_t{0});
    encoder.operand(static_cast<std::uint16_t>(size));
    if (size > 0)
      encoder.bytes(payload, size);
  });
}

void StreamBuilder::stack_in(std::uint64_t stack, std::uint64_t idle) {
  const trace::StackInPayload payload{stack};
  extended(trace::ExtendedKind::StackIn, &payload, sizeof payload, idle);
}

void StreamBuilder::thread_begin(trace::ThreadRole role, std::uint64_t prior_work) {
  const trace::ThreadBeginPayload payload{number_ + 100, prior_work,
                                          static_cast<std::uint32_t>(role), 0};
  extended(trace::ExtendedKind::ThreadBegin, &payload, sizeof payload);
}

void StreamBuilder::thread_end(std::uint64_t cpu_ns, std::uint64_t paused_work) {
  const trace::ThreadEndPayload payload{cpu_ns, paused_work};
  extended(trace::ExtendedKind::ThreadEnd, &payload, sizeof payload);
}

static unsigned flags_of(const ContextOperand& context) {
  return static_cast<unsigned>(context.code) << trace::kContextShift;
}

static void put(trace::RecordEncoder& encoder, const ContextOperand& context) {
  if (context.code == trace::ContextCode::New)
    encoder.operand(static_cast<std::uint8_t>(static_cast<unsigned>(context.construct) |
                                              (context.exclusive ? trace::kContextExclusive : 0) |
                                              (context.gathers ? trace::kContextGathers : 0)));
  if (context.code == trace::ContextCode::Id)
    encoder.operand(context.id);
}

void StreamBuilder::spawn(StepFigures step, SiteOperand site, ContextOperand context, bool split,
                          bool wait) {
  static_assert(trace::kSpawnSplit == trace::kWaitAlone);
  const unsigned flags =
      static_cast<unsigned>(site.code) | flags_of(context) | (split ? trace::kSpawnSplit : 0);
  emit(wait ? Op::SpawnWait : Op::Spawn, flags, step, [&](trace::RecordEncoder& encoder) {
    if (site.code == trace::SiteCode::U16)
      encoder.operand(static_cast<std::uint16_t>(site.site));
    if (site.code == trace::SiteCode::U32)
      encoder.operand(site.site);
    put(encoder, context);
  });
  ++spawns_;
}

void StreamBuilder::wait(StepFigures step, ContextOperand context) {
  emit(Op::Wait, flags_of(context), step,
       [&](trace::RecordEncoder& encoder) { put(encoder, context); });
}

void StreamBuilder::wait_end(std::uint64_t idle) {
  emit(Op::WaitEnd, 0, {.lead = idle}, [](trace::RecordEncoder&) {});
}

static void put(trace::RecordEncoder& encoder, const TaskOperand& task) {
  if (task.code == trace::TaskCode::Back16)
    encoder.operand(static_cast<std::uint16_t>(task.value));
  if (task.code == trace::TaskCode::Back32)
    encoder.operand(static_cast<std::uint32_t>(task.value));
  if (task.code == trace::TaskCode::Id)
    encoder.operand(task.value);
}

void StreamBuilder::begin(TaskOperand task, std::uint64_t idle, unsigned flags) {
  emit(Op::Begin, flags | static_cast<unsigned>(task.code), {.lead = idle},
       [&](trace::RecordEncoder& encoder) { put(encoder, task); });
}

void StreamBuilder::end(StepFigures step, unsigned flags) {
  emit(Op::End, flags, step, [](trace::RecordEncoder&) {});
}

void StreamBuilder::task(TaskOperand task, StepFigures step, unsigned flags) {
  emit(Op::Task, flags | static_cast<unsigned>(task.code), step,
       [&](trace::RecordEncoder& encoder) { put(encoder, task); });
}

void StreamBuilder::loop_begin(StepFigures step) {
  emit(Op::LoopBegin, 0, step, [](trace::RecordEncoder&) {});
}

static unsigned count_code(std::uint64_t value) {
  return value == 1 ? 0 : value < 65536 ? 1 : value >> 32 == 0 ? 2 : 3;
}

static void put_count(trace::RecordEncoder& encoder, std::uint64_t value) {
  switch (count_code(value)) {
  case 0:
    return;
  case 1:
    return encoder.operand(static_cast<std::uint16_t>(value));
  case 2:
    return encoder.operand(static_cast<std::uint32_t>(value));
  default:
    return encoder.operand(value);
  }
}

void StreamBuilder::body_end(Op op, StepFigures step, std::uint64_t iterations, std::uint64_t grain,
                             bool joins) {
  emit(op, count_code(iterations) | count_code(grain) << 2 | (joins ? trace::kPartsJoin : 0), step,
       [&](trace::RecordEncoder& encoder) {
         put_count(encoder, iterations);
         put_count(encoder, grain);
       });
}

void StreamBuilder::loop_end(StepFigures step, std::uint64_t iterations, std::uint64_t grain,
                             bool joins) {
  body_end(Op::LoopEnd, step, iterations, grain, joins);
}

void StreamBuilder::portion_end(StepFigures step, std::uint64_t iterations, std::uint64_t grain,
                                bool joins) {
  body_end(Op::PortionEnd, step, iterations, grain, joins);
}

void StreamBuilder::portions_joined(StepFigures step) {
  emit(Op::PortionJoin, 0, step, [](trace::RecordEncoder&) {});
}

void StreamBuilder::loop_range(trace::ExtendedKind kind, std::vector<trace::LoopDimension> range) {
  extended(kind, range.data(), range.size() * sizeof(trace::LoopDimension));
}

void StreamBuilder::join(StepFigures step, unsigned flags) {
  emit(Op::Join, flags, step, [](trace::RecordEncoder&) {});
}

void StreamBuilder::release(StepFigures step, bool kept) {
  emit(Op::Release, kept ? trace::kReleaseKept : 0, step, [](trace::RecordEncoder&) {});
}

void StreamBuilder::acquire(StepFigures step, std::uint64_t edge, bool alone) {
  emit(Op::Acquire, alone ? trace::kAcquireAlone : 0, step,
       [&](trace::RecordEncoder& encoder) { encoder.operand(edge); });
}

void StreamBuilder::region(std::uint32_t region, std::uint64_t work) {
  const bool wide = region >= 65536;
  emit(Op::Region, wide ? trace::kRegionWide : 0, {.work = work},
       [&](trace::RecordEncoder& encoder) {
         if (wide)
           encoder.operand(region);
         else
           encoder.operand(static_cast<std::uint16_t>(region));
       });
}

void StreamBuilder::lock_record(Op op, StepFigures step, std::uint16_t slot, std::uint32_t place,
                                unsigned flags, std::uint32_t sections, std::uint32_t work_error) {
  const bool wide = place >= 65536;
  emit(op, flags | (wide ? trace::kLockPlaceWide : 0), step, [&](trace::RecordEncoder& encoder) {
    encoder.operand(slot);
    if (wide)
      encoder.operand(place);
    else
      encoder.operand(static_cast<std::uint16_t>(place));
    if (flags & trace::kLockMany) {
      encoder.operand(sections);
      encoder.operand(work_error);
    }
  });
}

void StreamBuilder::section(StepFigures step, std::uint16_t slot, std::uint32_t place,
                            unsigned flags, std::uint32_t sections, std::uint32_t work_error) {
  lock_record(Op::Section, step, slot, place, flags, sections, work_error);
}

void StreamBuilder::take_lock(StepFigures step, std::uint16_t slot, std::uint32_t place,
                              unsigned flags) {
  lock_record(Op::Take, step, slot, place, flags & ~trace::kLockMany, 1, 0);
}

void StreamBuilder::give_lock(std::uint64_t offset, std::uint16_t slot, unsigned flags) {
  emit(Op::Give, flags, {.lead = offset},
       [&](trace::RecordEncoder& encoder) { encoder.operand(slot); });
}

void StreamBuilder::lock(std::uint16_t slot, std::uint64_t address, trace::LockKind kind,
                         std::uint32_t generation, unsigned flags) {
  const trace::LockObjectPayload payload{address, generation, slot, static_cast<std::uint8_t>(kind),
                                         static_cast<std::uint8_t>(flags)};
  extended(trace::ExtendedKind::LockObject, &payload, sizeof payload);
}

void StreamBuilder::lock_handed_over(std::uint16_t slot, std::uint64_t since_release,
                                     std::uint64_t since_wake) {
  const trace::LockHandedOverPayload payload{since_release, since_wake, slot, 0, 1};
  extended(trace::ExtendedKind::LockHandedOver, &payload, sizeof payload);
}

void StreamBuilder::lock_call(std::uint16_t slot, std::uint64_t ticks) {
  const trace::LockCallPayload payload{ticks, slot, 0, 0};
  extended(trace::ExtendedKind::LockCall, &payload, sizeof payload);
}

void StreamBuilder::lock_tries(std::uint16_t slot, std::uint32_t place, std::uint64_t tries,
                               std::uint64_t work) {
  const trace::LockTriesPayload payload{work, tries, place, slot, 0};
  extended(trace::ExtendedKind::LockTries, &payload, sizeof payload);
}

void StreamBuilder::lock_untimed(std::uint16_t slot, std::uint32_t place, std::uint32_t sections,
                                 std::uint64_t work, std::uint64_t error) {
  const trace::LockUntimedPayload payload{work, error, sections, place, slot, 0, 0};
  extended(trace::ExtendedKind::LockUntimed, &payload, sizeof payload);
}

void StreamBuilder::lock_wait(std::uint16_t slot, std::uint32_t place, std::uint64_t ticks) {
  const trace::LockWaitPayload payload{ticks, place, slot, 0};
  extended(trace::ExtendedKind::LockWait, &payload, sizeof payload);
}

void StreamBuilder::context_end(ContextOperand context) {
  emit(Op::ContextEnd, flags_of(context), {},
       [&](trace::RecordEncoder& encoder) { put(encoder, context); });
}

void StreamBuilder::cut(StepFigures step) {
  emit(Op::Cut, 0, step, [](trace::RecordEncoder&) {});
}

void StreamBuilder::new_chunk(std::uint64_t base_time) {
  done_.push_back(current());
  records_.clear();
  base_time_ = base_time;
  first_spawn_ = spawns_;
}

void StreamBuilder::append(std::vector<std::byte>& out, const Chunk& chunk, std::uint32_t sequence,
                           bool closed, std::uint32_t flags) const {
  trace::ChunkHeader header{};
  header.magic = trace::kChunkMagic;
  header.version = trace::kFormatVersion;
  header.header_bytes = sizeof header;
  header.session = session_;
  header.stream = number_;
  header.sequence = sequence;
  header.chunk_bytes = static_cast<std::uint32_t>(sizeof header + chunk.records.size() + slack);
  header.base_time = chunk.base_time;
  header.base_mono_ns = chunk.base_time;
  header.first_spawn = chunk.first_spawn;
  header.header_check = trace::header_check(header);
  if (closed) {
    header.used_bytes = static_cast<std::uint32_t>(chunk.records.size());
    header.flags = trace::kChunkClosed | flags;
    header.checksum = trace::checksum(chunk.records.data(), chunk.records.size());
  } else {
    header.flags = flags;
  }
  const auto* const begin = reinterpret_cast<const std::byte*>(&header);
  out.insert(out.end(), begin, begin + sizeof header);
  out.insert(out.end(), chunk.records.begin(), chunk.records.end());
  out.resize(out.size() + slack);
}

std::vector<std::byte> StreamBuilder::bytes() const {
  std::vector<std::byte> out;
  std::uint32_t sequence = 0;
  for (const Chunk& chunk : done_)
    append(out, chunk, sequence++, true, 0);
  append(out, current(), sequence, close_last, last_flags);
  return out;
}

TraceBuilder::TraceBuilder(std::uint64_t session) : session_(session) {}

StreamBuilder& TraceBuilder::stream(std::uint64_t base_time) {
  return streams_.emplace_back(static_cast<std::uint32_t>(streams_.size()), session_, base_time);
}

void TraceBuilder::site(std::uint32_t id, const std::string& file, std::uint32_t line,
                        std::uint32_t column, const std::string& construct,
                        const std::string& tag) {
  sites_ += "{\"site\":" + std::to_string(id) + ",\"tag\":\"" + tag + "\",\"file\":\"" + file +
            "\",\"line\":" + std::to_string(line) + ",\"column\":" + std::to_string(column) +
            ",\"end_line\":" + std::to_string(line) + ",\"function\":\"f()\",\"construct\":\"" +
            construct + "\"}\n";
}

void TraceBuilder::region(std::uint32_t id, const std::string& name, const std::string& file,
                          std::uint32_t line) {
  sites_ += "{\"region\":" + std::to_string(id) + ",\"name\":\"" + name + "\",\"file\":\"" + file +
            "\",\"line\":" + std::to_string(line) + ",\"factor\":0}\n";
}

void TraceBuilder::lock_place(std::uint32_t id, trace::LockKind kind, const std::string& file,
                              std::uint32_t line, const std::string& name) {
  site_line("{\"lock_place\":" + std::to_string(id) + ",\"kind\":\"" +
            trace::kLockKindNames[static_cast<unsigned>(kind)] + "\",\"name\":\"" + name +
            "\",\"file\":\"" + file + "\",\"line\":" + std::to_string(line) + ",\"stack\":[]}");
}

std::string TraceBuilder::run_json() const {
  char session[17];
  std::snprintf(session, sizeof session, "%016llx", static_cast<unsigned long long>(session_));
  std::string events;
  for (const std::string& event : extra_events)
    events += (events.empty() ? "\"" : ",\"") + event + "\"";
  return std::string("{\"schema\":\"taskpath.run/1\",\"format_version\":1,\"session\":\"") +
         session +
         "\",\"byte_order\":\"little\",\"pid\":1,\"host\":\"h\",\"cpus\":" + std::to_string(cpus) +
         ",\"program\":\"/path/prog\",\"arguments\":[\"prog\"],\"working_directory\":\"/path\","
         "\"start_time_unix_ns\":1,\"taskpath\":\"0.1.0\",\"libtbb\":\"2021.8.0\","
         "\"time\":{\"source\":\"tsc\",\"unit\":\"ticks\",\"hz\":" +
         std::to_string(time_hz) +
         "},"
         "\"work\":{\"requested\":\"auto\",\"clock\":\"" +
         clock + "\",\"event\":\"" + clock + "\",\"unit\":\"" + unit +
         "\",\"hz\":" + std::to_string(hz) + ",\"step_cost\":" + std::to_string(step_cost) +
         ",\"step_cost_ns\":" + std::to_string(step_cost) +
         (gap_cost_ns == 0 ? "" : ",\"gap_cost_ns\":" + std::to_string(gap_cost_ns)) +
         ",\"kernel_included\":true,\"same_as_time\":" + (same_as_time ? "true" : "false") +
         ",\"reason\":\"\"},\"extra_events\":[" + events + "]," +
         (locks.empty() ? ""
                        : "\"locks\":\"" + locks +
                              "\",\"c_locks_seen\":" + (c_locks_seen ? "true" : "false") +
                              ",\"wake_latency_ns\":" + std::to_string(wake_latency_ns) +
                              ",\"wake_call_ns\":" + std::to_string(wake_call_ns) +
                              ",\"wake_sampled_ns\":" + std::to_string(wake_sampled_ns) +
                              ",\"wake_sparse_ns\":" + std::to_string(wake_sparse_ns) + ",") +
         "\"as_if_cores\":0,\"max_size\":0,\"paused_at_start\":false,\"time_start\":0," +
         (sleep_seen ? "\"sleep_seen\":true," : "") + (waits_seen ? "\"waits_seen\":true," : "") +
         (threads_seen ? "\"threads_seen\":true," : "") +
         (section_sleep_seen ? "\"section_sleep_seen\":true," : "") +
         "\"mono_start_ns\":0,\"cpu_ns_at_start\":0}\n";
}

std::string TraceBuilder::end_json() const {
  std::string chunks;
  for (const StreamBuilder& stream : streams_)
    chunks += (chunks.empty() ? "" : ",") + std::to_string(stream.chunk_count());
  return "{\"schema\":\"taskpath.end/"
         "1\",\"end\":\"exit\",\"time_end\":1,\"mono_end_ns\":1,\"cpu_ns\":" +
         std::to_string(cpu_ns) + ",\"wall_ns\":" + std::to_string(wall_ns) +
         ",\"truncated\":" + (truncated ? "true" : "false") +
         ",\"unfinished_tasks\":true,\"streams\":" + std::to_string(streams_.size()) +
         ",\"chunks\":[" + chunks + "],\"virtual_work\":" + std::to_string(virtual_work) +
         (sparse_ns == 0 ? ""
                         : ",\"sampling\":{\"method\":\"cpu-clock\",\"sparse_ns\":" +
                               std::to_string(sparse_ns) + "}") +
         (others_cpu_ns == UINT64_MAX ? ""
                                      : ",\"others_cpu_ns\":" + std::to_string(others_cpu_ns)) +
         (run_delay_ns == 0 ? ""
                            : ",\"run_delay_ns\":" + std::to_string(run_delay_ns) +
                                  ",\"voluntary_switches\":" + std::to_string(voluntary_switches)) +
         ",\"not_counted_ns\":0,\"threads\":[]}\n";
}

analysis::TraceSource TraceBuilder::source() const {
  analysis::TraceSource source;
  source.name = "memory";
  source.run_json = run_json();
  source.sites_jsonl = sites_;
  if (complete)
    source.end_json = end_json();
  for (std::size_t i = 0; i < streams_.size(); ++i)
    source.streams.emplace_back("memory/" + std::to_string(i) + ".tps", streams_[i].bytes());
  return source;
}

static void write_file(const std::filesystem::path& path, const void* data, std::size_t size) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
}

void TraceBuilder::write(const std::string& directory) const {
  const std::filesystem::path path(directory);
  std::filesystem::create_directories(path);
  const std::string run = run_json(), end = end_json();
  write_file(path / "run.json", run.data(), run.size());
  write_file(path / "sites.jsonl", sites_.data(), sites_.size());
  if (complete)
    write_file(path / "end.json", end.data(), end.size());
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "%06zu.tps", i);
    const auto bytes = streams_[i].bytes();
    write_file(path / name, bytes.data(), bytes.size());
  }
}

} // namespace tp::test
