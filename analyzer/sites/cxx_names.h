// SPDX-License-Identifier: Apache-2.0
// The structure of C++ names, as demanglers and debug information write them. Used by task_type,
// display_names and site_resolver; pure functions of text, which they view and never keep. What is
// no C++ name gives some answer, never an error.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tp::analysis {

// A component of a qualified name: a::S<int>::f(char) const has three. Views of the whole name.
struct NameScope {
  std::string_view name;                    // without template arguments: "S", "operator<", "f"
  std::vector<std::string_view> arguments;  // of the template
  std::vector<std::string_view> parameters; // of a function
  std::size_t begin = 0, end = 0;           // in the whole name, with arguments and parameters
  bool is_function = false;                 // has parameters
  bool is_local = false;                    // a lambda or a type without a name
  bool is_anonymous = false;                // an unnamed namespace
};

// The components of a function's or type's name, outermost first, without return type and
// qualifiers. Empty: none could be read.
std::vector<NameScope> scopes_of(std::string_view name);

// Without template arguments and parameters, up to the first function: a lambda, or a class in a
// function, belongs to that function. `function` itself if it cannot be read.
std::string plain_name(const std::string& function);

// With template arguments, without parameters, return type and qualifiers, lambdas included. As
// long as the name; different functions of a program differ in it but for overloads and functions
// of internal linkage.
std::string qualified_name(const std::string& function);

// Of a variable, which may be a function's or a class's: as the function or class is written, without parameters, and without
// template arguments if these make it long. Other names as they are.
std::string variable_name(const std::string& name);

// The arguments of a type's outermost template, as parts of `type`; empty if it is not a template.
std::vector<std::string_view> template_arguments(std::string_view type);

} // namespace tp::analysis
