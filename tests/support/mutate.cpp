// SPDX-License-Identifier: Apache-2.0
// See mutate.h.
#include "mutate.h"
#include "trace/metadata_reader.h"

#include "base/problem.h"
#include "compare/figures.h"
#include "export/export.h"
#include "profile/make_profile.h"
#include "report/writers.h"
#include "trace/trace_dump.h"
#include "trace_builder.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <sstream>

namespace tp::test {
namespace {

using Bytes = std::vector<std::byte>;

// Recomputes the lengths and checksums of every chunk of a stream after its bytes were changed.
void reseal(Bytes& bytes) {
  for (std::size_t at = 0; at + sizeof(trace::ChunkHeader) <= bytes.size();) {
    trace::ChunkHeader header;
    std::memcpy(&header, bytes.data() + at, sizeof header);
    const std::size_t room = bytes.size() - at - sizeof header;
    if (header.flags & trace::kChunkClosed && header.used_bytes <= room)
      header.checksum = trace::checksum(bytes.data() + at + sizeof header, header.used_bytes);
    header.header_check = trace::header_check(header);
    std::memcpy(bytes.data() + at, &header, sizeof header);
    if (header.chunk_bytes < sizeof header)
      break;
    at += header.chunk_bytes;
  }
}

template <typename Container>
void damage(Container& bytes, std::mt19937_64& random) {
  if (bytes.empty())
    return;
  using Value = typename Container::value_type;
  const std::size_t at = random() % bytes.size();
  switch (random() % 6) {
  case 0:
    bytes[at] = static_cast<Value>(random());
    break;
  case 1:
    bytes[at] = static_cast<Value>(static_cast<unsigned char>(bytes[at]) ^ 1u << random() % 8);
    break;
  case 2:
    bytes.erase(bytes.begin() + static_cast<std::ptrdiff_t>(at));
    break;
  case 3:
    bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), static_cast<Value>(random()));
    break;
  case 4:
    for (std::size_t i = at; i < std::min(at + 8, bytes.size()); ++i)
      bytes[i] = static_cast<Value>(0xff);
    break;
  default:
    if (random() % 4 == 0)
      bytes.resize(at);
    else
      bytes[at] = static_cast<Value>(0);
  }
}

} // namespace

analysis::TraceSource mutate(const analysis::TraceSource& source, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  analysis::TraceSource result;
  result.name = source.name;
  result.run_json = source.run_json;
  result.sites_jsonl = source.sites_jsonl;
  if (random() % 4)
    result.end_json = source.end_json;
  std::vector<Bytes> streams;
  for (const auto& stream : source.streams)
    streams.emplace_back(stream.bytes().begin(), stream.bytes().end());
  const std::uint64_t count = 1 + random() % 4;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t where = random() % 20;
    if (where == 0)
      damage(result.run_json, random);
    else if (where == 1)
      damage(result.sites_jsonl, random);
    else if (where == 2 && result.end_json)
      damage(*result.end_json, random);
    else if (!streams.empty()) {
      // Mostly change records, since headers are well guarded.
      Bytes& stream = streams[random() % streams.size()];
      if (stream.size() <= sizeof(trace::ChunkHeader) || random() % 8 == 0) {
        damage(stream, random);
      } else {
        Bytes records(stream.begin() + sizeof(trace::ChunkHeader), stream.end());
        damage(records, random);
        stream.resize(sizeof(trace::ChunkHeader));
        stream.insert(stream.end(), records.begin(), records.end());
      }
    }
  }
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (random() % 8)
      reseal(streams[i]);
    result.streams.emplace_back("memory/" + std::to_string(i) + ".tps", std::move(streams[i]));
  }
  return result;
}

