#line 1 "more_nodes.cpp"
#include <tp/called_at.h>
#ifndef TP_SITE_54f43d561cf518c3
#define TP_SITE_54f43d561cf518c3 16u
namespace tp { namespace sites { template <int I> struct s_54f43d561cf518c3 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_54f43d561cf518c3<I>::record = {__FILE__, "Stages::first", TP_SITE_54f43d561cf518c3, 30u | TP_SITE_EXPLICIT, "input_node", 16u}; } }
#endif
#ifndef TP_SITE_c7c4a5a49b8193d2
#define TP_SITE_c7c4a5a49b8193d2 17u
namespace tp { namespace sites { template <int I> struct s_c7c4a5a49b8193d2 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_c7c4a5a49b8193d2<I>::record = {__FILE__, "Stages::second", TP_SITE_c7c4a5a49b8193d2, 15u | TP_SITE_EXPLICIT, "multifunction_node", 17u}; } }
#endif
#ifndef TP_SITE_31715cb4d07362cc
#define TP_SITE_31715cb4d07362cc 18u
namespace tp { namespace sites { template <int I> struct s_31715cb4d07362cc { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_31715cb4d07362cc<I>::record = {__FILE__, "Stages::third", TP_SITE_31715cb4d07362cc, 14u | TP_SITE_EXPLICIT, "async_node", 18u}; } }
#endif
#ifndef TP_SITE_389099d98c9fe3c5
#define TP_SITE_389099d98c9fe3c5 19u
namespace tp { namespace sites { template <int I> struct s_389099d98c9fe3c5 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_389099d98c9fe3c5<I>::record = {__FILE__, "Stages::fourth", TP_SITE_389099d98c9fe3c5, 55u | TP_SITE_EXPLICIT, "async_node", 19u}; } }
#endif
#ifndef TP_SITE_c14d5e1e3dc8b8d7
#define TP_SITE_c14d5e1e3dc8b8d7 33u
namespace tp { namespace sites { template <int I> struct s_c14d5e1e3dc8b8d7 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_c14d5e1e3dc8b8d7<I>::record = {__FILE__, "main", TP_SITE_c14d5e1e3dc8b8d7, 19u | TP_SITE_EXPLICIT, "input_node", 33u}; } }
#endif
#ifndef TP_SITE_734e37a72fac1c3b
#define TP_SITE_734e37a72fac1c3b 34u
namespace tp { namespace sites { template <int I> struct s_734e37a72fac1c3b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_734e37a72fac1c3b<I>::record = {__FILE__, "main", TP_SITE_734e37a72fac1c3b, 21u | TP_SITE_EXPLICIT, "async_node", 34u}; } }
#endif
#ifndef TP_SITE_0d1910ed4206d557
#define TP_SITE_0d1910ed4206d557 35u
namespace tp { namespace sites { template <int I> struct s_0d1910ed4206d557 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_0d1910ed4206d557<I>::record = {__FILE__, "main", TP_SITE_0d1910ed4206d557, 10u | TP_SITE_EXPLICIT, "multifunction_node", 35u}; } }
#endif
#line 1 "more_nodes.cpp"
// Nodes that are asked for messages, have many outputs, or leave their work to others: named like the others (nodes.cpp).
#include <memory>
#include <tbb/tbb.h>
#include <tuple>
#include <vector>

namespace flow = tbb::flow;
using Outputs = std::tuple<int, int>;
using Split = flow::multifunction_node<int, Outputs>;
using Async = flow::async_node<int, int>;
int next(tbb::flow_control&) { return 1; }
void split(int, Split::output_ports_type&) {}
void start(int, Async::gateway_type&) {}
struct Stages {
  flow::graph graph;
  flow::input_node<int> first{graph, next
, ::tp::site(::tp::sites::s_54f43d561cf518c3<0>::record)
#line 16
                                         };
  Split second{graph, flow::unlimited, split
, {}, {}, ::tp::site(::tp::sites::s_c7c4a5a49b8193d2<0>::record)
#line 17
                                            };
  Async third{graph, flow::serial, start, 2
, ::tp::site(::tp::sites::s_31715cb4d07362cc<0>::record)
#line 18
                                           };
  flow::async_node<int, int, flow::lightweight> fourth{graph, 1, [](int, auto&) {}, flow::lightweight()
, {}, ::tp::site(::tp::sites::s_389099d98c9fe3c5<0>::record)
#line 19
                                                                                                       };
  std::vector<Split> more;
};

template <typename T>
void generic() {
  flow::graph graph;
  flow::input_node<T> node(graph, [](tbb::flow_control&) { return T(); });
  (void)node;
}

int main() {
  Stages s;
  flow::input_node<int> five(s.graph, next);
  auto six = 
::tp::called_at(::tp::site(::tp::sites::s_c14d5e1e3dc8b8d7<0>::record), [](auto&&... tp_a) -> decltype(auto) { return
#line 33
             std::make_unique<flow::input_node<int>>
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 33
                                                    (s.graph, next);
  auto seven = 
::tp::called_at(::tp::site(::tp::sites::s_734e37a72fac1c3b<0>::record), [](auto&&... tp_a) -> decltype(auto) { return
#line 34
               std::make_shared<Async>
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 34
                                      (s.graph, flow::unlimited, start);
  
::tp::called_at(::tp::site(::tp::sites::s_0d1910ed4206d557<0>::record), [&](auto&&... tp_a) -> decltype(auto) { return
#line 35
  s.more.emplace_back
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 35
                     (s.graph, flow::unlimited, split);
  Split eight = Split(s.graph, 2, split);
  (void)five, (void)eight;
  generic<int>();
}
