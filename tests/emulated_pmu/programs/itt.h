// SPDX-License-Identifier: Apache-2.0
// Announcements of locks as of a program that was annotated for VTune: the table of pointers that a collector
// fills in, by the layout of Intel's ittnotify.
#pragma once

#include <cstdlib>
#include <dlfcn.h>
#include <pthread.h>

namespace itt {

inline void (*create)(void*, const char*, const char*, int);
inline void (*prepare)(void*);
inline void (*acquired)(void*);
inline void (*releasing)(void*);

struct Function {
  const char* name;
  void** pointer;
  void* first;
  void* without;
  int group;
};
struct Global {
  unsigned char magic[8] = {0xED, 0xAB, 0xAB, 0xEC, 0x0D, 0xEE, 0xDA, 0x30};
  unsigned long version[3] = {3, 0, 2018};
  volatile long state[3] = {};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  void* library = nullptr;
  void* error_handler = nullptr;
  const char** path = nullptr;
  Function* functions = nullptr;
  Global* next = nullptr;
};

inline void start() {
  static Function functions[] = {
      {"__itt_sync_create", reinterpret_cast<void**>(&create), nullptr, nullptr, 16},
      {"__itt_sync_prepare", reinterpret_cast<void**>(&prepare), nullptr, nullptr, 16},
      {"__itt_sync_acquired", reinterpret_cast<void**>(&acquired), nullptr, nullptr, 16},
      {"__itt_sync_releasing", reinterpret_cast<void**>(&releasing), nullptr, nullptr, 16},
      {}};
  static Global global;
  global.functions = functions;
  const char* const name = std::getenv("INTEL_LIBITTNOTIFY64");
  global.library = name != nullptr ? dlopen(name, RTLD_LAZY) : nullptr;
  if (global.library == nullptr)
    return;
  if (void* const begin = dlsym(global.library, "__itt_api_init"))
    reinterpret_cast<void (*)(Global*, int)>(begin)(&global, 0xffff);
}

inline void sync_create(void* object, const char* type, const char* name, int attribute) {
  if (create != nullptr)
    create(object, type, name, attribute);
}
inline void sync_prepare(void* object) {
  if (prepare != nullptr)
    prepare(object);
}
inline void sync_acquired(void* object) {
  if (acquired != nullptr)
    acquired(object);
}
inline void sync_releasing(void* object) {
  if (releasing != nullptr)
    releasing(object);
}

} // namespace itt