analysis::TraceSource from_blob(const std::uint8_t* data, std::size_t size) {
  TraceBuilder builder;
  builder.extra_events = {};
  builder.site(1, "a.cpp", 1);
  builder.site(2, "b.cpp", 2);
  for (std::uint32_t id = 3; id <= 16; ++id)
    builder.site(id, "c.cpp", id);
  builder.region(0, "r", "a.cpp", 3);
  builder.region(1, "s", "b.cpp", 5);
  for (std::uint32_t id = 0; id < 4; ++id)
    builder.lock_place(id, trace::LockKind::SpinMutex, "q.cpp", 17 + id);
  if (size > 0)
    builder.complete = data[0] & 1;
  if (size > 0)
    builder.same_as_time = data[0] & 2;
  analysis::TraceSource source = builder.source();
  std::size_t at = std::min<std::size_t>(1, size);
  std::uint32_t number = 0;
  while (at < size && number < 8) {
    const std::size_t want = at + 2 <= size ? data[at] | std::size_t{data[at + 1]} << 8 : 0;
    at = std::min(at + 2, size);
    const std::size_t length = std::min(want, size - at);
    trace::ChunkHeader header{};
    header.magic = trace::kChunkMagic;
    header.version = trace::kFormatVersion;
    header.header_bytes = sizeof header;
    header.session = 0x1234;
    header.stream = number;
    header.chunk_bytes = static_cast<std::uint32_t>(sizeof header + length);
    Bytes bytes(sizeof header + length);
    if (length > 0)
      std::memcpy(bytes.data() + sizeof header, data + at, length);
    header.header_check = trace::header_check(header);
    std::memcpy(bytes.data(), &header, sizeof header);
    source.streams.emplace_back("memory/" + std::to_string(number++) + ".tps", std::move(bytes));
    at += length;
  }
  if (source.end_json) {
    const std::string none = "\"streams\":0";
    const std::size_t found = source.end_json->find(none);
    if (found != std::string::npos)
      source.end_json->replace(found, none.size(), "\"streams\":" + std::to_string(number));
  }
  return source;
}

analysis::TraceSource with_info(std::string_view texts) {
  TraceBuilder builder;
  builder.site(1, "a.cpp", 1);
  builder.region(0, "r", "a.cpp", 3);
  StreamBuilder& stream = builder.stream();
  stream.thread_begin(trace::ThreadRole::Main);
  stream.region(0, 5);
  stream.spawn({.work = 10}, SiteOperand::of(1), ContextOperand::fresh(true));
  stream.wait({.work = 1}, ContextOperand::last());
  stream.task(TaskOperand::newest(), {.work = 20});
  stream.wait_end();
  stream.cut({.work = 3});
  stream.thread_end(34);
  analysis::TraceSource source = builder.source();
  constexpr std::string_view kBetween = "\n%\n";
  for (std::string* const text : {&source.run_json, &source.sites_jsonl, &*source.end_json}) {
    const std::size_t end = std::min(texts.find(kBetween), texts.size());
    if (end > 0)
      *text = texts.substr(0, end);
    texts.remove_prefix(std::min(end + kBetween.size(), texts.size()));
  }
  return source;
}

namespace {

// Further questions that a user may ask; their answers are in the text and the Markdown report.
bool answers_questions(const analysis::TraceSource& source, const analysis::Profile& profile) {
  analysis::ProfileOptions options;
  options.mode = analysis::WhatIfMode::Optimize;
  options.target = 64;
  options.measure_burden = true;
  for (const analysis::SiteRow& site : profile.sites)
    if (site.loops.body_calls > 0 && site.info.line > 0) // main is not a spawn site
      options.grains.emplace_back(site.info.name, 4);
  const analysis::Profile answers = analysis::make_profile(source, options);
  return !analysis::write_text(answers, {}).empty() &&
         !analysis::write_markdown(answers, {}).empty() && answers.span == profile.span;
}

} // namespace

bool digest(const analysis::TraceSource& source) {
  try {
    analysis::ProfileOptions options;
    options.factors = {2, 400};
    options.contexts = true;
    const analysis::Profile profile = analysis::make_profile(source, options);
    std::ostringstream dump;
    analysis::dump_trace(source, analysis::read_info(source), dump);
    std::uint64_t work = 0, critical_work = 0;
    for (const analysis::ContextRow& context : profile.contexts) {
      work += context.work;
      critical_work += context.critical_work;
    }
    for (const analysis::ExportFormat& format : analysis::kExportFormats)
      format.write(profile);
    analysis::write_warnings(profile);
    const std::string json = analysis::write_json(profile);
    return analysis::read_figures(json, "").work == work && critical_work == profile.span &&
           !analysis::write_text(profile, {}).empty() &&
           !analysis::write_profile_csv(profile).empty() &&
           !analysis::write_markdown(profile, {}).empty() &&
           profile.work == profile.exclusive_sum && profile.span == profile.critical_sum &&
           answers_questions(source, profile);
  } catch (const analysis::Error&) {
    return false;
  }
}

} // namespace tp::test
