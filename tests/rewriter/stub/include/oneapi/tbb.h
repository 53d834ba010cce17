// A stand-in for Taskpath's oneTBB headers: the same namespaces and signatures, everything runs serially.
// With TP_STUB_STOCK no function takes a site, as in the distribution's headers.
#pragma once
#include <algorithm>
#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#include <vector>
#include <tp/site.h>

#ifdef TP_STUB_STOCK
#define TP_SITE
#else
#define TP_SITE , ::tp::site site = ::tp::site(::tp::site::here(), "here")
#endif

// The address of a construct; never called.
#ifdef TP_STUB_STOCK
#define TP_ADDRESS_OF(FUNCTION, ENTRY_POINT)
#else
#define TP_ADDRESS_OF(FUNCTION, ENTRY_POINT)                     \
  template <typename... Explicit, typename Result, typename... Args> \
  Result FUNCTION(Args... args) { return ENTRY_POINT(std::forward<Args>(args)..., ::tp::site(::tp::site::here(), nullptr)); }
#endif

namespace tbb { namespace detail { namespace d1 {

struct auto_partitioner {};
struct simple_partitioner {};
template <typename T>
struct blocked_range {
  blocked_range(T begin, T end) : begin_(begin), end_(end) {}
  T begin() const { return begin_; }
  T end() const { return end_; }
  T begin_, end_;
};

#ifndef TP_STUB_STOCK
inline const void*& last_site() { static const void* record; return record; }
#define TP_SEEN last_site() = site.record
#else
#define TP_SEEN (void)0
#endif

template <typename Range, typename Body>
void parallel_for(const Range& range, const Body& body TP_SITE) { TP_SEEN; body(range); }
template <typename Range, typename Body>
void parallel_for(const Range& range, const Body& body, const simple_partitioner& TP_SITE) { TP_SEEN; body(range); }
template <typename Index, typename Function>
void parallel_for(Index first, Index last, const Function& f TP_SITE) { TP_SEEN; for (; first < last; ++first) f(first); }
template <typename Index, typename Function>
void parallel_for(Index first, Index last, Index step, const Function& f TP_SITE) { TP_SEEN; for (; first < last; first += step) f(first); }

template <typename Range, typename Body>
void parallel_reduce(const Range& range, Body& body TP_SITE) { TP_SEEN; body(range); }
template <typename Range, typename Value, typename Body, typename Join>
Value parallel_reduce(const Range& range, const Value& identity, const Body& body, const Join& TP_SITE) { TP_SEEN; return body(range, identity); }
template <typename Range, typename Value, typename Body, typename Join>
Value parallel_deterministic_reduce(const Range& range, const Value& identity, const Body& body, const Join& TP_SITE) { TP_SEEN; return body(range, identity); }

template <typename Iterator>
void parallel_sort(Iterator begin, Iterator end TP_SITE) { TP_SEEN; std::sort(begin, end); }
template <typename Iterator, typename Compare>
void parallel_sort(Iterator begin, Iterator end, const Compare& compare TP_SITE) { TP_SEEN; std::sort(begin, end, compare); }
template <typename Range>
void parallel_sort(Range&& range TP_SITE) { TP_SEEN; std::sort(std::begin(range), std::end(range)); }

#ifdef TP_STUB_STOCK
template <typename... Fs>
void parallel_invoke(Fs&&... fs) { int all[] = {(fs(), 0)...}; (void)all; }
#else
// A default argument cannot follow a pack; and a leading site must not be taken for a function.
template <typename F>
using function_only = typename std::enable_if<!std::is_same<typename std::decay<F>::type, ::tp::site>::value, int>::type;
template <typename F1, typename F2, function_only<F1> = 0>
void parallel_invoke(F1&& f1, F2&& f2 TP_SITE) { TP_SEEN; f1(); f2(); }
template <typename F1, typename F2, typename F3, function_only<F1> = 0>
void parallel_invoke(F1&& f1, F2&& f2, F3&& f3 TP_SITE) { TP_SEEN; f1(); f2(); f3(); }
template <typename... Fs>
void parallel_invoke(Fs&&... fs) { int all[] = {(fs(), 0)...}; (void)all; }
template <typename... Fs>
void parallel_invoke(::tp::site site, Fs&&... fs) { TP_SEEN; int all[] = {(fs(), 0)...}; (void)all; }
#endif

template <typename Item>
class feeder {
public:
  explicit feeder(std::vector<Item>& items) : items_(items) {}
  void add(const Item& item TP_SITE) { TP_SEEN; items_.push_back(item); }
  void add(Item&& item TP_SITE) { TP_SEEN; items_.push_back(std::move(item)); }
  TP_ADDRESS_OF(add, add)

private:
  std::vector<Item>& items_;
};
template <typename Iterator, typename Body>
void parallel_for_each(Iterator first, Iterator last, const Body& body TP_SITE) {
  TP_SEEN;
  using Item = typename std::iterator_traits<Iterator>::value_type;
  std::vector<Item> items(first, last);
  feeder<Item> more(items);
  for (std::size_t i = 0; i < items.size(); ++i) { const Item item = items[i]; body(item, more); }
}

enum task_group_status { not_complete, complete, canceled };
class task_group {
public:
  template <typename F>
  void run(F&& f TP_SITE) { TP_SEEN; f(); }
  template <typename F>
  task_group_status run_and_wait(const F& f TP_SITE) { TP_SEEN; f(); return complete; }
  TP_ADDRESS_OF(run, run)
  TP_ADDRESS_OF(run_and_wait, run_and_wait)
  task_group_status wait() { return complete; }
};
class isolated_task_group : public task_group {
public:
  template <typename F>
  void run(F&& f) { f(); }
  template <typename F>
  task_group_status run_and_wait(const F& f) { f(); return complete; }
};

struct graph {};
struct queueing {};
struct lightweight {};
struct continue_msg {};
using node_priority_t = unsigned;
constexpr node_priority_t no_priority = 0;
enum concurrency { unlimited = 0, serial = 1 };
template <typename Input, typename Output = continue_msg, typename Policy = queueing>
class function_node {
public:
  template <typename Body>
  function_node(graph&, std::size_t, Body, Policy = Policy(), node_priority_t = no_priority TP_SITE) { TP_SEEN; }
  template <typename Body>
  function_node(graph&, std::size_t, Body, node_priority_t TP_SITE) { TP_SEEN; }
};
template <typename Output, typename Policy = queueing>
class continue_node {
public:
  template <typename Body>
  continue_node(graph&, Body, Policy = Policy(), node_priority_t = no_priority TP_SITE) { TP_SEEN; }
  template <typename Body>
  continue_node(graph&, int, Body, Policy = Policy(), node_priority_t = no_priority TP_SITE) { TP_SEEN; }
};

}}  // namespace detail::d1
namespace flow {
using detail::d1::continue_msg;
using detail::d1::continue_node;
using detail::d1::function_node;
using detail::d1::graph;
using detail::d1::lightweight;
using detail::d1::serial;
using detail::d1::unlimited;
}
inline namespace v1 {
using detail::d1::auto_partitioner;
using detail::d1::blocked_range;
using detail::d1::feeder;
using detail::d1::isolated_task_group;
using detail::d1::parallel_deterministic_reduce;
TP_ADDRESS_OF(parallel_deterministic_reduce, detail::d1::parallel_deterministic_reduce)
using detail::d1::parallel_for;
TP_ADDRESS_OF(parallel_for, detail::d1::parallel_for)
using detail::d1::parallel_for_each;
TP_ADDRESS_OF(parallel_for_each, detail::d1::parallel_for_each)
using detail::d1::parallel_invoke;
using detail::d1::parallel_reduce;
TP_ADDRESS_OF(parallel_reduce, detail::d1::parallel_reduce)
using detail::d1::parallel_sort;
TP_ADDRESS_OF(parallel_sort, detail::d1::parallel_sort)
using detail::d1::simple_partitioner;
using detail::d1::task_group;
#ifndef TP_STUB_STOCK
using detail::d1::last_site;
#endif
}
}
namespace oneapi { namespace tbb = ::tbb; }
