// SPDX-License-Identifier: Apache-2.0
// See pfm_events.h.
#include "run/pfm_events.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>

#include <fmt/core.h>

#if TP_HAVE_LIBPFM
#include <dlfcn.h>
#include <perfmon/pfmlib_perf_event.h>
#include <type_traits>
#endif

namespace tp::tool {
namespace {

bool is_for_libpfm(std::string_view name) {
  if (!name.empty() && std::isdigit(static_cast<unsigned char>(name.front())))
    return false; // TYPE:CONFIG
  return std::any_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isupper(c) != 0 || c == '_' || c == ':'; });
}

#if TP_HAVE_LIBPFM
bool asks_for_more_than_counting(const pfm_perf_encode_arg_t& encoding) {
  const perf_event_attr& asked = *encoding.attr;
  return asked.exclude_user || !asked.exclude_kernel || asked.precise_ip != 0 ||
         asked.sample_period != 0 || asked.pinned || asked.exclusive || encoding.cpu >= 0;
}

// Loaded when a name asks for it: the tables of all processors in it take the dynamic linker a millisecond.
struct Libpfm {
  decltype(&pfm_initialize) initialize = nullptr;
  decltype(&pfm_get_os_event_encoding) encode = nullptr;
  decltype(&pfm_strerror) text_of = nullptr;
  bool is_there() const { return initialize && encode && text_of; }
};
Libpfm load_libpfm() {
  Libpfm libpfm;
  void* const library = dlopen("libpfm.so.4", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return libpfm;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
  };
  find(libpfm.initialize, "pfm_initialize");
  find(libpfm.encode, "pfm_get_os_event_encoding");
  find(libpfm.text_of, "pfm_strerror");
  return libpfm;
}

std::optional<std::string> numbers_of(const std::string& name, std::string& problem) {
  static const Libpfm libpfm = load_libpfm();
  if (!libpfm.is_there()) {
    problem = fmt::format("event '{}': libpfm.so.4, which knows such names, cannot be loaded; "
                          "TYPE:CONFIG does not need it",
                          name);
    return std::nullopt;
  }
  static const int ready = libpfm.initialize();
  perf_event_attr attributes{};
  pfm_perf_encode_arg_t encoding{};
  encoding.attr = &attributes;
  encoding.size = sizeof encoding;
  const int status = ready != PFM_SUCCESS
                         ? ready
                         : libpfm.encode(name.c_str(), PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &encoding);
  if (status != PFM_SUCCESS) {
    problem = fmt::format("event '{}': libpfm4: {}", name, libpfm.text_of(status));
    return std::nullopt;
  }
  if (asks_for_more_than_counting(encoding)) {
    problem =
        fmt::format("event '{}': expected an event to count in user mode on any CPU, without the "
                    "modifiers k, h, precise, period, freq, excl, pinned and cpu",
                    name);
    return std::nullopt;
  }
  std::string numbers = fmt::format("{}:{:x}", attributes.type, attributes.config);
  if (attributes.config1 != 0 || attributes.config2 != 0)
    numbers += fmt::format(":{:x}:{:x}", attributes.config1, attributes.config2);
  return numbers + "=" + name;
}
#else
std::optional<std::string> numbers_of(const std::string& name, std::string& problem) {
  problem = fmt::format("event '{}': tp-run was built without libpfm4: expected a name that "
                        "tp-run --help lists, or TYPE:CONFIG",
                        name);
  return std::nullopt;
}
#endif

} // namespace

bool resolve_events(std::string& events, std::string& problem) {
  std::string resolved;
  for (std::size_t begin = 0; begin <= events.size();) {
    const std::size_t end = std::min(events.find(',', begin), events.size());
    const std::string name = events.substr(begin, end - begin);
    const auto numbers =
        is_for_libpfm(name) ? numbers_of(name, problem) : std::optional<std::string>(name);
    if (!numbers)
      return false;
    resolved += (begin > 0 ? "," : "") + *numbers;
    begin = end + 1;
  }
  events = resolved;
  return true;
}

} // namespace tp::tool
