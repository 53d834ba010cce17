// SPDX-License-Identifier: Apache-2.0
// LIBRARY CODE: the one rule for what is not the user's code, for the runtime (places that headers
// pass), the analyzer (frames of debug information, symbols) and the rewriter (declarations).
//
// A function belongs to the library whose namespace it is in: oneTBB, the standard library with its
// parallel algorithms, or ours. A function of any other namespace is the user's, in whatever folder
// its file is. Where the name does not show the namespace (debug information calls each lambda
// `operator()`; nothing is known of a dropped function), the path decides, as the compiler was given
// it: the file is in the layout in which the library installs its headers. No folder is library
// code by its name alone: /home/me/pstl/x.cpp is a user's, and so is what is below /usr/include.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tp::trace {

enum class CodeOwner : std::uint8_t {
  Unknown,
  User,
  TaskLibrary,     // oneTBB, Taskpath: their calls belong to the entry point that the user called
  StandardLibrary, // its algorithms call oneTBB; way 2 sees the call of the algorithm on the stack
};

// The namespaces of the standard library and its parallel algorithms, also for the rewriter.
constexpr bool is_standard_namespace(std::string_view name) {
  return name == "std" || name == "__pstl" || name.starts_with("__gnu_");
}
constexpr bool is_task_namespace(std::string_view name) {
  return name == "tbb" || name == "tp";
}

namespace detail {

constexpr bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// Removes the last component of a path and returns it.
constexpr std::string_view take_last(std::string_view& path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view last = slash == path.npos ? path : path.substr(slash + 1);
  path = slash == path.npos ? std::string_view() : path.substr(0, slash);
  return last;
}

template <std::size_t Size>
constexpr bool contains(const std::string_view (&names)[Size], std::string_view name) {
  return std::find(names, names + Size, name) != names + Size;
}

// Headers from which oneTBB calls itself. Its headers for users have these names in all versions;
// those in detail/ begin with an underscore.
inline constexpr std::string_view kTaskHeaders[] = {"blocked_range.h",
                                                    "blocked_rangeNd.h",
                                                    "collaborative_call_once.h",
                                                    "flow_graph.h",
                                                    "parallel_for.h",
                                                    "parallel_for_each.h",
                                                    "parallel_invoke.h",
                                                    "parallel_pipeline.h",
                                                    "parallel_reduce.h",
                                                    "parallel_scan.h",
                                                    "parallel_sort.h",
                                                    "partitioner.h",
                                                    "task.h",
                                                    "task_arena.h",
                                                    "task_group.h",
                                                    "concurrent_hash_map.h",
                                                    "concurrent_priority_queue.h",
                                                    "concurrent_queue.h",
                                                    "concurrent_vector.h",
                                                    "enumerable_thread_specific.h"};
inline constexpr std::string_view kStandardHeaders[] = {
    "algorithm_fwd.h",     "algorithm_impl.h",    "glue_algorithm_impl.h", "glue_memory_impl.h",
    "glue_numeric_impl.h", "memory_impl.h",       "numeric_impl.h",        "parallel_backend_tbb.h",
    "parallel_impl.h",     "unseq_backend_simd.h"};
inline constexpr std::string_view kOwnHeaders[] = {"causal.h", "flow_graph_hooks.h", "hooks.h",
                                                   "oneapi_hooks.h", "site.h"};

} // namespace detail

// The outermost namespace or class of a function, as compilers and the demangler print it, with or
// without return type and parameters; empty if the name has none.
constexpr std::string_view outermost_scope(std::string_view function) {
  constexpr std::string_view kOperator = "operator";
  std::size_t begin = 0, scope_end = 0;
  int depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char c = function[i];
    const std::string_view rest = function.substr(i);
    if (depth == 0 && rest.starts_with("::") && scope_end <= begin && i > begin)
      scope_end = i;
    if (depth == 0 && rest.starts_with(kOperator) &&
        (i == 0 || !detail::is_word(function[i - 1])) &&
        (rest.size() == kOperator.size() || !detail::is_word(rest[kOperator.size()])))
      break; // its symbol may be a bracket
    if (depth == 0 && c == '(' && i > begin && !rest.starts_with("(anonymous") &&
        function.substr(begin, i - begin) != "decltype")
      break; // parameters
    if (depth == 0 && c == '[')
      break; // template parameters
    if (c == '<' || c == '(' || c == '{')
      ++depth;
    else if ((c == '>' || c == ')' || c == '}') && depth > 0)
      --depth;
    else if (c == ' ' && depth == 0)
      begin = i + 1; // what came before was the return type
  }
  if (scope_end <= begin)
    return {};
  const std::string_view scope = function.substr(begin, scope_end - begin);
  return scope.substr(0, scope.find('<'));
}

// Whose header has this path; User: none that is known.
constexpr CodeOwner owner_of_file(std::string_view path) {
  std::string_view rest = path;
  const std::string_view name = detail::take_last(rest);
  const std::string_view folder = detail::take_last(rest);
  std::string_view above = rest;
  if (folder == "tp" && detail::contains(detail::kOwnHeaders, name))
    return CodeOwner::TaskLibrary;
  if (folder == "pstl" && detail::contains(detail::kStandardHeaders, name))
    return CodeOwner::StandardLibrary;
  if (folder == "tbb" && detail::take_last(above) == "oneapi" &&
      detail::contains(detail::kTaskHeaders, name))
    return CodeOwner::TaskLibrary;
  above = rest;
  if (folder == "detail" && name.starts_with('_') && detail::take_last(above) == "tbb" &&
      detail::take_last(above) == "oneapi")
    return CodeOwner::TaskLibrary;
  // libstdc++ and libc++: include/c++/12/bits/..., include/c++/v1/..., and for what depends on the
  // machine include/x86_64-linux-gnu/c++/12/...
  for (std::string_view version; !(rest = path).empty(); path = rest) {
    version = detail::take_last(rest);
    if (version.empty() || !(detail::is_word(version[0])) ||
        !((version[0] >= '0' && version[0] <= '9') || version == "v1"))
      continue;
    std::string_view outside = rest;
    if (detail::take_last(outside) != "c++")
      continue;
    const std::string_view include = detail::take_last(outside);
    if (include == "include" || detail::take_last(outside) == "include")
      return CodeOwner::StandardLibrary;
  }
  return CodeOwner::User;
}

constexpr CodeOwner owner_of_code(std::string_view function, std::string_view file) {
  if (const std::string_view scope = outermost_scope(function); !scope.empty())
    return is_task_namespace(scope) ? CodeOwner::TaskLibrary
           : is_standard_namespace(scope) ||
                   scope == "oneapi" // oneDPL; oneTBB's functions are in tbb
               ? CodeOwner::StandardLibrary
               : CodeOwner::User;
  if (!file.empty())
    return owner_of_file(file);
  return function.empty() ? CodeOwner::Unknown : CodeOwner::User;
}

} // namespace tp::trace
