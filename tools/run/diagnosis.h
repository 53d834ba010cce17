// Why a program recorded nothing, as far as its files tell, and what would help. Looked for only
// when it did not.
#ifndef TP_LAUNCHER_DIAGNOSIS_H
#define TP_LAUNCHER_DIAGNOSIS_H

#include <string>

#include "library/prefix.h"

namespace tp::launcher {

struct Diagnosis {
  std::string cause; // completes the sentence "nothing was recorded: ..."
  std::string hint;  // a command or a step; may be empty
};

Diagnosis why_not_recorded(const std::string& program_path, const Prefix& prefix);

// The file that `command` names, found as execvp finds it; empty if there is none.
std::string find_program(const std::string& command);

// Programs built with AddressSanitizer end when another library comes first.
bool insists_on_first_library(const std::string& program_path);

} // namespace tp::launcher

#endif
