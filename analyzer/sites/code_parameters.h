// SPDX-License-Identifier: Apache-2.0
// Does a function get code from its caller? Then it may be a wrapper, whose callers are what people
// know (callers.h). Used by site_resolver.
#pragma once

#include <elfutils/libdw.h>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tp::analysis {

enum class CodeParameter {
  None,
  Object, // an object with virtual functions: `this`, or one that a parameter refers to
  Code,   // a function, a lambda, a function object
};

// Compilers describe a class with virtual functions once, in the unit that has its table of
// functions; other units declare it. This finds the description, by the class's name alone: if a
// module has several classes of a name, they have to agree. A library that is given objects of an
// interface has no description of it: then that of another module counts.
class DescribedClasses {
public:
  // `others`: the debug information of other modules, asked for once, if it is needed.
  explicit DescribedClasses(std::function<std::vector<Dwarf*>()> others = {})
      : others_(std::move(others)) {}
  // Virtual functions in all classes of that name in the file of `near`, or, if there is none, in
  // another one. The first call for a file reads the names of all its classes.
  bool have_virtual_functions(Dwarf_Die near, std::string_view name);

private:
  using HaveVirtual = std::map<std::string, bool, std::less<>>;
  const HaveVirtual& classes_of(Dwarf* file);

  std::function<std::vector<Dwarf*>()> others_;
  std::optional<std::vector<Dwarf*>> files_;
  std::map<Dwarf*, HaveVirtual> of_file_;
};

// By the debug information of a function or of an inlined call. An object that is called like a
// function counts as code unless it looks like a container with an index operator: its operator()
// returns something, and it has other member functions.
CodeParameter code_parameter(Dwarf_Die function, DescribedClasses& classes);
// By the demangled name: pointers to functions, std::function, and objects of classes that have
// virtual functions.
CodeParameter code_parameter(std::string_view demangled,
                             const std::function<bool(std::string_view)>& has_virtual_functions);
// Whether a function, by its demangled name, gets an object of that type, by its demangled name: the
// body of a task is code.
bool has_parameter(std::string_view demangled, std::string_view type);

} // namespace tp::analysis
