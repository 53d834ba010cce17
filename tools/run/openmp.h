// SPDX-License-Identifier: Apache-2.0
// How the OpenMP constructs of a program can be recorded: by LLVM's runtime, libomp, which reports them to our
// tool. A program that is linked with GCC's libgomp can run on libomp, which has libgomp's functions, too. This
// looks at files only.
#pragma once

#include <optional>
#include <string>

#include "common/prefix.h"
#include "run/diagnosis.h"

namespace tp::tool {

struct OpenMpLoading {
  std::string program; // its file, without symbolic links
  std::string
      tool; // to preload, or with AddressSanitizer to name in OMP_TOOL_LIBRARIES; empty: no OpenMP
  std::string runtime;  // libomp to preload after it; empty: the program loads its own
  std::string used;     // the libomp with which the program runs
  std::string replaced; // what that replaces: "libgomp.so.1"; empty: nothing
  // Why OpenMP is not recorded although the program may use it; completes "OpenMP is not recorded: ...".
  std::optional<Diagnosis> problem;
};

// `program`: the path of its file; `preloaded`: its LD_PRELOAD, which may contain ours.
OpenMpLoading openmp_loading(const std::string& program, const Prefix& prefix, Loading loading,
                             const std::string& preloaded);

// A libomp that reports everything that we need, chunks of loops included (LLVM 16 or newer): $TP_LIBOMP, else the
// newest one of the system. Empty: there is none.
std::string find_libomp();

// What tp-doctor says of it. `version`: of LLVM, by its path; 0: not known. `reason`: why OpenMP cannot be recorded;
// empty: it can.
struct OpenMpRuntime {
  std::string path;
  int version = 0;
  bool reports_chunks = false;
  std::string reason, command;
};
OpenMpRuntime openmp_runtime();

} // namespace tp::tool
