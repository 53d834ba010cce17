// SPDX-License-Identifier: Apache-2.0
// LOCKS IN ARRAYS: whether an object of a module's static data is one of several in an array, as its debug
// information describes the variable. Used by site_resolver.
#pragma once

#include <cstdint>
#include <vector>

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace tp::analysis {

// Is the object at that offset of a variable of that type an element of an array of two or more objects of a class, or a part
// of one? Arrays inside of the object itself count, too, if they begin where it does and are of classes. std::array is one.
bool is_in_array(Dwarf_Die type, std::uint64_t offset);

// Those of the addresses (libdwfl's) for which that is true of the variables that contain them. None, if the module has no
// debug information. Reads all that it has, once.
std::vector<Dwarf_Addr> those_in_arrays(Dwfl_Module* module, std::vector<Dwarf_Addr> addresses);

} // namespace tp::analysis
