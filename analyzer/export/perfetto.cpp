// SPDX-License-Identifier: Apache-2.0
// Perfetto's trace format: a track per thread with the sites that it worked for, the path of the run,
// and counters. Times are wall-clock times of the run. If the trace has more steps than a viewer can
// show, a slice covers several consecutive steps; it contains their number, and the time between
// them.
//
// Counters other than that of the threads at work are sums per bucket, in ns or a number of events:
// their samples add up to the profile's figures. They end with a zero.
#include "export/export.h"
#include "export/frames.h"

#include <fmt/format.h>
#include <protozero/pbf_writer.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace tp::analysis {
namespace {

// Field numbers from github.com/google/perfetto/protos/perfetto/trace.
enum : protozero::pbf_tag_type {
  kTracePacket = 1,
  kPacketTimestamp = 8,
  kPacketSequence = 10,
  kPacketEvent = 11,
  kPacketInterned = 12,
  kPacketFlags = 13,
  kPacketTrack = 60,
  kTrackUuid = 1,
  kTrackName = 2,
  kTrackProcess = 3,
  kTrackParent = 5,
  kTrackCounter = 8,
  kCounterUnitName = 6,
  kProcessPid = 1,
  kProcessName = 6,
  kEventAnnotation = 4,
  kEventType = 9,
  kEventName = 10,
  kEventTrack = 11,
  kEventCounter = 30,
  kAnnotationName = 1,
  kAnnotationUint = 3,
  kInternedEventNames = 2,
  kInternedAnnotationNames = 3,
  kInternedId = 1,
  kInternedName = 2
};
enum : std::int32_t { kSliceBegin = 1, kSliceEnd = 2, kCounter = 4 };
enum : std::uint32_t { kStateCleared = 1, kNeedsState = 2 };
enum : std::uint64_t { kWorkName = 1, kStepsName = 2, kOutsideName = 3 }; // interned

constexpr const char* kCounterName = "threads at work";
constexpr std::uint64_t kProcessTrack = 1, kCounterTrack = 2, kPathTrack = 3, kOverheadTrack = 4,
                        kNoCpuTrack = 5, kStealsTrack = 6, kFirstReadyTrack = 7,
                        kFirstThreadTrack = kFirstReadyTrack + kEdgeKinds;
// Of a step that waits for a thread, by the edge before it (EdgeKind).
constexpr const char* kReadyNames[] = {"created",      "after a creation", "after a wait",
                                       "after a task", "held up",          "waits for a lock"};
static_assert(std::size(kReadyNames) == kEdgeKinds);
constexpr std::uint64_t thread_track(std::uint32_t stream) {
  return kFirstThreadTrack + 2 * std::uint64_t{stream};
}
constexpr std::uint64_t idle_track(std::uint32_t stream) {
  return thread_track(stream) + 1;
}

class PerfettoWriter {
public:
  explicit PerfettoWriter(const Profile& profile) : profile_(profile) {}
  std::string write();

private:
  void add_track(std::uint64_t uuid, const std::string& name);
  void add_counter_track(std::uint64_t uuid, const std::string& name, const std::string& unit);
  void add_process();
  void add_names();
  void begin_event(protozero::pbf_writer& event, std::uint64_t track, std::uint64_t name);
  void add_end(std::uint64_t track, std::uint64_t ns);
  void add_slice(const TimelineSlice& slice);
  void add_path();
  void add_sample(std::uint64_t track, std::uint64_t ns, std::int64_t value);
  void add_counter();
  void add_sums(std::uint64_t track, const std::string& name, const char* unit,
                std::uint64_t extent_ns, const std::vector<std::uint64_t>& sums);
  // Writes a packet of our only sequence.
  template <typename Fill>
  void packet(std::uint32_t flags, Fill&& fill) {
    protozero::pbf_writer packet(writer_, kTracePacket);
    packet.add_uint32(kPacketSequence, 1);
    packet.add_uint32(kPacketFlags, flags);
    fill(packet);
  }
  std::uint64_t name_of(std::uint32_t site) const {
    return std::min<std::uint64_t>(site, profile_.sites.size()) + 1;
  }
  std::uint64_t name_of_ready(std::size_t kind) const { return profile_.sites.size() + 2 + kind; }
  std::uint64_t name_of_left_out() const { return name_of_ready(kEdgeKinds); }

