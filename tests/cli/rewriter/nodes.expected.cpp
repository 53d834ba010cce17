#line 1 "nodes.cpp"
#include <tp/called_at.h>
#ifndef TP_SITE_26a0d5f815542e2c
#define TP_SITE_26a0d5f815542e2c 14u
namespace tp { namespace sites { template <int I> struct s_26a0d5f815542e2c { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_26a0d5f815542e2c<I>::record = {__FILE__, "Stages::first", TP_SITE_26a0d5f815542e2c, 13u | TP_SITE_EXPLICIT, "function_node", 14u}; } }
#endif
#ifndef TP_SITE_9f8d45187ed92dd9
#define TP_SITE_9f8d45187ed92dd9 15u
namespace tp { namespace sites { template <int I> struct s_9f8d45187ed92dd9 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_9f8d45187ed92dd9<I>::record = {__FILE__, "Stages::second", TP_SITE_9f8d45187ed92dd9, 17u | TP_SITE_EXPLICIT, "function_node", 15u}; } }
#endif
#ifndef TP_SITE_4b72af75b06c4cb0
#define TP_SITE_4b72af75b06c4cb0 16u
namespace tp { namespace sites { template <int I> struct s_4b72af75b06c4cb0 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_4b72af75b06c4cb0<I>::record = {__FILE__, "Stages::third", TP_SITE_4b72af75b06c4cb0, 14u | TP_SITE_EXPLICIT, "function_node", 16u}; } }
#endif
#ifndef TP_SITE_90f64b4c5958d82e
#define TP_SITE_90f64b4c5958d82e 17u
namespace tp { namespace sites { template <int I> struct s_90f64b4c5958d82e { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_90f64b4c5958d82e<I>::record = {__FILE__, "Stages::fourth", TP_SITE_90f64b4c5958d82e, 39u | TP_SITE_EXPLICIT, "continue_node", 17u}; } }
#endif
#ifndef TP_SITE_6637a766cc233cb5
#define TP_SITE_6637a766cc233cb5 20u
namespace tp { namespace sites { template <int I> struct s_6637a766cc233cb5 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_6637a766cc233cb5<I>::record = {__FILE__, "Stages::Stages", TP_SITE_6637a766cc233cb5, 43u | TP_SITE_EXPLICIT, "function_node", 20u}; } }
#endif
#ifndef TP_SITE_093b33ff99341ab4
#define TP_SITE_093b33ff99341ab4 33u
namespace tp { namespace sites { template <int I> struct s_093b33ff99341ab4 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_093b33ff99341ab4<I>::record = {__FILE__, "main", TP_SITE_093b33ff99341ab4, 21u | TP_SITE_EXPLICIT, "function_node", 33u}; } }
#endif
#ifndef TP_SITE_c1f5b08ca27dc4a1
#define TP_SITE_c1f5b08ca27dc4a1 34u
namespace tp { namespace sites { template <int I> struct s_c1f5b08ca27dc4a1 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_c1f5b08ca27dc4a1<I>::record = {__FILE__, "main", TP_SITE_c1f5b08ca27dc4a1, 21u | TP_SITE_EXPLICIT, "function_node", 34u}; } }
#endif
#ifndef TP_SITE_da51d0840814a1e4
#define TP_SITE_da51d0840814a1e4 36u
namespace tp { namespace sites { template <int I> struct s_da51d0840814a1e4 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_da51d0840814a1e4<I>::record = {__FILE__, "main", TP_SITE_da51d0840814a1e4, 8u | TP_SITE_EXPLICIT, "function_node", 36u}; } }
#endif
#line 1 "nodes.cpp"
// Nodes of flow graphs: a construction stays as it is (tp-c++ adds a note about it), but for default member initializers,
// which the compiler would place at the constructor; what constructs a node is wrapped.
#include <deque>
#include <memory>
#include <optional>
#include <tbb/tbb.h>
#include <vector>

using Node = tbb::flow::function_node<int, int>;
using Light = tbb::flow::function_node<int, int, tbb::flow::lightweight>;
int same(int i) { return i; }
struct Stages {
  tbb::flow::graph graph;
  Node first{graph, tbb::flow::serial, same
, {}, {}, ::tp::site(::tp::sites::s_26a0d5f815542e2c<0>::record)
#line 14
                                           };
  Node second = Node(graph, tbb::flow::serial, same, 3
, ::tp::site(::tp::sites::s_9f8d45187ed92dd9<0>::record)
#line 15
                                                      );
  Light third{graph, tbb::flow::serial, same, tbb::flow::lightweight()
, {}, ::tp::site(::tp::sites::s_4b72af75b06c4cb0<0>::record)
#line 16
                                                                      };
  tbb::flow::continue_node<int> fourth{graph, 2, [](tbb::flow::continue_msg) { return 4; }
, {}, {}, ::tp::site(::tp::sites::s_90f64b4c5958d82e<0>::record)
#line 17
                                                                                          };
  Node fifth;
  std::deque<Node> more;
  Stages() : fifth(graph, 1, same) { 
::tp::called_at(::tp::site(::tp::sites::s_6637a766cc233cb5<0>::record), [&](auto&&... tp_a) -> decltype(auto) { return
#line 20
                                     more.emplace_back
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 20
                                                      (graph, 1, same); }
};

template <typename T>
void generic() {
  tbb::flow::graph graph;
  tbb::flow::function_node<T> node(graph, 1, [](T i) { return i; });
  (void)node;
}

int main() {
  Stages s;
  tbb::flow::continue_node<int> six(s.graph, [](tbb::flow::continue_msg) { return 6; });
  auto seven = 
::tp::called_at(::tp::site(::tp::sites::s_093b33ff99341ab4<0>::record), [](auto&&... tp_a) -> decltype(auto) { return
#line 33
               std::make_unique<Node>
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 33
                                     (s.graph, tbb::flow::unlimited, same);
  auto eight = 
::tp::called_at(::tp::site(::tp::sites::s_c1f5b08ca27dc4a1<0>::record), [](auto&&... tp_a) -> decltype(auto) { return
#line 34
               std::make_shared<Light>
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 34
                                      (s.graph, tbb::flow::unlimited, same);
  std::optional<Node> nine;
  
::tp::called_at(::tp::site(::tp::sites::s_da51d0840814a1e4<0>::record), [&](auto&&... tp_a) -> decltype(auto) { return
#line 36
  nine.emplace
(static_cast<decltype(tp_a)&&>(tp_a)...); })
#line 36
              (s.graph, 1, [](int i) { return i; });
  std::vector<int> plain;
  plain.emplace_back(10);
  auto number = std::make_unique<int>(11);
  Node copy(*nine);
  (void)six, (void)copy;
  generic<int>();
  return plain[0] + *number - 21;
}
