// A stub of Taskpath's oneTBB headers: same namespaces and signatures, but everything runs
// serially.
// With TP_STUB_STOCK no function has a site parameter, as in the distribution's headers.
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <tuple>
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

// A parameter with the place of the call: a parameter with a default argument cannot follow a pack.
#ifndef TP_STUB_STOCK
namespace tp {
template <typename T>
struct located {
  template <typename From, typename = typename std::enable_if<!std::is_same<typename std::decay<From>::type, located>::value>::type>
  located(From&& from TP_SITE) : value(std::forward<From>(from)), place(site) {}
  T value;
  ::tp::site place;
};
}
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

struct final_scan_tag { operator bool() const { return true; } };
template <typename Range, typename Body>
void parallel_scan(const Range& range, Body& body TP_SITE) { TP_SEEN; body(range, final_scan_tag()); }
template <typename Range, typename Body>
void parallel_scan(const Range& range, Body& body, const simple_partitioner& TP_SITE) { TP_SEEN; body(range, final_scan_tag()); }
template <typename Range, typename Body>
void parallel_scan(const Range& range, Body& body, const auto_partitioner& TP_SITE) { TP_SEEN; body(range, final_scan_tag()); }
template <typename Range, typename Value, typename Scan, typename Join>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan, const Join& TP_SITE) { TP_SEEN; return scan(range, identity, true); }
template <typename Range, typename Value, typename Scan, typename Join>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan, const Join&, const simple_partitioner& TP_SITE) { TP_SEEN; return scan(range, identity, true); }
template <typename Range, typename Value, typename Scan, typename Join>
Value parallel_scan(const Range& range, const Value& identity, const Scan& scan, const Join&, const auto_partitioner& TP_SITE) { TP_SEEN; return scan(range, identity, true); }

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
// A default argument cannot follow a pack, and a leading site must not match as a function.
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

class task_group_context {};

// Filters are not called.
struct flow_control {};
enum class filter_mode { parallel, serial_in_order, serial_out_of_order };
template <typename Input, typename Output>
class filter {};
template <typename Input, typename Output, typename Body>
filter<Input, Output> make_filter(filter_mode, const Body&) { return {}; }
template <typename T, typename V, typename U>
filter<T, U> operator&(const filter<T, V>&, const filter<V, U>&) { return {}; }
inline void parallel_pipeline(std::size_t, const filter<void, void>&, task_group_context& TP_SITE) { TP_SEEN; }
inline void parallel_pipeline(std::size_t, const filter<void, void>& TP_SITE) { TP_SEEN; }

class collaborative_once_flag {
public:
  bool done = false;
};
#ifdef TP_STUB_STOCK
template <typename F1, typename F2, typename... More>
void parallel_pipeline(std::size_t, const F1&, const F2&, More&&...) {}
template <typename F, typename... Args>
void collaborative_call_once(collaborative_once_flag& flag, F&& f, Args&&... args) { if (!flag.done) f(std::forward<Args>(args)...); flag.done = true; }
#else
template <typename F1, typename F2, typename... More>
void parallel_pipeline(::tp::located<std::size_t> tokens, const F1&, const F2&, More&&...) { last_site() = tokens.place.record; }
template <typename F, typename... Args>
void collaborative_call_once(::tp::located<collaborative_once_flag&> flag, F&& f, Args&&... args) { last_site() = flag.place.record; if (!flag.value.done) f(std::forward<Args>(args)...); flag.value.done = true; }
#endif

class task_handle {
public:
  task_handle() = default;
  explicit task_handle(std::function<void()> f) : f_(std::move(f)) {}
  task_handle(task_handle&&) = default;
  void operator()() const { f_(); }

private:
  std::function<void()> f_;
};

enum task_group_status { not_complete, complete, canceled };
class task_group {
public:
  template <typename F>
  void run(F&& f TP_SITE) { TP_SEEN; f(); }
  void run(task_handle&& handle TP_SITE) { TP_SEEN; handle(); }
  template <typename F>
  task_handle defer(F&& f) { return task_handle(std::forward<F>(f)); }
  template <typename F>
  task_group_status run_and_wait(const F& f TP_SITE) { TP_SEEN; f(); return complete; }
  task_group_status run_and_wait(task_handle&& handle TP_SITE) { TP_SEEN; handle(); return complete; }
  TP_ADDRESS_OF(run, run)
  TP_ADDRESS_OF(run_and_wait, run_and_wait)
  task_group_status wait() { return complete; }
};
class isolated_task_group : public task_group {
public:
  template <typename F>
  void run(F&& f TP_SITE) { TP_SEEN; f(); }
  void run(task_handle&& handle TP_SITE) { TP_SEEN; handle(); }
  template <typename F>
  task_group_status run_and_wait(const F& f TP_SITE) { TP_SEEN; f(); return complete; }
  TP_ADDRESS_OF(run, run)
  TP_ADDRESS_OF(run_and_wait, run_and_wait)
};

