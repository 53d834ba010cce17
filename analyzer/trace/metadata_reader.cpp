// SPDX-License-Identifier: Apache-2.0
// Reads run.json, sites.jsonl and end.json. Every field is type-checked on access: a negative
// number or a string where a count belongs is an Error, never an exception of the JSON library.
#include "trace/metadata_reader.h"

#include "base/json_fields.h"
#include "base/problem.h"
#include "tp/trace/trace_codec.h"
#include "tp/trace/trace_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <iterator>
#include <limits>
#include <unordered_set>

namespace tp::analysis {
namespace {

using Json = JsonFields::Json;

// The parser recurses on nesting. Our files nest four levels deep; a file with deeper nesting than
// this is refused before it is parsed.
constexpr int kMaxNesting = 64;
constexpr std::uint64_t kMostWakeNs = 1'000'000'000;
bool too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '[' || c == '{') && ++depth > kMaxNesting)
      return true;
    else if (!quoted && (c == ']' || c == '}'))
      --depth;
  }
  return false;
}

Json parse(std::string_view text, const Place& place) {
  if (too_deep(text))
    fail(Problem::BadJson, place, "at most 64 nested values", "more");
  Json value = Json::parse(text, nullptr, false);
  if (value.is_discarded())
    fail(Problem::BadJson, place, "a JSON value",
         fmt::format("{} bytes of something else", text.size()));
  return value;
}

void check_schema(const JsonFields& fields, const std::string& expected) {
  const std::string schema = fields.text("schema");
  if (schema != expected)
    fail(Problem::UnknownSchema, fields.file().place, expected, schema,
         "use the tp-analyze of the tp-run that recorded it");
}

std::uint64_t parse_session(const JsonFields& fields) {
  const std::string text = fields.text("session");
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end != text.data() + text.size() || text.size() > 16)
    fail(Problem::BadField, fields.file().place, "\"session\" to be 16 hexadecimal digits", text);
  return value;
}

