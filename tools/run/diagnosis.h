// SPDX-License-Identifier: Apache-2.0
// Why a program recorded nothing, as far as its files show, and what would help. Called only if
// nothing was recorded.
#pragma once

#include <string>
#include <vector>

#include "common/prefix.h"

namespace tp::tool {

struct Diagnosis {
  std::string cause;    // completes the sentence "nothing was recorded: ..."
  std::string hint;     // a command or a step; may be empty
  bool no_task = false; // the library was there, and the program started no task
};

// `command`: the program and its arguments.
Diagnosis why_not_recorded(const std::vector<std::string>& command, const Prefix& prefix);

// The path of the file that `command` names, found as execvp finds it; empty if there is none.
std::string find_program(const std::string& command);

// How our library can be loaded into a program.
enum class Loading {
  First,        // before all others: LD_PRELOAD
  BySearchPath, // programs built with AddressSanitizer refuse to run if another library is first
  Impossible,   // programs of another C library do not start with a library of glibc in LD_PRELOAD
};
Loading loading_into(const std::string& program_path);

// Of a program that our library cannot be loaded into.
Diagnosis why_impossible(const std::string& program_path);

} // namespace tp::tool
