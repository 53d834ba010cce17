// SPDX-License-Identifier: Apache-2.0
// What comes from perf_event_open: groups of events, read in user space or with read(), and the
// page of a dummy event whose `lock` changes at context switches. Cold (set-up), except for the
// readings.
//
// What perf_event_open(2) does not say clearly: a pinned event without a counter makes read()
// return 0 bytes; `index != 0` inside the seqlock is the only valid test for a reading in user
// space; the counter has to be sign-extended from pmc_width bits and added to the whole `offset`;
// the descriptor has to stay open for as long as the thread runs.
#include "base/descriptor_room.h"
#include "clock/work_clock.h"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace tp::rt {

struct PerfPage : perf_event_mmap_page {};

namespace perf {
namespace {

// What read() of a group's leader returns (perf_event_open(2), PERF_FORMAT_GROUP with both times).
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
    return errno == EPERM ? ENOMEM : errno; // EPERM: the limit of locked memory
  page = static_cast<const volatile PerfPage*>(memory);
  return 0;
}

// Opens the event with this number on the cores of a PMU (0: there is one kind of core). The leader
// has to be opened first, and is pinned.
int open_member(unsigned number, const CountedEvent& event, std::uint32_t pmu, bool user_read,
                EventGroup& group) {
  const bool leads = number == group.leader;
  perf_event_attr attributes{};
  attributes.type = event.type;
  attributes.config = event.config;
  if (event.is_generic())
    attributes.config |= std::uint64_t(pmu) << PERF_PMU_TYPE_SHIFT;
  attributes.config1 = event.config1;
  attributes.config2 = event.config2;
  attributes.exclude_kernel = event.exclude_kernel;
  attributes.exclude_hv = event.is_hardware();
  attributes.pinned = leads;
  attributes.read_format =
      PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
#if defined(__aarch64__)
  if (user_read && event.is_hardware())
    attributes.config1 |= 2; // user access; bit 0 would ask for 64 bits, which not every PMU has
#endif
  const DescriptorRoom room;
  const int fd = open_event(attributes, leads ? -1 : group.fds[group.leader]);
  if (fd < 0)
    return errno;
  group.fds[number] = room.moved(fd);
  if (!room.holds(group.fds[number])) // lower numbers belong to the program
    return EMFILE;
  return user_read ? map_page(group.fds[number], group.pages[number]) : 0;
}

// The work, unless it is the task clock: in a group led by the task clock the others lose events
// (seen with Linux 6.18).
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
// The instruction has the counter's name in it, not a number: so a table of functions, where each
// reading takes the same number of instructions. Number 31 is the cycle counter.
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

// Reads one page; false: the event has no counter now, and `offset` is its count. The reading is
// valid if the page's lock still equals `lock` after all pages have been read. While the thread
// runs, only the kernel on the same CPU writes to the page, in interrupts: the order of the
// instructions is enough, hardware fences are not needed.
TP_HOT bool read_page(const volatile PerfPage* page, std::uint32_t& lock,
                      std::uint64_t& value) noexcept {
  lock = page->lock;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  const std::uint32_t index = page->index;
  std::int64_t count = 0;
  if (index != 0) {
    count = static_cast<std::int64_t>(read_pmc(index - 1));
    const unsigned unused_bits = 64u - page->pmc_width;
    if (unused_bits < 64)
      count = static_cast<std::int64_t>(static_cast<std::uint64_t>(count) << unused_bits) >>
              unused_bits;
  }
  value = static_cast<std::uint64_t>(page->offset + count);
  return index != 0;
}

// Reads all pages. Inlined: where all cores are of one kind there is no loop over kinds.
TP_HOT bool read_pages(const EventGroups& groups, unsigned kinds, std::uint64_t* values) noexcept {
  const unsigned count = groups.event_count;
  for (int attempt = 0; attempt < 64; ++attempt) {
    std::uint32_t locks[kMaxCoreKinds][kMaxEvents];
    unsigned counting = 0;
    for (unsigned kind = 0; kind < kinds; ++kind)
      for (unsigned i = 0; i < count; ++i) {
        std::uint64_t value;
        counting += read_page(groups.of_kind[kind].pages[i], locks[kind][i], value);
        values[i] = kind == 0 ? value : values[i] + value;
      }
    std::atomic_signal_fence(std::memory_order_seq_cst);
    bool all_hold = true;
    for (unsigned kind = 0; kind < kinds; ++kind)
      for (unsigned i = 0; i < count; ++i)
        all_hold &= groups.of_kind[kind].pages[i]->lock == locks[kind][i];
    if (all_hold)
      return counting == count; // the group of the core that the thread is on
  }
  return false;
}

int open_group(const CountedEvent* events, unsigned count, std::uint32_t pmu, bool user_read,
               EventGroup& group, unsigned& number) {
  group.leader = choose_leader(events, count);
  number = group.leader;
  int error = open_member(number, events[number], pmu, user_read, group);
  for (unsigned i = 0; i < count && error == 0; ++i)
    if (i != group.leader) {
      number = i;
      error = open_member(number, events[number], pmu, user_read, group);
    }
  return error;
}

void close_group(EventGroup& group) {
  for (unsigned i = 0; i < kMaxEvents; ++i) {
    if (group.pages[i] != nullptr)
      munmap(const_cast<PerfPage*>(group.pages[i]), page_bytes());
    if (group.fds[i] >= 0)
      ::close(group.fds[i]);
  }
}

TP_COLD bool read_pages_of_kinds(const EventGroups& groups, std::uint64_t* values) noexcept {
  return read_pages(groups, groups.kinds, values);
}

TP_HOT bool read_group(const EventGroup& group, unsigned count, GroupReading& reading) noexcept {
  const std::size_t bytes = offsetof(GroupReading, values) + count * sizeof(std::uint64_t);
  // Not ::read(): that is a point where a thread can be cancelled.
  return syscall(SYS_read, group.fds[group.leader], &reading, bytes) == static_cast<long>(bytes);
}

// Stores a group's reading by event number. The kernel writes the leader first, then the others in
// the order in which they were opened. The first group's values are set, those of the other groups
// added.
TP_HOT void take_reading(const EventGroup& group, unsigned count, const GroupReading& reading,
                         bool first, std::uint64_t* values) noexcept {
  const std::uint64_t* next = reading.values;
  const auto take = [&](unsigned i) { values[i] = *next++ + (first ? 0 : values[i]); };
  take(group.leader);
  for (unsigned i = 0; i < count; ++i)
    if (i != group.leader)
      take(i);
}

bool is_generic(const CountedEvent& event) {
  return event.is_generic();
}

} // namespace

