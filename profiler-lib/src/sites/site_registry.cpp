// SPDX-License-Identifier: Apache-2.0
// See site_registry.h.
#include "sites/site_registry.h"

#include "sites/address_sites.h"
#include "sites/call_path.h"
#include "sites/lock_places.h"
#include "sites/modules.h"
#include "sites/site_file.h"
#include "sites/site_notes.h"
#include "sites/thread_sites.h"
#include "tp/site.h"
#include "tp/trace/library_code.h"
#include "tp/trace/trace_format.h"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace tp::rt {
namespace {

// The sites of one call, by their paths.
struct Call {
  std::unordered_map<std::uint64_t, std::uint32_t> by_path;
  std::uint32_t others = 0; // of all paths beyond kMostPaths
};

// A record of a call. The number is not 0 for calls in library code, which are no sites.
struct Record {
  std::uint32_t library = 0;
  bool is_explicit = false; // written by tp-rewrite or tp-c++
  NotedSite place;
  Call call;
};

// A node of a flow graph: the end of its memory, and the number of its place.
struct Node {
  std::uintptr_t end;
  std::uint32_t place;
};

struct Registry {
  std::mutex mutex; // guards what follows
  SiteFile file;
  Modules modules;
  std::uint32_t sites = 1; // 0 is main
  std::uint32_t regions = 0;
  std::unordered_map<const void*, Record> by_record;
  std::unordered_map<std::uint64_t, Call> by_address;
  std::map<std::tuple<std::uint32_t, std::uint32_t, unsigned, unsigned>, std::uint32_t> by_filter;
  std::map<std::string, std::uint32_t> region_by_key;
  std::uint32_t lock_places = 0;
  std::unordered_map<std::uint64_t, Call> lock_places_by_caller;
  std::map<std::string, Call> lock_places_by_text;
  std::unordered_set<std::uint64_t> static_locks;                             // that the file has
  std::map<std::pair<const void*, std::uint64_t>, std::uint32_t> node_places; // by record and path
  std::map<std::uintptr_t, Node> nodes; // by their addresses; none overlaps another one
};

// Most of `static_locks`, to be found without the mutex: of those with the same hash, the first ones. The hash is not
// that of the slots of a stream: locks that share a slot are those that are asked for.
class WrittenLocks {
public:
  bool contains(std::uint64_t address) const noexcept {
    return std::ranges::any_of(set_of(address), [&](const std::atomic<std::uint64_t>& entry) {
      return entry.load(std::memory_order_relaxed) == address;
    });
  }
  // The caller has the mutex.
  void add(std::uint64_t address) noexcept { replace(address, 0, address); }
  void remove(std::uint64_t address) noexcept { replace(address, address, 0); }

private:
  static constexpr unsigned kSetBits = 15;
  using Set = std::atomic<std::uint64_t>[4];
  static std::size_t index_of(std::uint64_t address) noexcept {
    const std::uint64_t mixed = mix_lock_address(address);
    return mix_lock_address(mixed ^ mixed >> 32) >> (64 - kSetBits);
  }
  const Set& set_of(std::uint64_t address) const noexcept { return sets_[index_of(address)]; }
  void replace(std::uint64_t of, std::uint64_t before, std::uint64_t after) noexcept {
    for (std::atomic<std::uint64_t>& entry : sets_[index_of(of)])
      if (entry.load(std::memory_order_relaxed) == before)
        return entry.store(after, std::memory_order_relaxed);
  }
  Set sets_[1u << kSetBits]{};
};
constinit WrittenLocks written_locks;

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

Record read_record(const tp_spawn_site& place, Notes notes) {
  Record record;
  NotedSite& site = record.place;
  const bool has_all_fields = (place.column & TP_SITE_EXPLICIT) != 0;
  record.is_explicit = has_all_fields || (notes == Notes::Used && find_noted_site(place, site));
  if (has_all_fields || !record.is_explicit)
    site = {place.file != nullptr ? place.file : "",
            place.function != nullptr ? place.function : "",
            has_all_fields && place.construct != nullptr ? place.construct : "",
            place.line,
            place.column & ~TP_SITE_EXPLICIT,
            has_all_fields ? place.end_line : 0};
  if (!record.is_explicit) // no task ever has the number of a library's call
    switch (trace::owner_of_code(site.function, site.file)) {
    case trace::CodeOwner::TaskLibrary:
      record.library = kInternalSite;
      break;
    case trace::CodeOwner::StandardLibrary:
      record.library = kStandardLibrarySite;
      break;
    default:
      break;
    }
  return record;
}

struct PathSite {
  std::uint32_t id;
  bool is_new;
  bool is_others;
};

// The site of a call's path; a new one has to be written to the file.
PathSite site_of_path(Call& call, std::uint64_t path, std::uint32_t& next) {
  if (const auto known = call.by_path.find(path); known != call.by_path.end())
    return {known->second, false, false};
  if (call.by_path.size() < kMostPaths)
    return {call.by_path[path] = next++, true, false};
  if (call.others != 0)
    return {call.others, false, true};
  return {call.others = next++, true, true};
}

Stack one_call(const void* address) {
  Stack stack;
  stack.addresses[stack.count++] = reinterpret_cast<std::uintptr_t>(address);
  return stack;
}

// The calling thread's stack from the call that `caller` belongs to, without those of the preloaded
// library before it. Null: the first call outside of libtbb.
Stack stack_from(const void* caller, const void* task_stack) {
  const Stack all = stack_of_caller(caller, task_stack);
  if (caller == nullptr)
    return all;
  Stack stack;
  for (int i = 0; i < all.count; ++i)
    if (stack.count > 0 || all.addresses[i] == reinterpret_cast<std::uintptr_t>(caller))
      stack.addresses[stack.count++] = all.addresses[i];
  return stack.count > 0 ? stack : one_call(caller);
}

// What shows the callers.
[[gnu::noinline]] void add_callers(JsonObject& line, const PathSite& site, const Stack& stack,
                                   const void* task_stack, Registry& r) {
  line.raw("stack", stack_json(stack, r));
  if (const unsigned calls = calls_of_path(task_stack); calls > trace::kMaxPathCalls)
    line.number("calls", calls);
  if (site.is_others)
    line.raw("other_callers", "true");
}

} // namespace

