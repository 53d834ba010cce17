// SPDX-License-Identifier: Apache-2.0
// NAMES THAT PEOPLE RECOGNIZE: of a function or type with wrappers around the user's code, the part
// that the user would name it by. Used by site_resolver and site_table; pure functions of text.
//
// A wrapper is a template over the code that it runs. So the innermost function whose lambda (or
// other local type, or address) is among the arguments of templates is the name:
//   ours::parallel_for<Range, Builder::rebuild()::{lambda(int)#1}>    Builder::rebuild
// Where no argument is local to a function, a class is named by what it wraps: by the innermost
// class of the user if there are several layers, with the class around it if there is one; but not
// by a template over numbers or built-in types, which holds data:
//   FuncCall<Functor<Probe>>                            Probe
//   Reducer<List>                                       Reducer<List>
//   TopologyCopy<Tree<Root<Leaf<float, 3u>>>>           TopologyCopy<Tree>
// Such names never contain library code (tp/trace/library_code.h).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tp::analysis {

// A demangled function or type in `room` characters, more only if one identifier is longer: at most
// two components, and template arguments as far as there is room. `name` itself if it cannot be
// read.
inline constexpr std::size_t kNameRoom = 36; // of a table
std::string short_name(std::string_view name, std::size_t room = kNameRoom);

// With all components but unnamed namespaces: for names whose short ones are the same.
std::string longer_name(std::string_view name);

} // namespace tp::analysis
