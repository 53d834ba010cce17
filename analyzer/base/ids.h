// What the analyzer calls by number.
#pragma once

#include <cstdint>

namespace tp::analysis {

// A row of the profile: one (file, line). Row 0 is `main`, the code outside every task.
using Row = std::uint32_t;
inline constexpr Row kMainRow = 0;

} // namespace tp::analysis