RunInfo read_run(const std::string& text, const Place& place) {
  const JsonFile file{place};
  const Json json = parse(text, place);
  const JsonFields fields(json, file);
  check_schema(fields, "taskpath.run/1");
  const auto version = fields.number("format_version");
  if (version < trace::kOldestVersion || version > trace::kFormatVersion)
    fail(Problem::UnknownVersion, place,
         fmt::format("{} to {}", trace::kOldestVersion, trace::kFormatVersion),
         std::to_string(version), "use the tp-analyze of the tp-run that recorded it");
  const char* const native = std::endian::native == std::endian::little ? "little" : "big";
  if (const std::string order = fields.text("byte_order"); order != native)
    fail(Problem::ForeignByteOrder, place, native, order,
         "analyze it on a machine of the same byte order");
  RunInfo run;
  run.session = parse_session(fields);
  run.pid = fields.number("pid", ~std::uint64_t{0}, 0);
  run.host = fields.text("host", "");
  run.cpus = fields.number32("cpus", 1);
  if (run.cpus == 0)
    fields.wrong("cpus", "at least 1", json["cpus"]);
  run.program = fields.text("program", "");
  run.arguments = fields.texts_or_empty("arguments");
  run.start_time_unix_ns = fields.number("start_time_unix_ns", ~std::uint64_t{0}, 0);
  run.taskpath_version = fields.text("taskpath", "");
  run.libtbb_version = fields.text("libtbb", "");
  run.as_if_cores = fields.number("as_if_cores", ~std::uint64_t{0}, 0);
  run.divide = fields.flag("divide", false);
  run.sleep_seen = fields.flag("sleep_seen", false);
  run.waits_seen = fields.flag("waits_seen", false);
  run.section_sleep_seen = fields.flag("section_sleep_seen", false);
  run.locks = fields.text("locks", "");
  run.c_locks_seen = fields.flag("c_locks_seen", false);
  run.wake_latency_ns = fields.number("wake_latency_ns", kMostWakeNs, 0);
  run.wake_call_ns = fields.number("wake_call_ns", kMostWakeNs, 0);
  run.wake_sampled_ns = fields.number("wake_sampled_ns", kMostWakeNs, 0);
  run.wake_sparse_ns = fields.number("wake_sparse_ns", kMostWakeNs, 0);
  run.threads_seen = fields.flag("threads_seen", false);
  if (fields.has("openmp")) {
    const JsonFields openmp = fields.object("openmp");
    run.openmp_runtime = openmp.text("runtime", "");
    run.openmp_replaced = openmp.text("replaced", "");
  }
  run.cpu_ns_at_start = fields.number("cpu_ns_at_start", ~std::uint64_t{0}, 0);

  run.time_start = fields.number("time_start", ~std::uint64_t{0}, 0);
  run.mono_start_ns = fields.number("mono_start_ns", ~std::uint64_t{0}, 0);

  const JsonFields time = fields.object("time");
  run.time = {time.text("source", ""), time.text("unit"), time.number("hz")};
  const JsonFields work = fields.object("work");
  run.work = {work.text("clock", ""), work.text("unit"), work.number("hz")};
  run.work_requested = work.text("requested", "");
  run.work_event = work.text("event", "");
  run.work_reason = work.text("reason", "");
  run.kernel_included = work.flag("kernel_included", false);
  run.same_as_time = work.flag("same_as_time", false);
  run.step_cost = work.number("step_cost", ~std::uint64_t{0}, 0);
  run.step_cost_ns = work.number("step_cost_ns", ~std::uint64_t{0}, 0);
  run.gap_cost_ns = work.number("gap_cost_ns", ~std::uint64_t{0}, run.step_cost_ns);
  for (const Json& event : fields.array_or_empty("extra_events")) {
    // Either a name, or an object that has one.
    const Json* name = event.is_object() && event.contains("event") ? &event["event"] : &event;
    if (!name->is_string())
      fields.wrong("extra_events", "names of events", event);
    run.extra_events.push_back(name->get<std::string>());
  }
  if (run.extra_events.size() > trace::kMaxExtraEvents)
    fields.wrong("extra_events", "at most four events", json["extra_events"]);
  return run;
}

EndInfo read_end(const std::string& text, const Place& place) {
  const JsonFile file{place};
  const Json json = parse(text, place);
  const JsonFields fields(json, file);
  check_schema(fields, "taskpath.end/1");
  EndInfo end;
  end.end = fields.text("end", "");
  end.time_end = fields.number("time_end", ~std::uint64_t{0}, 0);
  end.mono_end_ns = fields.number("mono_end_ns", ~std::uint64_t{0}, 0);
  end.cpu_ns = fields.number("cpu_ns");
  end.wall_ns = fields.number("wall_ns", ~std::uint64_t{0}, 0);
  end.truncated = fields.flag("truncated", false);
  end.streams = fields.number("streams");
  for (const Json& count : fields.array_or_empty("chunks")) {
    if (!count.is_number_unsigned())
      fields.wrong("chunks", "numbers of chunks", count);
    end.chunks.push_back(count.get<std::uint64_t>());
  }
  end.all_ended = !fields.flag("unfinished_tasks", true);
  end.virtual_work = fields.number("virtual_work", ~std::uint64_t{0}, 0);
  end.not_counted_ns = fields.number("not_counted_ns", ~std::uint64_t{0}, 0);
  if (fields.has("run_delay_ns"))
    end.run_delay_ns = fields.number("run_delay_ns");
  end.voluntary_switches = fields.number("voluntary_switches", ~std::uint64_t{0}, 0);
  if (fields.has("others_cpu_ns"))
    end.others_cpu_ns = fields.number("others_cpu_ns");
  if (fields.has("between_steps_ns")) {
    const JsonFields kinds(json["between_steps_ns"], file);
    auto& between = end.between_steps_ns.emplace();
    for (const auto& kind : json["between_steps_ns"].items())
      between[kind.key()] = kinds.number(kind.key().c_str());
  }
  for (const Json& item : fields.array_or_empty("threads")) {
    const JsonFields thread(item, file);
    end.threads.push_back({thread.number32("stream", 0),
                           thread.number("os_thread", ~std::uint64_t{0}, 0),
                           thread.number("cpu_ns", ~std::uint64_t{0}, 0),
                           thread.number("paused_work", ~std::uint64_t{0}, 0)});
  }
  if (fields.has("sampling")) {
    const JsonFields sampling(json["sampling"], file);
    end.sampling = {sampling.text("method", ""),
                    sampling.text("reason", ""),
                    sampling.text("command", ""),
                    sampling.number("system_ns", ~std::uint64_t{0}, 0),
                    sampling.number("unsampled_threads", ~std::uint64_t{0}, 0),
                    sampling.flag("in_kernel", false),
                    sampling.number("sparse_ns", ~std::uint64_t{0}, 0)};
  }
  end.window_count = fields.number("window_count", ~std::uint64_t{0}, 0);
  end.paused_throughout = fields.has("window_count") && end.window_count == 0;
  end.recorded_ns = fields.number("recorded_ns", ~std::uint64_t{0}, 0);
  end.recorded_cpu_ns = fields.number("recorded_cpu_ns", ~std::uint64_t{0}, 0);
  for (const Json& item : fields.array_or_empty("windows")) {
    const JsonFields window(item, file);
    end.windows.push_back(
        {window.number("begin_ns"), window.number("end_ns"), window.number("cpu_ns")});
  }
  return end;
}

