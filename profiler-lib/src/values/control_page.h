// SPDX-License-Identifier: Apache-2.0
// CONTROL PAGE: the flags that the hooks read, and the windows of a recording: the times in which it
// was not paused. While a process records, its page is the file `control` of the data directory,
// mapped in the place of these variables: what another process writes there, every hook reads with
// the load that it makes anyway. So tp-run pauses, resumes and ends a recording without a signal, a
// thread or a system call in the program.
//
// For the runtime and tp-run, of the same version only: header-only, no dependency, no allocation.
#pragma once

#include <sched.h>

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace tp {

enum class Recording : int {
  Off,        // disabled, failed, ended, or the process is ending
  NotStarted, // no event to record so far
  On,
};

// Whether steps that begin now count. A recording that has never been paused is known as such, so
// that hooks need not look for the end of a pause.
enum class Pause : std::uint8_t { Never, Now, Over };

// Times are those of CLOCK_MONOTONIC, CPU times those of the process, in ns.
struct Window {
  std::uint64_t begin_ns, end_ns; // an end of 0: it is open
  std::uint64_t cpu_begin_ns, cpu_end_ns;
};

inline constexpr const char* kControlFile = "control";
inline constexpr std::uint64_t kControlMagic = 0x31307770'6c727463; // "ctrlpw01"
inline constexpr unsigned kMostWindows = 100;                       // that are kept one by one
// A whole number of pages, whatever size they have.
#if defined(__x86_64__)
inline constexpr std::size_t kControlBytes = 4096;
#else
inline constexpr std::size_t kControlBytes = 65536;
#endif

struct alignas(kControlBytes) ControlPage {
  int recording; // a Recording; tp_recording of tp/hooks.h is this
  std::atomic<Pause> pause;
  std::atomic<bool> delayed;        // paused only until tp-run's window begins
  std::atomic<std::uint32_t> ender; // of the recording, who writes end.json: kNoOne at first
  std::atomic<std::uint32_t> lock;  // of what follows
  std::uint64_t magic;
  std::uint64_t process;     // process id, in the namespace of the process
  std::uint64_t start_ns;    // when the library was loaded, or the process forked
  std::uint64_t begun;       // windows so far; those after kMostWindows are counted only
  std::uint64_t recorded_ns; // in windows that have ended
  std::uint64_t recorded_cpu_ns;
  Window last; // the current one, or the one before; a begin of 0: there was none
  Window windows[kMostWindows];

  bool in_window() const { return last.begin_ns != 0 && last.end_ns == 0; }
  // Nothing was left out so far.
  bool recorded_throughout() const {
    return begun == 1 && in_window() && last.begin_ns == start_ns;
  }

  static constexpr std::uint32_t kNoOne = 0, kProcess = 1, kLauncher = 2;
  // True for the first caller.
  bool end_by(std::uint32_t who) noexcept {
    std::uint32_t none = kNoOne;
    return ender.compare_exchange_strong(none, who);
  }
};
static_assert(sizeof(ControlPage) == kControlBytes && std::atomic<Pause>::is_always_lock_free);

// Holds the lock of a page, which processes share: one that is killed while it holds it does not
// stop the others for long.
class ControlLock {
public:
  explicit ControlLock(ControlPage& page) noexcept : page_(page) {
    constexpr unsigned kMostTries = 50'000;
    for (unsigned tries = 0; page_.lock.exchange(1, std::memory_order_acquire) != 0; ++tries) {
      if (tries == kMostTries)
        break;
      sched_yield();
    }
  }
  ~ControlLock() { page_.lock.store(0, std::memory_order_release); }
  ControlLock(const ControlLock&) = delete;
  ControlLock& operator=(const ControlLock&) = delete;

private:
  ControlPage& page_;
};

// With the lock.
inline void begin_window(ControlPage& page, std::uint64_t now_ns, std::uint64_t cpu_ns) noexcept {
  if (page.in_window())
    return;
  page.last = {now_ns, 0, cpu_ns, 0};
  if (page.begun < kMostWindows)
    page.windows[page.begun] = page.last;
  ++page.begun;
}
inline void end_window(ControlPage& page, std::uint64_t now_ns, std::uint64_t cpu_ns) noexcept {
  if (!page.in_window())
    return;
  const auto elapsed = [](std::uint64_t from, std::uint64_t to) {
    return to > from ? to - from : 0;
  };
  page.last.end_ns = now_ns > page.last.begin_ns ? now_ns : page.last.begin_ns;
  page.last.cpu_end_ns = cpu_ns > page.last.cpu_begin_ns ? cpu_ns : page.last.cpu_begin_ns;
  page.recorded_ns += elapsed(page.last.begin_ns, page.last.end_ns);
  page.recorded_cpu_ns += elapsed(page.last.cpu_begin_ns, page.last.cpu_end_ns);
  if (page.begun <= kMostWindows)
    page.windows[page.begun - 1] = page.last;
}

// With the lock, while the process records. False: that was so already.
inline bool set_paused(ControlPage& page, bool pause, std::uint64_t now_ns,
                       std::uint64_t cpu_ns) noexcept {
  page.delayed = false;
  if ((page.pause == Pause::Now) == pause)
    return false;
  page.pause = pause ? Pause::Now : Pause::Over;
  if (pause)
    end_window(page, now_ns, cpu_ns);
  else
    begin_window(page, now_ns, cpu_ns);
  return true;
}

} // namespace tp
