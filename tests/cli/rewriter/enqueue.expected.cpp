#line 1 "enqueue.cpp"
#include <tp/site.h>
#ifndef TP_SITE_8baeb459d6655721
#define TP_SITE_8baeb459d6655721 13u
namespace tp { namespace sites { template <int I> struct s_8baeb459d6655721 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_8baeb459d6655721<I>::record = {__FILE__, "in_a_template", TP_SITE_8baeb459d6655721, 57u | TP_SITE_EXPLICIT, "task_arena::enqueue", 13u}; } }
#endif
#ifndef TP_SITE_be4769bfa86e64e0
#define TP_SITE_be4769bfa86e64e0 13u
namespace tp { namespace sites { template <int I> struct s_be4769bfa86e64e0 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_be4769bfa86e64e0<I>::record = {__FILE__, "in_a_template", TP_SITE_be4769bfa86e64e0, 91u | TP_SITE_EXPLICIT, "this_task_arena::enqueue", 13u}; } }
#endif
#ifndef TP_SITE_56fb0d0b9924a9c3
#define TP_SITE_56fb0d0b9924a9c3 19u
namespace tp { namespace sites { template <int I> struct s_56fb0d0b9924a9c3 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_56fb0d0b9924a9c3<I>::record = {__FILE__, "main", TP_SITE_56fb0d0b9924a9c3, 9u | TP_SITE_EXPLICIT, "task_arena::enqueue", 19u}; } }
#endif
#ifndef TP_SITE_a5b1bfe3a694f80f
#define TP_SITE_a5b1bfe3a694f80f 20u
namespace tp { namespace sites { template <int I> struct s_a5b1bfe3a694f80f { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_a5b1bfe3a694f80f<I>::record = {__FILE__, "main", TP_SITE_a5b1bfe3a694f80f, 12u | TP_SITE_EXPLICIT, "task_arena::enqueue", 20u}; } }
#endif
#ifndef TP_SITE_e2449c8b0a440bc2
#define TP_SITE_e2449c8b0a440bc2 21u
namespace tp { namespace sites { template <int I> struct s_e2449c8b0a440bc2 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_e2449c8b0a440bc2<I>::record = {__FILE__, "main", TP_SITE_e2449c8b0a440bc2, 9u | TP_SITE_EXPLICIT, "task_arena::enqueue", 21u}; } }
#endif
#ifndef TP_SITE_9b099c55beecf968
#define TP_SITE_9b099c55beecf968 23u
namespace tp { namespace sites { template <int I> struct s_9b099c55beecf968 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_9b099c55beecf968<I>::record = {__FILE__, "main", TP_SITE_9b099c55beecf968, 9u | TP_SITE_EXPLICIT, "task_arena::enqueue", 23u}; } }
#endif
#ifndef TP_SITE_270cfcb1b0832be2
#define TP_SITE_270cfcb1b0832be2 24u
namespace tp { namespace sites { template <int I> struct s_270cfcb1b0832be2 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_270cfcb1b0832be2<I>::record = {__FILE__, "main", TP_SITE_270cfcb1b0832be2, 25u | TP_SITE_EXPLICIT, "this_task_arena::enqueue", 24u}; } }
#endif
#ifndef TP_SITE_364ac53c29b26a5b
#define TP_SITE_364ac53c29b26a5b 25u
namespace tp { namespace sites { template <int I> struct s_364ac53c29b26a5b { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_364ac53c29b26a5b<I>::record = {__FILE__, "main", TP_SITE_364ac53c29b26a5b, 25u | TP_SITE_EXPLICIT, "this_task_arena::enqueue", 25u}; } }
#endif
#ifndef TP_SITE_568d364b1d33d5b7
#define TP_SITE_568d364b1d33d5b7 27u
namespace tp { namespace sites { template <int I> struct s_568d364b1d33d5b7 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_568d364b1d33d5b7<I>::record = {__FILE__, "main", TP_SITE_568d364b1d33d5b7, 3u | TP_SITE_EXPLICIT, "this_task_arena::enqueue", 27u}; } }
#endif
#ifndef TP_SITE_4f6be4f120ce8b00
#define TP_SITE_4f6be4f120ce8b00 28u
namespace tp { namespace sites { template <int I> struct s_4f6be4f120ce8b00 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_4f6be4f120ce8b00<I>::record = {__FILE__, "main", TP_SITE_4f6be4f120ce8b00, 23u | TP_SITE_EXPLICIT, "this_task_arena::enqueue", 28u}; } }
#endif
#line 1 "enqueue.cpp"
// Tasks given to an arena: by a function, or by the handle of a group's task. Other functions of the name are left alone.
#include <tbb/tbb.h>
#include <utility>

int calls = 0;
struct Queue {
  template <typename F>
  void enqueue(F f) { f(); }
};
template <typename Arena>
void any_arena(Arena& arena) { arena.enqueue([] { ++calls; }); }
template <typename F>
void in_a_template(tbb::task_arena& arena, F f) { arena.enqueue(f
, ::tp::site(::tp::sites::s_8baeb459d6655721<0>::record)
#line 13
                                                                 ), tbb::this_task_arena::enqueue(f
, ::tp::site(::tp::sites::s_be4769bfa86e64e0<0>::record)
#line 13
                                                                                                   ); }

int main() {
  const auto call = [] { ++calls; };
  tbb::task_arena arena, *pointer = &arena;
  tbb::task_group group;
  arena.enqueue(call
, ::tp::site(::tp::sites::s_56fb0d0b9924a9c3<0>::record)
#line 19
                    );
  pointer->enqueue([] { ++calls; }
, ::tp::site(::tp::sites::s_a5b1bfe3a694f80f<0>::record)
#line 20
                                  );
  arena.enqueue(group.defer(call)
, ::tp::site(::tp::sites::s_e2449c8b0a440bc2<0>::record)
#line 21
                                 );
  tbb::task_handle handle = group.defer(call);
  arena.enqueue(std::move(handle)
, ::tp::site(::tp::sites::s_9b099c55beecf968<0>::record)
#line 23
                                 );
  tbb::this_task_arena::enqueue(call
, ::tp::site(::tp::sites::s_270cfcb1b0832be2<0>::record)
#line 24
                                    );
  tbb::this_task_arena::enqueue(group.defer(call)
, ::tp::site(::tp::sites::s_364ac53c29b26a5b<0>::record)
#line 25
                                                 );
  using namespace tbb::this_task_arena;
  enqueue(call
, ::tp::site(::tp::sites::s_568d364b1d33d5b7<0>::record)
#line 27
              );
  arena.execute([&] { enqueue(call
, ::tp::site(::tp::sites::s_4f6be4f120ce8b00<0>::record)
#line 28
                                  ); });
  Queue().enqueue(call);
  any_arena(arena);
  in_a_template(arena, call);
  group.wait();
  return calls == 12 ? 0 : 1;
}