// Pairs of module and offset.
std::vector<CodeAddress> read_addresses(const JsonFields& fields, const char* name) {
  std::vector<CodeAddress> addresses;
  for (const Json& pair : fields.array_or_empty(name)) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
        !pair[1].is_number_unsigned())
      fields.wrong(name, "pairs of module and offset", pair);
    addresses.push_back(
        {static_cast<std::uint32_t>(std::min<std::uint64_t>(
             pair[0].get<std::uint64_t>(), std::numeric_limits<std::uint32_t>::max())),
         pair[1].get<std::uint64_t>()});
  }
  return addresses;
}

StaticSite read_site(const JsonFields& fields) {
  StaticSite site;
  site.id = fields.number32("site");
  site.tag = fields.text("tag");
  site.file = fields.text("file", "");
  site.line = fields.number32("line", 0);
  site.column = fields.number32("column", 0);
  site.end_line = fields.number32("end_line", 0);
  site.function = fields.text("function", "");
  site.construct = fields.text("construct", "");
  site.type = fields.text("type", "");
  site.has_other_callers = fields.flag("other_callers", false);
  site.of = fields.number32("of", 0);
  site.call = fields.number32("call", 0);
  site.filter = fields.number32("filter", 0);
  site.mode = fields.text("mode", "");
  site.stack = read_addresses(fields, "code");
  site.begins_with_code = !site.stack.empty();
  std::ranges::copy(read_addresses(fields, "stack"), std::back_inserter(site.stack));
  site.around = fields.number32("around", 0);
  site.path_calls = fields.number32("calls", trace::kMaxPathCalls);
  site.starts = read_addresses(fields, "starts");
  return site;
}

StaticLockPlace read_lock_place(const JsonFields& fields) {
  StaticLockPlace place;
  place.site.id = fields.number32("lock_place");
  place.site.file = fields.text("file", "");
  place.site.line = fields.number32("line", 0);
  place.site.column = fields.number32("column", 0);
  place.site.tag = place.site.file.empty() ? "address" : "explicit";
  place.site.has_other_callers = fields.flag("other_callers", false);
  place.site.stack = read_addresses(fields, "stack");
  place.site.path_calls = fields.number32("calls", trace::kMaxPathCalls);
  place.kind = fields.text("kind", "lock");
  place.name = fields.text("name", "");
  return place;
}

