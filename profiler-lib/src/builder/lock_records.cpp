// SPDX-License-Identifier: Apache-2.0
// See lock_records.h. The readings of the clock are as close to the section as possible: the last act of
// take_lock(), the first of give_lock().
#include "builder/lock_records.h"

#include "builder/dpst_builder.h"
#include "builder/outside_of_step.h"
#include "builder/plain_sections.h"
#include "sites/lock_places.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <new>
#include <utility>

// LockState::released of the calling thread, for libtbb.
extern "C" {
[[gnu::visibility("hidden")]] extern constinit thread_local const void* tp_released_lock TP_TLS;
constinit thread_local const void* tp_released_lock TP_TLS = nullptr;
}

namespace tp::rt {
namespace {

using trace::make_tag;
using trace::Op;
using trace::RecordEncoder;

// Sections below this mean are sampled.
constexpr std::uint64_t kShortNs = 100;
// A system call that wakes no thread takes half of this, one that wakes a thread twice as long, and more.
constexpr double kShortestWakeNs = 700;
std::atomic<bool> sampling{false};

// Waits that take so long are noted; UINT64_MAX: none is. Ticks. To note shorter ones would make them longer by much.
constexpr double kNotedNs = 256;
std::atomic<std::uint64_t> least_noted{UINT64_MAX};

// Of threads without any: never written.
constinit tp_counted_lock no_counted_locks[TP_COUNTED_LOCKS] = {};
constinit thread_local tp_counting counting TP_TLS = {no_counted_locks, nullptr};

// Work between two readings with nothing between them.
TP_COLD std::uint64_t cost_of_reading(ThreadClock& clock) noexcept {
  std::uint64_t least = UINT64_MAX;
  std::uint64_t last = read_clock(clock).work;
  for (int i = 0; i < 16; ++i) {
    const std::uint64_t now = read_clock(clock).work;
    least = std::min(least, elapsed_since(last, now));
    last = now;
  }
  return least;
}

TP_COLD LockState* make_lock_state(ThreadState& thread, Frame& frame) noexcept {
  const OutsideOfStep outside(thread, frame);
  LockState* locks = new (std::nothrow) LockState;
  if (locks != nullptr && !locks->slots.has_memory())
    delete std::exchange(locks, nullptr);
  thread.locks = locks;
  if (locks != nullptr && sampling.load(std::memory_order_relaxed) && clock_config.same_as_time) {
    locks->shorts.short_length = cpu_ns_to_work(kShortNs);
    locks->shorts.reading = cost_of_reading(thread.clock);
    count_by_code(*locks);
  }
  if (locks != nullptr && !locks->samples_sections())
    thread.timed_locks = locks;
  return locks;
}

TP_HOT LockState* locks_of(ThreadState& thread, Frame& frame) noexcept {
  LockState* const locks = thread.locks;
  return locks != nullptr ? locks : make_lock_state(thread, frame);
}

// Where in the open step the thread is. A wait has no extent there.
TP_HOT std::uint64_t position(const ThreadState& thread, const LockState& locks,
                              const Reading& now) noexcept {
  return elapsed_since(thread.step_work, locks.waits == 0 ? now.work : locks.wait_begin.work);
}

TP_HOT std::byte* room_for(ThreadState& thread, Frame& frame) noexcept {
  return frame.step_open ? room_in_step(thread, frame) : room_after_step(thread);
}

template <typename Payload>
TP_COLD void put_payload(ThreadState& thread, Frame& frame, trace::ExtendedKind kind,
                         const Payload& payload) noexcept {
  RecordEncoder record(room_for(thread, frame));
  record.operand(static_cast<std::uint8_t>(kind));
  record.operand(std::uint8_t{0});
  record.operand(static_cast<std::uint16_t>(sizeof payload));
  record.bytes(&payload, sizeof payload);
  thread.writer.advance(record.commit(make_tag(Op::Extended, 0, 0, 0, 0)));
}

// What represents the locks of a kind that are not kept apart: the address of none.
constexpr std::uint64_t address_of_rest(std::uint8_t kind) noexcept {
  return 2 * std::uint64_t{kind} + 1;
}
constexpr bool is_of_rest(std::uint64_t address) noexcept {
  return address <= address_of_rest(UINT8_MAX);
}

TP_COLD void name_lock(ThreadState& thread, Frame& frame, LockState& locks,
                       const LockUse& held) noexcept {
  struct Named {
    trace::LockObjectPayload object;
    std::uint32_t ticks;
    std::uint32_t reserved;
  };
  unsigned flags = trace::kLocksNotApart;
  const std::uint64_t before = thread.step_time;
  {
    const OutsideOfStep outside(thread, frame);
    if (!is_of_rest(held.address))
      flags = register_lock(held.address, held.generation, held.kind) ? trace::kLockMayBeReused : 0;
    locks.name(held.slot, {held.address, held.generation, held.kind});
  }
  const std::uint64_t ticks = elapsed_since(before, thread.step_time);
  put_payload(
      thread, frame, trace::ExtendedKind::LockObject,
      Named{{held.address, held.generation, held.slot, held.kind, static_cast<std::uint8_t>(flags)},
            static_cast<std::uint32_t>(std::min<std::uint64_t>(ticks, UINT32_MAX)),
            0});
}

// From here on the slot means this lock.
TP_HOT void know(ThreadState& thread, Frame& frame, LockState& locks,
                 const LockUse& held) noexcept {
  if (!locks.slots.is(held.slot, {held.address, held.generation, held.kind})) [[unlikely]]
    name_lock(thread, frame, locks, held);
}

TP_HOT std::uint64_t key_of(const LockPlace& where, std::uint64_t path) noexcept {
  if (where.has_name_only())
    path ^= mix_lock_address(reinterpret_cast<std::uint64_t>(where.stated));
  return lock_place_key(where.kind, where.code(), path);
}

TP_COLD std::uint32_t learn_place(ThreadState& thread, Frame& frame, LockState& locks,
                                  const LockPlace& where) noexcept {
  const OutsideOfStep outside(thread, frame);
  const void* const task_stack = task_stack_of(frame);
  const std::uint64_t path = locks.paths.learn(task_stack);
  const std::uint32_t place =
      register_lock_place(where.kind, where.caller, where.stated, path, task_stack) + 1;
  locks.places.remember(key_of(where, path), place);
  return place;
}

TP_HOT std::uint32_t place_of(ThreadState& thread, Frame& frame, LockState& locks,
                              const LockPlace& where) noexcept {
  const std::uint64_t path = locks.paths.find(where.frame, task_stack_of(frame));
  const std::uint32_t place =
      path != CallPaths::kUnlearned ? locks.places.find(key_of(where, path)) : 0;
  return (place != 0 ? place : learn_place(thread, frame, locks, where)) - 1;
}

// Likewise, of the lock of a flow graph's node: where that was made, whichever code acquires it.
constexpr std::uint32_t kNotOfNode = UINT32_MAX;
TP_COLD std::uint32_t learn_node(ThreadState& thread, Frame& frame, LockState& locks,
                                 std::uint64_t lock, std::uint64_t key) noexcept {
  const OutsideOfStep outside(thread, frame);
  const std::uint32_t place = place_of_node(lock);
  locks.places.remember(key, place != 0 ? place : kNotOfNode);
  return place != 0 ? place : kNotOfNode;
}

std::uint32_t place_of_lock(ThreadState& thread, Frame& frame, LockState& locks,
                            const LockPlace& where, const LockUse& of) noexcept {
  if (where.kind == TP_LOCK_FLOW_GRAPH_NODE) {
    const std::uint64_t key = lock_place_key(where.kind, reinterpret_cast<const void*>(of.address),
                                             mix_lock_address(of.generation));
    const std::uint32_t known = locks.places.find(key);
    const std::uint32_t place =
        known != 0 ? known : learn_node(thread, frame, locks, of.address, key);
    if (place != kNotOfNode)
      return place - 1;
  }
  return place_of(thread, frame, locks, where);
}

// So that take_plainly() does the same the next time. Returns LockUse::use.
std::uint8_t remember_use(LockState& locks, const LockUse& use, const Frame& frame,
                          const LockPlace& where) noexcept {
  if ((use.mode & TP_LOCK_RECURSIVE) != 0 || where.has_name_only())
    return 0;
  const std::uint64_t path = locks.paths.find(where.frame, task_stack_of(frame));
  if (path == CallPaths::kUnlearned)
    return 0;
  KnownUse& known = locks.use_of(reinterpret_cast<const void*>(use.address), use.code);
  const auto number = static_cast<std::uint8_t>(&known - locks.uses + 1);
  // It was another one.
  for (unsigned i = 0; i < locks.held_count; ++i)
    if (locks.held[i].use == number)
      locks.held[i].use = 0;
  for (LastSection* const last : {&locks.section, &locks.turn})
    if (last->use == number)
      last->use = LastSection::kNoUse;
  locks.written_uses[number] = LockState::kNotWritten;
  known = {use, &generations_of_lock(use.address), &locks.paths.memo_of(where.frame), path,
           where.caller};
  return known.use.use = number;
}

// Writes the operands of a lock that was acquired; returns the flags.
TP_HOT unsigned put_lock(RecordEncoder& record, const HeldLock& held) noexcept {
  record.operand(held.slot);
  const bool wide = held.place > UINT16_MAX;
  record.number(held.place, wide ? 4 : 2);
  return held.flags | (wide ? trace::kLockPlaceWide : 0);
}

// The section is one of those that were skipped in the step.
TP_COLD void list_skipped(ThreadState& thread, ShortSection& section) noexcept {
  ShortSections& shorts = thread.locks->shorts;
  section.is_listed = true;
  section.next_skipped = std::exchange(shorts.skipped, &section);
  thread.extras |= kExtraLocks;
}

// From here on the entry is free, and what was counted there is what skip_short_section() would have made
// of it. A signal handler may count in between.
void collect(ShortSections& shorts, tp_counted_lock& counted) noexcept {
  if (counted.granted == 0)
    return;
  const int left = __atomic_exchange_n(&counted.left, 0, __ATOMIC_RELAXED);
  const bool is_held = left < 0;
  const auto count =
      static_cast<std::uint32_t>(is_held ? counted.granted + left + 1 : counted.granted - left);
  const void* const lock = std::exchange(counted.lock, nullptr);
  counted.granted = 0;
  ShortSection& section = *static_cast<ShortSection*>(counted.section);
  section.skipped += count;
  ShortSections::Calls& calls = shorts.calls[&counted - shorts.counted];
  calls = {lock, std::min(count, ShortSections::kCalled), 0};
  section.to_skip -= std::min(section.to_skip, count);
  if (is_held)
    shorts.open[shorts.open_count++] = {&section, section.address, 0};
}

// As the code of counted_locks.h expects.
static_assert(sizeof(tp_counted_lock) == 64 && offsetof(tp_counted_lock, code) == 8 &&
              offsetof(tp_counted_lock, left) == 16 &&
              offsetof(tp_counted_lock, generation) == 20 &&
              offsetof(tp_counted_lock, generation_at) == 24 &&
              offsetof(tp_counted_lock, waiters_at) == 32 &&
              offsetof(tp_counted_lock, others_wait_at) == 56 && offsetof(tp_counting, code) == 8);

void collect_all(ShortSections& shorts) noexcept {
  if (!shorts.some_are_counted)
    return;
  shorts.some_are_counted = false; // first: a signal handler may let more be counted
  for (tp_counted_lock& counted : shorts.counted)
    collect(shorts, counted);
}

// The section that begins now is the first that is counted by the code of the lock. The entry is free.
void let_count(ShortSections& shorts, tp_counted_lock& counted, const void* lock,
               ShortSection& section) noexcept {
  counted.code = section.code;
  counted.generation = section.generation;
  static_assert(sizeof generations_of_lock(0) == sizeof *counted.generation_at);
  counted.generation_at = reinterpret_cast<const unsigned*>(&generations_of_lock(section.address));
  counted.waiters_at = reinterpret_cast<const unsigned*>(&waiters_for(section.address));
  counted.others_wait_at = reinterpret_cast<const unsigned*>(&waiters_for(0));
  counted.section = &section;
  counted.granted = static_cast<int>(section.to_skip);
  counted.lock = lock;
  shorts.some_are_counted = true;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  counted.left = -counted.granted;
}

// One of the sections, which was not timed, of that lock.
HeldLock skipped_one(const LockState& locks, const ShortSection& section,
                     std::uint64_t lock) noexcept {
  HeldLock held{};
  held.address = lock;
  held.code = section.code;
  held.generation = section.generation;
  held.place = section.place;
  held.mode = static_cast<std::uint8_t>(section.mode);
  held.slot = locks.slots.slot_of(lock);
  held.kind = section.kind;
  held.flags = static_cast<std::uint8_t>(section.mode & TP_LOCK_SHARED);
  return held;
}

// What was skipped in the step. Cold: once for a step with such sections.
TP_COLD void put_skipped(ThreadState& thread, Frame& frame, LockState& locks) noexcept {
  ShortSections& shorts = locks.shorts;
  while (shorts.skipped != nullptr) {
    ShortSection& section = *shorts.skipped;
    shorts.skipped = section.next_skipped;
    const std::uint32_t count = section.skipped;
    section.skipped = 0;
    section.is_listed = false;
    section.had_many = count + section.timed_of_few > ShortSections::kFew;
    if (count == 0)
      continue;
    const HeldLock held = skipped_one(locks, section, section.address);
    know(thread, frame, locks, held);
    RecordEncoder record(room_for(thread, frame));
    const unsigned work_code = record.field(shorts.lengths_of(section).held.sum(count));
    const unsigned flags = put_lock(record, held) | trace::kLockMany;
    record.operand(count);
    const std::uint64_t error = shorts.error(section, count);
    record.operand(static_cast<std::uint32_t>(std::min<std::uint64_t>(error, UINT32_MAX)));
    thread.writer.advance(record.commit(make_tag(Op::Section, 0, work_code, 0, flags)));
  }
}

// The thread samples the sections of that lock from here on. Null: it cannot. Cold.
TP_COLD ShortSection* begin_to_sample(ThreadState& thread, Frame& frame, LockState& locks,
                                      const HeldLock& held) noexcept {
  ShortSections& shorts = locks.shorts;
  collect_all(shorts);
  ShortSection* section = &shorts.find(held.address, held.code);
  if (section->is_none()) {
    const OutsideOfStep outside(thread, frame);
    section = shorts.room_for(held.address, held.code);
  }
  // It may have been that of another lock.
  if (section == nullptr ||
      std::any_of(shorts.open, shorts.open + shorts.open_count,
                  [&](const ShortSections::Open& open) { return open.section == section; }))
    return nullptr;
  if (section->is_listed)
    put_skipped(thread, frame, locks);
  shorts.claim(*section, held.address, held.code);
  section->generation = held.generation;
  section->mode = held.mode;
  section->kind = held.kind;
  return section;
}

// Such a section, of a lock for which there is no room: what is to be known of those that are not timed.
TP_COLD ShortSection& add_to_rest(LockState& locks, const HeldLock& held,
                                  std::uint64_t work) noexcept {
  ShortSection& rest = locks.shorts.rest_of(held.code);
  if (!locks.shorts.is_full() || !locks.shorts.has_rest(held.code))
    return rest;
  if (rest.is_none()) {
    rest.address = address_of_rest(held.kind);
    rest.code = held.code;
    rest.kind = held.kind;
    rest.mode = held.mode;
    rest.is_rest = true;
  }
  if (rest.kind != held.kind || rest.mode != held.mode)
    return rest;
  rest.place = held.place;
  locks.shorts.add(rest, work);
  return rest;
}

// A section that was timed and not contended.
TP_HOT void sample(ThreadState& thread, Frame& frame, LockState& locks, const HeldLock& held,
                   std::uint64_t work) noexcept {
  if (std::exchange(locks.shorts.of_few, 0) == held.address)
    return;
  ShortSection* section = &locks.shorts.find(held.address, held.code);
  if (!section->is(held.address, held.code, held.generation, held.mode)) [[unlikely]] {
    if (section->is_none() && !locks.shorts.is_worth_room(add_to_rest(locks, held, work)))
      return;
    section = begin_to_sample(thread, frame, locks, held);
    if (section == nullptr)
      return;
  }
  section->place = held.place;
  if (!std::exchange(section->is_of_few, false))
    locks.shorts.add(*section, work);
}

// Sections that were to be short cross the end of the step, or contain sleep: what comes of them later is timed,
// from that position on.
TP_COLD void time_open_sections(LockState& locks, std::uint64_t from) noexcept {
  ShortSections& shorts = locks.shorts;
  for (unsigned i = 0; i < shorts.open_count; ++i) {
    ShortSection& section = *shorts.open[i].section;
    if (section.skipped == 0 || locks.held_count == kMostHeldLocks)
      continue;
    --section.skipped;
    HeldLock& held = locks.held[locks.held_count++] =
        skipped_one(locks, section, shorts.open[i].lock);
    if (section.is_rest)
      held.generation = generation_of_lock(held.address);
    held.taken_at = from;
    held.state.more = shorts.open[i].more;
  }
  shorts.open_count = 0;
}

// Another thread has done in its section what this one is for: the lock was not handed over.
bool is_done(const HeldLock& held) noexcept {
  return (held.mode & TP_LOCK_DONE) != 0;
}

// Before the record of its acquisition: who held the lock while the thread waited for it, and when it was
// released.
TP_COLD void put_blame(ThreadState& thread, Frame& frame, const HeldLock& held) noexcept {
  if (held.blame.releases != 0 && !is_done(held))
    put_payload(thread, frame, trace::ExtendedKind::LockHandedOver,
                trace::LockHandedOverPayload{held.blame.since_release, held.blame.since_wake,
                                             held.slot, 0, held.blame.releases});
  for (unsigned i = 0; i < held.blame.count; ++i) {
    const LockBlame::Part& part = held.blame.parts[i];
    put_payload(thread, frame, trace::ExtendedKind::LockWait,
                trace::LockWaitPayload{part.ticks, part.place, held.slot, 0});
  }
}

// Before the record whose section it was in.
TP_COLD void put_slept(ThreadState& thread, Frame& frame, LockState& locks,
                       const HeldLock& held) noexcept {
  know(thread, frame, locks, held);
  bool is_inner = false;
  for (const HeldLock* other = locks.held; other != &held; ++other)
    is_inner |= other->address == held.address && !other->state.is_given;
  put_payload(thread, frame, trace::ExtendedKind::SleptInSection,
              trace::SleptInSectionPayload{
                  held.slept, held.slot,
                  static_cast<std::uint16_t>(is_inner ? trace::kSectionIsInner : 0), 0});
}

// With all that has to come before it.
void put_whole_section(ThreadState& thread, Frame& frame, LockState& locks, const HeldLock& held,
                       std::uint64_t work) noexcept {
  know(thread, frame, locks, held);
  if (held.waited != 0)
    put_blame(thread, frame, held);
  if (follows_section(thread.writer))
    put_use(thread.writer, locks, held);
  std::byte* const at = room_in_step(thread, frame);
  const bool follows = thread.writer.cursor() == thread.writer.after_section;
  if (held.waited == 0 && RecordEncoder::is_usual_section(held.taken_at, work, held.place))
      [[likely]] {
    thread.writer.advance(
        RecordEncoder::usual_section(at, held.taken_at, work, held.slot, held.place, held.flags));
  } else {
    RecordEncoder record(at);
    const unsigned lead_code = record.field(held.taken_at), work_code = record.field(work);
    const unsigned wall_code = record.field(held.waited);
    const unsigned flags = put_lock(record, held);
    thread.writer.advance(
        record.commit(make_tag(Op::Section, lead_code, work_code, wall_code, flags)));
  }
  begin_sections_of(thread.writer, locks, held, work, follows);
}

void put_section(ThreadState& thread, Frame& frame, LockState& locks, const HeldLock& held,
                 std::uint64_t work) noexcept {
  if (held.state.has_slept != 0) [[unlikely]]
    put_slept(thread, frame, locks, held);
  const bool follows = locks.section.is_of(held);
  if (!follows_section(thread.writer) || held.waited != 0 ||
      (!follows && !locks.turn.is_of(held)) ||
      !put_briefly(thread.writer, locks, held, work, follows))
    put_whole_section(thread, frame, locks, held, work);
}

// Of a flow graph's node: what tp_node_lock does not say.
struct NodeUse {
  std::uint32_t granted = 0;    // acquisitions that need not be announced, of the last time
  std::uint32_t timed = 0;      // sections
  std::uint32_t generation = 0; // of the lock
  std::uint32_t place = 0;
  MovingMean lengths;
};
constinit tp_node_lock node_locks[TP_NODE_LOCKS] = {};
struct NodeEntry {
  std::atomic<bool> is_used{false}; // by a thread: threads with different locks may want it
  NodeUse use;
};
constinit NodeEntry node_entries[TP_NODE_LOCKS] = {};
// Sections of nodes below this mean are sampled: a message costs more than other things that are done under a lock.
constexpr std::uint64_t kShortOfNode = 10; // times ShortSections::short_length

// What was not announced of the lock that the entry is of.
void put_untimed(ThreadState& thread, Frame& frame, LockState& locks, tp_node_lock& entry,
                 NodeUse& use) noexcept {
  const std::uint32_t left = __atomic_exchange_n(&entry.left, 0u, __ATOMIC_RELAXED);
  const std::uint32_t granted = std::exchange(use.granted, 0u);
  if (left >= granted) // more are left where a thread counted one of the lock that was there before
    return;
  const std::uint32_t count = granted - left;
  LockUse lock{};
  lock.address = reinterpret_cast<std::uint64_t>(entry.lock);
  lock.generation = use.generation;
  lock.kind = TP_LOCK_FLOW_GRAPH_NODE;
  lock.slot = locks.slots.slot_of(lock.address);
  know(thread, frame, locks, lock);
  put_payload(thread, frame, trace::ExtendedKind::LockUntimed,
              trace::LockUntimedPayload{use.lengths.sum(count),
                                        use.lengths.error(count, 0) +
                                            locks.shorts.reading * std::uint64_t{count},
                                        count, use.place, lock.slot, 0, 0});
}

// A section of a node was timed, by the thread that has the lock: how many of the next ones need not be?
void sample_node(ThreadState& thread, Frame& frame, LockState& locks, const HeldLock& held,
                 std::uint64_t work) noexcept {
  const auto* const lock = reinterpret_cast<const void*>(held.address);
  const unsigned index = tp_node_lock_index(lock);
  tp_node_lock& entry = node_locks[index];
  NodeUse& use = node_entries[index].use;
  put_untimed(thread, frame, locks, entry, use);
  if (entry.lock != lock || use.generation != held.generation) {
    __atomic_store_n(&entry.awaited, 0u, __ATOMIC_RELAXED);
    __atomic_store_n(&entry.lock, lock, __ATOMIC_RELAXED);
    use = NodeUse{};
    use.generation = held.generation;
  }
  use.place = held.place;
  if ((held.flags & trace::kLockContended) != 0)
    __atomic_store_n(&entry.awaited, 1u, __ATOMIC_RELAXED);
  const std::uint64_t limit = kShortOfNode * locks.shorts.short_length;
  use.lengths.add(std::min(work - std::min(work, locks.shorts.reading), 16 * limit));
  if (++use.timed <= ShortSections::kTimedOfLock || use.lengths.mean() >= limit ||
      __atomic_load_n(&entry.awaited, __ATOMIC_RELAXED) != 0)
    return;
  const std::uint32_t mean =
      std::min(use.timed / ShortSections::kTimedPerSkip, ShortSections::kMeanSkip);
  use.granted =
      static_cast<std::uint32_t>(mix_lock_address(held.address + use.timed) >> 32) % (2 * mean + 1);
  __atomic_store_n(&entry.left, use.granted, __ATOMIC_RELAXED);
}

void sample_node_alone(ThreadState& thread, Frame& frame, LockState& locks, const HeldLock& held,
                       std::uint64_t work) noexcept {
  std::atomic<bool>& is_used =
      node_entries[tp_node_lock_index(reinterpret_cast<const void*>(held.address))].is_used;
  if (is_used.exchange(true, std::memory_order_acquire))
    return;
  sample_node(thread, frame, locks, held, work);
  is_used.store(false, std::memory_order_release);
}

void end_section(ThreadState& thread, Frame& frame, LockState& locks, const HeldLock& held,
                 std::uint64_t work) noexcept {
  put_section(thread, frame, locks, held, work);
  if (held.kind == TP_LOCK_FLOW_GRAPH_NODE) {
    if (locks.samples_sections() && !is_done(held))
      sample_node_alone(thread, frame, locks, held,
                        work + (held.state.has_slept != 0 ? held.slept : 0));
    return;
  }
  if (locks.samples_sections() && held.code != nullptr && (held.flags & trace::kLockContended) == 0)
    sample(thread, frame, locks, held, work + (held.state.has_slept != 0 ? held.slept : 0));
}

TP_COLD void put_take(ThreadState& thread, Frame& frame, LockState& locks,
                      const HeldLock& held) noexcept {
  know(thread, frame, locks, held);
  if (held.waited != 0)
    put_blame(thread, frame, held);
  if (held.state.has_slept != 0)
    put_slept(thread, frame, locks, held);
  RecordEncoder record(room_for(thread, frame));
  const unsigned lead_code = record.field(held.taken_at);
  const unsigned wall_code = record.field(held.waited);
  const unsigned flags = put_lock(record, held);
  thread.writer.advance(record.commit(make_tag(Op::Take, lead_code, 0, wall_code, flags)));
}

TP_COLD void put_give(ThreadState& thread, Frame& frame, LockState& locks, const HeldLock& held,
                      std::uint64_t at) noexcept {
  know(thread, frame, locks, held);
  if (held.state.has_slept != 0)
    put_slept(thread, frame, locks, held);
  RecordEncoder record(room_for(thread, frame));
  const unsigned lead_code = record.field(at);
  record.operand(held.slot);
  thread.writer.advance(
      record.commit(make_tag(Op::Give, lead_code, 0, 0, held.flags & trace::kLockShared)));
}

void remove_held(LockState& locks, unsigned index) noexcept;

// Of the one that is held longest the end is not seen: another thread releases it, or more are held than there is room
// for.
TP_COLD void forget_oldest(ThreadState& thread, Frame& frame, LockState& locks) noexcept {
  if (!locks.held[0].state.is_written)
    put_take(thread, frame, locks, locks.held[0]);
  remove_held(locks, 0);
}

void remove_held(LockState& locks, unsigned index) noexcept {
  if (locks.taken_in_wait > index)
    locks.taken_in_wait = locks.taken_in_wait == index + 1 ? 0 : locks.taken_in_wait - 1;
  --locks.held_count;
  for (; index < locks.held_count; ++index)
    locks.held[index] = locks.held[index + 1];
}

// Index in `held`, the newest first; held_count: the thread does not hold it.
TP_HOT unsigned find_held(const LockState& locks, const void* lock) noexcept {
  for (unsigned i = locks.held_count; i-- > 0;)
    if (locks.held[i].address == reinterpret_cast<std::uint64_t>(lock) &&
        !locks.held[i].state.is_given)
      return i;
  return locks.held_count;
}

// What the thread waited up to `now` is neither work of the step nor, unless `is_sleep`, sleep.
std::uint64_t leave_wait_out(ThreadState& thread, Frame& frame, const LockState& locks,
                             const Reading& now, bool is_sleep) noexcept {
  const std::uint64_t work =
      elapsed_since(std::max(locks.wait_begin.work, thread.step_work), now.work);
  const std::uint64_t ticks =
      elapsed_since(std::max(locks.wait_begin.time, thread.step_time), now.time);
  thread.step_work += work;
  thread.between_steps[kInLockWaits] += work;
  frame.region_mark += work;
  std::uint64_t slept = 0;
  if (is_sleep && clock_config.kind == ClockKind::Virtual)
    slept =
        work + elapsed_since(locks.wait_asleep + (locks.is_busy_wait ? 1 : 0), thread.clock.asleep);
  else if (is_sleep && clock_config.sees_sleep())
    slept = ticks;
  thread.clock.asleep = locks.wait_asleep + slept;
  thread.clock.waited = locks.wait_waited + slept;
  return ticks;
}

// Is there an open step, and do no other readings leave out what the thread does now? Where a reading is cheap.
bool can_leave_out(const ThreadState& thread, const Frame& frame, const LockState& locks) noexcept {
  return clock_config.same_as_time && frame.step_open && locks.waits == 0 &&
         thread.in_runtime_call == kNoCall && thread.step_pause != Pause::Now;
}

StepPosition position_at(const ThreadState& thread, const Reading& now) noexcept {
  return {elapsed_since(thread.step_work, now.work), elapsed_since(thread.step_time, now.time)};
}

// What the thread has done since, up to `now`, was the recording's: no work of the step. Returns ticks.
std::uint64_t leave_work_out(ThreadState& thread, Frame& frame, const StepPosition& since,
                             const Reading& now, unsigned between) noexcept {
  const StepPosition at = position_at(thread, now);
  const std::uint64_t work = elapsed_since(since.work, at.work);
  thread.step_work += work;
  thread.between_steps[between] += work;
  frame.region_mark += work;
  return elapsed_since(since.time, at.time);
}

// Nor is it its time, but that of calls which release locks.
void leave_out(ThreadState& thread, Frame& frame, LockState& locks, std::uint16_t slot,
               const StepPosition& since, const Reading& now) noexcept {
  const std::uint64_t ticks = leave_work_out(thread, frame, since, now, kOfEvents);
  thread.step_time += ticks;
  locks.call_ticks += ticks;
  locks.called_slot = slot;
  thread.extras |= kExtraLocks;
}

// The wait ends when its lock is announced, which directly follows: what hooks have done meanwhile does not count as
// work. Returns where that is in the step.
TP_COLD StepPosition go_on_waiting(ThreadState& thread, Frame& frame, LockState& locks) noexcept {
  const Reading now = read_clock(thread.clock);
  locks.waited += leave_work_out(thread, frame, locks.wait_end, now, kInLockWaits);
  return position_at(thread, now);
}

// What a call that releases a lock took.
TP_COLD void put_call(ThreadState& thread, Frame& frame, std::uint16_t slot, std::uint64_t ticks,
                      unsigned flags) noexcept {
  put_payload(thread, frame, trace::ExtendedKind::LockCall,
              trace::LockCallPayload{ticks, slot, static_cast<std::uint16_t>(flags), 0});
}

// What is known of those that no record says yet. Of a lock that has no slot, or another one by now, it is not said.
TP_COLD void put_other_calls(ThreadState& thread, Frame& frame, LockState& locks) noexcept {
  const std::uint64_t ticks = std::exchange(locks.call_ticks, 0);
  if (ticks != 0 && locks.slots.is_named(locks.called_slot))
    put_call(thread, frame, locks.called_slot, ticks, 0);
}

// The thread has waited for so many ticks, up to `now`, in the open step.
void note_wait(ThreadState& thread, Frame& frame, const Reading& now,
               std::uint64_t ticks) noexcept {
  if (ticks < least_noted.load(std::memory_order_relaxed))
    return;
  const Busy busy(thread);
  room_in_step(thread, frame); // what it writes, readers have before the note
  put_payload(thread, frame, trace::ExtendedKind::Waited,
              trace::WaitedPayload{elapsed_since(thread.reader_time, now.time), ticks});
}

TP_COLD int note_for_waiters(LockState& locks, std::uint64_t lock, std::uint32_t place,
                             std::uint64_t time) noexcept {
  locks.released = lock;
  tp_released_lock = reinterpret_cast<const void*>(lock);
  unsigned i = 0;
  for (const std::uint64_t post : {lock, std::uint64_t{0}})
    locks.notes[i++] = rt::is_awaited(post) ? &note_release(lock, post, time, place) : nullptr;
  return 2;
}

// Does one thread at a time what all others have asked for?
constexpr bool is_aggregator(unsigned kind) noexcept {
  return kind == TP_LOCK_CONCURRENT_PRIORITY_QUEUE || kind == TP_LOCK_FLOW_GRAPH_NODE ||
         kind == TP_LOCK_CONCURRENT_LRU_CACHE;
}

// The thread has the lock from here on. Those whose operations it does go on before it releases the lock: so that the rest
// of their wait is known to be its.
TP_COLD void note_whom_it_serves(LockState& locks, const HeldLock& held,
                                 std::uint64_t time) noexcept {
  if (is_aggregator(held.kind) && is_awaited(held.address, held.kind))
    note_for_waiters(locks, held.address, held.place, time);
}

// The lock is going to be released. 2: it is awaited, else 1.
TP_HOT int note_if_awaited(LockState& locks, std::uint64_t lock, std::uint8_t kind,
                           std::uint32_t place, std::uint64_t time) noexcept {
  return is_awaited(lock, kind) ? note_for_waiters(locks, lock, place, time) : 1;
}

TP_COLD void put_tries(ThreadState& thread, Frame& frame, LockState& locks,
                       const LockTries& tries) noexcept {
  if (tries.count == 0)
    return;
  know(thread, frame, locks, tries);
  put_payload(thread, frame, trace::ExtendedKind::LockTries,
              trace::LockTriesPayload{tries.work, tries.count, tries.place, tries.slot, 0});
}

// Index in `tried`; tried_count: the thread has not failed to acquire the lock.
unsigned find_tries(const LockState& locks, const void* lock) noexcept {
  for (unsigned i = locks.tried_count; i-- > 0;)
    if (locks.tried[i].address == reinterpret_cast<std::uint64_t>(lock))
      return i;
  return locks.tried_count;
}

// The thread is at that position, which is that of an attempt.
void pass_tries(LockState& locks, std::uint64_t at) noexcept {
  if (locks.tried_count != 0)
    locks.tried[locks.tried_count - 1].since += elapsed_since(locks.tried_at, at);
  locks.tried_at = at;
}

// What lies between the last attempt and this one, as far as it is not part of another lock's: so all of them
// together are no more than the step's work.
void add_retried(LockState& locks, unsigned index) noexcept {
  for (unsigned i = index; i < locks.tried_count; ++i)
    locks.tried[index].work += std::exchange(locks.tried[i].since, 0);
}

void remove_tries(LockState& locks, unsigned index) noexcept {
  if (index > 0)
    locks.tried[index - 1].since += locks.tried[index].since;
  std::copy(locks.tried + index + 1, locks.tried + locks.tried_count, locks.tried + index);
  --locks.tried_count;
}

LockTries& append_tries(LockState& locks, const LockTries& tries) noexcept {
  return locks.tried[locks.tried_count++] = tries;
}

// The thread acquires the lock, which it may have tried before.
TP_COLD void end_tries(ThreadState& thread, Frame& frame, LockState& locks,
                       const void* lock) noexcept {
  const unsigned index = find_tries(locks, lock);
  if (index == locks.tried_count)
    return;
  LockTries& tries = locks.tried[index];
  if (tries.last_may_have_succeeded) {
    --tries.count;
  } else {
    pass_tries(locks, position(thread, locks, read_clock(thread.clock)));
    if (tries.generation == generation_of_lock(tries.address))
      add_retried(locks, index);
  }
  put_tries(thread, frame, locks, tries);
  remove_tries(locks, index);
}

// The step ends: so do they.
TP_COLD void put_all_tries(ThreadState& thread, Frame& frame, LockState& locks) noexcept {
  for (unsigned i = 0; i < locks.tried_count; ++i)
    put_tries(thread, frame, locks, locks.tried[i]);
  locks.tried_count = 0;
}

// Attempts at that lock, which have failed at that place so far: the last of `tried`. The one that fails now is not
// among them.
LockTries& tries_at(ThreadState& thread, Frame& frame, LockState& locks,
                    const LockTries& fresh) noexcept {
  const unsigned index = find_tries(locks, reinterpret_cast<const void*>(fresh.address));
  if (index < locks.tried_count) {
    const bool is_same_lock = locks.tried[index].generation == fresh.generation;
    if (is_same_lock)
      add_retried(locks, index);
    const LockTries tries = locks.tried[index];
    remove_tries(locks, index);
    if (is_same_lock && tries.place == fresh.place)
      return append_tries(locks, tries);
    put_tries(thread, frame, locks, tries);
  } else if (locks.tried_count == LockState::kMostTried) {
    put_tries(thread, frame, locks, locks.tried[0]);
    remove_tries(locks, 0);
  }
  return append_tries(locks, fresh);
}

void begin_wait(ThreadState& thread, LockState& locks, bool is_busy_wait) noexcept {
  collect_all(locks.shorts);
  locks.is_busy_wait = is_busy_wait;
  locks.is_over = false;
  locks.taken_in_wait = 0;
  locks.wait_begin = read_clock(thread.clock);
  locks.wait_outside = 0;
  locks.wait_asleep = thread.clock.asleep;
  locks.wait_waited = thread.clock.waited;
}

// No other lock has taken the place of that one.
TP_HOT bool is_still_there(ShortSection& section) noexcept {
  const std::uint64_t now = all_lock_generations.load(std::memory_order_acquire);
  if (section.known_at == now) [[likely]]
    return true;
  if (generation_of_lock(section.address) != section.generation)
    return false;
  section.known_at = now;
  return true;
}

// True: the thread is in a section of the recursive lock that is not timed, and goes on with it.
bool continue_skipped(LockState& locks, const void* lock) noexcept {
  ShortSections& shorts = locks.shorts;
  if (tp_counted_lock& counted = shorts.counted_of(lock); counted.lock == lock && counted.left < 0)
    collect(shorts, counted); // from here on it ends by the hook
  ShortSections::Open* const open = shorts.open_of(reinterpret_cast<std::uint64_t>(lock));
  if (open != nullptr)
    ++open->more;
  return open != nullptr;
}

} // namespace

void sample_short_sections(bool on) noexcept {
  sampling.store(on, std::memory_order_relaxed);
}

void note_waits(bool on) noexcept {
  least_noted.store(on ? static_cast<std::uint64_t>(kNotedNs * clock_config.ticks_per_ns)
                       : UINT64_MAX,
                    std::memory_order_relaxed);
}

void begin_lock_wait(ThreadState& thread, Frame& frame, const void* lock) noexcept {
  LockState* const locks = locks_of(thread, frame);
  if (locks == nullptr || ++locks->waits > 1)
    return;
  begin_wait(thread, *locks, /*is_busy_wait=*/false);
  locks->wait_for = reinterpret_cast<std::uint64_t>(lock);
  locks->wait_since = post_lock_wait(locks->wait_for);
}

void begin_busy_wait(ThreadState& thread, Frame& frame) noexcept {
  LockState* const locks = locks_of(thread, frame);
  if (locks == nullptr || ++locks->waits > 1)
    return;
  begin_wait(thread, *locks, /*is_busy_wait=*/true);
  ++thread.clock.asleep; // so that the end of the step looks here
}

void end_lock_wait(ThreadState& thread, Frame& frame, bool failed) noexcept {
  LockState* const locks = thread.locks;
  if (locks == nullptr || locks->waits == 0)
    return;
  if (--locks->waits > 0)
    return;
  if (!locks->is_busy_wait)
    end_lock_post(locks->wait_for);
  if (locks->is_over || !frame.step_open)
    return;
  const bool is_sleep = locks->is_busy_wait || (failed && locks->taken_in_wait == 0);
  const bool was_off = was_off_cpu(thread.clock);
  Reading now = read_clock(thread.clock);
  // To find out whether it slept takes system calls after that reading: they are no work.
  if (was_off) [[unlikely]]
    now = read_clock(thread.clock);
  const std::uint64_t ticks = leave_wait_out(thread, frame, *locks, now, is_sleep);
  const StepPosition end = position_at(thread, now);
  note_wait(thread, frame, now, ticks);
  if (is_sleep)
    return;
  // What was outside of the wait came when it was over: the place of the acquisition was found for the first time.
  const std::uint64_t wait_from = now.time - locks->wait_outside - ticks;
  if (locks->taken_in_wait != 0) {
    HeldLock& held = locks->held[locks->taken_in_wait - 1];
    held.flags |= trace::kLockContended;
    held.use = 0;
    held.waited = ticks;
    find_blame(held.address, locks->wait_for, locks->wait_since, wait_from, wait_from + ticks,
               held.blame);
    if (!is_done(held))
      note_whom_it_serves(*locks, held, now.time);
    if (can_leave_out(thread, frame, *locks))
      leave_out(thread, frame, *locks, held.slot, end, read_clock(thread.clock));
  } else {
    locks->contended = true;
    locks->waited = ticks;
    locks->waited_from = wait_from;
    locks->waited_for = locks->wait_for;
    locks->wait_end = end;
    locks->wait_end_is_known = true;
    thread.extras |= kExtraLocks;
  }
}

void note_failed_try(ThreadState& thread, Frame& frame, const void* lock, const LockPlace& where,
                     bool may_succeed) noexcept {
  LockState* const locks = locks_of(thread, frame);
  if (locks == nullptr || locks->waits != 0) // part of the wait
    return;
  const Busy busy(thread);
  const std::uint64_t at = position(thread, *locks, read_clock(thread.clock));
  // Its next acquisition is not to be counted by its code.
  if (tp_counted_lock& counted = locks->shorts.counted_of(lock); counted.lock == lock)
    collect(locks->shorts, counted);
  pass_tries(*locks, at);
  LockTries fresh{};
  fresh.address = reinterpret_cast<std::uint64_t>(lock);
  fresh.generation = generation_of_lock(fresh.address);
  fresh.place = place_of(thread, frame, *locks, where);
  fresh.slot = locks->slots.slot_of(fresh.address);
  fresh.kind = static_cast<std::uint8_t>(where.kind);
  LockTries& tries = tries_at(thread, frame, *locks, fresh);
  ++tries.count;
  tries.last_may_have_succeeded = may_succeed;
  thread.extras |= kExtraLocks;
}

void forget_lock_wait(ThreadState& thread) noexcept {
  if (thread.locks == nullptr)
    return;
  thread.locks->contended = false;
  thread.locks->waited = 0;
}

void divide_busy_wait(ThreadState& thread, Frame& frame, const Reading& now) noexcept {
  LockState& locks = *thread.locks;
  if (locks.waits == 0 || !locks.is_busy_wait || locks.is_over)
    return;
  leave_wait_out(thread, frame, locks, now, /*is_sleep=*/true);
  locks.is_over = true;
}

bool skip_short_section(ThreadState& thread, const void* lock, unsigned mode, const void* code,
                        bool counts) noexcept {
  const Busy busy(thread);
  LockState& locks = *thread.locks;
  if (locks.tried_count != 0) [[unlikely]]
    end_tries(thread, *thread.frame.load(std::memory_order_relaxed), locks, lock);
  ShortSections& shorts = locks.shorts;
  tp_counted_lock& counted = shorts.counted_of(lock);
  if ((mode & TP_LOCK_RECURSIVE) != 0 && continue_skipped(locks, lock))
    return true;
  const bool is_held = counted.left < 0;
  if (counted.lock == lock && !is_held)
    collect(shorts, counted);
  if ((mode & TP_LOCK_RECURSIVE) != 0 && find_held(locks, lock) != locks.held_count)
    return false;
  const auto address = reinterpret_cast<std::uint64_t>(lock);
  ShortSection* known = &shorts.find(address, code);
  if (known->is_none())
    known = &shorts.rest_of(code);
  ShortSection& section = *known;
  section.is_of_few = false;
  shorts.of_few = 0;
  if (section.to_skip == 0 || section.mode != mode ||
      (!section.is_rest && !is_still_there(section)) || locks.contended || locks.waits != 0 ||
      shorts.open_count >= ShortSections::kMostOpen - TP_COUNTED_LOCKS)
    return false;
  if (!section.is_rest && shorts.is_one_of_few(section)) {
    section.is_of_few = true;
    shorts.of_few = address;
    return false;
  }
  if (!section.is_listed) [[unlikely]]
    list_skipped(thread, section);
  if (counts && !is_held && !section.is_rest && shorts.is_worth_counting(lock)) {
    collect(shorts, counted);
    let_count(shorts, counted, lock, section);
    return true;
  }
  --section.to_skip;
  ++section.skipped;
  shorts.open[shorts.open_count++] = {&section, address, 0};
  return true;
}

bool locks_may_count() noexcept {
#if TP_COUNTS_LOCKS
  tp_counting_at = 0;
  tp_counting_at = reinterpret_cast<char*>(&counting) - reinterpret_cast<char*>(tp_counting_here());
  return clock_config.same_as_time && sampling.load(std::memory_order_relaxed);
#else
  return false;
#endif
}

void sample_nodes() noexcept {
  std::fill(std::begin(node_locks), std::end(node_locks), tp_node_lock{});
  for (NodeEntry& entry : node_entries) {
    entry.is_used.store(false, std::memory_order_relaxed);
    entry.use = NodeUse{};
  }
  const bool samples = clock_config.same_as_time && sampling.load(std::memory_order_relaxed);
  __atomic_store_n(&tp_node_locks, samples ? node_locks : nullptr, __ATOMIC_RELAXED);
}

void count_by_code(LockState& locks) noexcept {
  counting.locks = locks.shorts.counted;
}

void forget_counted_locks() noexcept {
  counting = {no_counted_locks, nullptr};
}

const void* counting_code() noexcept {
  return counting.code;
}

void take_lock(ThreadState& thread, Frame& frame, const void* lock, unsigned mode,
               const LockPlace& where) noexcept {
  LockState* const locks = locks_of(thread, frame);
  if (locks == nullptr)
    return;
  const Busy busy(thread);
  if (locks->tried_count != 0) [[unlikely]]
    end_tries(thread, frame, *locks, lock);
  if ((mode & TP_LOCK_RECURSIVE) != 0)
    if (const unsigned i = find_held(*locks, lock); i < locks->held_count) {
      ++locks->held[i].state.more;
      return;
    }
  if (locks->held_count == kMostHeldLocks) [[unlikely]]
    forget_oldest(thread, frame, *locks);
  HeldLock& held = locks->held[locks->held_count];
  held.address = reinterpret_cast<std::uint64_t>(lock);
  held.code = where.counted_code();
  held.generation = generation_of_lock(held.address);
  held.place = place_of_lock(thread, frame, *locks, where, held);
  held.mode = static_cast<std::uint8_t>(mode);
  held.asked = static_cast<std::uint16_t>(asked_for(where.kind, mode));
  held.use = 0;
  held.slot = locks->slots.slot_of(held.address);
  locks->slots.fetch(held.slot);
  if (locks->samples_sections())
    locks->shorts.fetch(held.address, held.code);
  held.kind = static_cast<std::uint8_t>(where.kind);
  held.flags = static_cast<std::uint8_t>(mode & TP_LOCK_SHARED);
  if (!is_done(held)) // it is not a section like others
    held.use = remember_use(*locks, held, frame, where);
  if (locks->contended) {
    held.flags |= trace::kLockContended;
    held.use = 0;
  }
  held.state = {};
  held.blame.count = held.blame.releases = 0;
  StepPosition waited_until{};
  const bool leaves_out = locks->waited != 0 && where.kind != TP_LOCK_USER &&
                          where.kind != TP_LOCK_ITT && locks->wait_end_is_known &&
                          can_leave_out(thread, frame, *locks);
  if (leaves_out)
    waited_until = go_on_waiting(thread, frame, *locks);
  held.waited = locks->waited;
  if (locks->waited != 0) [[unlikely]]
    find_blame(held.address, locks->waited_for, locks->wait_since, locks->waited_from,
               locks->waited_from + locks->waited, held.blame);
  locks->contended = false;
  locks->waited = 0;
  ++locks->held_count;
  if (locks->waits != 0)
    locks->taken_in_wait = locks->held_count;
  thread.extras |= kExtraLocks;
  const Reading now = read_clock(thread.clock);
  if (leaves_out)
    leave_out(thread, frame, *locks, held.slot, waited_until, now);
  held.taken_at = position(thread, *locks, now);
}

int give_lock(ThreadState& thread, Frame& frame, const void* lock) noexcept {
  LockState* const locks = thread.locks;
  if (locks == nullptr)
    return 0;
  const auto address = reinterpret_cast<std::uint64_t>(lock);
  tp_counted_lock& counted = locks->shorts.counted_of(lock);
  const ShortSection* section = nullptr;
  if (counted.lock == lock && counted.left < 0) {
    counted.left = -counted.left - 1;
    section = static_cast<const ShortSection*>(counted.section);
  } else if (ShortSections::Open* const open = locks->shorts.open_of(address); open != nullptr) {
    if (open->more > 0) {
      --open->more;
      return 1;
    }
    section = open->section;
    const ShortSections::Open* const last = &locks->shorts.open[--locks->shorts.open_count];
    if (open != last) // rarely, and the copy would wait for what was stored there last
      *open = *last;
  }
  if (section != nullptr) {
    if (!is_awaited(address, section->kind)) [[likely]]
      return 1;
    const Reading now = read_clock(thread.clock);
    const StepPosition at = position_at(thread, now);
    const int given = note_if_awaited(*locks, address, section->kind, section->place, now.time);
    if (can_leave_out(thread, frame, *locks))
      // Of the lock by which the record of the section is known: for some there is no room.
      leave_out(thread, frame, *locks, locks->slots.slot_of(section->address), at,
                read_clock(thread.clock));
    return given;
  }
  return locks->held_count != 0 ? give_lock_at(thread, frame, lock, read_clock(thread.clock)) : 0;
}

int give_lock_at(ThreadState& thread, Frame& frame, const void* lock, Reading now) noexcept {
  LockState* const locks = thread.locks;
  const auto address = reinterpret_cast<std::uint64_t>(lock);
  const unsigned index = find_held(*locks, lock);
  if (index == locks->held_count)
    return 0;
  HeldLock& held = locks->held[index];
  if (held.state.more > 0) {
    --held.state.more;
    return 1;
  }
  if (!frame.step_open) [[unlikely]] {
    held.state.is_given = true;
    held.use = 0;
    thread.extras |= kExtraLocks;
    return note_if_awaited(*locks, address, held.kind, held.place, now.time);
  }
  const Busy busy(thread);
  const std::uint64_t at = thread.step_pause == Pause::Now ? 0 : position(thread, *locks, now);
  const StepPosition end = position_at(thread, now);
  const std::uint16_t slot = held.slot;
  const bool has_waited = held.waited != 0;
  if (held.state.is_written) [[unlikely]]
    put_give(thread, frame, *locks, held, at);
  else
    end_section(thread, frame, *locks, held, is_done(held) ? 0 : elapsed_since(held.taken_at, at));
  // As late as can be: who looks at the lock from here on finds it free.
  const int given = is_done(held)
                        ? 1 // by another thread
                        : note_if_awaited(*locks, address, held.kind, held.place, now.time);
  remove_held(*locks, index);
  if ((has_waited || given == 2) && can_leave_out(thread, frame, *locks)) [[unlikely]]
    leave_out(thread, frame, *locks, slot, end, read_clock(thread.clock));
  return given;
}

bool begin_release(ThreadState& thread, const Frame& frame, const void* lock) noexcept {
  const LockState* const locks = thread.locks;
  if (locks == nullptr || locks->released == 0 ||
      locks->released != reinterpret_cast<std::uint64_t>(lock) || thread.in_runtime_call)
    return false;
  begin_runtime_call(thread, frame);
  return true;
}

void end_release(ThreadState& thread, Frame& frame) noexcept {
  LockState* const locks = thread.locks;
  const std::uint64_t released = std::exchange(locks->released, 0);
  if (!thread.in_runtime_call || !frame.step_open)
    return end_runtime_call(thread, frame);
  const Busy busy(thread);
  const std::uint64_t begun = thread.step_time;
  end_runtime_call(thread, frame);
  const std::uint64_t ticks = elapsed_since(begun, thread.step_time);
  const StepPosition end = position_at(thread, read_clock(thread.clock));
  const bool wakes = static_cast<double>(ticks) > kShortestWakeNs * clock_config.ticks_per_ns;
  const std::uint16_t slot = locks->slots.slot_of(released);
  if (!locks->slots.is_of(slot, released))
    return;
  locks->called_slot = slot;
  thread.extras |= kExtraLocks;
  if (!wakes) {
    locks->call_ticks += ticks;
    return;
  }
  for (LockNote* const note : locks->notes)
    if (note != nullptr && note->lock.load(std::memory_order_relaxed) == released)
      note->woke.store(1, std::memory_order_relaxed);
  put_call(thread, frame, slot, ticks, trace::kLockCallWakes);
  if (can_leave_out(thread, frame, *locks))
    leave_out(thread, frame, *locks, slot, end, read_clock(thread.clock));
}

void sleep_in_sections(ThreadState& thread, std::uint64_t time) noexcept {
  if (thread.locks == nullptr || time == 0 || thread.outside_of_step != 0)
    return;
  LockState& locks = *thread.locks;
  const Frame& frame = *thread.frame.load(std::memory_order_relaxed);
  if (!frame.step_open)
    return;
  const Busy busy(thread);
  collect_all(locks.shorts);
  if (locks.shorts.open_count != 0)
    time_open_sections(locks, position(thread, locks, read_clock(thread.clock)));
  for (unsigned i = 0; i < locks.held_count; ++i) {
    HeldLock& held = locks.held[i];
    if (held.state.is_given)
      continue;
    held.slept = (held.state.has_slept != 0 ? held.slept : 0) + time;
    held.state.has_slept = true;
    held.use = 0;
    thread.extras |= kExtraLocks;
  }
}

void put_held_locks(ThreadState& thread) noexcept {
  LockState& locks = *thread.locks;
  Frame& frame = *thread.frame.load(std::memory_order_relaxed);
  const Busy busy(thread);
  collect_all(locks.shorts);
  time_open_sections(locks, INT64_MAX); // the reader cuts it at the end of the step
  for (unsigned i = 0; i < locks.held_count;) {
    HeldLock& held = locks.held[i];
    if (!held.state.is_written) {
      put_take(thread, frame, locks, held);
      held.state.is_written = true;
      held.state.has_slept = false;
      held.use = 0;
    }
    if (held.state.is_given) {
      put_give(thread, frame, locks, held, 0);
      remove_held(locks, i);
    } else {
      held.state.has_slept = false;
      ++i;
    }
  }
  put_skipped(thread, frame, locks);
  ++locks.shorts.step;
  put_all_tries(thread, frame, locks);
  put_other_calls(thread, frame, locks);
  locks.wait_end_is_known = false;
}

} // namespace tp::rt
