// tp-c++: a drop-in compiler that tags spawn sites on the way. It starts as fast as a compiler
// driver: only a C++ source that mentions a spawn at all is given to tp-rewrite, which parses it
// with Clang and writes a tagged copy. The real compiler ($TP_CXX, default c++) then compiles the
// copy, whose #line directives name the original; the copy has the same file name in a directory of
// its own, so that default names of objects come out the same.
//
// Whatever goes wrong on our side, the original is compiled unchanged: the patched headers still
// name its sites.
#include "driver/compile_command.h"
#include "text/compiler_options.h"
#include "text/installation.h"
#include "text/output.h"
#include "text/spawn_scan.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <string_view>
#include <sys/stat.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

extern char** environ;

namespace tp::rewrite {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr int kCannotRun = 127;
constexpr int kNothingToTag = 3; // exit status of tp-rewrite --emit

// A tagged copy standing in for an original.
struct Copy {
  size_t argument;       // index in Command::arguments
  std::string original;  // as given
  std::string directory; // temporary, ours
};

volatile std::sig_atomic_t interrupted = 0;
void on_signal(int number) {
  interrupted = number;
}

void note(const Command& command, const std::string& text) {
  if (!command.quiet)
    std::fprintf(stderr, "tp-c++: note: %s\n", text.c_str());
}

std::vector<char*> as_argv(const Words& words) {
  std::vector<char*> argv;
  for (const std::string& word : words)
    argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

// Exit status of the child, or -signal. `error_file`: where its stderr goes, if not to ours.
int run(const Words& words, const char* error_file = nullptr) {
  std::vector<char*> argv = as_argv(words);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (error_file)
    posix_spawn_file_actions_addopen(&actions, 2, error_file, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  const int error = posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error) {
    std::fprintf(stderr, "tp: error: %s: cannot run: %s\nhint: TP_CXX=g++ tp-c++ ...\n", argv[0],
                 std::strerror(error));
    return kCannotRun;
  }
  int status = 0;
  bool passed_on = false;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR)
    if (interrupted && !passed_on) {
      passed_on = true;
      kill(child, interrupted);
    }
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

// The words of $TP_CXX ("ccache g++" are two). Ends the program if that is tp-c++ itself.
Words real_compiler() {
  const char* named = std::getenv("TP_CXX");
  const std::string text = named && *named ? named : "c++";
  Words words;
  if (access(text.c_str(), X_OK) == 0) {
    words.push_back(text);
  } else {
    for (size_t start = 0; (start = text.find_first_not_of(' ', start)) != std::string::npos;) {
      const size_t end = std::min(text.find(' ', start), text.size());
      words.push_back(text.substr(start, end - start));
      start = end;
    }
  }
  if (std::getenv("TP_CXX_ACTIVE") || words.empty()) {
    std::fprintf(stderr,
                 "tp: error: TP_CXX: expected a compiler, got '%s', which is tp-c++ itself\n"
                 "hint: TP_CXX=g++\n",
                 text.c_str());
    std::exit(2);
  }
  setenv("TP_CXX_ACTIVE", "1", 1);
  return words;
}

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string directory_of(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash + 1);
}

// The same name for the same command, so that builds are reproducible also where a compiler stores
// the path it was given (clang's LTO bitcode); a name of its own if that is taken, by a second such
// command or somebody else.
std::string make_temporary_directory(const Command& command, const std::string& source) {
  std::error_code error;
  const fs::path parent = fs::temp_directory_path(error);
  std::string key = fs::current_path(error).string() + '\n' + source;
  for (const std::string& argument : command.arguments)
    key += '\n' + argument;
  char digits[17];
  std::snprintf(digits, sizeof digits, "%016zx", std::hash<std::string>{}(key));
  std::string name = (parent / "tp-c++-").string() + digits;
  if (mkdir(name.c_str(), 0700) == 0)
    return name;
  name += "-XXXXXX";
  return mkdtemp(name.data()) ? name : "";
}

// tp-rewrite's message on one line: what is wrong and the first detail.
std::string in_one_line(const std::string& errors) {
  const std::string_view prefix = "tp: error: ";
  const size_t start = errors.starts_with(prefix) ? prefix.size() : 0;
  const size_t detail = std::min(errors.find("\n  ", start), errors.size());
  std::string text = errors.substr(start, std::min(errors.find('\n', start), detail) - start);
  if (detail < errors.size())
    text += ' ' + errors.substr(detail + 3, errors.find('\n', detail + 3) - detail - 3);
  return text;
}

// The first line of a compiler's messages that tells an error.
std::string first_error(const std::string& messages) {
  const size_t at = std::min(messages.find("error:"), messages.size());
  const size_t start = at == 0 ? 0 : messages.rfind('\n', at - 1) + 1;
  return messages.substr(start, messages.find('\n', start) - start);
}

// Tags one source; false if the original is to be compiled.
bool make_copy(const Command& command, size_t argument, std::vector<Copy>& copies) {
  const std::string& source = command.arguments[argument];
  const char* wrappers = std::getenv("TP_WRAPPERS");
  if (!may_spawn(source, command.arguments, wrappers ? wrappers : ""))
    return false;
  const std::string directory = make_temporary_directory(command, source);
  if (directory.empty()) {
    note(command, source + ": compiled untagged: no temporary directory");
    return false;
  }
  const std::string tool = directory_of(own_executable()) + "tp-rewrite";
  const std::string target = directory + '/' + source.substr(directory_of(source).size());
  const std::string errors = directory + "/errors";
  Words words = {tool, "-q", "--emit", target, source, "--"};
  for (size_t i = 0; i < command.arguments.size(); ++i)
    if (i != argument)
      words.push_back(command.arguments[i]);
  unsetenv("TP_CXX_ACTIVE"); // tp-rewrite asks the real compiler, by the same TP_CXX
  const int status = run(words, errors.c_str());
  setenv("TP_CXX_ACTIVE", "1", 1);
  std::error_code ignored;
  if (status == 0) {
    copies.push_back({argument, source, directory});
    return true;
  }
  if (status != kNothingToTag && !interrupted)
    note(command,
         "compiled untagged: " +
             (status < 0 ? source + ": tp-rewrite was ended by signal " + std::to_string(-status)
                         : in_one_line(read_file(errors))));
  fs::remove_all(directory, ignored);
  return false;
}

// The user's libtbb, named by path (as CMake's imported target does), is replaced by ours.
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

// Dependency files must name the original, or every build would be out of date.
void mend_dependencies(const Command& command, const Copy& copy) {
  const std::string ours = copy.directory + '/';
  const std::string theirs = make_escaped(directory_of(copy.original));
  for (const std::string& name : dependency_file_candidates(command, copy.original)) {
    std::string text = read_file(name);
    if (text.find(ours) == std::string::npos)
      continue;
    for (size_t at; (at = text.find(ours)) != std::string::npos;)
      text.replace(at, ours.size(), theirs);
    if (const std::string error = write_file(name, text); !error.empty())
      note(command, error);
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
  std::fprintf(stderr, "tp: error: %s: cannot run: %s\nhint: TP_CXX=g++ tp-c++ ...\n", argv[0],
               std::strerror(errno));
  std::exit(kCannotRun);
}

// The real compiler chooses colors by its stderr, which is a file here.
void keep_colors(const Command& command, Words& words) {
  const char* term = std::getenv("TERM");
  if (!isatty(STDERR_FILENO) || !term || std::string_view(term) == "dumb")
    return;
  for (const std::string& argument : command.arguments)
    if (argument.find("diagnostics-color") != std::string::npos ||
        argument.find("color-diagnostics") != std::string::npos)
      return;
  words.push_back("-fdiagnostics-color=always");
}

// The messages of the tagged compilation are shown if it succeeds. If not, those of the original
// count, and its status: mostly the error is the user's, else the tag does no harm.
int compile_copies(const Words& compiler, const Command& command, const std::vector<Copy>& copies) {
  Words words = compiler_command(compiler, command, copies);
  keep_colors(command, words);
  const std::string messages = copies.front().directory + "/messages";
  const int tagged = run(words, messages.c_str());
  const std::string text = read_file(messages);
  if (tagged <= 0 || tagged == kCannotRun) {
    std::fwrite(text.data(), 1, text.size(), stderr);
    return tagged;
  }
  const int status = run(compiler_command(compiler, command, {}));
  if (status == 0)
    note(command, "compiled untagged: " + copies.front().original +
                      ": the tagged text does not compile: " + first_error(text));
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

constexpr char kHelp[] =
    "tp-c++: compiles like g++ or clang++ and tags oneTBB spawn sites on the way.\n"
    "usage: tp-c++ [-q] any g++ / clang++ command line      (or CXX=tp-c++)\n"
    "  -q      no notes\n"
    "  -h      this text     -V  version (--help, --version: the real compiler's)\n"
    "environment: TP_CXX=COMPILER the real compiler (default c++), TP_PREFIX=DIR of Taskpath\n";

} // namespace
} // namespace tp::rewrite

int main(int argc, char** argv) {
  using namespace tp::rewrite;
  const Words arguments(argv + 1, argv + argc);
  if (arguments == Words{"-h"} || arguments == Words{"-V"}) {
    std::fputs(arguments[0] == "-h" ? kHelp : "tp-c++ " TP_VERSION "\n", stdout);
    return 0;
  }
  return compile(real_compiler(), read_command(arguments));
}
