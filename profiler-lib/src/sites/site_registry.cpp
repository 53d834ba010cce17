// SPDX-License-Identifier: Apache-2.0
// See site_registry.h.
#include "sites/site_registry.h"

#include "sites/address_sites.h"
#include "sites/modules.h"
#include "sites/site_file.h"
#include "sites/site_notes.h"
#include "tp/site.h"
#include "tp/trace/library_code.h"
#include "tp/trace/trace_format.h"

#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>

namespace tp::rt {
namespace {

struct Registry {
  std::mutex mutex; // guards what follows
  SiteFile file;
  Modules modules;
  std::uint32_t sites = 1; // 0 is main
  std::uint32_t regions = 0;
  std::unordered_map<const void*, std::uint32_t> by_record;
  std::unordered_map<std::uint64_t, std::uint32_t> by_address;
  std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned, unsigned>, std::uint32_t> by_filter;
  std::map<std::string, std::uint32_t> region_by_key;
};

// Never destroyed: threads may spawn while the process exits.
Registry& registry() {
  static Registry* const instance = new Registry;
  return *instance;
}

const char* construct_name(unsigned construct) {
  return trace::kConstructNames[construct < std::size(trace::kConstructNames) ? construct : 0];
}

// "[[module,offset],...]", up to the first address that is in no loaded module.
std::string stack_json(const Stack& stack, Registry& r) {
  std::string json = "[";
  for (int i = 0; i < stack.count; ++i) {
    const auto address = r.modules.locate(stack.addresses[i], r.file);
    if (!address)
      break;
    if (i > 0)
      json += ',';
    json += "[" + std::to_string(address->module) + "," + std::to_string(address->offset) + "]";
  }
  return json + "]";
}

} // namespace

std::uint32_t register_site(const void* record) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto [entry, is_new] = r.by_record.try_emplace(record, 0);
  if (!is_new)
    return entry->second;
  const auto& place = *static_cast<const tp_spawn_site*>(record);
  const bool is_explicit = (place.column & TP_SITE_EXPLICIT) != 0;
  const char* file = place.file != nullptr ? place.file : "";
  NotedSite site;
  const bool is_noted = !is_explicit && find_noted_site(place, site);
  if (!is_noted)
    site = {file,
            place.function != nullptr ? place.function : "",
            is_explicit && place.construct != nullptr ? place.construct : "",
            place.line,
            place.column & ~TP_SITE_EXPLICIT,
            is_explicit ? place.end_line : 0};
  const bool is_recorded = is_explicit || is_noted;
  if (!is_recorded) // no task ever has the number of a library's call
    switch (trace::owner_of_code(site.function, site.file)) {
    case trace::CodeOwner::TaskLibrary:
      return entry->second = kInternalSite;
    case trace::CodeOwner::StandardLibrary:
      return entry->second = kStandardLibrarySite;
    default:
      break;
    }
  entry->second = r.sites++;
  JsonObject line;
  line.number("site", entry->second)
      .text("tag", is_recorded ? "explicit" : "header")
      .text("file", site.file)
      .number("line", site.line)
      .number("column", site.column)
      .text("function", site.function);
  if (is_recorded)
    line.number("end_line", site.end_line).text("construct", site.construct);
  r.file.append(line);
  return entry->second;
}

std::uint32_t register_address(const tp_task& task, unsigned construct, const void* task_stack) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto [entry, is_new] =
      r.by_address.try_emplace(address_key(task.type, task.caller), r.sites);
  if (!is_new)
    return entry->second;
  const std::uint32_t id = r.sites++;
  const std::string stack = stack_json(stack_of_caller(task.caller, task_stack), r);
  JsonObject line;
  line.number("site", id)
      .text("tag", "address")
      .raw("stack", stack)
      .text("type", type_name(task.type))
      .text("construct", construct_name(construct));
  r.file.append(line);
  return id;
}

std::uint32_t register_filter(std::uint32_t of, std::uint32_t call, unsigned number,
                              unsigned mode) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto [entry, is_new] = r.by_filter.try_emplace({of, call, number, mode}, r.sites);
  if (!is_new)
    return entry->second;
  JsonObject line;
  line.number("site", r.sites)
      .text("tag", "filter")
      .number("of", of)
      .number("call", call)
      .number("filter", number)
      .text("mode", (mode & 1) == 0   ? "parallel"
                    : (mode & 2) == 0 ? "serial_in_order"
                                      : "serial_out_of_order");
  r.file.append(line);
  return r.sites++;
}

std::uint32_t register_region(const tp_region& region) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const std::string file = region.file != nullptr ? region.file : "";
  const std::string name = region.name != nullptr ? region.name : "";
  const std::string key =
      !name.empty() ? "n" + name : "p" + file + ":" + std::to_string(region.line);
  const auto [entry, is_new] = r.region_by_key.try_emplace(key, r.regions);
  if (is_new) {
    ++r.regions;
    JsonObject line;
    line.number("region", entry->second)
        .text("name", name)
        .text("file", file)
        .number("line", region.line);
    const double factor = region.factor > 0 && region.factor < 1e15 ? region.factor : 0;
    // Three decimals without the locale of the host: printf would use its decimal point.
    const auto thousandths = static_cast<std::uint64_t>(factor * 1000 + 0.5);
    const std::string fraction = std::to_string(1000 + thousandths % 1000).substr(1);
    line.raw("factor", std::to_string(thousandths / 1000) + "." + fraction);
    r.file.append(line);
  }
  return entry->second;
}

bool open_site_table(const char* path) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const bool created = r.file.create(path);
  r.modules.clear();
  r.sites = 1;
  r.regions = 0;
  r.by_record.clear();
  r.by_address.clear();
  r.by_filter.clear();
  r.region_by_key.clear();
  return created;
}

} // namespace tp::rt
