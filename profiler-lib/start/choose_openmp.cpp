// SPDX-License-Identifier: Apache-2.0
// OpenMP in programs that the profiled one starts: tp-run chooses the runtime by the files of the program that it starts
// itself, which may be env or a shell. So each further program that turns out to have loaded a runtime asks tp-run
// about its own files, and starts again with the libraries that it names. Nothing has run until then but the
// dynamic linker: this library is the first to be initialized (-z initfirst), before the C library. So there are system
// calls here, and no malloc, no stdio, no environ. Arguments, process id, open files and signals stay the same.
#include <alloca.h>
#include <cerrno>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <link.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// Sanitizers' runtimes, some of which are part of the program, put functions in front of those that are called here, and
// are initialized later.
extern "C" {
[[gnu::weak]] void __tsan_init();
[[gnu::weak]] void __asan_init();
[[gnu::weak]] void __msan_init();
}

namespace {

constexpr std::size_t kMostVariables = 8;
constexpr char kPreload[] = "LD_PRELOAD", kState[] = "TP_OPENMP", kAsk[] = "TP_OPENMP_ASK";

char answer[1 << 16]; // lines NAME=VALUE; also the environment of this process, later

bool begins_with(const char* text, const char* with) {
  return std::strncmp(text, with, std::strlen(with)) == 0;
}

// Of "NAME=VALUE"; null: another name.
const char* value_in(const char* entry, const char* name) {
  return begins_with(entry, name) && entry[std::strlen(name)] == '=' ? entry + std::strlen(name) + 1
                                                                     : nullptr;
}

char** find(char** environment, const char* name) {
  for (; *environment != nullptr; ++environment)
    if (value_in(*environment, name) != nullptr)
      return environment;
  return nullptr;
}

const char* value_of(char** environment, const char* name) {
  char** const found = find(environment, name);
  return found != nullptr ? value_in(*found, name) : nullptr;
}

int is_openmp_runtime(dl_phdr_info* module, std::size_t /*size*/, void* /*unused*/) {
  const char* const slash = std::strrchr(module->dlpi_name, '/');
  const char* const name = slash != nullptr ? slash + 1 : module->dlpi_name;
  const bool is_runtime =
      begins_with(name, "libgomp") || begins_with(name, "libomp") || begins_with(name, "libiomp5");
  return is_runtime && std::strstr(name, ".so") != nullptr ? 1 : 0;
}

// Has tp-run looked at this program, and found that its OpenMP cannot be recorded?
bool is_refused(const char* state, const char* program) {
  const std::size_t length = std::strlen(program);
  return begins_with(state, "refused:") && std::strncmp(state + 8, program, length) == 0 &&
         state[8 + length] == '|';
}

[[noreturn]] void run_ask(char** arguments, char** environment, int output) {
  if (output == STDOUT_FILENO)
    fcntl(output, F_SETFD, 0);
  else
    dup2(output, STDOUT_FILENO);
  execve(arguments[0], arguments, environment);
  _exit(127);
}

// Into `answer`. False: there is none.
bool ask(char** arguments, char** environment) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return false;
  // Its end sends no signal.
  const auto child = static_cast<pid_t>(syscall(SYS_clone, 0, nullptr, nullptr, nullptr, nullptr));
  if (child == 0)
    run_ask(arguments, environment, ends[1]);
  close(ends[1]);
  std::size_t size = 0;
  ssize_t got = child > 0 ? 1 : 0;
  while (got != 0 && size + 1 < sizeof answer) {
    got = read(ends[0], answer + size, sizeof answer - 1 - size);
    if (got > 0)
      size += static_cast<std::size_t>(got);
    else if (errno != EINTR)
      break;
  }
  close(ends[0]);
  int status = 1;
  while (child > 0 && waitpid(child, &status, __WALL) < 0 && errno == EINTR) {
  }
  return child > 0 && status == 0 && size > 0 && size + 1 < sizeof answer;
}

// Splits the answer. The number of variables.
std::size_t split(char** variables) {
  std::size_t count = 0;
  for (char* line = answer; *line != '\0' && count < kMostVariables;) {
    char* const end = std::strchr(line, '\n');
    if (end == nullptr)
      break;
    *end = '\0';
    variables[count++] = line;
    line = end + 1;
  }
  return count;
}

bool is_changed(const char* entry, char** variables, std::size_t count) {
  const char* const sign = std::strchr(entry, '=');
  for (std::size_t i = 0; sign != nullptr && i < count; ++i)
    if (std::strncmp(entry, variables[i], static_cast<std::size_t>(sign - entry) + 1) == 0)
      return true;
  return false;
}

// As it was started, which is part of what a program can ask; a script is not its interpreter.
const char* name_to_start(const char* program) {
  const auto* const name = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  struct stat named{}, own{};
  const bool is_same = name != nullptr && stat(name, &named) == 0 && stat(program, &own) == 0 &&
                       named.st_dev == own.st_dev && named.st_ino == own.st_ino;
  return is_same ? name : program;
}

[[gnu::constructor]] void choose_openmp(int /*count*/, char** arguments, char** environment) {
  if (__tsan_init != nullptr || __asan_init != nullptr || __msan_init != nullptr)
    return;
  const char* const state = value_of(environment, kState);
  const char* const asked = value_of(environment, kAsk);
  const char* const preload = value_of(environment, kPreload);
  const char* const disabled = value_of(environment, "TP_DISABLE");
  char program[PATH_MAX];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  if (state == nullptr || asked == nullptr || preload == nullptr || length <= 0 ||
      (disabled != nullptr && std::strcmp(disabled, "1") == 0) || getauxval(AT_SECURE) != 0)
    return;
  program[length] = '\0';
  // Valgrind runs the program, and would not run it again.
  if (!(std::strcmp(state, "unused") == 0 || begins_with(state, "refused:")) ||
      is_refused(state, program) || std::strstr(preload, "vgpreload") != nullptr ||
      dl_iterate_phdr(is_openmp_runtime, nullptr) == 0)
    return;
  std::size_t size = 0;
  while (environment[size] != nullptr)
    ++size;
  auto* const changed = static_cast<char**>(alloca((size + kMostVariables + 1) * sizeof(char*)));
  std::size_t kept = 0;
  for (std::size_t i = 0; i < size; ++i)
    if (value_in(environment[i], kPreload) == nullptr)
      changed[kept++] = environment[i];
  changed[kept] = nullptr;
  char option[] = "--openmp-of";
  char* const asking[] = {const_cast<char*>(asked), option, program, const_cast<char*>(preload),
                          nullptr};
  if (!ask(const_cast<char**>(asking), changed))
    return;
  char* variables[kMostVariables + 1] = {};
  const std::size_t count = split(variables);
  if (find(variables, kPreload) == nullptr) { // refused
    if (count == 1)
      *find(environment, kState) = variables[0];
    return;
  }
  kept = 0;
  for (std::size_t i = 0; i < size; ++i)
    if (!is_changed(environment[i], variables, count))
      changed[kept++] = environment[i];
  for (std::size_t i = 0; i < count; ++i)
    changed[kept++] = variables[i];
  changed[kept] = nullptr;
  execve(name_to_start(program), arguments, changed);
}

} // namespace
