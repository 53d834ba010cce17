// SPDX-License-Identifier: Apache-2.0
// tp-c++: a drop-in compiler that tags spawn sites. It starts as fast as a compiler driver: only a
// C++ source that mentions a spawn is given to tp-rewrite, which parses it with Clang and writes a
// tagged copy. The real compiler ($TP_CXX, default c++) then compiles the copy, whose #line
// directives name the original. The copy has the same file name in a directory of its own, so that
// default names of objects are the same.
//
// If anything on our side fails, the original is compiled unchanged: the patched headers still name
// its sites.
#include "common/exit_status.h"
#include "common/failure.h"
#include "common/files.h"
#include "common/message.h"
#include "common/prefix.h"
#include "driver/compile_command.h"
#include "driver/reply.h"
#include "text/compiler_options.h"
#include "text/hex.h"
#include "text/installation.h"
#include "text/spawn_scan.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <spawn.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

namespace tp::rewrite {
namespace {

namespace fs = std::filesystem;
using tool::Failure;
using Words = std::vector<std::string>;

constexpr int kCannotRun = 127;

// A tagged copy, compiled in place of the original.
struct Copy {
  size_t argument;       // index in Command::arguments
  std::string original;  // as given
  std::string directory; // temporary, created by tp-c++
};

volatile std::sig_atomic_t interrupted = 0;
void on_signal(int number) {
  interrupted = number;
}

void note_untagged(const std::string& source, const std::string& reason) {
  tool::note(source + ": compiled untagged: " + reason);
}

Failure cannot_run(const std::string& compiler, int reason) {
  return Failure(compiler, std::string("cannot be run: ") + std::strerror(reason),
                 "TP_CXX=g++ tp-c++ ...")
      .with_status(kCannotRun);
}

std::vector<char*> as_argv(const Words& words) {
  std::vector<char*> argv;
  for (const std::string& word : words)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

struct Ended {
  int start_errno = 0; // not 0: the command was not started
  int status = 0;      // exit status, or -signal
};

// `out_file`, `error_file`: the files for stdout and stderr; null: those of tp-c++.
Ended run(const Words& words, const char* out_file, const char* error_file) {
  std::vector<char*> argv = as_argv(words);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  if (out_file)
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_file, kFlags, 0600);
  if (error_file)
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, error_file, kFlags, 0600);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error)
    return {error, 0};
  int status = 0;
  bool passed_on = false;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    if (interrupted && !passed_on) {
      passed_on = true;
      kill(child, interrupted);
    }
  return {0, WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status)};
}

// Runs the real compiler; returns its status.
int run_compiler(const Words& words, const char* error_file = nullptr) {
  const Ended ended = run(words, nullptr, error_file);
  if (ended.start_errno != 0)
    return tool::report(cannot_run(words.front(), ended.start_errno), kCannotRun);
  return ended.status;
}

// If the compiler turns out to be tp-c++ again, it finds TP_CXX_ACTIVE set from here on.
Words claim_real_compiler() {
  const Words words = real_compiler();
  if (std::getenv("TP_CXX_ACTIVE") || words.empty()) {
    const char* const named = std::getenv("TP_CXX");
    throw Failure("TP_CXX", "'" + std::string(named ? named : "") + "' is tp-c++ itself",
                  "TP_CXX=g++ tp-c++ ...");
  }
  setenv("TP_CXX_ACTIVE", "1", 1);
  return words;
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

// The same command gets the same name, so that builds are reproducible even if a compiler stores
// the path that it was given (clang's LTO bitcode); if that name is taken, another one.
std::string make_temporary_directory(const Command& command, const std::string& source) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  std::string key = fs::current_path(error).string() + '\n' + source;
  for (const std::string& argument : command.arguments)
    key += '\n' + argument;
  std::string name = (parent / "tp-c++-").string() + hex(std::hash<std::string>{}(key));
  if (mkdir(name.c_str(), 0700) == 0)
    return name;
  name += "-XXXXXX";
  return mkdtemp(name.data()) ? name : "";
}

// The first line with an error in a compiler's messages.
std::string first_error(const std::string& messages) {
  const size_t at = std::min(messages.find("error:"), messages.size());
  const size_t start = at == 0 ? 0 : messages.rfind('\n', at - 1) + 1;
  return messages.substr(start, messages.find('\n', start) - start);
}

