// SPDX-License-Identifier: Apache-2.0
// Perfetto's trace format: a track per thread with the sites that it worked for, and a counter of
// the threads at work. Times are wall-clock times of the run. Time outside of steps (idle time,
// tasking overhead) shows as gaps. If the trace has more steps than a viewer can show, a slice
// covers several consecutive steps and contains their number.
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
enum : std::uint64_t { kWorkName = 1, kStepsName = 2 }; // interned

constexpr const char* kCounterName = "threads at work";
constexpr std::uint64_t kProcessTrack = 1, kCounterTrack = 2, kFirstThreadTrack = 3;

class PerfettoWriter {
public:
  explicit PerfettoWriter(const Profile& profile) : profile_(profile) {}
  std::string write();

private:
  void add_track(std::uint64_t uuid, const std::string& name, bool counter);
  void add_process();
  void add_names();
  void add_slice(const TimelineSlice& slice);
  void add_counter();
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

void PerfettoWriter::add_track(std::uint64_t uuid, const std::string& name, bool counter) {
  packet(kNeedsState, [&](protozero::pbf_writer& packet) {
    protozero::pbf_writer track(packet, kPacketTrack);
    track.add_uint64(kTrackUuid, uuid);
    track.add_uint64(kTrackParent, kProcessTrack);
    track.add_string(kTrackName, name);
    if (counter)
      track.add_message(kTrackCounter, std::string());
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
    add(kInternedAnnotationNames, kWorkName, "work in " + unit_name(profile_));
    add(kInternedAnnotationNames, kStepsName, "steps");
  });
}

void PerfettoWriter::add_slice(const TimelineSlice& slice) {
  const std::uint64_t track = kFirstThreadTrack + slice.stream;
  packet(kNeedsState, [&](protozero::pbf_writer& packet) {
    packet.add_uint64(kPacketTimestamp, slice.begin_ns);
    protozero::pbf_writer event(packet, kPacketEvent);
    event.add_int32(kEventType, kSliceBegin);
    event.add_uint64(kEventTrack, track);
    event.add_uint64(kEventName, name_of(slice.site));
    for (const auto& [name, value] :
         {std::pair{kWorkName, slice.work}, std::pair{kStepsName, slice.steps}}) {
      protozero::pbf_writer annotation(event, kEventAnnotation);
      annotation.add_uint64(kAnnotationName, name);
      annotation.add_uint64(kAnnotationUint, value);
    }
  });
  packet(kNeedsState, [&](protozero::pbf_writer& packet) {
    packet.add_uint64(kPacketTimestamp, slice.end_ns);
    protozero::pbf_writer event(packet, kPacketEvent);
    event.add_int32(kEventType, kSliceEnd);
    event.add_uint64(kEventTrack, track);
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
    packet(kNeedsState, [&, at = time](protozero::pbf_writer& packet) {
      packet.add_uint64(kPacketTimestamp, at);
      protozero::pbf_writer event(packet, kPacketEvent);
      event.add_int32(kEventType, kCounter);
      event.add_uint64(kEventTrack, kCounterTrack);
      event.add_int64(kEventCounter, threads);
    });
  }
}

std::string PerfettoWriter::write() {
  add_process();
  add_names();
  add_track(kCounterTrack, kCounterName, true);
  std::set<std::uint32_t> streams;
  for (const TimelineSlice& slice : profile_.timeline)
    if (streams.insert(slice.stream).second)
      add_track(kFirstThreadTrack + slice.stream, fmt::format("thread {}", slice.stream), false);
  for (const TimelineSlice& slice : profile_.timeline)
    add_slice(slice);
  add_counter();
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
