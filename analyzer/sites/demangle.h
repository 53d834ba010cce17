// SPDX-License-Identifier: Apache-2.0
// From mangled names to C++: LLVM's demangler where it was found when Taskpath was built, and the
// C++ runtime's for what that refuses, or alone. Used by site_resolver, debug_info and site_table.
// Both write the same names, but for lambdas (`'lambda'(int)` or `{lambda(int)#1}`), unnamed types
// and some spaces; cxx_names reads both. Pure functions of text; any thread.
#pragma once

#include <string>
#include <string_view>

namespace tp::analysis {

// A symbol, as symbol tables and debug information have it; itself if it is not mangled, as that of
// a C function is not, whatever its letters. A function that a compiler made of the code of an OpenMP
// construct has the name of the function that contains the construct.
std::string demangle_symbol(const std::string& name);
// Whether this is the symbol of such a function.
bool is_code_of_construct(std::string_view symbol);

// A type, as std::type_info::name() has it (a name of letters may be a type: `f` is float); itself
// if it is none.
std::string demangle_type(const std::string& name);

// Whether LLVM's demangler is in this program.
bool has_llvm_demangler();

} // namespace tp::analysis