// The reply of tp-rewrite; a failure if it did not reply.
Reply ask_to_tag(const Command& command, size_t argument, const std::string& target,
                 const std::string& reply_file) {
  const std::string& source = command.arguments[argument];
  Words words = {tool::own_prefix().tool("tp-rewrite"), "--emit", target, source, "--"};
  for (size_t i = 0; i < command.arguments.size(); ++i)
    if (i != argument)
      words.push_back(command.arguments[i]);
  unsetenv("TP_CXX_ACTIVE"); // tp-rewrite asks the real compiler, by the same TP_CXX
  const Ended ended = run(words, reply_file.c_str(), "/dev/null");
  setenv("TP_CXX_ACTIVE", "1", 1);
  if (const auto reply = reply_from(tool::read_file(reply_file).value_or("")))
    return *reply;
  const std::string reason =
      ended.start_errno != 0 ? "cannot be run: " + std::string(std::strerror(ended.start_errno))
      : ended.status < 0     ? "was ended by signal " + std::to_string(-ended.status)
                             : "ended with status " + std::to_string(ended.status);
  return {Reply::Result::Failed, source, "tp-rewrite " + reason};
}

// Tags one source if it contains anything to tag.
void make_copy(const Command& command, size_t argument, std::vector<Copy>& copies) {
  const std::string& source = command.arguments[argument];
  const char* wrappers = std::getenv("TP_WRAPPERS");
  if (!may_spawn(source, command.arguments, wrappers ? wrappers : ""))
    return;
  const std::string directory = make_temporary_directory(command, source);
  if (directory.empty())
    return note_untagged(source, "no temporary directory can be made");
  const std::string target = directory + '/' + source.substr(directory_of(source).size());
  const Reply reply = ask_to_tag(command, argument, target, directory + "/reply");
  if (reply.result == Reply::Result::Tagged) {
    copies.push_back({argument, source, directory});
    return;
  }
  if (reply.result == Reply::Result::Failed && !interrupted)
    note_untagged(source, reply.object == source || reply.object.empty()
                              ? reply.reason
                              : reply.object + ": " + reply.reason);
  std::error_code ignored;
  fs::remove_all(directory, ignored);
}

// Our libtbb replaces a libtbb that the user names by path (as CMake's imported target does).
bool is_libtbb(const std::string& argument) {
  const std::string_view name = std::string_view(argument).substr(directory_of(argument).size());
  return argument.find('/') != std::string::npos && argument[0] != '-' &&
         name.starts_with("libtbb.so");
}

Words compiler_command(const Words& compiler, const Command& command,
                       const std::vector<Copy>& copies) {
  Words words = compiler;
  if (const std::string include = installed_include_dir(); command.compiles && !include.empty())
    words.insert(words.end(), {"-isystem", include});
  const std::string library = command.links ? installed_library_dir() : "";
  if (!library.empty())
    words.insert(words.end(), {"-L" + library, "-Wl,-rpath," + library});
  if (!copies.empty()) {
    const std::string directory = directory_of(copies.front().original);
    words.insert(words.end(), {"-iquote", directory.empty() ? "." : directory});
  }
  for (const std::string& argument : command.arguments)
    words.push_back(!library.empty() && is_libtbb(argument) ? library + "/libtbb.so.12" : argument);
  const size_t first = words.size() - command.arguments.size();
  for (const Copy& copy : copies) {
    const std::string directory = directory_of(copy.original);
    words[first + copy.argument] = copy.directory + '/' + copy.original.substr(directory.size());
    words.push_back("-ffile-prefix-map=" + copy.directory + "/=" + directory);
  }
  return words;
}

// Dependency files must name the original; otherwise every build would be out of date.
void mend_dependencies(const Command& command, const Copy& copy) {
  const std::string ours = copy.directory + '/';
  const std::string theirs = make_escaped(directory_of(copy.original));
  for (const std::string& name : dependency_file_candidates(command, copy.original)) {
    std::string text = tool::read_file(name).value_or("");
    if (text.find(ours) == std::string::npos)
      continue;
    for (size_t at; (at = text.find(ours)) != std::string::npos;)
      text.replace(at, ours.size(), theirs);
    try {
      tool::write_file(name, text);
    } catch (const Failure& failure) {
      tool::warning(failure.what());
    }
  }
}

