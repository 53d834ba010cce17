// SPDX-License-Identifier: Apache-2.0
// See command_line.h. CLI11 splits the command line; its messages and its help are not used.
#include "options/command_line.h"

#include "common/exit_status.h"
#include "common/files.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>

namespace tp::tool {
namespace {

constexpr std::size_t kTextColumn = 30, kHelpWidth = 80;
constexpr const char* kGeneral = "General";

// Wraps `text`, which starts at `column`, into lines indented to `column`.
std::string wrapped(const std::string& text, std::size_t column) {
  std::string lines;
  std::size_t at = column;
  for (const std::string& word : split(text, ' ')) {
    if (at > column && at + 1 + word.size() > kHelpWidth) {
      lines += "\n" + std::string(column, ' ');
      at = column;
    }
    if (at > column)
      lines += ' ', ++at;
    lines += word;
    at += word.size();
  }
  return lines;
}

std::string names_of(const CLI::Option& option) {
  std::string names;
  for (const std::string& name : option.get_snames())
    names += (names.empty() ? "-" : ", -") + name;
  if (names.empty())
    names = std::string(4, ' ');
  else if (!option.get_lnames().empty())
    names += ", ";
  for (std::size_t i = 0; i < option.get_lnames().size(); ++i)
    names += (i == 0 ? "--" : ", --") + option.get_lnames()[i];
  return names;
}

std::string line_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const bool has_value = !type.empty() && !type.starts_with('[');
  std::string line = "  " + names_of(option) + (has_value ? " " : "") + type;
  if (line.size() + 2 > kTextColumn)
    line += "\n" + std::string(kTextColumn, ' ');
  else
    line.resize(kTextColumn, ' ');
  return line + wrapped(option.get_description(), kTextColumn) + "\n";
}

// The option that a message of CLI11 is about: the longest name in it.
const CLI::Option* option_in(const CLI::App& app, const std::string& message) {
  const CLI::Option* found = nullptr;
  for (const CLI::Option* option : app.get_options())
    if (message.find(option->get_name()) != std::string::npos &&
        (!found || option->get_name().size() > found->get_name().size()))
      found = option;
  return found;
}

Failure in_our_words(const CLI::App& app, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !app.remaining().empty()) {
    const std::string extra = app.remaining().front();
    return {"", (extra.starts_with('-') && extra != "-" ? "unknown option '"
                                                        : "unexpected argument '") +
                    extra + "'"};
  }
  const std::string message = error.what();
  if (const std::size_t end = message.find(" was given a disallowed flag");
      end != std::string::npos)
    return {(end == 1 ? "-" : "--") + message.substr(0, end), "takes no value"};
  const CLI::Option* option = option_in(app, message);
  if (!option)
    return {"", "the command line cannot be understood"};
  if (option->results().size() > 1)
    return {option->get_name(), "given more than once"};
  return {option->get_name(), "missing value: expected " + option->get_type_name()};
}

} // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::uint64_t parse_integer(const std::string& object, const std::string& text, std::uint64_t least,
                            std::uint64_t most) {
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || value < least || value > most)
    throw unexpected(object,
                     "an integer from " + std::to_string(least) + " to " + std::to_string(most),
                     "'" + text + "'");
  return value;
}

std::vector<std::uint64_t> parse_integers(const std::string& object, const std::string& text,
                                          std::uint64_t least, std::uint64_t most) {
  std::vector<std::uint64_t> values;
  for (const std::string& item : split(text, ','))
    values.push_back(parse_integer(object, item, least, most));
  return values;
}

std::pair<std::string, std::string> parse_pair(const std::string& object, const std::string& text,
                                               const std::string& form) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw unexpected(object, form, "'" + text + "'");
  return {text.substr(0, equals), text.substr(equals + 1)};
}

CommandLine::CommandLine(std::string tool, std::string summary, std::string usage)
    : tool_(std::move(tool)), usage_(std::move(usage)),
      app_(std::make_unique<CLI::App>(std::move(summary), tool_)) {
  app_->set_help_flag();
}

CommandLine::~CommandLine() = default;

void CommandLine::listed(CLI::Option* option, const std::string& type) {
  option->group(group_)->type_name(type);
  if (std::find(groups_.begin(), groups_.end(), group_) == groups_.end())
    groups_.push_back(group_);
}

void CommandLine::value(const std::string& names, std::string& value, const std::string& type,
                        const std::string& text) {
  listed(app_->add_option(names, value, text), type);
}

void CommandLine::list(const std::string& names, std::vector<std::string>& values,
                       const std::string& type, const std::string& text) {
  listed(app_->add_option(names, values, text + " (repeatable)")->allow_extra_args(false), type);
}

