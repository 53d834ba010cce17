// SPDX-License-Identifier: Apache-2.0
// Attributes of hot and cold functions, and the thread-local model. Hot: runs at each step
// boundary, always inlined, takes no lock, allocates nothing and makes no system call. Cold: runs
// rarely, never inlined.
#pragma once

#define TP_HOT [[gnu::always_inline]] inline
#define TP_COLD [[gnu::noinline, gnu::cold]]
// Initial-exec: one instruction to find the thread's state. The library is loaded with the program
// (or preloaded); the few bytes fit the static TLS surplus that glibc keeps for dlopen.
#define TP_TLS [[gnu::tls_model("initial-exec")]]
