/* SPDX-License-Identifier: Apache-2.0 */
// What the patched flow_graph.h needs, in addition to tp/oneapi_hooks.h. C++11.
//
// The edges that a node's body depends on move with the message: they are released where the
// message is sent, stored under its address, passed on where it is copied or stored, and acquired
// by the task that runs the body. So it does not matter which thread moves messages on behalf of
// others.
//
// "Place" below is the address of a message, or of another object that has edges. take_place and
// the functions after it use the word as tp/hooks.h does: the places of a node are the messages
// that it accepts at a time.
#ifndef TP_FLOW_GRAPH_HOOKS_H
#define TP_FLOW_GRAPH_HOOKS_H

#include "tp/lock_hooks.h"
#include "tp/oneapi_hooks.h"

#include <cerrno>

extern "C" {
__attribute__((weak)) void tp_on_start_after(const void* key) noexcept;
__attribute__((weak)) int tp_has_edges(const void* key) noexcept;
__attribute__((weak)) void tp_pass_edges(const void* from, const void* to) noexcept;
__attribute__((weak)) void tp_copy_edges(const void* from, const void* to) noexcept;
__attribute__((weak)) void tp_on_message_done(const void* to, const void* node) noexcept;
__attribute__((weak)) void tp_give_place(const void* from, const void* node,
                                         std::uint64_t places) noexcept;
__attribute__((weak)) void tp_take_place(const void* node, std::uint64_t places,
                                         const void* to) noexcept;
__attribute__((weak)) void tp_forget_places(const void* node) noexcept;
__attribute__((weak)) void tp_on_send(const void* message) noexcept;
__attribute__((weak)) void tp_pass_message(const void* from, const void* to) noexcept;
__attribute__((weak)) void tp_on_admit(const void* limiter, std::uint64_t slots,
                                       const void* message) noexcept;
__attribute__((weak)) void tp_on_rejected(const void* limiter, const void* message) noexcept;
__attribute__((weak)) void tp_on_left(const void* from, const void* limiter,
                                      std::uint64_t count) noexcept;
__attribute__((weak)) void tp_forget_limiter(const void* limiter) noexcept;
__attribute__((weak)) void tp_offer_message(const void* message, const void* source) noexcept;
__attribute__((weak)) void tp_on_next_call(const void* source) noexcept;
__attribute__((weak)) void tp_begin_pull(const void* message) noexcept;
__attribute__((weak)) void tp_end_pull(const void* message) noexcept;
__attribute__((weak)) void tp_on_got_message(const void* message) noexcept;
__attribute__((weak)) void tp_copy_name(const void* from, const void* to) noexcept;
}

