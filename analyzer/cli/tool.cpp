// stdout carries the answer, stderr everything else.
#include "cli/tool.h"

#include "base/problem.h"
#include "cli/progress.h"

#include <fmt/format.h>

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <new>

namespace tp::analysis {
namespace {

// A stream that shrinks while it is mapped: another program is writing this directory.
extern "C" void on_bus_error(int) {
  Progress::erase_line();
  static constexpr char kText[] =
      "tp: error: a stream was cut off while it was read: expected nobody to write the "
      "data directory, got a shorter file\nhint: run it again when the program has ended\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kText, sizeof kText - 1);
  ::_exit(kBad);
}

bool is_dumb_terminal() {
  const char* const term = std::getenv("TERM");
  return term && std::string(term) == "dumb";
}

} // namespace

void complain(const std::string& what, const std::string& hint) {
  fmt::print(stderr, "tp: error: {}\n", what);
  if (!hint.empty())
    fmt::print(stderr, "hint: {}\n", hint);
}

void write_file(const std::string& path, const std::string& text) {
  namespace fs = std::filesystem;
  if (const fs::path parent = fs::path(path).parent_path(); !parent.empty()) {
    std::error_code ignored; // fopen tells
    fs::create_directories(parent, ignored);
  }
  const std::string temporary = fmt::format("{}.tmp.{}", path, ::getpid());
  const char* const kHint = "name a directory that can be written to";
  std::FILE* const file = std::fopen(temporary.c_str(), "we");
  if (!file)
    fail(Problem::Unwritable, {path}, "a place to write to", std::strerror(errno), kHint);
  bool good = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  good &= std::fclose(file) == 0;
  if (!good || std::rename(temporary.c_str(), path.c_str()) != 0) {
    const int error = errno;
    ::unlink(temporary.c_str());
    fail(Problem::Unwritable, {path}, "a place to write to", std::strerror(error), kHint);
  }
}

void fail_answer() {
  fail(Problem::Unwritable, {"standard output"}, "a place to write to", std::strerror(errno),
       "write to a place that is open and has room");
}

void write_answer(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    fail_answer();
}

bool wants_colour(const std::string& when) {
  if (when != "auto")
    return when == "always";
  const char* const no_color = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) && !(no_color && *no_color) && !is_dumb_terminal();
}

bool wants_progress(bool quiet) {
  return !quiet && ::isatty(STDERR_FILENO) && !is_dumb_terminal();
}

int run_tool(const std::function<int()>& tool) {
  ::signal(SIGBUS, on_bus_error);
  ::unsetenv("DEBUGINFOD_URLS"); // libdwfl would fetch debug information over the network
  try {
    return tool();
  } catch (const Error& error) {
    complain(error.what(), error.hint().empty() ? "tp-run PROGRAM records it again" : error.hint());
  } catch (const std::bad_alloc&) {
    complain(
        "the analysis: out of memory: expected enough for what is alive at one moment, got none",
        "");
  } catch (const std::exception& error) {
    complain(fmt::format("the analysis: expected no failure, got {}", error.what()), "");
  }
  return kBad;
}

} // namespace tp::analysis
