// SPDX-License-Identifier: Apache-2.0
// Replaces libtbb.so.12. It "records" by writing run.json if STUB_RECORDS is set, and handles one
// event that cannot be opened, one unknown event, and one with an answer that is not JSON. tp-run
// loads it into any program, so it uses only libc.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/stat.h>
#include <unistd.h>

extern "C" int tp_probe_event(const char* event, char* message, unsigned long size) {
  if (std::strstr(event, "nonsense"))
    std::snprintf(
        message, size, "%s",
        R"({"works":false,"reason":"unknown event 'nonsense': hint: \"x\"","command":""})");
  else if (std::strstr(event, "cycles"))
    std::snprintf(
        message, size, "%s",
        R"({"works":false,"reason":"no hardware counters on this machine","command":"buy one"})");
  else if (std::strstr(event, "branches"))
    std::snprintf(message, size, "no hardware counters on this machine"); // not JSON
  else
    return std::snprintf(message, size, "%s", R"({"works":true,"reason":"","command":""})") < 0;
  return 1;
}

// The answers of a machine whose better clock is disabled, or the value of STUB_CLOCKS.
extern "C" int tp_report_clocks(char* json, unsigned long size) {
  const char* answer = std::getenv("STUB_CLOCKS");
  if (!answer)
    answer = R"({"schema":"taskpath.doctor/1",
      "auto":{"clock":"tsc-rseq","event":"on-CPU time stamp counter","reason":"locked; open it"},
      "sources":[
       {"clock":"perf-user","event":"cycles","works":false,"reason":"locked","command":"open it"},
       {"clock":"tsc-rseq","event":"tsc","works":true,"unit":"ticks","kernel_included":true,"ns_per_read":9.5},
       {"clock":"tsc-perf-page","event":"tsc","works":false,"reason":"closed","command":"no need"}]})";
  return std::snprintf(json, size, "%s", answer) < static_cast<int>(size) ? 0 : 1;
}

__attribute__((constructor)) static void record() {
  const char* pattern = std::getenv("TP_DATA");
  if (!std::getenv("STUB_RECORDS") || !pattern)
    return;
  char directory[4096];
  std::size_t used = 0;
  for (const char* c = pattern; *c && used < 4000; ++c) {
    if (*c != '%')
      directory[used++] = *c;
    else if (*++c == 'p')
      used += static_cast<std::size_t>(std::sprintf(directory + used, "%d", getpid()));
    else
      directory[used++] = *c;
  }
  directory[used] = '\0';
  mkdir(directory, 0777);
  std::strcat(directory, "/run.json");
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (FILE* file = std::fopen(directory, "w")) {
    std::fprintf(file, R"({"schema":"taskpath.run/1","pid":%d,"start_time_unix_ns":%lld})",
                 getpid(), now.tv_sec * 1000000000LL + now.tv_nsec);
    std::fclose(file);
  }
}
