// SPDX-License-Identifier: Apache-2.0
// Writes every record with its time, its fields and its operands as they are encoded.
#include "trace/trace_dump.h"

#include "model/sleep.h"
#include "trace/stream_cursor.h"

#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <string>

namespace tp::analysis {
namespace {

using trace::Op;
using trace::Record;

const char* name_of(Op op) {
  static constexpr const char* kNames[] = {
      "None",       "Spawn",     "SpawnWait",  "Wait",        "WaitEnd", "Begin",   "End",
      "Task",       "LoopBegin", "LoopEnd",    "Join",        "Release", "Acquire", "Region",
      "ContextEnd", "Cut",       "PortionEnd", "PortionJoin", "Section", "Take",    "Give"};
  return op == Op::Extended ? "Extended" : kNames[static_cast<unsigned>(op)];
}

std::string id_text(std::uint64_t id) {
  return fmt::format("{}.{}", trace::id_stream(id), trace::id_ordinal(id));
}

std::string context_text(const Record& record) {
  switch (static_cast<trace::ContextCode>(record.flags >> trace::kContextShift & 3)) {
  case trace::ContextCode::Own:
    return " context=own";
  case trace::ContextCode::Last:
    return " context=last";
  case trace::ContextCode::New: {
    const unsigned construct = record.context_traits & 63;
    return fmt::format(
        " context=new:{}{}",
        construct < std::size(trace::kConstructNames) ? trace::kConstructNames[construct] : "?",
        record.context_traits & trace::kContextGathers     ? ":gathers"
        : record.context_traits & trace::kContextExclusive ? ":exclusive"
                                                           : "");
  }
  case trace::ContextCode::Id:
    return " context=" + id_text(record.id);
  }
  return {};
}

template <typename Payload>
std::optional<Payload> payload_of(const Record& record) {
  if (record.payload_bytes < sizeof(Payload))
    return std::nullopt;
  Payload payload;
  std::memcpy(&payload, record.payload, sizeof payload);
  return payload;
}

std::string dimensions_text(const Record& record) {
  std::string text;
  for (std::size_t at = 0; at + sizeof(trace::LoopDimension) <= record.payload_bytes;
       at += sizeof(trace::LoopDimension)) {
    trace::LoopDimension dimension;
    std::memcpy(&dimension, record.payload + at, sizeof dimension);
    text += fmt::format(" {}/{}", dimension.iterations, dimension.grain);
  }
  return text;
}

std::string extended_text(const Record& record) {
  std::string text = fmt::format(" kind={} bytes={}", static_cast<unsigned>(record.extended_kind),
                                 record.payload_bytes);
  switch (record.extended_kind) {
  case trace::ExtendedKind::ThreadBegin:
    if (const auto payload = payload_of<trace::ThreadBeginPayload>(record))
      text += fmt::format(" thread_begin os_thread={} role={} prior_work={}", payload->os_thread,
                          payload->role, payload->prior_work);
    break;
  case trace::ExtendedKind::ThreadEnd:
    if (const auto payload = payload_of<trace::ThreadEndPayload>(record))
      text += fmt::format(" thread_end cpu_ns={} paused_work={}", payload->cpu_ns,
                          payload->paused_work);
    break;
  case trace::ExtendedKind::Pause:
    text += " pause";
    break;
  case trace::ExtendedKind::Resume:
    text += " resume";
    break;
  case trace::ExtendedKind::Forked:
    text += " forked";
    break;
  case trace::ExtendedKind::StackOut:
    text += " stack_out";
    break;
  case trace::ExtendedKind::StackIn:
    if (const auto payload = payload_of<trace::StackInPayload>(record))
      text += " stack_in stack=" + id_text(payload->stack);
    break;
  case trace::ExtendedKind::EdgeUses:
    if (const auto payload = payload_of<trace::EdgeUsesPayload>(record))
      text += fmt::format(" edge_uses edge={} change={}", id_text(payload->edge), payload->change);
    break;
  case trace::ExtendedKind::HandOver:
    if (const auto payload = payload_of<trace::HandOverPayload>(record))
      text += fmt::format(
          " hand_over from={} to={}{}", id_text(payload->from), id_text(payload->to),
          payload->flags & trace::kHandOverNew ? fmt::format(" new={}", payload->traits) : "");
    break;
  case trace::ExtendedKind::BarrierWait:
    if (const auto payload = payload_of<trace::BarrierWaitPayload>(record))
      text += fmt::format(" barrier threads={}", payload->threads);
    break;
  case trace::ExtendedKind::Asleep:
    if (const auto payload = payload_of<trace::AsleepPayload>(record))
      text += fmt::format(" asleep={} waited={}", payload->time, payload->waited);
    break;
  case trace::ExtendedKind::Tokens:
    if (const auto payload = payload_of<trace::TokensPayload>(record))
      text += fmt::format(" tokens={}", payload->tokens);
    break;
  case trace::ExtendedKind::AsleepIn:
    if (const auto payload = payload_of<trace::AsleepInPayload>(record))
      text += fmt::format(" asleep_in={} kind={}", payload->time,
                          kSleepNames[payload->kind < kSleepKinds ? payload->kind : 0]);
    break;
  case trace::ExtendedKind::AsleepBefore:
    if (const auto payload = payload_of<trace::AsleepPayload>(record))
      text += fmt::format(" asleep_before={} waited={}", payload->time, payload->waited);
    break;
  case trace::ExtendedKind::WaitedAt:
    if (const auto payload = payload_of<trace::WaitedAtPayload>(record))
      text += fmt::format(" work={} asleep={} waited={}", payload->work, payload->asleep.time,
                          payload->asleep.waited);
    break;
  case trace::ExtendedKind::Waited:
    if (const auto payload = payload_of<trace::WaitedPayload>(record))
      text += fmt::format(" waited={} until={}", payload->ticks, payload->until);
    break;
  case trace::ExtendedKind::InArena:
    if (const auto payload = payload_of<trace::InArenaPayload>(record))
      text += fmt::format(" in_arena={} work={} asked={} reserved={} slots={}{}{}", payload->arena,
                          payload->work, payload->asked, payload->reserved, payload->slots,
                          payload->flags & trace::kArenaEntered ? " entered" : "",
                          payload->flags & trace::kArenaLikeMachine ? " like_machine" : "");
    break;
  case trace::ExtendedKind::Enqueued:
    if (const auto payload = payload_of<trace::EnqueuedPayload>(record))
      text += fmt::format(" enqueued arena={}", payload->arena);
    break;
  case trace::ExtendedKind::AllowedThreads:
    if (const auto payload = payload_of<trace::AllowedThreadsPayload>(record))
      text += fmt::format(" allowed_threads={} time={} work={}{}", payload->threads, payload->time,
                          payload->work,
                          payload->flags & trace::kAllowedLikeMachine ? " like_machine" : "");
    break;
  case trace::ExtendedKind::StepsPaused:
    text += " steps_paused";
    break;
  case trace::ExtendedKind::StepsResumed:
    text += " steps_resumed";
    break;
  case trace::ExtendedKind::LockObject:
    if (const auto payload = payload_of<trace::LockObjectPayload>(record))
      text += fmt::format(" lock slot={} address={:#x} generation={} kind={}{}{}", payload->slot,
                          payload->address, payload->generation,
                          payload->kind < std::size(trace::kLockKindNames)
                              ? trace::kLockKindNames[payload->kind]
                              : "?",
                          payload->flags & trace::kLockMayBeReused ? " may_be_reused" : "",
                          payload->flags & trace::kLocksNotApart ? " not_apart" : "");
    break;
  case trace::ExtendedKind::LockWait:
    if (const auto payload = payload_of<trace::LockWaitPayload>(record))
      text += fmt::format(" lock_wait slot={} place={} ticks={}", payload->slot, payload->place,
                          payload->ticks);
    break;
  case trace::ExtendedKind::LockTries:
    if (const auto payload = payload_of<trace::LockTriesPayload>(record))
      text += fmt::format(" lock_tries slot={} place={} tries={} work={}", payload->slot,
                          payload->place, payload->tries, payload->work);
    break;
  case trace::ExtendedKind::LockUntimed:
    if (const auto payload = payload_of<trace::LockUntimedPayload>(record))
      text +=
          fmt::format(" lock_untimed slot={} place={} sections={} work={} error={}", payload->slot,
                      payload->place, payload->count, payload->work, payload->error);
    break;
  case trace::ExtendedKind::LockHandedOver:
    if (const auto payload = payload_of<trace::LockHandedOverPayload>(record))
      text += fmt::format(" lock_handed_over slot={} since_release={} since_wake={} releases={}",
                          payload->slot, payload->since_release, payload->since_wake,
                          payload->releases);
    break;
  case trace::ExtendedKind::SleptInSection:
    if (const auto payload = payload_of<trace::SleptInSectionPayload>(record))
      text += fmt::format(" slept_in_section slot={} time={}{}", payload->slot, payload->time,
                          payload->flags & trace::kSectionIsInner ? " inner" : "");
    break;
  case trace::ExtendedKind::LockCall:
    if (const auto payload = payload_of<trace::LockCallPayload>(record))
      text += fmt::format(" lock_call slot={} ticks={}{}", payload->slot, payload->ticks,
                          payload->flags & trace::kLockCallWakes ? " wakes" : "");
    break;
  case trace::ExtendedKind::LockUse:
    if (const auto payload = payload_of<trace::LockUsePayload>(record))
      text += fmt::format(" lock_use number={} slot={} place={}{}", payload->number, payload->slot,
                          payload->place, payload->flags & trace::kLockShared ? " shared" : "");
    break;
  case trace::ExtendedKind::Feed:
    text += " feed";
    break;
  case trace::ExtendedKind::LoopShape:
    text += " shape" + dimensions_text(record);
    break;
  case trace::ExtendedKind::LoopWhole:
    text += " whole" + dimensions_text(record);
    break;
  }
  return text;
}

std::string lock_text(const Record& record) {
  std::string text = fmt::format(" slot={}", record.lock_slot);
  if (record.op != Op::Give)
    text += fmt::format(" place={}", record.lock_place);
  if (record.flags & trace::kLockShared)
    text += " shared";
  if (record.flags & trace::kLockContended && record.op != Op::Give)
    text += " contended";
  if (record.op == Op::Section && record.flags & trace::kLockMany)
    text += fmt::format(" sections={} error={}", record.sections, record.work_error);
  return text;
}

std::string operands(const Record& record) {
  std::string text;
  if (record.op == Op::Spawn || record.op == Op::SpawnWait) {
    const auto code = static_cast<trace::SiteCode>(record.flags & 3);
    text += code == trace::SiteCode::Inherit ? " site=inherit"
            : code == trace::SiteCode::Last  ? " site=last"
                                             : fmt::format(" site={}", record.site);
  }
  if (trace::has_context(record.op))
    text += context_text(record);
  if (record.op == Op::Spawn && record.flags & trace::kSpawnSplit)
    text += " split";
  if (record.op == Op::SpawnWait && record.flags & trace::kWaitAlone)
    text += " alone";
  if (record.op == Op::Begin || record.op == Op::Task) {
    text += static_cast<trace::TaskCode>(record.flags & 3) == trace::TaskCode::Id
                ? " task=" + id_text(record.id)
                : fmt::format(" task=newest-{}", record.id);
    if (record.flags & trace::kTaskCancelled)
      text += " cancelled";
  }
  if (record.op == Op::LoopEnd || record.op == Op::PortionEnd)
    text += fmt::format(" iterations={} grain={}{}", record.iterations, record.grain,
                        record.flags & trace::kPartsJoin ? " joins" : "");
  if (record.op == Op::Join && record.flags != 0)
    text += record.flags & trace::kJoinRuns ? " runs" : " skipped";
  if (record.op == Op::Release && record.flags & trace::kReleaseKept)
    text += " kept";
  if (record.op == Op::Acquire)
    text += " edge=" + id_text(record.id);
  if (record.op == Op::Region)
    text += fmt::format(" region={}", record.region);
  if (record.op == Op::Section || record.op == Op::Take || record.op == Op::Give)
    text += lock_text(record);
  if (record.op == Op::Extended)
    text += extended_text(record);
  return text;
}

} // namespace

void dump_trace(const TraceSource& source, const TraceInfo& info, std::ostream& out) {
  out << fmt::format("run program={} clock={} unit={} session={:016x} complete={}\n",
                     info.run.program, info.run.work.name, info.run.work.unit, info.run.session,
                     info.end ? "yes" : "no");
  for (const StaticSite& site : info.sites.sites)
    out << fmt::format("site {} {} {}:{}:{} {} {}\n", site.id, site.tag, site.file, site.line,
                       site.column, site.construct, site.function);
  for (const StaticRegion& region : info.sites.regions)
    out << fmt::format("region {} {} {}:{}\n", region.id, region.name, region.file, region.line);
  for (std::uint32_t number = 0; number < source.streams.size(); ++number) {
    StreamCursor cursor(source, number, info.run);
    out << fmt::format("stream {}\n", number);
    std::uint32_t spawn = 0;
    while (cursor.next()) {
      const Record& record = cursor.record();
      out << fmt::format("{:>12} {:<10} lead={} work={} wall={}{}", cursor.time().at,
                         name_of(record.op), record.lead, record.work, record.wall,
                         operands(record));
      if (record.op == Op::Spawn || record.op == Op::SpawnWait) {
        out << fmt::format(" -> {}.{}", number, spawn++);
        cursor.count_spawn();
      }
      out << '\n';
    }
    if (cursor.truncated())
      out << "  truncated\n";
    if (cursor.cut())
      out << "  cut\n";
  }
}

} // namespace tp::analysis