void CommandLine::flag(const std::string& names, bool& value, const std::string& text) {
  CLI::Option* const option = app_->add_flag(names, value, text);
  listed(option->disable_flag_override(), "");
}

void CommandLine::flag_or_value(const std::string& names, std::string& value,
                                const std::string& fallback, const std::string& type,
                                const std::string& text) {
  listed(app_->add_flag(names + "{" + fallback + "}", value, text), "[=" + type + "]");
}

void CommandLine::choice(const std::string& names, std::string& value,
                         const std::vector<std::string>& words, const std::string& text) {
  const std::string known = CLI::detail::join(words, "|");
  const std::string object = names.substr(names.rfind(',') + 1);
  const auto set = [&value, words, known, object](const std::string& word) {
    if (std::find(words.begin(), words.end(), word) == words.end())
      throw unexpected(object, known, "'" + word + "'");
    value = word;
  };
  listed(app_->add_option_function<std::string>(names, set, text), known);
}

void CommandLine::add_integer(const std::string& names, std::function<void(std::uint64_t)> set,
                              std::uint64_t least, std::uint64_t most, const std::string& type,
                              const std::string& text) {
  const std::string object = names.substr(names.rfind(',') + 1);
  const auto parse = [set = std::move(set), least, most, object](const std::string& given) {
    set(parse_integer(object, given, least, most));
  };
  listed(app_->add_option_function<std::string>(names, parse, text), type);
}

void CommandLine::hidden(const std::string& names, std::string& value) {
  app_->add_option(names, value)->group("")->type_name("VALUE");
}

void CommandLine::positionals(std::vector<std::string>& values, std::size_t most) {
  app_->add_option("ARGUMENT", values)->group("");
  positionals_ = &values;
  most_positionals_ = most;
}

void CommandLine::stop_at_command(std::vector<std::string>& command) {
  app_->prefix_command();
  command_ = &command;
}

void CommandLine::add_common_options() {
  group_ = kGeneral;
  listed(app_->set_help_flag("-h,--help", "Show this help"), "");
  listed(app_->set_version_flag("-V,--version", tool_ + " " TP_VERSION, "Show the version"), "");
  const auto verbosity = [this](Verbosity level) {
    return [this, level] { style_.verbosity = level; };
  };
  listed(app_->add_flag_callback("-q,--quiet", verbosity(Verbosity::Quiet),
                                 "Print errors and warnings only")
             ->disable_flag_override(),
         "");
  listed(
      app_->add_flag_callback("-v,--verbose", verbosity(Verbosity::Verbose), "Print more details")
          ->disable_flag_override(),
      "");
  choice("--color", color_, {"auto", "always", "never"}, "When to use colors (default: auto)");
}

std::string CommandLine::help() const {
  std::string text = app_->get_description() + "\n\nUsage: " + tool_ + " " + usage_ + "\n";
  for (const std::string& title : groups_) {
    text += "\n" + title + ":\n";
    for (const CLI::Option* option : app_->get_options())
      if (option->get_group() == title)
        text += line_of(*option);
  }
  if (!footer_.empty())
    text += "\n" + footer_ + "\n";
  return text + "\n" + exit_statuses_of(tool_);
}

// The words that CLI11 did not use are the command; a word that begins with a dash is a wrong
// option.
void CommandLine::take_command() {
  *command_ = app_->remaining();
  if (!command_->empty() && command_->front() == "--")
    command_->erase(command_->begin());
  else if (!command_->empty() && command_->front().starts_with('-'))
    throw Failure("", "unknown option '" + command_->front() + "'");
}

void CommandLine::check_positionals() const {
  if (positionals_ && positionals_->size() > most_positionals_)
    throw Failure("", "unexpected argument '" + (*positionals_)[most_positionals_] + "'");
}

bool CommandLine::parse(const std::vector<std::string>& arguments,
                        const std::function<void()>& check) {
  add_common_options();
  try {
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    style_.color = color_ == "always"  ? Color::Always
                   : color_ == "never" ? Color::Never
                                       : Color::Auto;
    set_message_style(style_);
    if (command_)
      take_command();
    check_positionals();
    if (check)
      check();
  } catch (const CLI::CallForHelp&) {
    write_answer(help());
    return false;
  } catch (const CLI::CallForVersion&) {
    write_answer(tool_ + " " TP_VERSION "\n");
    return false;
  } catch (const CLI::ParseError& error) {
    const Failure failure = in_our_words(*app_, error);
    throw Failure(failure.object(), failure.reason(), tool_ + " --help");
  } catch (const Failure& failure) {
    if (!failure.hint().empty())
      throw;
    throw Failure(failure.object(), failure.reason(), tool_ + " --help");
  }
  return true;
}

bool CommandLine::given(const std::string& name) const {
  return app_->count(name) > 0;
}

} // namespace tp::tool
