// Work clocks that come from perf_event_open: a hardware event, read in user space or by read(),
// and the page of a dummy event whose `lock` tells of context switches. Cold (set-up), except for
// the readings.
//
// Traps met by others and handled here (design.md section 3): a pinned event without a counter
// makes read() return 0 bytes; `index != 0` inside the seqlock is the only valid test for a
// user-space read; the counter is sign-extended from pmc_width bits and added to the whole
// `offset`; the descriptor stays open for as long as the thread runs.
#include "work_clock.h"

#include <cerrno>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tp::rt {

struct PerfPage : perf_event_mmap_page {};

namespace perf {
namespace {

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

int open_event(perf_event_attr& attributes) {
  attributes.size = sizeof attributes;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC));
}

int map_page(int fd, ThreadClock& clock) {
  void* page = mmap(nullptr, page_bytes(), PROT_READ, MAP_SHARED, fd, 0);
  if (page == MAP_FAILED)
    return errno;
  clock.page = static_cast<const volatile PerfPage*>(page);
  return 0;
}

#if defined(__x86_64__)
std::uint64_t read_pmc(std::uint32_t counter) noexcept {
  return __rdpmc(static_cast<int>(counter));
}
constexpr bool kUserRead = true;
#elif defined(__aarch64__)
// The event counters have names, not numbers, in the instruction: select by number through a table
// of reads.
std::uint64_t read_pmc(std::uint32_t counter) noexcept {
  std::uint64_t value = 0;
#define TP_PMC(n)                                                                                  \
  case n:                                                                                          \
    asm volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value));                                      \
    break;
  switch (counter) {
  TP_PMC(0) TP_PMC(1) TP_PMC(2) TP_PMC(3) TP_PMC(4) TP_PMC(5) TP_PMC(6) TP_PMC(7) case 31:
    asm volatile("mrs %0, pmccntr_el0" : "=r"(value));
    break;
  default:
    break;
  }
#undef TP_PMC
  return value;
}
constexpr bool kUserRead = true;
#else
std::uint64_t read_pmc(std::uint32_t) noexcept {
  return 0;
}
constexpr bool kUserRead = false;
#endif

} // namespace

bool find_event(std::string_view name, Event& event) {
  if (name == "instructions")
    event = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};
  else if (name == "cycles")
    event = {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};
  else
    return false;
  return true;
}

int open_counter(const Event& event, bool user_read, ThreadClock& clock) {
  if (user_read && !kUserRead)
    return EOPNOTSUPP;
  perf_event_attr attributes{};
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  attributes.pinned = 1;
#if defined(__aarch64__)
  if (user_read)
    attributes.config1 = 2; // ask for user access to a 64-bit view
#endif
  const int fd = open_event(attributes);
  if (fd < 0)
    return errno;
  clock.fd = fd;
  if (user_read) {
    if (const int error = map_page(fd, clock); error != 0) {
      close(clock);
      return error;
    }
  }
  // After the page: on ARM the kernel brings a 32-bit counter up to date here in such a way that a
  // page mapped later would be off by 2^32 until the next context switch.
  std::uint64_t value;
  if (::read(fd, &value, sizeof value) != sizeof value) { // 0 bytes: no counter for a pinned event
    close(clock);
    return EBUSY;
  }
  return 0;
}

int open_lock_page(ThreadClock& clock) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.exclude_kernel = 1;
  const int fd = open_event(attributes);
  if (fd < 0)
    return errno;
  const int error = map_page(fd, clock);
  ::close(fd); // the mapping keeps the event alive
  return error;
}

void close(ThreadClock& clock) {
  if (clock.page != nullptr)
    munmap(const_cast<PerfPage*>(clock.page), page_bytes());
  clock.page = nullptr;
  if (clock.fd >= 0)
    ::close(clock.fd);
  clock.fd = -1;
}

std::uint64_t read_counter(ThreadClock& clock) noexcept {
  std::uint64_t value;
  if (clock.fd >= 0 && ::read(clock.fd, &value, sizeof value) == sizeof value &&
      value > clock.last_work)
    clock.last_work = value;
  return clock.last_work;
}

bool read_user(ThreadClock& clock, std::uint64_t& value) noexcept {
  const volatile PerfPage* page = clock.page;
  if (page == nullptr)
    return false;
  for (int attempt = 0; attempt < 64; ++attempt) {
    const std::uint32_t lock = page->lock;
    std::atomic_thread_fence(std::memory_order_acquire);
    const std::uint32_t index = page->index;
    if (index == 0)
      return false;
    std::int64_t count = static_cast<std::int64_t>(read_pmc(index - 1));
    const unsigned unused_bits = 64u - page->pmc_width;
    if (unused_bits < 64)
      count = static_cast<std::int64_t>(static_cast<std::uint64_t>(count) << unused_bits) >>
              unused_bits;
    const std::uint64_t sum = static_cast<std::uint64_t>(page->offset + count);
    std::atomic_thread_fence(std::memory_order_acquire);
    if (page->lock == lock) {
      value = sum;
      return true;
    }
  }
  return false;
}

std::uint32_t lock_of(const volatile PerfPage* page) noexcept {
  return page->lock;
}

std::string explain(int error, std::string_view event) {
  std::string text(event);
  text += ": ";
  switch (error) {
  case ENOENT:
  case ENODEV:
  case EOPNOTSUPP:
    return text + "no hardware counters here (a VM without a virtual PMU?)";
  case EACCES:
  case EPERM:
    return text + "not permitted; as root: sysctl kernel.perf_event_paranoid=1 (in a container: "
                  "--cap-add PERFMON)";
  case ENOSYS:
    return text + "this kernel has no perf_event_open, or a sandbox hides it";
  case EMFILE:
  case ENFILE:
    return text + "no file descriptors left; ulimit -n 4096";
  case EBUSY:
    return text + "all counters are taken by another user of the PMU (the NMI watchdog? sysctl "
                  "kernel.nmi_watchdog=0)";
  default:
    return text + std::strerror(error);
  }
}

} // namespace perf
} // namespace tp::rt
