// The site table of the process. See site_registry.h.
#include "sites/site_registry.h"

#include "base/json_writer.h"
#include "base/messages.h"
#include "base/no_cancel.h"
#include "base/own_file.h"
#include "sites/elf_notes.h"
#include "sites/site_notes.h"
#include "tp/site.h"
#include "tp/trace/trace_format.h"

#include <cstring>
#include <cxxabi.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <typeinfo>
#include <unistd.h>
#include <unordered_map>
#include <unwind.h>
#include <utility>

namespace tp::rt {
namespace {

constexpr int kStackDepth = 24; // return addresses kept per site
constexpr int kSkippedFrames =
    64; // of the runtime and libtbb itself, before the user's code is reached

struct Registry {
  std::mutex mutex;
  OwnFile file;
  std::uint32_t sites = 1; // 0 is main
  std::uint32_t regions = 0;
  std::uint32_t modules = 0;
  std::unordered_map<const void*, std::uint32_t> by_record;
  std::unordered_map<std::uint64_t, std::uint32_t> by_address;
  std::map<std::string, std::uint32_t> region_by_key;
  // Where one was unloaded, another may come to the same base.
  std::map<std::tuple<std::uintptr_t, std::string, std::string>, std::uint32_t> module_by_image;
};

// Never destroyed: threads may spawn while the process exits.
Registry& registry() {
  static Registry* const instance = new Registry;
  return *instance;
}

void append_line(Registry& r, const JsonObject& object) {
  const NoCancel no_cancel;
  const int fd = r.file.open(O_WRONLY | O_APPEND);
  if (fd < 0)
    return;
  const std::string line = object.str() + "\n";
  [[maybe_unused]] const ssize_t written = ::write(fd, line.data(), line.size());
  ::close(fd);
}

// A spawn written in these files is the library's own business.
bool is_library_file(std::string_view file) {
  return file.find("/oneapi/tbb/") != file.npos || file.find("/pstl/") != file.npos ||
         file.find("/include/tbb/") != file.npos || file.find("/bits/stl_") != file.npos;
}

std::string build_id_of(const dl_phdr_info& module) {
  std::string id;
  visit_notes(module, [&id](const ElfNote& note) {
    if (note.type != NT_GNU_BUILD_ID || note.owner != "GNU")
      return false;
    constexpr char kHex[] = "0123456789abcdef";
    for (const char c : note.content) {
      const auto byte = static_cast<unsigned char>(c);
      id += kHex[byte >> 4];
      id += kHex[byte & 15];
    }
    return true;
  });
  return id;
}

struct FoundModule {
  std::uintptr_t address;
  std::uintptr_t base = 0;
  std::string path;
  std::string build_id;
  bool found = false;
};

int match_module(dl_phdr_info* info, std::size_t, void* data) {
  auto& wanted = *static_cast<FoundModule*>(data);
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD)
      continue;
    const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
    if (wanted.address < start || wanted.address >= start + header.p_memsz)
      continue;
    wanted.base = info->dlpi_addr;
    wanted.path = info->dlpi_name;
    wanted.build_id = build_id_of(*info);
    wanted.found = true;
    return 1;
  }
  return 0;
}

// Module number and offset in the module's own address space; registers the module if it is new.
bool locate(Registry& r, std::uintptr_t address, std::uint32_t& module, std::uintptr_t& offset) {
  FoundModule found{address, 0, {}, {}, false};
  dl_iterate_phdr(match_module, &found);
  if (!found.found)
    return false;
  const auto [entry, is_new] =
      r.module_by_image.try_emplace({found.base, found.path, found.build_id}, r.modules);
  if (is_new) {
    ++r.modules;
    if (found.path.empty()) {
      char path[4096];
      const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
      if (length > 0)
        found.path.assign(path, static_cast<std::size_t>(length));
    }
    JsonObject line;
    line.number("module", entry->second).text("path", found.path).text("build_id", found.build_id);
    append_line(r, line);
  }
  module = entry->second;
  offset = address - found.base;
  return true;
}

struct Backtrace {
  std::uintptr_t own_base; // of libtbb: its frames are left out
  std::uintptr_t own_end;
  std::uintptr_t addresses[kStackDepth];
  int count = 0;
  int skipped = 0;
};

