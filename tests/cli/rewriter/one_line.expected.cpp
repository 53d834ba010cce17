#line 1 "one_line.cpp"
#include <tp/site.h>
#ifndef TP_SITE_10af9b7f262cd32c
#define TP_SITE_10af9b7f262cd32c 5u
namespace tp { namespace sites { template <int I> struct s_10af9b7f262cd32c { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_10af9b7f262cd32c<I>::record = {__FILE__, "main", TP_SITE_10af9b7f262cd32c, 23u | TP_SITE_EXPLICIT, "task_group::run", 5u}; } }
#endif
#ifndef TP_SITE_f3fc998e15b9365f
#define TP_SITE_f3fc998e15b9365f 5u
namespace tp { namespace sites { template <int I> struct s_f3fc998e15b9365f { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_f3fc998e15b9365f<I>::record = {__FILE__, "main", TP_SITE_f3fc998e15b9365f, 37u | TP_SITE_EXPLICIT, "task_group::run", 5u}; } }
#endif
#ifndef TP_SITE_783e32141a87f23f
#define TP_SITE_783e32141a87f23f 5u
namespace tp { namespace sites { template <int I> struct s_783e32141a87f23f { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_783e32141a87f23f<I>::record = {__FILE__, "main", TP_SITE_783e32141a87f23f, 51u | TP_SITE_EXPLICIT, "task_group::run", 5u}; } }
#endif
#ifndef TP_SITE_593214ff380f8104
#define TP_SITE_593214ff380f8104 6u
namespace tp { namespace sites { template <int I> struct s_593214ff380f8104 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_593214ff380f8104<I>::record = {__FILE__, "main", TP_SITE_593214ff380f8104, 31u | TP_SITE_EXPLICIT, "task_group::run", 6u}; } }
#endif
#ifndef TP_SITE_3bfdbcca5282c34d
#define TP_SITE_3bfdbcca5282c34d 6u
namespace tp { namespace sites { template <int I> struct s_3bfdbcca5282c34d { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_3bfdbcca5282c34d<I>::record = {__FILE__, "main", TP_SITE_3bfdbcca5282c34d, 45u | TP_SITE_EXPLICIT, "task_group::run", 6u}; } }
#endif
#line 1 "one_line.cpp"
// Three spawns on one line, with tabs and letters of several bytes.
#include <tbb/tbb.h>

int main() {
	tbb::task_group g;	g.run([] {}
, ::tp::site(::tp::sites::s_10af9b7f262cd32c<0>::record)
#line 5
	                  	           ); g.run([] {}
, ::tp::site(::tp::sites::s_f3fc998e15b9365f<0>::record)
#line 5
	                  	                         ); g.run([] {}
, ::tp::site(::tp::sites::s_783e32141a87f23f<0>::record)
#line 5
	                  	                                       ); int after = __LINE__;
  const char* s = "äöü"; g.run([] {}
, ::tp::site(::tp::sites::s_593214ff380f8104<0>::record)
#line 6
                 /*äöü*/            ); g.run([s] { (void)"€"; }
, ::tp::site(::tp::sites::s_3bfdbcca5282c34d<0>::record)
#line 6
                 /*äöü                                    €*/  ); int end = __LINE__;
  return after == 5 && end == 6 ? 0 : 1;
}
