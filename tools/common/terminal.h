// SPDX-License-Identifier: Apache-2.0
// What the terminal behind a file descriptor can show.
#pragma once

#include <cstddef>

namespace tp::tool {

enum class Color { Auto, Always, Never };

// Whether TERM is "dumb", empty or unset: then colors and rewriting a line are not available.
bool is_dumb_terminal();

// Auto: `descriptor` is a terminal that is not dumb, and NO_COLOR is empty or unset.
bool wants_color(Color color, int descriptor);

// Whether the locale is one of UTF-8, by the environment.
bool shows_unicode();

// Whether `descriptor` is a terminal on which a line can be erased and rewritten.
bool can_rewrite_line(int descriptor);

// In columns; 80 if unknown.
std::size_t width_of(int descriptor);

} // namespace tp::tool