_Unwind_Reason_Code keep_frame(_Unwind_Context* context, void* data) {
  auto& trace = *static_cast<Backtrace*>(data);
  const auto address = static_cast<std::uintptr_t>(_Unwind_GetIP(context));
  if (address == 0)
    return _URC_END_OF_STACK;
  if (trace.count == 0 && address >= trace.own_base && address < trace.own_end)
    return ++trace.skipped < kSkippedFrames ? _URC_NO_REASON : _URC_END_OF_STACK;
  trace.addresses[trace.count++] = address;
  return trace.count < kStackDepth ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// Where the library that holds this code is mapped.
int match_self(dl_phdr_info* info, std::size_t, void* data) {
  auto& trace = *static_cast<Backtrace*>(data);
  const auto self = reinterpret_cast<std::uintptr_t>(&match_self);
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type != PT_LOAD)
      continue;
    const std::uintptr_t start = info->dlpi_addr + header.p_vaddr;
    if (start < low)
      low = start;
    if (start + header.p_memsz > high)
      high = start + header.p_memsz;
  }
  if (self < low || self >= high)
    return 0;
  trace.own_base = low;
  trace.own_end = high;
  return 1;
}

// The mangled type name behind a vtable pointer, empty if the program was compiled without RTTI.
const char* type_name(const void* type) noexcept {
  if (type == nullptr)
    return "";
  const auto* info = *(static_cast<const std::type_info* const*>(type) - 1);
  return info == nullptr ? "" : info->name();
}

const char* construct_name(unsigned construct) {
  constexpr unsigned kNames = sizeof trace::kConstructNames / sizeof *trace::kConstructNames;
  return trace::kConstructNames[construct < kNames ? construct : 0];
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
  if (!is_recorded && is_library_file(file))
    return entry->second = kInternalSite; // no task ever has it
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
  append_line(r, line);
  return entry->second;
}

std::uint32_t register_address(const tp_task& task, unsigned construct) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const auto [entry, is_new] =
      r.by_address.try_emplace(address_key(task.type, task.caller), r.sites);
  if (!is_new)
    return entry->second;
  const std::uint32_t id = r.sites++;
  Backtrace trace{};
  dl_iterate_phdr(match_self, &trace);
  _Unwind_Backtrace(keep_frame, &trace);
  if (trace.count == 0) {
    trace.addresses[0] = reinterpret_cast<std::uintptr_t>(task.caller);
    trace.count = 1;
  }
  std::string stack = "[";
  for (int i = 0; i < trace.count; ++i) {
    std::uint32_t module;
    std::uintptr_t offset;
    if (!locate(r, trace.addresses[i], module, offset))
      break;
    if (i > 0)
      stack += ',';
    stack += "[" + std::to_string(module) + "," + std::to_string(offset) + "]";
  }
  stack += "]";
  JsonObject line;
  line.number("site", id)
      .text("tag", "address")
      .raw("stack", stack)
      .text("type", type_name(task.type))
      .text("construct", construct_name(construct));
  append_line(r, line);
  return id;
}

TaskKind kind_of_task(const void* type) noexcept {
  const char* name = type_name(type);
  constexpr char kLibrary[] = "N3tbb6detail2"; // then d1, d2, r1
  constexpr std::size_t kLength = sizeof kLibrary - 1;
  if (std::strncmp(name, kLibrary, kLength) != 0 || std::strlen(name) < kLength + 2)
    return TaskKind::Other;
  name += kLength + 2;
  constexpr std::pair<const char*, TaskKind> kKinds[] = {
      {"9start_for", TaskKind::First},
      {"12start_reduce", TaskKind::First},
      {"26start_deterministic_reduce", TaskKind::First},
      {"10stage_task", TaskKind::First},
      {"18for_each_root_task", TaskKind::ForEach},
      {"16feeder_item_task", TaskKind::Fed},
  };
  for (const auto& [first, kind] : kKinds)
    if (std::strncmp(name, first, std::strlen(first)) == 0)
      return kind;
  return TaskKind::Other;
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
    append_line(r, line);
  }
  return entry->second;
}

bool open_site_table(const char* path) {
  Registry& r = registry();
  const std::lock_guard lock(r.mutex);
  const bool created = r.file.create(path);
  r.sites = 1;
  r.regions = r.modules = 0;
  r.by_record.clear();
  r.by_address.clear();
  r.region_by_key.clear();
  r.module_by_image.clear();
  return created;
}

} // namespace tp::rt