class task_arena {
public:
  template <typename F>
  void enqueue(F&& f TP_SITE) { TP_SEEN; f(); }
  void enqueue(task_handle&& handle TP_SITE) { TP_SEEN; handle(); }
  TP_ADDRESS_OF(enqueue, enqueue)
  template <typename F>
  auto execute(F&& f) -> decltype(f()) { return f(); }
};
inline void enqueue(task_handle&& handle TP_SITE) { TP_SEEN; handle(); }
template <typename F>
void enqueue(F&& f TP_SITE) { TP_SEEN; f(); }
template <typename F>
auto isolate(F&& f) -> decltype(f()) { return f(); }

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
template <typename Input, typename Outputs, typename Policy = queueing>
class multifunction_node {
public:
  template <typename Body>
  multifunction_node(graph&, std::size_t, Body, Policy = Policy(), node_priority_t = no_priority TP_SITE) { TP_SEEN; }
  template <typename Body>
  multifunction_node(graph&, std::size_t, Body, node_priority_t TP_SITE) { TP_SEEN; }
  using output_ports_type = Outputs;
};
template <typename Input, typename Output, typename Policy = queueing>
class async_node {
public:
  template <typename Body>
  async_node(graph&, std::size_t, Body, Policy = Policy(), node_priority_t = no_priority TP_SITE) { TP_SEEN; }
  template <typename Body>
  async_node(graph&, std::size_t, Body, node_priority_t TP_SITE) { TP_SEEN; }
  struct gateway_type {};
};
template <typename Output>
class input_node {
public:
  template <typename Body>
  input_node(graph&, Body TP_SITE) { TP_SEEN; }
};

}}  // namespace detail::d1
namespace flow {
using detail::d1::async_node;
using detail::d1::continue_msg;
using detail::d1::continue_node;
using detail::d1::function_node;
using detail::d1::graph;
using detail::d1::input_node;
using detail::d1::lightweight;
using detail::d1::multifunction_node;
using detail::d1::serial;
using detail::d1::unlimited;
}
inline namespace v1 {
using detail::d1::auto_partitioner;
using detail::d1::blocked_range;
using detail::d1::collaborative_call_once;
using detail::d1::collaborative_once_flag;
using detail::d1::feeder;
using detail::d1::filter;
using detail::d1::filter_mode;
using detail::d1::flow_control;
using detail::d1::isolated_task_group;
using detail::d1::make_filter;
using detail::d1::parallel_deterministic_reduce;
TP_ADDRESS_OF(parallel_deterministic_reduce, detail::d1::parallel_deterministic_reduce)
using detail::d1::parallel_for;
TP_ADDRESS_OF(parallel_for, detail::d1::parallel_for)
using detail::d1::parallel_for_each;
TP_ADDRESS_OF(parallel_for_each, detail::d1::parallel_for_each)
using detail::d1::parallel_invoke;
using detail::d1::parallel_pipeline;
TP_ADDRESS_OF(parallel_pipeline, detail::d1::parallel_pipeline)
using detail::d1::parallel_reduce;
TP_ADDRESS_OF(parallel_reduce, detail::d1::parallel_reduce)
using detail::d1::parallel_scan;
TP_ADDRESS_OF(parallel_scan, detail::d1::parallel_scan)
using detail::d1::parallel_sort;
TP_ADDRESS_OF(parallel_sort, detail::d1::parallel_sort)
using detail::d1::simple_partitioner;
using detail::d1::task_arena;
using detail::d1::task_group;
using detail::d1::task_group_context;
using detail::d1::task_handle;
namespace this_task_arena {
using detail::d1::enqueue;
TP_ADDRESS_OF(enqueue, detail::d1::enqueue)
using detail::d1::isolate;
}
#ifndef TP_STUB_STOCK
using detail::d1::last_site;
#endif
}
}
namespace oneapi { namespace tbb = ::tbb; }
