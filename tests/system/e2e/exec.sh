# SPDX-License-Identifier: Apache-2.0
# A program that replaces itself by another one has a complete recording, up to there; one that fails to
# do so goes on, and so does its recording.
. "$(dirname "$0")/common.inc"
build_stock program <<'C'
#include <oneapi/tbb/parallel_for.h>
#include <tp/virtual_clock.h>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
extern "C" int execveat(int, const char*, char* const*, char* const*, int);
int main(int, char** argv) {
  tbb::parallel_for(0, 10, [](int) { tp::spend(10); }, tbb::simple_partitioner());
  char* const arguments[] = {const_cast<char*>("sh"), const_cast<char*>("-c"), const_cast<char*>("echo new $X; exit 3"), nullptr};
  char* const environment[] = {const_cast<char*>("X=own"), nullptr};
  const std::string name = argv[1];
  if (name == "execve") execve("/bin/sh", arguments, environment);
  if (name == "execv") execv("/bin/sh", arguments);
  if (name == "execvp") execvp("sh", arguments);
  if (name == "execvpe") execvpe("sh", arguments, environment);
  if (name == "execl") execl("/bin/sh", "sh", "-c", "echo new $X; exit 3", nullptr);
  if (name == "execlp") execlp("sh", "sh", "-c", "echo new $X; exit 3", nullptr);
  if (name == "execle") execle("/bin/sh", "sh", "-c", "echo new $X; exit 3", nullptr, environment);
  if (name == "fexecve") fexecve(open("/bin/sh", O_RDONLY), arguments, environment);
  if (name == "execveat") execveat(AT_FDCWD, "/bin/sh", arguments, environment, 0);
  if (name == "script") execl("./script", "script", nullptr);
  if (name == "in_thread") std::thread([&] { execv("/bin/sh", arguments); }).join();
  // These fail, or are in a child.
  if (name == "missing") execl("/missing", "missing", nullptr);
  if (name == "no_program") execlp("./no_program", "no_program", nullptr);
  if (name == "not_executable") execvp("./script.txt", arguments);
  if (name == "in_child") {
    if (const pid_t child = vfork(); child == 0) { execvp("true", arguments); _exit(1); }
    if (fork() == 0) { execlp("true", "true", nullptr); _exit(1); }
    wait(nullptr);
    wait(nullptr);
  }
  tbb::parallel_for(0, 10, [](int) { tp::spend(10); }, tbb::simple_partitioner());
  std::puts(name == "in_child" ? "same" : std::strerror(errno));
  return 5;
}
C
printf '#!/bin/sh\necho script\nexit 3\n' >script
cp script script.txt
chmod +x script
echo text >no_program
chmod +x no_program
outcome() { # NAME: output, exit status, whether the recording is complete, work
  rm -rf data data.*
  "$tp_run" -q -e virtual -o data ./program "$1" >out 2>err
  local status=$?
  analyze data
  echo "$(cat out) $status $(python3 -c 'import json; p = json.load(open("profile.json")); print(p["complete"], p["work"])')"
}
export X=given
while read -r name expected; do
  same "$name" "$expected" "$(outcome "$name")"
done <<'E'
execve new own 3 True 100
execv new given 3 True 100
execvp new given 3 True 100
execvpe new own 3 True 100
execl new given 3 True 100
execlp new given 3 True 100
execle new own 3 True 100
fexecve new own 3 True 100
execveat new own 3 True 100
script script 3 True 100
in_thread new given 3 True 100
missing No such file or directory 5 True 200
not_executable Permission denied 5 True 200
in_child same 5 True 200
E
# The C library runs a file of an unknown format by the shell.
same no_program " 127 True 100" "$(outcome no_program)"
finish