std::uint32_t register_site(const void* record, std::uint64_t path, const void* task_stack,
                            Notes notes) {
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  auto entry = r.by_record.find(record);
  if (entry == r.by_record.end()) {
    // Looks through all modules, for which the loader's lock is acquired: not while this one is held.
    lock.unlock();
    Record read = read_record(*static_cast<const tp_spawn_site*>(record), notes);
    lock.lock();
    entry = r.by_record.try_emplace(record, std::move(read)).first;
  }
  Record& known = entry->second;
  if (known.library != 0)
    return known.library;
  const PathSite site = site_of_path(known.call, path, r.sites);
  if (!site.is_new)
    return site.id;
  const NotedSite& place = known.place;
  JsonObject line;
  line.number("site", site.id)
      .text("tag", known.is_explicit ? "explicit" : "header")
      .text("file", place.file)
      .number("line", place.line)
      .number("column", place.column)
      .text("function", place.function);
  if (known.is_explicit)
    line.number("end_line", place.end_line).text("construct", place.construct);
  if (path != 0) {
    r.modules.locate(reinterpret_cast<std::uintptr_t>(record), r.file); // as in register_address()
    add_callers(line, site, stack_of_caller(nullptr, task_stack), task_stack, r);
  }
  r.file.append(line);
  return site.id;
}

std::uint32_t register_address(const tp_task& task, unsigned construct, std::uint64_t path,
                               const void* task_stack) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const PathSite site =
      site_of_path(r.by_address[address_key(task.type, task.caller)], path, r.sites);
  if (!site.is_new)
    return site.id;
  JsonObject line;
  line.number("site", site.id).text("tag", "address");
  // The module that spawns may be on no stack, if its functions leave by jumps.
  if (task.type != nullptr)
    r.modules.locate(reinterpret_cast<std::uintptr_t>(task.type), r.file);
  add_callers(line, site, stack_of_caller(task.caller, task_stack), task_stack, r);
  line.text("type", type_name(task.type)).text("construct", construct_name(construct));
  r.file.append(line);
  return site.id;
}