bool same_directory(const Command& command) {
  for (const size_t source : command.sources)
    if (directory_of(command.arguments[source]) !=
        directory_of(command.arguments[command.sources.front()]))
      return false;
  return true;
}

[[noreturn]] void exec(const Words& words) {
  std::vector<char*> argv = as_argv(words);
  execvp(argv[0], argv.data());
  throw cannot_run(words.front(), errno);
}

// The real compiler decides on colors by its stderr, which is a file here.
void keep_colors(const Command& command, Words& words) {
  if (!tool::can_rewrite_line(STDERR_FILENO))
    return;
  for (const std::string& argument : command.arguments)
    if (argument.find("diagnostics-color") != std::string::npos ||
        argument.find("color-diagnostics") != std::string::npos)
      return;
  words.emplace_back("-fdiagnostics-color=always");
}

// If the tagged compilation succeeds, its messages are shown. Otherwise the original is compiled,
// and its messages and status are used: usually the error is the user's, and if not, the tag does
// no harm.
int compile_copies(const Words& compiler, const Command& command, const std::vector<Copy>& copies) {
  Words words = compiler_command(compiler, command, copies);
  keep_colors(command, words);
  const std::string messages = copies.front().directory + "/messages";
  const int tagged = run_compiler(words, messages.c_str());
  const std::string text = tool::read_file(messages).value_or("");
  if (tagged <= 0 || tagged == kCannotRun) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    return tagged;
  }
  const int status = run_compiler(compiler_command(compiler, command, {}));
  if (status == 0)
    note_untagged(copies.front().original,
                  "the tagged text does not compile: " + first_error(text));
  return status;
}

void catch_signals() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  for (const int number : {SIGINT, SIGTERM, SIGHUP})
    sigaction(number, &action, nullptr);
}

int compile(const Words& compiler, const Command& command) {
  std::vector<Copy> copies;
  if (command.rewritable && same_directory(command)) {
    catch_signals();
    for (const size_t source : command.sources)
      if (!interrupted)
        make_copy(command, source, copies);
  }
  if (copies.empty() && !interrupted)
    exec(compiler_command(compiler, command, copies));
  int status = interrupted ? -interrupted : compile_copies(compiler, command, copies);
  std::error_code ignored;
  for (const Copy& copy : copies) {
    mend_dependencies(command, copy);
    fs::remove_all(copy.directory, ignored);
  }
  if (status < 0) {
    std::signal(-status, SIG_DFL);
    raise(-status);
  }
  return status < 0 ? 128 - status : status;
}

std::string help() {
  return R"(Compile as g++ or clang++ does, and tag oneTBB spawn sites on the way.

Usage: tp-c++ [-q] ANY COMMAND LINE OF g++ OR clang++     (or CXX=tp-c++)

General:
  -h, --tp-help     Show this help
  -V, --tp-version  Show the version
  -q                Print errors and warnings only
All other options are those of the compiler: --help, --version and -v too.

Environment:
  TP_CXX=COMPILER   The real compiler (default: c++)
  TP_PREFIX=DIR     Where Taskpath is installed (default: where tp-c++ is)
  TP_WRAPPERS=LIST  Functions whose calls are spawn sites too

)" + tool::exit_statuses_of("tp-c++");
}

int start(const Words& arguments) {
  const std::string only = arguments.size() == 1 ? arguments.front() : "";
  if (only == "-h" || only == "--tp-help") {
    tool::write_answer(help());
    return tool::kOk;
  }
  if (only == "-V" || only == "--tp-version") {
    tool::write_answer("tp-c++ " TP_VERSION "\n");
    return tool::kOk;
  }
  const Command command = read_command(arguments);
  if (command.quiet)
    tool::set_message_style({.verbosity = tool::Verbosity::Quiet});
  return compile(claim_real_compiler(), command);
}

} // namespace
} // namespace tp::rewrite

int main(int argc, char** argv) {
  return tp::tool::run_tool("tp-c++", tp::tool::kUnusable,
                            [&] { return tp::rewrite::start({argv + 1, argv + argc}); });
}
