// SPDX-License-Identifier: Apache-2.0
// DEBUG INFORMATION BY ADDRESS: the calls that are inlined into one another at an address of a
// module. Only the units around the addresses in question are read. Used by site_resolver.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>

namespace tp::analysis {

struct SourceFrame {
  std::string function; // demangled
  std::string file;
  std::uint32_t line = 0;
  // In whose code the line is: the function, or for a lambda the one around it; demangled.
  std::string in_function;
  Dwarf_Die description{};       // of the function, or of the inlined call
  std::uint32_t declared_at = 0; // the line of the function; 0: not known, or a lambda
  // The compiler made the function of the code of an OpenMP construct: in_function contains that.
  bool is_of_construct = false;
};

// Innermost first; the last is the function that the code belongs to. Empty: at most the line is known.
struct InlineChain {
  std::vector<SourceFrame> frames;
  SourceFrame place; // if `frames` is empty: only file and line, of code that no function describes
  std::string declared_in; // the file of the function
  std::string directory;   // in which the unit was compiled
};

// Of a function, as compilers give it to linkers; memory of the module. Null: it has none, as C functions.
const char* linkage_name(Dwarf_Die* die);
// The file of a declaration, as the module's debug information names it; null: not known.
const char* file_of_declaration(Dwarf_Die* die);
// Debug information has no other name of a function that other units don't see: the namespaces and classes
// around it, before the given name. `unnamed`: what unnamed namespaces are called; null: nothing.
std::string qualified(Dwarf_Die function, const std::string& name, const char* unnamed = nullptr);
// The description of a function itself, of which others are instances or definitions.
Dwarf_Die declaration_of(Dwarf_Die function);

class DebugInfo {
public:
  explicit DebugInfo(Dwfl_Module* module) : module_(module) {}
  // `address`: libdwfl's.
  InlineChain chain_at(Dwarf_Addr address);
  // What to add to an address in the debug information.
  Dwarf_Addr bias();
  // The description of the function around an address.
  std::optional<Dwarf_Die> function_at(Dwarf_Addr address);
  // The description of the function that is called before a return address (DWARF 5, section 3.4),
  // if the call names one; perhaps of an instance, a definition or a declaration of it.
  std::optional<Dwarf_Die> callee_at(Dwarf_Addr return_address);
  // A call by which a function leaves: a jump, after which nothing of it is on the stack.
  struct Jump {
    Dwarf_Addr behind; // an address as if it were a return address
    Dwarf_Die callee;
  };
  // Of the function around an address.
  std::vector<Jump> jumps_of(Dwarf_Addr address);

private:
  struct Range { // of a function's or a unit's code; each may have several
    Dwarf_Addr begin, end;
    Dwarf_Die die;
  };
  static void collect_functions(Dwarf_Die parent, std::vector<Range>& functions);
  std::optional<Dwarf_Die> unit_at(Dwarf_Addr address, Dwarf_Addr& bias);
  const std::vector<Range>& units();
  const std::vector<Range>& functions_of(Dwarf_Die& unit);
  std::vector<Dwarf_Die> scopes_at(Dwarf_Die unit, Dwarf_Addr address);

  Dwfl_Module* module_;
  std::optional<std::vector<Range>> units_; // by begin
  Dwarf_Addr units_bias_ = 0;
  std::map<const void*, std::vector<Range>> functions_; // of the units in question, by begin
};

} // namespace tp::analysis
