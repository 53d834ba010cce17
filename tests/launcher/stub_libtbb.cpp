// Stands for libtbb.so.12: "records" by writing run.json when STUB_RECORDS is set, and knows one
// event that cannot be opened. Loaded into any program that tp-run starts, so it uses nothing but
// libc.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sys/stat.h>
#include <unistd.h>

extern "C" int tp_probe_event(const char* event, char* message, unsigned long size) {
  if (!std::strstr(event, "cycles"))
    return 0;
  std::snprintf(message, size, "no hardware counters on this machine");
  return 1;
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
