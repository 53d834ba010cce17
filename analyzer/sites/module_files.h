// SPDX-License-Identifier: Apache-2.0
// THE FILES OF A RECORDING'S MODULES: executable and libraries, and their debug information, which
// may be in a file of its own: found by build id or .gnu_debuglink next to the module, in a folder
// named by the user or in /usr/lib/debug, with what dwz moved out (.gnu_debugaltlink); and by
// debuginfod, if DEBUGINFOD_URLS was set when hide_debuginfod() was called. Used by site_resolver.
#pragma once

#include "model/run_info.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <elfutils/libdwfl.h>

namespace tp::analysis {

// Where to look for debug information.
struct DebugFiles {
  // Laid out as /usr/lib/debug; before that one. Also for modules themselves that are not at their place: by their paths, or
  // as .build-id/12/3456.
  std::vector<std::string> folders;
  // Receives a sentence when a server is asked, before it is; empty: none is asked.
  std::function<void(const std::string&)> asking;
  // For a process that reads many recordings of the same programs, on one thread: what was read of them stays until its end.
  bool keep = false;
};

// Keeps libdwfl from asking servers by itself. To be called before other threads are there.
void hide_debuginfod();

class ModuleFiles {
public:
  ModuleFiles(const std::vector<Module>& modules, const DebugFiles& where);
  ~ModuleFiles();
  ModuleFiles(const ModuleFiles&) = delete;
  ModuleFiles& operator=(const ModuleFiles&) = delete;

  struct Opened {
    Dwfl_Module* module = nullptr; // null: the file is gone, or was built anew since
    Dwarf_Addr base = 0;           // what to add to an address of the file
  };
  Opened open(std::uint32_t id);

  std::string name(std::uint32_t id) const; // without its folder; "module3" if it is not known
  // The C and C++ runtime, and oneTBB itself: none of their frames is user code.
  bool is_of_system(std::uint32_t id) const;
  bool is_onetbb(std::uint32_t id) const;

private:
  struct File {
    Dwfl* dwfl = nullptr;
    Opened opened;
  };
  static int find_debug_file(Dwfl_Module* module, void** data, const char* name, Dwarf_Addr base,
                             const char* file, const char* link, GElf_Word checksum, char** found);
  int ask_server(const std::string& name, const std::function<int()>& find);
  // Where its file may be, the likeliest first.
  std::vector<std::string> places_of(const Module& module) const;

  std::map<std::uint32_t, Module> modules_;
  std::vector<std::string> folders_;    // of the user's, absolute
  std::map<std::uint32_t, File> files_; // their addresses stay
  std::function<void(const std::string&)> asking_;
  bool servers_answer_ = true;
  std::string path_; // libdwfl's list of folders
  char* path_text_;
  Dwfl_Callbacks callbacks_;
};

} // namespace tp::analysis