std::uint32_t register_openmp_call(const tp_openmp_call& call, std::uint64_t path) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const PathSite site = site_of_path(r.by_address[openmp_key(call, 0)], path, r.sites);
  if (!site.is_new)
    return site.id;
  const bool is_by_caller = call.place == nullptr && call.code == nullptr;
  Stack stack;
  if (path != 0)
    stack = is_by_caller ? stack_from(call.caller, kUpToLibrary)
                         : stack_of_caller(call.caller, kUpToLibrary);
  else if (is_by_caller)
    stack = one_call(call.caller);
  JsonObject line;
  line.number("site", site.id);
  if (const tp_spawn_site* const place = call.place)
    line.text("tag", "explicit")
        .text("file", place->file)
        .number("line", place->line)
        .number("column", place->column & ~TP_SITE_EXPLICIT)
        .text("function", place->function)
        .number("end_line", place->end_line)
        .text("construct", place->construct);
  else
    line.text("tag", "address").text("type", "").text("construct", construct_name(call.construct));
  if (call.place == nullptr && call.code != nullptr) // as if it were a return address, as below
    line.raw("code", stack_json(one_call(static_cast<const char*>(call.code) + 1), r));
  if (call.around != 0)
    line.number("around", call.around);
  if (call.place == nullptr || stack.count > 0)
    add_callers(line, site, stack, kUpToLibrary, r);
  r.file.append(line);
  return site.id;
}

std::uint32_t register_thread(const StartFunction& start, std::uint64_t path,
                              const void* task_stack) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const void* const what = start.type != nullptr ? start.type : start.function;
  const PathSite site = site_of_path(r.by_address[address_key(what, start.caller)], path, r.sites);
  if (!site.is_new)
    return site.id;
  JsonObject line;
  line.number("site", site.id).text("tag", "address");
  add_callers(line, site, stack_from(start.caller, task_stack), task_stack, r);
  // As if it were a return address, like those of the stack.
  line.raw("starts", stack_json(one_call(reinterpret_cast<const char*>(start.function) + 1), r))
      .text("type", type_name(start.type))
      .text("construct", construct_name(TP_CONSTRUCT_THREAD));
  r.file.append(line);
  return site.id;
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

std::uint32_t register_lock_place(unsigned kind, const void* caller, const tp_lock_place* stated,
                                  std::uint64_t path, const void* task_stack, unsigned column) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto text_of = [](const char* text) { return std::string(text != nullptr ? text : ""); };
  PathSite place{};
  JsonObject line;
  if (stated != nullptr) {
    const auto line_or_caller =
        stated->line != 0 ? stated->line : reinterpret_cast<std::uintptr_t>(caller);
    const std::string key = text_of(stated->name) + '\n' + text_of(stated->file) + ':' +
                            std::to_string(line_or_caller) + ':' + std::to_string(column);
    place = site_of_path(r.lock_places_by_text[key], path, r.lock_places);
  } else {
    place =
        site_of_path(r.lock_places_by_caller[lock_place_key(kind, caller, 0)], path, r.lock_places);
  }
  if (!place.is_new)
    return place.id;
  line.number("lock_place", place.id)
      .text("kind", trace::kLockKindNames[kind < TP_LOCK_KIND_COUNT ? kind : 0])
      .text("name", stated != nullptr ? text_of(stated->name) : "")
      .text("file", stated != nullptr ? text_of(stated->file) : "")
      .number("line", stated != nullptr ? stated->line : 0);
  if (column != 0)
    line.number("column", column);
  add_callers(line, place, stack_from(caller, task_stack), task_stack, r);
  r.file.append(line);
  return place.id;
}

