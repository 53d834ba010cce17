// SPDX-License-Identifier: Apache-2.0
// Products of two 64-bit integers.
#pragma once

namespace tp::analysis {

__extension__ using Wide = unsigned __int128;

} // namespace tp::analysis
