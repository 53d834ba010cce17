// SPDX-License-Identifier: Apache-2.0
// pprof's profile.proto, compressed with gzip as its readers expect. Each site is one location and
// one function; each context is a sample.
#include "export/export.h"
#include "export/frames.h"
#include "export/gzip.h"

#include <protozero/pbf_writer.hpp>
#include <zlib.h>

#include <algorithm>
#include <map>
#include <new>

namespace tp::analysis {
namespace {

// Field numbers from github.com/google/pprof/proto/profile.proto.
enum : protozero::pbf_tag_type {
  kProfileSampleType = 1,
  kProfileSample = 2,
  kProfileLocation = 4,
  kProfileFunction = 5,
  kProfileString = 6,
  kProfileTimeNs = 9,
  kProfileDurationNs = 10,
  kProfileComment = 13,
  kProfileDefaultType = 14,
  kValueType = 1,
  kValueUnit = 2,
  kSampleLocation = 1,
  kSampleValue = 2,
  kLocationId = 1,
  kLocationLine = 4,
  kLineFunction = 1,
  kLineNumber = 2,
  kFunctionId = 1,
  kFunctionName = 2,
  kFunctionSystemName = 3,
  kFunctionFile = 4,
  kFunctionLine = 5
};

class PprofWriter {
public:
  explicit PprofWriter(const Profile& profile) : profile_(profile) { string(""); }
  std::string write();

private:
  std::int64_t string(const std::string& text) {
    const auto [at, fresh] =
        strings_.try_emplace(text, static_cast<std::int64_t>(string_table_.size()));
    if (fresh)
      string_table_.push_back(text);
    return at->second;
  }
  void add_type(const std::string& type, const std::string& unit) {
    protozero::pbf_writer value(writer_, kProfileSampleType);
    value.add_int64(kValueType, string(type));
    value.add_int64(kValueUnit, string(unit));
  }
  // Ids are never 0: a site's id is its index plus 1; further contexts share the next one.
  std::uint64_t id_of(std::uint32_t site) const {
    return std::min<std::uint64_t>(site, profile_.sites.size()) + 1;
  }
  void add_samples();
  void add_site(std::uint32_t site);

  const Profile& profile_;
  std::string bytes_;
  protozero::pbf_writer writer_{bytes_};
  std::map<std::string, std::int64_t> strings_;
  std::vector<std::string> string_table_;
};

void PprofWriter::add_samples() {
  for (std::uint32_t id = 0; id < profile_.contexts.size(); ++id) {
    const ContextRow& context = profile_.contexts[id];
    std::vector<std::uint64_t> locations; // the leaf first
    for (std::uint32_t each = id;; each = profile_.contexts[each].parent) {
      locations.push_back(id_of(profile_.contexts[each].site));
      if (each == 0)
        break;
    }
    const std::int64_t values[] = {static_cast<std::int64_t>(context.tasks),
                                   static_cast<std::int64_t>(context.work),
                                   static_cast<std::int64_t>(context.critical_work)};
    protozero::pbf_writer sample(writer_, kProfileSample);
    sample.add_packed_uint64(kSampleLocation, locations.begin(), locations.end());
    sample.add_packed_int64(kSampleValue, std::begin(values), std::end(values));
  }
}

void PprofWriter::add_site(std::uint32_t site) {
  const SiteInfo info = site == kNoSite ? SiteInfo{} : profile_.sites[site].info;
  const auto line = static_cast<std::int64_t>(info.line);
  {
    protozero::pbf_writer location(writer_, kProfileLocation);
    location.add_uint64(kLocationId, id_of(site));
    protozero::pbf_writer place(location, kLocationLine);
    place.add_uint64(kLineFunction, id_of(site));
    place.add_int64(kLineNumber, line);
  }
  const std::string name = frame_name(profile_, site);
  protozero::pbf_writer function(writer_, kProfileFunction);
  function.add_uint64(kFunctionId, id_of(site));
  function.add_int64(kFunctionName, string(name));
  function.add_int64(kFunctionSystemName,
                     string(info.functions.empty() ? name : clean(info.functions.front())));
  function.add_int64(kFunctionFile, string(info.line > 0 ? clean(info.file) : ""));
  function.add_int64(kFunctionLine, line);
}

constexpr const char* kCriticalWork = "critical_work";

std::string PprofWriter::write() {
  const std::string unit = unit_name(profile_);
  add_type("tasks", "count");
  add_type("work", unit);
  add_type(kCriticalWork, unit);
  add_samples();
  for (std::uint32_t site = 0; site < profile_.sites.size(); ++site)
    add_site(site);
  add_site(kNoSite);
  writer_.add_int64(kProfileTimeNs, static_cast<std::int64_t>(profile_.run.start_time_unix_ns));
  if (profile_.end)
    writer_.add_int64(kProfileDurationNs, static_cast<std::int64_t>(profile_.end->wall_ns));
  writer_.add_int64(kProfileComment, string("taskpath: sums per chain of spawn sites, no samples"));
  writer_.add_int64(kProfileDefaultType, string("work"));
  for (const std::string& text : string_table_)
    writer_.add_string(kProfileString, text);
  return gzip(bytes_);
}

} // namespace

// The table of strings is at the end: all of it is unpacked.
bool is_pprof(std::string_view text) {
  z_stream stream{};
  if (inflateInit2(&stream, kGzipFormat) != Z_OK)
    throw std::bad_alloc();
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  std::string bytes;
  int status = Z_OK;
  while (status == Z_OK) {
    char part[65536];
    stream.next_out = reinterpret_cast<Bytef*>(part);
    stream.avail_out = sizeof part;
    status = inflate(&stream, Z_NO_FLUSH);
    bytes.append(part, sizeof part - stream.avail_out);
  }
  inflateEnd(&stream);
  return status == Z_STREAM_END && bytes.find(kCriticalWork) != bytes.npos;
}

std::string write_pprof(const Profile& profile) {
  return PprofWriter(profile).write();
}

} // namespace tp::analysis
