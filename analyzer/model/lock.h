// SPDX-License-Identifier: Apache-2.0
// Locks: what the program's critical sections add up to, per lock and per place in the source.
//
// A lock *object* is one object in memory; a *lock* of the report is all objects that are taken at the
// same places: one declaration, as a rule. Figures of places and locks are sums over objects; bounds
// are always those of one object.
#pragma once

#include "base/ids.h"
#include "base/wide.h"
#include "model/ratio.h"
#include "model/site.h"
#include "model/what_if.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace tp::analysis {

// What a recording says of a lock object.
struct LockObjectInfo {
  std::uint64_t address = 0;
  std::uint32_t generation = 0; // of objects at this address
  std::uint8_t kind = 0;        // trace::LockKind
  bool may_be_reused = false;   // the address may have been that of several objects
  bool is_rest = false;         // no object: locks that the recording does not keep apart
  bool is_semaphore = false;    // not a lock: its sections exclude no others, and have no work
};

struct LockTotals {
  std::uint64_t acquisitions = 0;
  std::uint64_t contended = 0; // of them: the first attempt failed
  std::uint64_t shared = 0;    // of them: by readers
  std::uint64_t held = 0;      // sum of the sections' own spans, in the unit of work
  std::uint64_t waited = 0;    // ticks, from the first failed attempt to the acquisition
  std::uint64_t longest_held = 0, longest_waited = 0;
  // Of a place: ticks that others waited while a lock that was acquired here was held; over all places
  // of a lock that is `waited`, less the waits of which it is not known who held it.
  std::uint64_t wait_blame = 0;
  // Attempts that failed, by calls that do not wait (try_lock), and the work from each of them to the thread's next
  // attempt in the same step: whether that was waiting is not known.
  std::uint64_t failed_tries = 0, retried = 0;
  // `held` is an estimate from a sample of the sections, with this standard error at most.
  bool is_sampled = false;
  std::uint64_t held_error = 0;
  // Of the acquisitions: of locks that the recording does not keep apart; and what `held` has of them.
  std::uint64_t not_apart = 0, held_not_apart = 0;

  void add(const LockTotals& other) {
    acquisitions += other.acquisitions;
    contended += other.contended;
    shared += other.shared;
    held += other.held;
    waited += other.waited;
    wait_blame += other.wait_blame;
    failed_tries += other.failed_tries;
    retried += other.retried;
    longest_held = std::max(longest_held, other.longest_held);
    longest_waited = std::max(longest_waited, other.longest_waited);
    is_sampled |= other.is_sampled;
    held_error += other.held_error;
    not_apart += other.not_apart;
    held_not_apart += other.held_not_apart;
  }
};

// What a bound may be relied on for.
enum class LockBoundKind : std::uint8_t {
  Proven,
  IfOneObject, // if what was at the address of the lock was one object throughout
  Estimate,    // times of sections were sampled
  // If tasks take the same lock on other threads: one of several at its places, or of an array, and tasks of one thread only did.
  IfSameLock
};
// In JSON: stable.
inline constexpr const char* kLockBoundNames[] = {"proven", "if_one_object", "estimate",
                                                  "if_same_lock"};

// THE LAW OF LOCKS for one object: its exclusive sections run one after the other, and its longest
// shared one next to none of them. Before the first of them comes at least `before`, after the last
// at least `after`.
struct LockBound {
  std::uint64_t sections = 0; // H
  std::uint64_t before = 0, after = 0;
  std::uint64_t length() const { return before + sections + after; }
};

struct LockPlaceRow {
  SiteInfo info;
  std::vector<std::string> kinds;
  LockTotals totals;
};

// If a lock were different: its sections `factor` times as short; as many locks in its place, taken
// equally often; all sections shared; none.
enum class LockChange : std::uint8_t { Shorter, Split, Shared, Gone };
// In JSON: stable.
inline constexpr const char* kLockChangeNames[] = {"shorter", "split", "shared", "gone"};
struct LockWhatIf {
  LockChange change = LockChange::Shorter;
  std::uint64_t factor = 1;
  Ratio parallelism; // no schedule is better; Shorter: both sides times the factor
  std::vector<PredictedTime> predicted = {}; // by simulation (profile/lock_predictions.h)
};

// A lock that code of oneTBB's headers acquires in tasks of oneTBB's own: the program can change neither it nor what is
// done while it is held.
struct LibraryLock {
  std::string what; // "the successors of a flow graph's nodes that send Image"; empty: it is none
  bool is_of_nodes = false;  // of a flow graph
  bool holds_copies = false; // it is held while messages are copied

  bool is_known() const { return !what.empty(); }
};