namespace {

// The node that the address is in, or the first one behind it.
std::map<std::uintptr_t, Node>::iterator first_node_from(Registry& r, std::uintptr_t address) {
  auto next = r.nodes.upper_bound(address);
  if (next != r.nodes.begin() && std::prev(next)->second.end > address)
    --next;
  return next;
}

// Whose record is in a library's code has been made by a call of that, and the stack shows who called it.
std::uint32_t place_of_new_node(const char* what, const void* record, const void* caller,
                                std::uint64_t path, const void* task_stack) {
  const Record read = read_record(*static_cast<const tp_spawn_site*>(record), Notes::Used);
  const tp_lock_place place{what, read.library == 0 ? read.place.file.c_str() : nullptr,
                            read.library == 0 ? read.place.line : 0};
  return register_lock_place(TP_LOCK_FLOW_GRAPH_NODE, caller, &place, path, task_stack,
                             read.library == 0 ? read.place.column : 0);
}

} // namespace

void register_node(const void* node, std::size_t size, const char* what, const void* record,
                   const void* caller, std::uint64_t path, const void* task_stack) {
  Registry& r = registry();
  std::unique_lock lock(r.mutex);
  auto place = r.node_places.find({record, path});
  if (place == r.node_places.end()) {
    lock.unlock(); // as in register_site()
    const std::uint32_t number = place_of_new_node(what, record, caller, path, task_stack);
    lock.lock();
    place = r.node_places.try_emplace({record, path}, number).first;
  }
  const auto begin = reinterpret_cast<std::uintptr_t>(node);
  for (auto old = first_node_from(r, begin);
       old != r.nodes.end() && old->first < begin + size;) // gone
    old = r.nodes.erase(old);
  r.nodes[begin] = {begin + size, place->second};
}

void forget_node_of_lock(std::uint64_t lock_address) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  if (const auto node = first_node_from(r, lock_address);
      node != r.nodes.end() && node->first <= lock_address)
    r.nodes.erase(node);
}

std::uint32_t place_of_node(std::uint64_t lock_address) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto node = first_node_from(r, lock_address);
  return node != r.nodes.end() && node->first <= lock_address ? node->second.place + 1 : 0;
}

bool register_lock(std::uint64_t address, std::uint32_t generation, unsigned kind) {
  if (written_locks.contains(address))
    return false;
  if (!is_in_static_data(address))
    return kind != TP_LOCK_OMP_CRITICAL && // the lock of a name is never given up
           kind != TP_LOCK_OMP_MUTEXINOUTSET && (generation == 0 || !is_lock_announced(address));
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  if (r.static_locks.contains(address))
    return false;
  const auto at = r.modules.locate(address, r.file);
  if (!at)
    return true;
  r.static_locks.insert(address);
  written_locks.add(address);
  JsonObject line;
  line.number("lock", address)
      .text("kind", trace::kLockKindNames[kind < TP_LOCK_KIND_COUNT ? kind : 0])
      .raw("at", "[" + std::to_string(at->module) + "," + std::to_string(at->offset) + "]");
  r.file.append(line);
  return false;
}

void register_loaded_modules() {
  const std::vector<LoadedModule> loaded = loaded_modules();
  const std::vector<std::string> past = modules_past_our_locks();
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  r.modules.write_others(loaded, r.file);
  r.modules.write_past(past, r.file);
}

void lock_site_registry() {
  registry().mutex.lock();
}
void unlock_site_registry() {
  registry().mutex.unlock();
}

bool open_site_table(const char* path) {
  Registry& r = registry();
  find_own_code();
  const std::lock_guard lock(r.mutex);
  const bool created = r.file.create(path);
  r.modules.clear();
  r.sites = 1;
  r.regions = 0;
  r.by_record.clear();
  r.by_address.clear();
  r.by_filter.clear();
  r.region_by_key.clear();
  r.lock_places = 0;
  r.lock_places_by_caller.clear();
  r.lock_places_by_text.clear();
  r.node_places.clear();
  r.nodes.clear();
  for (const std::uint64_t address : std::exchange(r.static_locks, {}))
    written_locks.remove(address);
  return created;
}

} // namespace tp::rt
