// What comes from perf_event_open: groups of events, read in user space or by read(), and the page
// of a dummy event whose `lock` tells of context switches. Cold (set-up), except for the readings.
//
// Traps met by others and handled here (design.md section 3): a pinned event without a counter
// makes read() return 0 bytes; `index != 0` inside the seqlock is the only valid test for a
// user-space read; the counter is sign-extended from pmc_width bits and added to the whole
// `offset`; the descriptor stays open for as long as the thread runs.
#include "descriptor_room.h"
#include "work_clock.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <dirent.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tp::rt {

struct PerfPage : perf_event_mmap_page {};

namespace perf {
namespace {

// What read() of a group's leader gives (perf_event_open(2), PERF_FORMAT_GROUP with both times).
struct GroupReading {
  std::uint64_t count;
  std::uint64_t time_enabled;
  std::uint64_t time_running;
  std::uint64_t values[kMaxEvents];
};

std::size_t page_bytes() {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

int open_event(perf_event_attr& attributes, int leader) {
  attributes.size = sizeof attributes;
  return static_cast<int>(
      syscall(SYS_perf_event_open, &attributes, 0, -1, leader, PERF_FLAG_FD_CLOEXEC));
}

int map_page(int fd, const volatile PerfPage*& page) {
  void* const memory = mmap(nullptr, page_bytes(), PROT_READ, MAP_SHARED, fd, 0);
  if (memory == MAP_FAILED)
    return errno == EPERM ? ENOMEM : errno; // the limit of locked memory, told as EPERM
  page = static_cast<const volatile PerfPage*>(memory);
  return 0;
}

// Opens the event with this number; the first that is opened is pinned and must be the leader.
int open_member(unsigned number, const CountedEvent& event, bool user_read, EventGroup& group) {
  const bool leads = number == group.leader;
  perf_event_attr attributes{};
  attributes.type = event.type;
  attributes.config = event.config;
  attributes.exclude_kernel = event.exclude_kernel;
  attributes.exclude_hv = event.is_hardware();
  attributes.pinned = leads;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
#if defined(__aarch64__)
  if (user_read && event.is_hardware())
    attributes.config1 = 2; // user access; bit 0 would ask for 64 bits, which not every PMU has
#endif
  const DescriptorRoom room;
  const int fd = open_event(attributes, leads ? -1 : group.fds[group.leader]);
  if (fd < 0)
    return errno;
  group.fds[number] = room.moved(fd);
  if (!room.holds(group.fds[number])) // the others are the program's, and for our files
    return EMFILE;
  return user_read ? map_page(group.fds[number], group.pages[number]) : 0;
}

// The work leads, unless it is the task clock: a group led by it loses events of the others (seen
// with Linux 6.18).
unsigned choose_leader(const CountedEvent* events, unsigned count) {
  for (unsigned i = 0; i < count; ++i)
    if (!events[i].is_task_clock())
      return i;
  return 0;
}

#if defined(__x86_64__)
std::uint64_t read_pmc(std::uint32_t counter) noexcept {
  return __rdpmc(static_cast<int>(counter));
}
constexpr bool kUserRead = true;
#elif defined(__aarch64__)
// The counters have names, not numbers, in the instruction: a table of reads, so that each takes the
// same number of instructions. Number 31 is the cycle counter.
std::uint64_t read_pmc(std::uint32_t counter) noexcept {
  using Read = std::uint64_t (*)() noexcept;
#define TP_PMC(name)                                                                               \
  []() noexcept {                                                                                  \
    std::uint64_t value;                                                                           \
    asm volatile("mrs %0, " name : "=r"(value));                                                   \
    return value;                                                                                  \
  }
#define TP_PMEVCNTR(n) TP_PMC("pmevcntr" #n "_el0")
#define TP_PMEVCNTR_TENS(n)                                                                        \
  TP_PMEVCNTR(n##0), TP_PMEVCNTR(n##1), TP_PMEVCNTR(n##2), TP_PMEVCNTR(n##3), TP_PMEVCNTR(n##4),   \
      TP_PMEVCNTR(n##5), TP_PMEVCNTR(n##6), TP_PMEVCNTR(n##7), TP_PMEVCNTR(n##8),                  \
      TP_PMEVCNTR(n##9)
  static constexpr Read kCounters[] = {TP_PMEVCNTR_TENS(), TP_PMEVCNTR_TENS(1), TP_PMEVCNTR_TENS(2),
                                       TP_PMEVCNTR(30), TP_PMC("pmccntr_el0")};
#undef TP_PMEVCNTR_TENS
#undef TP_PMEVCNTR
#undef TP_PMC
  return kCounters[counter & 31]();
}
constexpr bool kUserRead = true;
#else
std::uint64_t read_pmc(std::uint32_t) noexcept {
  return 0;
}
constexpr bool kUserRead = false;
#endif

// One reading of one page; false: the event has no counter now. `lock` is what must still hold
// after all have been read. While the thread runs only the kernel on its own CPU writes to the page,
// in interrupts: order of the instructions is enough, fences of the hardware are not needed.
bool read_page(const volatile PerfPage* page, std::uint32_t& lock, std::uint64_t& value) noexcept {
  lock = page->lock;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const std::uint32_t index = page->index;
  if (index == 0)
    return false;
  std::int64_t count = static_cast<std::int64_t>(read_pmc(index - 1));
  const unsigned unused_bits = 64u - page->pmc_width;
  if (unused_bits < 64)
    count =
        static_cast<std::int64_t>(static_cast<std::uint64_t>(count) << unused_bits) >> unused_bits;
  value = static_cast<std::uint64_t>(page->offset + count);
  return true;
}

} // namespace

int open_group(const CountedEvent* events, unsigned count, bool user_read, EventGroup& group,
               unsigned* failed) {
  if (user_read && !kUserRead)
    return EOPNOTSUPP;
  group.leader = choose_leader(events, count);
  unsigned number = group.leader;
  int error = open_member(number, events[number], user_read, group);
  for (unsigned i = 0; i < count && error == 0; ++i)
    if (i != group.leader) {
      number = i;
      error = open_member(number, events[number], user_read, group);
    }
  group.count = count;
  group.user_read = user_read;
  // After the pages: on ARM the kernel brings a 32-bit counter up to date here in such a way that a
  // page mapped later would be off by 2^32 until the next context switch.
  std::uint64_t values[kMaxEvents];
  if (error == 0 && !read_group(group, values, nullptr))
    error = EBUSY; // no counter for a pinned group
  if (error != 0)
    close_group(group);
  if (failed != nullptr)
    *failed = number;
  return error;
}

void close_group(EventGroup& group) {
  for (unsigned i = 0; i < kMaxEvents; ++i) {
    if (group.pages[i] != nullptr)
      munmap(const_cast<PerfPage*>(group.pages[i]), page_bytes());
    if (group.fds[i] >= 0)
      ::close(group.fds[i]);
  }
  group = EventGroup{};
}

bool read_group(const EventGroup& group, std::uint64_t* values,
                std::uint64_t* not_counted_ns) noexcept {
  GroupReading reading;
  const std::size_t bytes = offsetof(GroupReading, values) + group.count * sizeof(std::uint64_t);
  if (group.count == 0 ||
      // Not ::read(): that is a point where a thread can be cancelled.
      syscall(SYS_read, group.fds[group.leader], &reading, bytes) != static_cast<long>(bytes))
    return false;
  if (not_counted_ns != nullptr)
    *not_counted_ns = reading.time_enabled - std::min(reading.time_enabled, reading.time_running);
  // The kernel tells the leader first, then the others in the order in which they were opened.
  const std::uint64_t* next = reading.values;
  values[group.leader] = *next++;
  for (unsigned i = 0; i < group.count; ++i)
    if (i != group.leader)
      values[i] = *next++;
  return true;
}

bool read_group_in_user_space(const EventGroup& group, std::uint64_t* values) noexcept {
  if (!group.user_read)
    return false;
  for (int attempt = 0; attempt < 64; ++attempt) {
    std::uint32_t locks[kMaxEvents];
    for (unsigned i = 0; i < group.count; ++i)
      if (!read_page(group.pages[i], locks[i], values[i]))
        return false;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    bool all_hold = true;
    for (unsigned i = 0; i < group.count; ++i)
      all_hold &= group.pages[i]->lock == locks[i];
    if (all_hold)
      return true;
  }
  return false;
}

int open_lock_page(const volatile PerfPage*& page) {
  perf_event_attr attributes{};
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_DUMMY;
  attributes.exclude_kernel = 1;
  const DescriptorRoom room;
  const int fd = open_event(attributes, -1);
  if (fd < 0)
    return errno;
  const int error = map_page(fd, page);
  ::close(fd); // the mapping keeps the event alive
  return error;
}

void close_lock_page(const volatile PerfPage* page) {
  munmap(const_cast<PerfPage*>(page), page_bytes());
}

std::uint32_t lock_of(const volatile PerfPage* page) noexcept {
  return page->lock;
}

const volatile PerfPage* stand_in_page() noexcept {
  static const PerfPage page{};
  return &page;
}

bool has_unlike_cores(const char* devices) {
  DIR* const folder = opendir(devices);
  if (folder == nullptr)
    return false;
  int core_pmus = 0; // only those of cores have a file `cpus`, others have `cpumask` or neither
  while (const dirent* entry = readdir(folder)) {
    const std::string cpus = std::string(devices) + "/" + entry->d_name + "/cpus";
    core_pmus += entry->d_name[0] != '.' && access(cpus.c_str(), F_OK) == 0;
  }
  closedir(folder);
  return core_pmus > 1;
}

Problem explain(int error, const CountedEvent& event) {
  const std::string name = std::string(event.name) + ": ";
  switch (error) {
  case ENOENT:
  case ENODEV:
  case EOPNOTSUPP:
    return {name + (event.is_hardware() ? "no hardware counter for it here (a virtual machine "
                                          "without a virtual PMU?)"
                                        : "this kernel does not count it"),
            ""};
  case EACCES:
  case EPERM:
    return {name + "not permitted",
            "as root: sysctl kernel.perf_event_paranoid=1 (in a container: --cap-add PERFMON)"};
  case ENOSYS:
    return {name + "this kernel has no perf_event_open, or a sandbox hides it", ""};
  case EMFILE:
  case ENFILE:
    return {name + "no file descriptors left", "ulimit -n 4096"};
  case ENOMEM:
    return {name + "no locked memory left", "as root: sysctl kernel.perf_event_mlock_kb=4096"};
  case EBUSY:
    return {name + "all counters are taken by another user of the PMU",
            "as root: sysctl kernel.nmi_watchdog=0"};
  case EINVAL:
    return {name + "the kernel refuses it (too many hardware events for one group?)", ""};
  default:
    return {name + std::strerror(error), ""};
  }
}

} // namespace perf
} // namespace tp::rt
