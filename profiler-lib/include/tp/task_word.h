/* SPDX-License-Identifier: Apache-2.0 */
/* The two 8-byte words inside a task that the runtime owns: the one description of their layout,
 * for the runtime, the patched libtbb and the patched oneTBB headers. Both are zero in a new
 * task, unless a header sets the spawn site in advance. tp_on_spawn sets them, tp_on_task_begin
 * clears word 0.
 *
 *   word 0             packed id of the task + 1; 0: not spawned yet
 *   word 1, bits 0-31  the spawn site
 *           bit 32     TP_TASK_SITE_TAGGED: the site comes from tp-c++ or a header, not an address
 *           bits 33-61 the causal region in which a delegated call runs, + 1; 0: none
 *           bit 62     TP_TASK_SITE_STAGE, with PRESET: the site of a filter of a pipeline
 *           bit 63     TP_TASK_SITE_PRESET: the site was set in advance, the task is not spawned
 *
 * Includes nothing. C99 and C++11. */
#ifndef TP_TASK_WORD_H
#define TP_TASK_WORD_H

#define TP_TASK_SITE_TAGGED (1ull << 32)
#define TP_TASK_REGION_SHIFT 33
#define TP_TASK_REGION_BITS ((1ull << 29) - 1)
#define TP_TASK_SITE_STAGE (1ull << 62)
#define TP_TASK_SITE_PRESET (1ull << 63)

/* oneTBB: the words are d1::task::m_reserved[TP_TASK_WORDS] and the next. */
#define TP_TASK_WORDS 3

#endif
