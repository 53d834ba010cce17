/* A spawn site: the place in the user's source where tasks are created. tp-rewrite writes one
 * constant record per site; the patched oneTBB headers take the same four fields from the compiler.
 * Nothing is included here, so that this file can stand before everything else in a rewritten
 * source. C++11 and C. */
#ifndef TP_SITE_H
#define TP_SITE_H

/* The first four fields are laid out like the compiler's own source location record (what
 * __builtin_source_location() points to), so one pointer serves both. Records are constants: the
 * runtime keeps the pointer and reads it once. */
struct tp_spawn_site {
  const char* file;      /* as the compiler would print it */
  const char* function;  /* qualified name of the enclosing function */
  unsigned line;         /* 1-based */
  unsigned column;       /* 1-based; with TP_SITE_EXPLICIT set, the fields below exist */
  const char* construct; /* "parallel_for", "task_group::run", ... */
  unsigned end_line;     /* last line of the call */
};

/* Bit of tp_spawn_site::column: the record was written by tp-rewrite and has all fields. */
#define TP_SITE_EXPLICIT 0x80000000u

#ifdef __cplusplus
namespace tp {
/* What the patched headers take as their trailing, defaulted argument. `record` is never null. */
class site {
public:
  constexpr site(const tp_spawn_site& explicit_site) noexcept : record(&explicit_site) {}
  /* For default arguments only: the place of the call. */
  struct here {};
  constexpr site(here, const void* location) noexcept : record(location) {}
  const void* record;
};
} // namespace tp
#endif

#endif
