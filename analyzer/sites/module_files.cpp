// SPDX-License-Identifier: Apache-2.0
// See module_files.h. libdwfl finds all kinds of debug files; it would ask servers silently, so
// that it sees DEBUGINFOD_URLS only while a server is asked.
#include "sites/module_files.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <link.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace tp::analysis {
namespace {

constexpr char kServers[] = "DEBUGINFOD_URLS";
// A server that took so long for nothing is not asked again; each question may take minutes.
constexpr std::chrono::seconds kPatience{20};

std::string& hidden_servers() {
  static std::string servers;
  return servers;
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

// A module that was rebuilt since the run has other addresses.
bool same_build(Dwfl_Module* module, const std::string& expected) {
  if (expected.empty())
    return true;
  GElf_Addr bias = 0;
  dwfl_module_getelf(module, &bias);
  const unsigned char* bits = nullptr;
  GElf_Addr address = 0;
  const int size = dwfl_module_build_id(module, &bits, &address);
  if (size <= 0)
    return true;
  std::string actual;
  for (int i = 0; i < size; ++i)
    actual += fmt::format("{:02x}", bits[i]);
  return actual == expected;
}

// The code that the kernel maps into each process (vdso(7)): this process's own, which may be that of the recording. A file
// descriptor of a copy, or -1.
int kernel_code() {
  const auto* const begin = reinterpret_cast<const char*>(getauxval(AT_SYSINFO_EHDR));
  if (begin == nullptr)
    return -1;
  ElfW(Ehdr) header;
  std::memcpy(&header, begin, sizeof header);
  const std::size_t size = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  const int fd = memfd_create("vdso", MFD_CLOEXEC);
  if (fd >= 0 && ::write(fd, begin, size) == static_cast<ssize_t>(size))
    return fd;
  if (fd >= 0)
    ::close(fd);
  return -1;
}

bool is_kernel_code(const std::string& path) {
  return path.starts_with("linux-vdso.so");
}

} // namespace

void hide_debuginfod() {
  if (const char* const servers = std::getenv(kServers))
    hidden_servers() = servers;
  ::unsetenv(kServers);
}

ModuleFiles::ModuleFiles(const std::vector<Module>& modules, const DebugFiles& where)
    : asking_(where.asking), path_(":.debug") {
  for (const Module& module : modules)
    modules_.emplace(module.id, module);
  for (const std::string& folder : where.folders) {
    folders_.push_back(std::filesystem::absolute(folder).lexically_normal().string());
    path_ += ":" + folders_.back();
  }
  path_ += ":/usr/lib/debug";
  path_text_ = path_.data();
  callbacks_ = {.find_elf = dwfl_build_id_find_elf,
                .find_debuginfo = &ModuleFiles::find_debug_file,
                .section_address = dwfl_offline_section_address,
                .debuginfo_path = &path_text_};
}

ModuleFiles::~ModuleFiles() {
  for (auto& [id, file] : files_)
    if (file.dwfl)
      dwfl_end(file.dwfl);
}

int ModuleFiles::find_debug_file(Dwfl_Module* module, void** data, const char* name,
                                 Dwarf_Addr base, const char* file, const char* link,
                                 GElf_Word checksum, char** found) {
  const auto find = [&] {
    return dwfl_standard_find_debuginfo(module, data, name, base, file, link, checksum, found);
  };
  const int descriptor = find();
  auto* const self = static_cast<ModuleFiles*>(*data);
  return descriptor >= 0 || !self ? descriptor : self->ask_server(name ? name : "?", find);
}

int ModuleFiles::ask_server(const std::string& name, const std::function<int()>& find) {
  if (hidden_servers().empty() || !asking_ || !servers_answer_)
    return -1;
  asking_(fmt::format("asking debuginfod for the debug information of {} (DEBUGINFOD_URLS)", name));
  const auto start = std::chrono::steady_clock::now();
  ::setenv(kServers, hidden_servers().c_str(), 1);
  const int descriptor = find();
  ::unsetenv(kServers);
  if (descriptor < 0 && std::chrono::steady_clock::now() - start > kPatience) {
    servers_answer_ = false;
    asking_("debuginfod does not answer: it is not asked again");
  }
  return descriptor;
}

ModuleFiles::Opened ModuleFiles::open(std::uint32_t id) {
  const auto [entry, is_new] = files_.try_emplace(id);
  File& file = entry->second;
  const auto known = modules_.find(id);
  if (!is_new || known == modules_.end())
    return file.opened;
  for (const std::string& path : places_of(known->second)) {
    file.dwfl = dwfl_begin(&callbacks_);
    if (!file.dwfl)
      return file.opened;
    dwfl_report_begin(file.dwfl);
    Dwfl_Module* const module =
        dwfl_report_offline(file.dwfl, base_name(known->second.path).c_str(), path.c_str(),
                            is_kernel_code(path) ? kernel_code() : -1);
    dwfl_report_end(file.dwfl, nullptr, nullptr);
    if (!module || !same_build(module, known->second.build_id)) {
      dwfl_end(std::exchange(file.dwfl, nullptr));
      continue;
    }
    void** data = nullptr;
    dwfl_module_info(module, &data, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
    *data = this;
    GElf_Addr bias = 0;
    dwfl_module_getelf(module, &bias);
    return file.opened = {module, bias};
  }
  return file.opened;
}

std::vector<std::string> ModuleFiles::places_of(const Module& module) const {
  std::vector<std::string> places{module.path};
  for (const std::string& folder : folders_) {
    if (module.path.starts_with('/'))
      places.push_back(folder + module.path);
    if (module.build_id.size() > 2)
      places.push_back(fmt::format("{}/.build-id/{}/{}", folder, module.build_id.substr(0, 2),
                                   module.build_id.substr(2)));
  }
  return places;
}

std::string ModuleFiles::name(std::uint32_t id) const {
  const auto module = modules_.find(id);
  return module == modules_.end() || module->second.path.empty() ? fmt::format("module{}", id)
                                                                 : base_name(module->second.path);
}

bool ModuleFiles::is_onetbb(std::uint32_t id) const {
  return name(id).starts_with("libtbb.so");
}

bool ModuleFiles::is_of_system(std::uint32_t id) const {
  const std::string module = name(id);
  for (const char* system :
       {"libtbb.so", "libtbbmalloc", "libc.so", "libstdc++.so", "libpthread.so", "ld-linux"})
    if (module.starts_with(system))
      return true;
  return false;
}

} // namespace tp::analysis
