// SPDX-License-Identifier: Apache-2.0
// SITE REGISTRY: gives each spawn site and each causal region of the process a dense number, and
// writes it to sites.jsonl when it is first seen. Called by any thread, once for each site and
// thread (threads keep what they learned in a SiteCache). One lock. Cold. Out of memory ends the
// process: these are called from noexcept hooks.
#pragma once

#include "tp/hooks.h"

#include <cstdint>

namespace tp::rt {

// Bit of a site's number: it is a call in library code (tp/trace/library_code.h). What oneTBB's own
// headers spawn belongs to the site of the task around them; what an algorithm of the standard
// library spawns, to the algorithm's call, which only the stack shows.
inline constexpr std::uint32_t kInternalSite = 0x80000000u;
inline constexpr std::uint32_t kStandardLibrarySite = kInternalSite | 1;

// A call of oneTBB is one site for each path of calls that leads to it (call_path.h): whether a
// wrapper makes the call, whose callers are what people know, is decided when names are known. So
// many paths of a call have a site of their own; all further ones together are one more.
inline constexpr unsigned kMostPaths = 512;

// The number of a site, from a constant record made by tp-rewrite or by the compiler
// (tp_spawn_site), which must stay valid; with kInternalSite where that applies, whatever the path.
// Unwinds the calling thread's stack, so it has to be called below the call. `path`: call_path();
// `task_stack` as in stack_of_caller(). `notes`: whether notes may describe the call, or the call
// around it (site_notes.h); always the same for a record.
enum class Notes : bool { Ignored, Used };
std::uint32_t register_site(const void* record, std::uint64_t path = 0,
                            const void* task_stack = nullptr, Notes notes = Notes::Used);
// Keys in a SiteCache: of a record in library code, whatever the path; of a record and a path.
inline std::uint64_t record_key(const void* record) {
  return reinterpret_cast<std::uint64_t>(record);
}
inline std::uint64_t record_key(const void* record, std::uint64_t path) {
  return path ^ record_key(record) << 16 ^ 2;
}

// The number of a site of code that was not recompiled, identified by the task's type, its caller,
// and the path. Unwinds the calling thread's stack. `construct` is a tp_construct.
std::uint32_t register_address(const tp_task& task, unsigned construct, std::uint64_t path = 0,
                               const void* task_stack = nullptr);
// The same of a construct of OpenMP. `path`: found with kUpToLibrary; 0: its callers do not count.
std::uint32_t register_openmp_call(const tp_openmp_call& call, std::uint64_t path);
// The number of the site of a pipeline's filter: the n-th of its pipeline (from 1), which was made at
// the site `of`, or is called there; `call`: the site of the pipeline's call, 0 if it is not tagged;
// `mode` as in tp_filter_site().
std::uint32_t register_filter(std::uint32_t of, std::uint32_t call, unsigned number, unsigned mode);
// Key of such a site in a SiteCache.
inline std::uint64_t address_key(const void* type, const void* caller, std::uint64_t path = 0) {
  const auto high = reinterpret_cast<std::uint64_t>(type);
  return (high << 21 | high >> 43) ^ reinterpret_cast<std::uint64_t>(caller) ^ path ^ 1;
}

// Key of a call of register_openmp_call() in a SiteCache.
inline std::uint64_t openmp_key(const tp_openmp_call& call, std::uint64_t path) {
  const void* const what = call.place != nullptr  ? static_cast<const void*>(call.place)
                           : call.code != nullptr ? call.code
                                                  : call.caller;
  return (std::uint64_t{call.construct} + 1) << 56 ^ reinterpret_cast<std::uint64_t>(what) ^
         std::uint64_t{call.around} << 32 ^ path ^ 3;
}

// The number of a causal region, identified by name, else by file and line.
std::uint32_t register_region(const tp_region& region);

// At the end of a recording: the modules that are loaded and were in no stack.
void register_loaded_modules();

// Around a fork, so that the child does not wait for a thread that it does not have.
void lock_site_registry();
void unlock_site_registry();

// Starts anew with an empty file of that name: at the start of a session, also in a fork()ed child.
// False: errno says why the file could not be made.
bool open_site_table(const char* path);

} // namespace tp::rt
