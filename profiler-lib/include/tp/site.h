/* SPDX-License-Identifier: Apache-2.0 */
/* A spawn site: the place in the user's source where tasks are created. tp-rewrite writes one
 * constant record per site; the patched oneTBB headers take its first four fields from the
 * compiler. Includes nothing, so that a rewritten source can include it before everything else.
 * C99 and C++11. */
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

/* For a call that tp-c++ does not change (in a header, or written by a macro) the binary has an
 * ELF note with the same record. Four zero-terminated strings follow the numbers: the file as
 * the compiler spells it, the file as it is shown, function, construct. The place that the
 * compiler gives for the call lies between begin and end, both inclusive, 1-based. */
struct tp_site_note {
  unsigned line, column; /* of the callee's name */
  unsigned begin_line, begin_column;
  unsigned end_line, end_column;
};
#define TP_SITE_NOTE_OWNER "Taskpath"
#define TP_SITE_NOTE_TYPE 1

/* One note, as assembler text: NAME for the linker, which keeps one note of each name, the six
 * numbers, and the four strings. No code refers to a note; the flag R keeps it through
 * --gc-sections. */
#define TP_SITE_NOTE(NAME, NUMBERS, STRINGS)                                                       \
  __asm__(".pushsection .note.taskpath,\"aGR\",%note,tp_note_" NAME ",comdat\n"                    \
          ".balign 4\n.4byte 9, 2f - 1f, 1\n.asciz \"" TP_SITE_NOTE_OWNER "\"\n.balign 4\n"        \
          "1: .4byte " NUMBERS "\n.asciz " STRINGS "\n2: .balign 4\n.popsection")

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