namespace tp {

inline bool has_edges(const void* place) noexcept {
  return tp_has_edges != nullptr && tp_has_edges(place);
}
inline void pass_edges(const void* from, const void* to) noexcept {
  if (tp_pass_edges != nullptr && from != to)
    tp_pass_edges(from, to);
}
// The task at `to` will run the body for the message at `from`.
inline void pass_message(const void* from, const void* to) noexcept {
  if (tp_pass_message != nullptr)
    tp_pass_message(from, to);
}
inline void copy_edges(const void* from, const void* to) noexcept {
  if (tp_copy_edges != nullptr && from != to)
    tp_copy_edges(from, to);
}
// The current task depends on the edges at `key`, if any, and on nothing else.
inline void start_after(const void* key) noexcept {
  if (tp_on_start_after != nullptr)
    tp_on_start_after(key);
}

// A place for edges, its own address by default. The edges are forgotten at the end of the scope.
class carrier {
public:
  carrier() noexcept : place_(this) {}
  explicit carrier(const void* place) noexcept : place_(place) {}
  ~carrier() { forget_edges(place_); }
  void pass_to(const void* to) const noexcept { pass_edges(place_, to); }
  carrier(const carrier&) = delete;
  carrier& operator=(const carrier&) = delete;

private:
  const void* place_;
};
// At the end of the scope, also after an exception, the current task continues after all edges that
// were released to the place.
class acquired_at_end {
public:
  explicit acquired_at_end(const void* place) noexcept : place_(place) {}
  ~acquired_at_end() { acquire_from(place_); }
  acquired_at_end(const acquired_at_end&) = delete;
  acquired_at_end& operator=(const acquired_at_end&) = delete;

private:
  const void* place_;
};
// An address that no other thread uses, for edges that are passed into a call whose parameters are
// fixed.
inline const void* thread_place() noexcept {
  return &errno;
}

// If a message has no edges at the beginning of the scope, those that it gets are forgotten at the
// end. With a null place, does nothing.
class new_message {
public:
  explicit new_message(const void* place) noexcept
      : place_(place != nullptr && !has_edges(place) ? place : nullptr) {}
  ~new_message() {
    if (place_ != nullptr)
      forget_edges(place_);
  }
  new_message(const new_message&) = delete;
  new_message& operator=(const new_message&) = delete;

protected:
  const void* place_;
};
// The current task puts a message to a node. If the message already has edges, it is passed on for
// another task, and this does nothing.
class sent_message : public new_message {
public:
  explicit sent_message(const void* place) noexcept : new_message(place) {
    if (place_ != nullptr && tp_on_send != nullptr)
      tp_on_send(place_);
  }
};
// A message with edges is put to several nodes, to each with all of the edges. The message has them
// again at the end of the scope. With a null place, does nothing.
class repeated_message {
public:
  explicit repeated_message(const void* place) noexcept
      : place_(place != nullptr && has_edges(place) ? place : nullptr) {
    if (place_ != nullptr)
      pass_edges(place_, this);
  }
  // Call before the message is put, with the place that it is put from.
  void before_put(const void* place) const noexcept {
    if (place_ == nullptr)
      return;
    forget_edges(place);
    copy_edges(this, place);
  }
  void after_put(const void* place) const noexcept {
    if (place_ != nullptr)
      forget_edges(place);
  }
  ~repeated_message() {
    if (place_ == nullptr)
      return;
    forget_edges(place_);
    pass_edges(this, place_);
  }
  repeated_message(const repeated_message&) = delete;
  repeated_message& operator=(const repeated_message&) = delete;

private:
  const void* place_;
};

// A node requests a message, which is written to `place`. Covers the request.
class pulled_message {
public:
  explicit pulled_message(const void* place) noexcept : place_(place) {
    if (tp_begin_pull != nullptr)
      tp_begin_pull(place_);
  }
  ~pulled_message() {
    if (tp_end_pull != nullptr)
      tp_end_pull(place_);
  }
  pulled_message(const pulled_message&) = delete;
  pulled_message& operator=(const pulled_message&) = delete;

private:
  const void* place_;
};
// A requested message has arrived. If a task requested it, that is the current task, which
// continues after the message's edges.
inline void got_message(const void* place) noexcept {
  if (tp_on_got_message != nullptr)
    tp_on_got_message(place);
}

// Nodes with limited concurrency have a number of places; see the hooks of these names.
inline void message_done(const void* to, const void* node) noexcept {
  if (tp_on_message_done != nullptr)
    tp_on_message_done(to, node);
}
inline void give_place(const void* from, const void* node, std::uint64_t places) noexcept {
  if (tp_give_place != nullptr)
    tp_give_place(from, node, places);
}
inline void take_place(const void* node, std::uint64_t places, const void* to) noexcept {
  if (tp_take_place != nullptr)
    tp_take_place(node, places, to);
}
inline void forget_places(const void* node) noexcept {
  if (tp_forget_places != nullptr)
    tp_forget_places(node);
}

// limiter_node; see the hooks of these names.
inline void admit(const void* limiter, std::uint64_t slots, const void* message) noexcept {
  if (tp_on_admit != nullptr)
    tp_on_admit(limiter, slots, message);
}
inline void rejected(const void* limiter, const void* message) noexcept {
  if (tp_on_rejected != nullptr)
    tp_on_rejected(limiter, message);
}
inline void left(const void* from, const void* limiter, std::uint64_t count) noexcept {
  if (tp_on_left != nullptr)
    tp_on_left(from, limiter, count);
}
inline void forget_limiter(const void* limiter) noexcept {
  if (tp_forget_limiter != nullptr)
    tp_forget_limiter(limiter);
}

// input_node; see the hooks of these names.
inline void offer(const void* message, const void* source) noexcept {
  if (tp_offer_message != nullptr)
    tp_offer_message(message, source);
}
inline void offer_over() noexcept {
  offer(nullptr, nullptr);
}
inline void next_call(const void* source) noexcept {
  if (tp_on_next_call != nullptr)
    tp_on_next_call(source);
}

// The spawn site of a node's tasks is the place where the node was constructed.
inline void name_node(const void* node, const site& place) noexcept {
  if (tp_name_object != nullptr && place.record != nullptr)
    tp_name_object(node, place.record);
}
inline void copy_name(const void* from, const void* to) noexcept {
  if (tp_copy_name != nullptr)
    tp_copy_name(from, to);
}
// Of a base class whose derived class names the node.
inline site no_site() noexcept {
  return site(site::here(), nullptr);
}
// The place of the locks in a node is that, too, wherever they are acquired. `what`: its class.
template <typename Node>
void name_node_locks(const Node* node, const char* what, const site& place) noexcept {
  if (tp_name_node_locks != nullptr && place.record != nullptr)
    tp_name_node_locks(node, sizeof(Node), what, place.record);
}
inline void forget_node(const void* node) noexcept {
  forget_places(node);
  if (tp_name_object != nullptr)
    tp_name_object(node, nullptr);
}

} // namespace tp

#endif
