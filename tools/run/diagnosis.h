// SPDX-License-Identifier: Apache-2.0
// Why a program recorded nothing, as far as its files show, and what would help. Called only if
// nothing was recorded.
#pragma once

#include <string>

#include "common/prefix.h"

namespace tp::tool {

struct Diagnosis {
  std::string cause; // completes the sentence "nothing was recorded: ..."
  std::string hint;  // a command or a step; may be empty
};

Diagnosis why_not_recorded(const std::string& program_path, const Prefix& prefix);

// The path of the file that `command` names, found as execvp finds it; empty if there is none.
std::string find_program(const std::string& command);

// Programs built with AddressSanitizer refuse to run if another library is loaded first.
bool insists_on_first_library(const std::string& program_path);

} // namespace tp::tool