int open_groups(const CountedEvent* events, unsigned count, bool user_read, EventGroups& groups,
                unsigned* failed) {
  if (user_read && !kUserRead)
    return EOPNOTSUPP;
  const CoreKinds& cores = clock_config.core_kinds;
  const bool on_each = cores.count > 1 && std::any_of(events, events + count, is_generic);
  groups.kinds = on_each ? cores.count : 1;
  groups.event_count = count;
  groups.user_read = user_read;
  int error = 0;
  unsigned number = 0;
  for (unsigned kind = 0; kind < groups.kinds && error == 0; ++kind)
    error = open_group(events, count, on_each ? cores.pmu[kind] : 0, user_read,
                       groups.of_kind[kind], number);
  // After the pages are mapped: on ARM this read() updates a 32-bit counter in such a way that a
  // page mapped later would be wrong by 2^32 until the next context switch.
  std::uint64_t values[kMaxEvents];
  if (error == 0 && !read_groups(groups, values, nullptr))
    error = EBUSY; // no counter for a pinned group
  if (error != 0)
    close_groups(groups);
  if (failed != nullptr)
    *failed = number;
  return error;
}

void close_groups(EventGroups& groups) {
  for (EventGroup& group : groups.of_kind)
    close_group(group);
  groups = EventGroups{};
}

bool read_groups(const EventGroups& groups, std::uint64_t* values,
                 std::uint64_t* not_counted_ns) noexcept {
  std::uint64_t enabled = UINT64_MAX, running = 0; // enabled: of the group that was opened last
  for (unsigned kind = 0; kind < groups.kinds; ++kind) {
    GroupReading reading;
    if (!read_group(groups.of_kind[kind], groups.event_count, reading))
      return false;
    enabled = std::min(enabled, reading.time_enabled);
    running += reading.time_running;
    take_reading(groups.of_kind[kind], groups.event_count, reading, kind == 0, values);
  }
  if (not_counted_ns != nullptr)
    *not_counted_ns = enabled - std::min(enabled, running);
  return groups.kinds > 0;
}

bool read_groups_in_user_space(const EventGroups& groups, std::uint64_t* values) noexcept {
  if (!groups.user_read)
    return false;
  return groups.kinds == 1 ? read_pages(groups, 1, values) : read_pages_of_kinds(groups, values);
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

const volatile std::uint64_t* address_of_lock(const volatile PerfPage* page) noexcept {
  static_assert(offsetof(perf_event_mmap_page, lock) % sizeof(std::uint64_t) == 0);
  return reinterpret_cast<const volatile std::uint64_t*>(&page->lock);
}

std::uint64_t lock_of(const volatile PerfPage* page) noexcept {
  return *address_of_lock(page);
}

const volatile PerfPage* placeholder_page() noexcept {
  static const PerfPage page{};
  return &page;
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
    return {name + "no file descriptors left", "ulimit -n 4096"};
  case ENFILE:
    return {name + "no file descriptors left in the whole system",
            "as root: sysctl fs.file-max=1000000"};
  case ENOMEM:
    return {name + "no locked memory left", "as root: sysctl kernel.perf_event_mlock_kb=4096"};
  case EBUSY:
    return {name + "all counters are taken by another user of the PMU",
            "as root: sysctl kernel.nmi_watchdog=0"};
  case E2BIG:
    return {name + "this kernel is too old for it", ""};
  case EINVAL:
    return {name + "the kernel refuses it (too many hardware events for one group?)", ""};
  default:
    return {name + std::strerror(error), ""};
  }
}

} // namespace perf
} // namespace tp::rt
