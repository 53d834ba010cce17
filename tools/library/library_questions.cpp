// SPDX-License-Identifier: Apache-2.0
// See library_questions.h.
#include "library/library_questions.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <functional>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "common/failure.h"

namespace tp::tool {
namespace {

constexpr unsigned long kAnswerSize = 32768;

struct Answer {
  bool given = false; // else `text` is the reason
  int status = 0;     // what the function returned
  std::string text;
};

// Calls a function of the library, which returns 0 or 1.
using Question = std::function<int(void* library, char* answer, unsigned long size)>;
constexpr int kNoSuchFunction = 2;

// Runs in the child.
[[noreturn]] void answer(const Prefix& prefix, const Question& question, int to) {
  // Wrong settings are reported by the library in the profiled program, not here.
  for (const char* variable : {"TP_EVENT", "TP_DATA", "TP_MAX_SIZE", "TP_PAUSED", "TP_VERBOSE",
                               "TP_DISABLE", "TP_AS_IF_CORES"})
    unsetenv(variable);
  std::vector<char> text(kAnswerSize);
  void* library = dlopen(prefix.library().c_str(), RTLD_NOW | RTLD_LOCAL);
  const int status = library ? question(library, text.data(), text.size()) : kNoSuchFunction;
  if (status == kNoSuchFunction) {
    const char* reason = dlerror();
    std::strncpy(text.data(), reason ? reason : "too old", text.size() - 1);
  }
  [[maybe_unused]] ssize_t written = write(to, text.data(), std::strlen(text.data()));
  _exit(status);
}

Answer ask(const Prefix& prefix, const Question& question) {
  int pipe_ends[2];
  if (pipe(pipe_ends) != 0)
    return {false, 0, std::strerror(errno)};
  const pid_t pid = fork();
  if (pid < 0)
    return {false, 0, std::strerror(errno)};
  if (pid == 0) {
    close(pipe_ends[0]);
    answer(prefix, question, pipe_ends[1]);
  }
  close(pipe_ends[1]);
  Answer result;
  std::vector<char> part(kAnswerSize);
  ssize_t size = 0;
  while ((size = read(pipe_ends[0], part.data(), part.size())) > 0 || (size < 0 && errno == EINTR))
    result.text.append(part.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  close(pipe_ends[0]);
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status))
    return {false, 0, fmt::format("signal {} ended it when it was asked", WTERMSIG(status))};
  result.status = WEXITSTATUS(status);
  result.given = result.status < kNoSuchFunction;
  return result;
}

Failure unusable(const Prefix& prefix, const std::string& why) {
  return {prefix.library(), why, "install Taskpath again: its tools need its own libtbb.so.12"};
}

} // namespace

std::optional<NotMeasurable> why_not_measurable(const std::string& events, const Prefix& prefix) {
  const Answer answer = ask(prefix, [&](void* library, char* text, unsigned long size) {
    using Probe = int (*)(const char*, char*, unsigned long);
    const auto probe = reinterpret_cast<Probe>(dlsym(library, "tp_probe_event"));
    return probe ? probe(events.c_str(), text, size) : kNoSuchFunction;
  });
  if (!answer.given)
    throw unusable(prefix, answer.text);
  const auto json = nlohmann::json::parse(answer.text, nullptr, false);
  if (!json.is_object() || !json.contains("works") || !json["works"].is_boolean())
    throw unusable(prefix, "its answer about events is not valid JSON");
  if (json["works"].get<bool>())
    return std::nullopt;
  return NotMeasurable{json.value("reason", ""), json.value("command", "")};
}

std::string report_clocks(const Prefix& prefix) {
  const Answer answer = ask(prefix, [](void* library, char* text, unsigned long size) {
    using Report = int (*)(char*, unsigned long);
    const auto report = reinterpret_cast<Report>(dlsym(library, "tp_report_clocks"));
    return report ? report(text, size) : kNoSuchFunction;
  });
  if (!answer.given)
    throw unusable(prefix, answer.text);
  if (answer.status != 0 || !nlohmann::json::accept(answer.text))
    throw unusable(prefix, "its answer about clocks is not valid JSON");
  return answer.text;
}

void require_library(const Prefix& prefix) {
  if (access(prefix.library().c_str(), R_OK) != 0)
    throw unusable(prefix, std::strerror(errno));
}

} // namespace tp::tool
