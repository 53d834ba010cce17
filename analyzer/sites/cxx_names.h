// SPDX-License-Identifier: Apache-2.0
// C++ names as people read them. Used by site_resolver and task_type; pure functions of text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tp::analysis {

// `name` itself if it is not mangled.
std::string demangle(const std::string& name);

// A demangled function without return type, template arguments and parameters: short enough for a
// file. A lambda belongs to the function around it.
std::string plain_name(const std::string& function);

// The last two components of a plain name, without "(anonymous namespace)": short enough for a
// table.
std::string short_name(const std::string& plain);

// The arguments of a type's outermost template, as parts of `type`; empty if it is not a template.
std::vector<std::string_view> template_arguments(std::string_view type);

// The position of `part` in a demangled name outside of its template arguments and parameters;
// npos: none.
std::size_t find_outside_brackets(std::string_view name, std::string_view part);

} // namespace tp::analysis
