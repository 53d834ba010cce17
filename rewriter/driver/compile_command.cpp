// SPDX-License-Identifier: Apache-2.0
// Reads a compiler command line: which arguments are inputs, in which language, and what the
// command produces.
#include "driver/compile_command.h"

#include "text/compiler_options.h"

#include <algorithm>
#include <string_view>

namespace tp::rewrite {
namespace {

using std::string_view;

enum class Input { Cxx, OtherSource, LinkerInput };

Input kind_of(const std::string& name, const std::string& language) {
  if (name == "-")
    return Input::OtherSource;
  if (language == "c++")
    return Input::Cxx;
  if (!language.empty() && language != "none")
    return Input::OtherSource;
  if (is_cxx_source_name(name))
    return Input::Cxx;
  static constexpr string_view kOther[] = {".c",   ".i",  ".ii",  ".s",    ".S",   ".sx",
                                           ".h",   ".hh", ".hpp", ".hxx",  ".h++", ".H",
                                           ".tcc", ".m",  ".mm",  ".cppm", ".ixx", ".cu"};
  const size_t dot = name.rfind('.');
  const bool is_source =
      dot != std::string::npos &&
      std::ranges::find(kOther, string_view(name).substr(dot)) != std::end(kOther);
  return is_source ? Input::OtherSource : Input::LinkerInput;
}

// Options that stop before an object file, or whose source must not be changed.
bool stops_early(string_view option) {
  static constexpr string_view kStops[] = {"-E",
                                           "-M",
                                           "-MM",
                                           "-fsyntax-only",
                                           "-###",
                                           "--precompile",
                                           "-emit-pch",
                                           "-fpreprocessed",
                                           "-fdirectives-only"};
  return std::ranges::find(kStops, option) != std::end(kStops);
}

// -Wp,-MD,FILE and -Wp,-MMD,FILE
void read_preprocessor_option(string_view option, Command& command) {
  for (const string_view prefix : {"-Wp,-MD,", "-Wp,-MMD,"})
    if (option.starts_with(prefix)) {
      command.writes_dependencies = true;
      command.dependency_file = option.substr(prefix.size());
    }
}

std::string without_suffix(const std::string& path) {
  const size_t slash = path.rfind('/');
  const size_t dot = path.rfind('.');
  const bool has_suffix =
      dot != std::string::npos && dot > 0 && (slash == std::string::npos || dot > slash + 1);
  return has_suffix ? path.substr(0, dot) : path;
}

} // namespace

Command read_command(const std::vector<std::string>& arguments) {
  Command command;
  for (const std::string& argument : expand_response_files(arguments))
    if (argument == "-q")
      command.quiet = true;
    else
      command.arguments.push_back(argument);

  std::string language;
  bool has_input = false, stops = false, compiles_only = false, is_header = false;
  for (size_t i = 0; i < command.arguments.size(); ++i) {
    const std::string& argument = command.arguments[i];
    const bool has_value = takes_next_argument(argument) && i + 1 < command.arguments.size();
    const std::string value = has_value ? command.arguments[i + 1] : "";
    if (argument == "-x")
      language = value;
    else if (argument.starts_with("-x") && argument.size() > 2)
      language = argument.substr(2);
    else if (argument == "-o")
      command.output = value;
    else if (argument.starts_with("-o") && argument.size() > 2)
      command.output = argument.substr(2);
    else if (argument == "-MF")
      command.dependency_file = value;
    else if (argument.starts_with("-MF"))
      command.dependency_file = argument.substr(3);
    else if (argument == "-MD" || argument == "-MMD")
      command.writes_dependencies = true;
    else if (argument == "-c" || argument == "-S")
      compiles_only = true;
    else if (stops_early(argument))
      stops = true;
    else if (argument.starts_with("-Wp,"))
      read_preprocessor_option(argument, command);
    else if (argument == "-" || (!argument.empty() && argument[0] != '-')) {
      const Input kind = kind_of(argument, language);
      has_input = true;
      command.compiles |= kind != Input::LinkerInput;
      if (kind == Input::Cxx)
        command.sources.push_back(i);
      is_header |= language.ends_with("-header");
    } else if (argument.starts_with("-l")) {
      has_input = true;
    }
    i += has_value;
  }
  const bool is_relocatable = std::ranges::find(command.arguments, "-r") != command.arguments.end();
  command.links = has_input && !compiles_only && !stops && !is_header && !is_relocatable;
  command.rewritable = !stops && !is_header && !command.sources.empty();
  return command;
}

std::vector<std::string> dependency_file_candidates(const Command& command,
                                                    const std::string& source) {
  if (!command.writes_dependencies)
    return {};
  if (!command.dependency_file.empty())
    return {command.dependency_file};
  const std::string base = without_suffix(source.substr(source.rfind('/') + 1));
  if (command.output.empty())
    return {base + ".d", "a-" + base + ".d"};
  const std::string output = without_suffix(command.output);
  return {output + ".d", command.output + ".d", command.output + '-' + base + ".d",
          output + '-' + base + ".d", base + ".d"};
}

std::string make_escaped(const std::string& path) {
  std::string result;
  for (char c : path) {
    if (c == ' ' || c == '#' || c == '\t')
      result += '\\';
    if (c == '$')
      result += '$';
    result += c;
  }
  return result;
}

} // namespace tp::rewrite
