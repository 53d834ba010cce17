#line 1 "no_newline.cpp"
#include <tp/site.h>
#ifndef TP_SITE_850326889676a347
#define TP_SITE_850326889676a347 3u
namespace tp { namespace sites { template <int I> struct s_850326889676a347 { __attribute__((visibility("hidden"))) static const ::tp_spawn_site record; }; template <int I> const ::tp_spawn_site s_850326889676a347<I>::record = {__FILE__, "main", TP_SITE_850326889676a347, 19u | TP_SITE_EXPLICIT, "parallel_for", 3u}; } }
#endif
#line 1 "no_newline.cpp"
// No newline at the end.
#include <tbb/tbb.h>
int main() { tbb::parallel_for(0, 3, [](int) {}
, ::tp::site(::tp::sites::s_850326889676a347<0>::record)
#line 3
                                               ); }