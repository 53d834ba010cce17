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
  // After those of sites.
  std::uint64_t id_of_function(std::uint32_t function) const {
    return profile_.sites.size() + 2 + function;
  }
  void add_samples();
  void add_sample(const std::vector<std::uint64_t>& locations, std::uint64_t tasks,
                  std::uint64_t work, std::uint64_t critical_work);
  void add_site(std::uint32_t site);
  void add_function(std::uint32_t index);

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
    std::uint64_t work = context.work, critical_work = context.critical_work;
    for (const ContextCode& code : context.code) {
      std::vector<std::uint64_t> calls;
      for (auto function = code.functions.rbegin(); function != code.functions.rend(); ++function)
        calls.push_back(id_of_function(*function));
      calls.insert(calls.end(), locations.begin(), locations.end());
      add_sample(calls, 0, code.work, code.critical_work);
      work -= code.work;
      critical_work -= code.critical_work;
    }
    add_sample(locations, context.tasks, work, critical_work);
  }
}

void PprofWriter::add_sample(const std::vector<std::uint64_t>& locations, std::uint64_t tasks,
                             std::uint64_t work, std::uint64_t critical_work) {
  const std::int64_t values[] = {static_cast<std::int64_t>(tasks), static_cast<std::int64_t>(work),
                                 static_cast<std::int64_t>(critical_work)};
  protozero::pbf_writer sample(writer_, kProfileSample);
  sample.add_packed_uint64(kSampleLocation, locations.begin(), locations.end());
  sample.add_packed_int64(kSampleValue, std::begin(values), std::end(values));
}

void PprofWriter::add_function(std::uint32_t index) {
  const FunctionRow& row = profile_.functions->functions[index];
  {
    protozero::pbf_writer location(writer_, kProfileLocation);
    location.add_uint64(kLocationId, id_of_function(index));
    protozero::pbf_writer place(location, kLocationLine);
    place.add_uint64(kLineFunction, id_of_function(index));
    place.add_int64(kLineNumber, static_cast<std::int64_t>(row.line));
  }
  protozero::pbf_writer function(writer_, kProfileFunction);
  function.add_uint64(kFunctionId, id_of_function(index));
  function.add_int64(kFunctionName, string(clean(row.short_name)));
  function.add_int64(kFunctionSystemName, string(clean(row.name)));
  function.add_int64(kFunctionFile, string(clean(row.file)));
  function.add_int64(kFunctionLine, static_cast<std::int64_t>(row.line));
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
  if (profile_.functions)
    for (std::uint32_t i = 0; i < profile_.functions->functions.size(); ++i)
      add_function(i);
  writer_.add_int64(kProfileTimeNs, static_cast<std::int64_t>(profile_.run.start_time_unix_ns));
  if (profile_.end)
    writer_.add_int64(kProfileDurationNs, static_cast<std::int64_t>(profile_.end->wall_ns));
  writer_.add_int64(kProfileComment,
                    string(profile_.functions
                               ? "taskpath: sums per chain of spawn sites, below them "
                                 "functions by samples"
                               : "taskpath: sums per chain of spawn sites, no samples"));
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