// `at` is one pair of module and offset.
StaticLock read_lock(const JsonFields& fields, const Json& json) {
  StaticLock lock{.address = fields.number("lock")};
  const Json at = json.contains("at") ? json["at"] : Json();
  if (!at.is_array() || at.size() != 2 || !at[0].is_number_unsigned() ||
      !at[1].is_number_unsigned() || at[0] > std::numeric_limits<std::uint32_t>::max())
    fields.wrong("at", "a pair of module and offset", at);
  lock.at = {at[0].get<std::uint32_t>(), at[1].get<std::uint64_t>()};
  return lock;
}

SiteFile read_sites(std::string_view text, const std::string& file) {
  SiteFile result;
  std::unordered_set<std::uint32_t> modules, sites{trace::kMainSite}, regions, lock_places;
  std::uint64_t line_number = 0;
  const auto claim = [&](auto& set, std::uint32_t id) {
    if (!set.insert(id).second)
      fail(Problem::DuplicateId, {fmt::format("{} line {}", file, line_number)}, "each id once",
           std::to_string(id) + " again");
  };
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) {
      // Lines are written whole, newline last: the end of the program cut this one.
      result.torn = true;
      break;
    }
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    ++line_number;
    if (line.empty())
      continue;
    const JsonFile this_line{{fmt::format("{} line {}", file, line_number)}};
    const Json json = parse(line, this_line.place);
    const JsonFields fields(json, this_line);
    if (fields.has("module")) {
      result.modules.push_back(
          {fields.number32("module"), fields.text("path", ""), fields.text("build_id", "")});
      claim(modules, result.modules.back().id);
    } else if (fields.has("loaded")) {
      result.others.push_back({static_cast<std::uint32_t>(result.others.size()),
                               fields.text("loaded", ""), fields.text("build_id", "")});
    } else if (fields.has("past_locks")) {
      result.past_locks.push_back(fields.text("past_locks", ""));
    } else if (fields.has("site")) {
      result.sites.push_back(read_site(fields));
      claim(sites, result.sites.back().id);
    } else if (fields.has("region")) {
      result.regions.push_back({fields.number32("region"), fields.text("name", ""),
                                fields.text("file", ""), fields.number32("line", 0),
                                fields.decimal("factor", 0)});
      claim(regions, result.regions.back().id);
    } else if (fields.has("lock_place")) {
      result.lock_places.push_back(read_lock_place(fields));
      claim(lock_places, result.lock_places.back().site.id);
    } else if (fields.has("lock")) {
      result.locks.push_back(read_lock(fields, json));
    }
    // Ignore other lines: a version may gain fields and kinds of lines.
  }
  return result;
}

} // namespace

OpenMpInfo read_openmp(const TraceSource& source) {
  OpenMpInfo info;
  const JsonFile run_file{{source.name + "/run.json"}}, end_file{{source.name + "/end.json"}};
  const Json run = parse(source.run_json, run_file.place);
  if (const JsonFields fields(run, run_file); fields.has("openmp")) {
    const JsonFields openmp = fields.object("openmp");
    info.state = openmp.text("state", "recorded");
    info.reason = openmp.text("reason", "");
  }
  if (!source.end_json)
    return info;
  const Json end = parse(*source.end_json, end_file.place);
  if (const JsonFields fields(end, end_file); fields.has("openmp")) {
    const JsonFields openmp = fields.object("openmp");
    info.runtime = openmp.text("runtime", "");
    info.unrecorded_threads = openmp.number("unrecorded_threads", ~std::uint64_t{0}, 0);
  }
  return info;
}

TraceInfo read_info(const TraceSource& source) {
  TraceInfo info;
  info.run = read_run(source.run_json, {source.name + "/run.json"});
  info.sites = read_sites(source.sites_jsonl, source.name + "/sites.jsonl");
  if (source.end_json) {
    const Place place{source.name + "/end.json"};
    info.end = read_end(*source.end_json, place);
    if (info.end->streams > source.streams.size())
      fail(Problem::MissingStream, place, fmt::format("{} streams", info.end->streams),
           fmt::format("{}", source.streams.size()));
  }
  return info;
}

} // namespace tp::analysis