struct LockRow {
  std::string name; // of the variable, else kind and place
  std::string kind;
  std::string node;                 // the class of a flow graph's node that it is in; else empty
  std::string variable;             // empty: not known
  LibraryLock library;              // if it is one of oneTBB's own
  std::vector<LockPlaceRow> places; // those where it is held longest first
  LockTotals totals;                // over all places
  std::uint64_t no_holder = 0;      // of totals.waited: it is not known who held the lock
  std::uint64_t objects = 0;
  std::uint64_t unmatched = 0; // sections whose end was not seen, which count as nothing
  // The object with the greatest bound; one of which that is IfSameLock only if all are.
  LockObjectInfo heaviest;
  LockBound bound; // of that object
  // Of the object where it is greatest, if sleep inside of sections counts as well: the bound, the part of it that is the
  // sections, and what of these is sleep.
  std::uint64_t with_latency = 0, sections_with_latency = 0, asleep = 0;
  // In sections of that object tasks are waited for: of these the bound has the longest paths, and threads that wait for
  // the lock run none of them.
  bool awaits_tasks = false;
  LockBoundKind bound_kind = LockBoundKind::Proven;
  std::uint64_t bound_error = 0;      // Estimate: standard error of the bound at most
  std::vector<LockWhatIf> what_if;    // only if it matters
  std::vector<LockPlaceId> place_ids; // in the order of ids
  std::vector<LockObjectId> object_ids;

  // Its sections are what one thread at a time does for all that have asked for it.
  bool is_of_operations() const {
    return kind == "concurrent_priority_queue" || is_of_node() || kind == "concurrent_lru_cache";
  }
  bool is_of_node() const { return kind == "flow_graph_node"; }
  bool is_of_schedule() const { return bound_kind == LockBoundKind::IfSameLock; }
  // A twentieth of what that object's sections add up to, or more.
  bool sleeps() const { return asleep > 0 && Wide{asleep} * 20 >= sections_with_latency; }

  // "spin_mutex q (q.cpp:17)", "queue_node orders (graph.cpp:8)"
  std::string phrase() const {
    const std::string& place = places.front().info.name;
    if (library.is_known())
      return name;
    return variable.empty() && name.ends_with(" at " + place)
               ? name
               : noun() + " " + name + " (" + place + ")";
  }
  // What a programmer calls it.
  const std::string& noun() const { return node.empty() ? kind : node; }
  // Null: it was not asked about.
  const LockWhatIf* what_if_of(LockChange change, std::uint64_t factor) const {
    for (const LockWhatIf& each : what_if)
      if (each.change == change && each.factor == factor)
        return &each;
    return nullptr;
  }
};

// An object with exclusive sections.
struct LockObjectUse {
  LockObjectId id{};
  std::uint8_t kind = 0;          // trace::LockKind
  std::uint64_t held = 0;         // by readers, too
  std::uint64_t acquisitions = 0; // recorded one by one
  std::size_t lock = 0;           // index into Locks::rows
};

// A place in the user's code that takes a lock of oneTBB's headers in a way that cannot be observed.
struct UnseenLock {
  std::string kind;       // "spin_mutex", ..., or kHashMapLock
  std::string file;       // empty: the place is not known
  std::uint32_t line = 0; // whether it was executed is not known
  std::string place;      // to display
  friend bool operator==(const UnseenLock&, const UnseenLock&) = default;
};
inline constexpr const char* kHashMapLock = "accessor of a concurrent_hash_map";

// Of the modules that call oneTBB and were not compiled with Taskpath's headers.
struct UnseenLocks {
  bool headers_observed = true;  // there is no such module
  std::vector<UnseenLock> locks; // by file and line; as far as debug information and symbols show
  // Of all modules but the system's: they refer to the hooks of locks, to those of the C library.
  bool refers_to_hooks = false, refers_to_c_locks = false;
  std::vector<std::string> past; // files of modules that called those past tp-run's
  bool are_any() const { return !locks.empty() || !past.empty(); }
};

// Waits that are charged to code of tasks of a site: ticks.
struct SiteWaitBlame {
  Row row{};
  std::uint64_t ticks = 0;
};

struct Locks {
  bool observed = false;   // by this recording
  bool c_observed = false; // those of the C library as well
  bool c_left_out =
      false; // not those, since the program's own malloc, operator new or unwinder may acquire them
  UnseenLocks unseen;        // of oneTBB's headers
  std::vector<LockRow> rows; // those that are held longest first
  std::uint64_t objects = 0;
  // Those that are held longest first; none that is held for less than a ten-thousandth of the span, and none of those
  // of the schedule.
  std::vector<LockObjectUse> exclusive;
  // Objects whose bounds are IfSameLock, in order: which one of several a task takes may be the schedule's, so that no
  // bound of the program, no prediction and no what-if has them.
  std::vector<LockObjectId> of_schedule;
  std::uint64_t greatest_of_schedule = 0; // of their bounds, with sleep
  // The greatest bound of one lock that is proven, and of all others: in work, and with sleep.
  std::uint64_t proven = 0, proven_with_latency = 0;
  std::uint64_t greatest = 0, greatest_with_latency = 0;
  std::uint64_t greatest_sections_with_latency = 0; // the same of H alone
  // Objects of which what comes before and after their sections is in the bounds: the heaviest ones.
  std::vector<LockObjectId> ends_of;
  std::vector<SiteWaitBlame> blame_of_sites; // the sum is that of the rows
  std::uint64_t past_semaphores = 0; // work of the tasks' steps in which semaphores were passed
  bool ends_known = true; // else what comes before and after their sections is in no bound
};

} // namespace tp::analysis