  const Profile& profile_;
  std::string bytes_;
  protozero::pbf_writer writer_{bytes_};
};

void PerfettoWriter::add_process() {
  packet(kStateCleared, [&](protozero::pbf_writer& packet) {
    protozero::pbf_writer track(packet, kPacketTrack);
    track.add_uint64(kTrackUuid, kProcessTrack);
    protozero::pbf_writer process(track, kTrackProcess);
    process.add_int32(kProcessPid, static_cast<std::int32_t>(profile_.run.pid));
    process.add_string(kProcessName, clean(profile_.run.program));
  });
}

void PerfettoWriter::add_track(std::uint64_t uuid, const std::string& name) {
  packet(kNeedsState, [&](protozero::pbf_writer& packet) {
    protozero::pbf_writer track(packet, kPacketTrack);
    track.add_uint64(kTrackUuid, uuid);
    track.add_uint64(kTrackParent, kProcessTrack);
    track.add_string(kTrackName, name);
  });
}

void PerfettoWriter::add_counter_track(std::uint64_t uuid, const std::string& name,
                                       const std::string& unit) {
  packet(kNeedsState, [&](protozero::pbf_writer& packet) {
    protozero::pbf_writer track(packet, kPacketTrack);
    track.add_uint64(kTrackUuid, uuid);
    track.add_uint64(kTrackParent, kProcessTrack);
    track.add_string(kTrackName, name);
    // Never empty: the writer leaves out an empty message, and Perfetto the samples of such a track.
    protozero::pbf_writer counter(track, kTrackCounter);
    counter.add_string(kCounterUnitName, unit);
  });
}

void PerfettoWriter::add_names() {
  packet(kNeedsState, [&](protozero::pbf_writer& packet) {
    protozero::pbf_writer interned(packet, kPacketInterned);
    const auto add = [&](protozero::pbf_tag_type kind, std::uint64_t id, const std::string& name) {
      protozero::pbf_writer entry(interned, kind);
      entry.add_uint64(kInternedId, id);
      entry.add_string(kInternedName, name);
    };
    for (std::uint32_t site = 0; site < profile_.sites.size(); ++site)
      add(kInternedEventNames, name_of(site), frame_name(profile_, site));
    add(kInternedEventNames, name_of(kNoSite), "several sites");
    for (std::size_t kind = 0; kind < kEdgeKinds; ++kind)
      add(kInternedEventNames, name_of_ready(kind), std::string("ready: ") + kReadyNames[kind]);
    add(kInternedEventNames, name_of_left_out(), "left out of the profile (--from first-use)");
    add(kInternedAnnotationNames, kWorkName, "work in " + unit_name(profile_));
    add(kInternedAnnotationNames, kStepsName, "steps");
    add(kInternedAnnotationNames, kOutsideName, "between steps in ns");
  });
}

void PerfettoWriter::begin_event(protozero::pbf_writer& event, std::uint64_t track,
                                 std::uint64_t name) {
  event.add_int32(kEventType, kSliceBegin);
  event.add_uint64(kEventTrack, track);
  event.add_uint64(kEventName, name);
}

void PerfettoWriter::add_end(std::uint64_t track, std::uint64_t ns) {
  packet(kNeedsState, [&](protozero::pbf_writer& packet) {
    packet.add_uint64(kPacketTimestamp, ns);
    protozero::pbf_writer event(packet, kPacketEvent);
    event.add_int32(kEventType, kSliceEnd);
    event.add_uint64(kEventTrack, track);
  });
}

void PerfettoWriter::add_slice(const TimelineSlice& slice) {
  packet(kNeedsState, [&](protozero::pbf_writer& packet) {
    packet.add_uint64(kPacketTimestamp, slice.begin_ns);
    protozero::pbf_writer event(packet, kPacketEvent);
    begin_event(event, thread_track(slice.stream),
                slice.left_out ? name_of_left_out()
                               : name_of(slice.several ? kNoSite : slice.site));
    for (const auto& [name, value] :
         {std::pair{kWorkName, slice.work}, std::pair{kStepsName, slice.steps},
          std::pair{kOutsideName, slice.outside_ns}}) {
      if (name == kOutsideName && value == 0)
        continue;
      protozero::pbf_writer annotation(event, kEventAnnotation);
      annotation.add_uint64(kAnnotationName, name);
      annotation.add_uint64(kAnnotationUint, value);
    }
  });
  add_end(thread_track(slice.stream), slice.end_ns);
}

void PerfettoWriter::add_path() {
  for (const PathSegment& part : profile_.pictures->run_path) {
    packet(kNeedsState, [&](protozero::pbf_writer& packet) {
      packet.add_uint64(kPacketTimestamp, part.from);
      protozero::pbf_writer event(packet, kPacketEvent);
      begin_event(event, kPathTrack,
                  part.kind == 0 ? name_of(part.site) : name_of_ready(part.kind - 1));
    });
    add_end(kPathTrack, part.to);
  }
}

void PerfettoWriter::add_sample(std::uint64_t track, std::uint64_t ns, std::int64_t value) {
  packet(kNeedsState, [&](protozero::pbf_writer& packet) {
    packet.add_uint64(kPacketTimestamp, ns);
    protozero::pbf_writer event(packet, kPacketEvent);
    event.add_int32(kEventType, kCounter);
    event.add_uint64(kEventTrack, track);
    event.add_int64(kEventCounter, value);
  });
}

void PerfettoWriter::add_counter() {
  std::map<std::uint64_t, std::int64_t> changes; // by time
  for (const TimelineSlice& slice : profile_.timeline) {
    ++changes[slice.begin_ns];
    --changes[slice.end_ns];
  }
  std::int64_t threads = 0;
  for (const auto& [time, change] : changes) {
    if (change == 0)
      continue;
    threads += change;
    add_sample(kCounterTrack, time, threads);
  }
}

// Nothing, if all sums are 0.
void PerfettoWriter::add_sums(std::uint64_t track, const std::string& name, const char* unit,
                              std::uint64_t extent_ns, const std::vector<std::uint64_t>& sums) {
  if (std::ranges::all_of(sums, [](std::uint64_t sum) { return sum == 0; }))
    return;
  add_counter_track(track, name, fmt::format("{} per {} ns", unit, extent_ns / sums.size()));
  for (std::size_t i = 0; i < sums.size(); ++i)
    add_sample(track, static_cast<std::uint64_t>(Wide{extent_ns} * i / sums.size()),
               static_cast<std::int64_t>(sums[i]));
  add_sample(track, extent_ns, 0);
}

std::string PerfettoWriter::write() {
  add_process();
  add_names();
  add_counter_track(kCounterTrack, kCounterName, "threads");
  std::set<std::uint32_t> streams;
  for (const TimelineSlice& slice : profile_.timeline)
    if (streams.insert(slice.stream).second)
      add_track(thread_track(slice.stream), fmt::format("thread {}", slice.stream));
  for (const TimelineSlice& slice : profile_.timeline)
    add_slice(slice);
  add_counter();
  const Counters& counters = profile_.counters;
  for (std::size_t i = 0; i < counters.streams.size(); ++i)
    add_sums(idle_track(counters.streams[i]), fmt::format("idle: thread {}", counters.streams[i]),
             "ns", counters.extent_ns, counters.idle[i]);
  add_sums(kOverheadTrack, "tasking overhead", "ns", counters.extent_ns, counters.overhead);
  add_sums(kNoCpuTrack, "no CPU", "ns", counters.extent_ns, counters.no_cpu);
  add_sums(kStealsTrack, "steals", "steals", counters.extent_ns, counters.steals);
  if (!profile_.pictures || !profile_.pictures->time_profile)
    return std::move(bytes_);
  for (std::size_t kind = 0; kind < kEdgeKinds; ++kind)
    add_sums(kFirstReadyTrack + kind, std::string("ready: ") + kReadyNames[kind], "ns",
             profile_.pictures->time_profile->extent, profile_.pictures->ready[kind]);
  add_track(kPathTrack, "critical path of the run");
  add_path();
  return std::move(bytes_);
}

} // namespace

bool is_perfetto(std::string_view text) {
  // A packet's tag, and somewhere the name as protobuf has it: after its length.
  return text.starts_with('\x0a') &&
         text.find(static_cast<char>(std::string_view(kCounterName).size()) +
                   std::string(kCounterName)) != text.npos;
}

std::string write_perfetto(const Profile& profile) {
  return PerfettoWriter(profile).write();
}

} // namespace tp::analysis
