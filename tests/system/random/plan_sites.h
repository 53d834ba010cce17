// SPDX-License-Identifier: Apache-2.0
// The spawn sites of a random program. With TP_RANDOM_SITES the calls of the interpreter pass that of
// their statement, the argument of the patched headers; otherwise, as in users' programs, their own
// places are the sites.
#pragma once

#include "program.h"

#ifdef TP_RANDOM_SITES

#include "tp/site.h"

#include <array>
#include <utility>

namespace random_program {

template <std::size_t... index>
constexpr std::array<tp_spawn_site, sizeof...(index)> make_sites(std::index_sequence<index...>) {
  return {tp_spawn_site{kFile, "plan", site_line(index), 1 | TP_SITE_EXPLICIT, "random",
                        site_line(index)}...};
}
inline constexpr std::array<tp_spawn_site, kSites> sites =
    make_sites(std::make_index_sequence<kSites>());

inline tp::site site_of(const Statement& s) {
  return tp::site(sites[s.site]);
}

} // namespace random_program

// The last argument, the first, and everything that the calling task spawns in this block.
#define TP_AT(statement) , site_of(statement)
#define TP_FIRST_AT(statement) site_of(statement),
#define TP_ALL_AT(statement) const tp::site_scope all_at(site_of(statement))

#else

#define TP_AT(statement)
#define TP_FIRST_AT(statement)
#define TP_ALL_AT(statement) static_cast<void>(0)

#endif
