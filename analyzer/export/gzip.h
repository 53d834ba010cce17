// SPDX-License-Identifier: Apache-2.0
// Compression, for formats whose readers expect gzip.
#pragma once

#include <zlib.h>

#include <string>

namespace tp::analysis {

inline constexpr int kGzipFormat = 15 + 16; // zlib: the largest window, with gzip's header

// Byte-identical for the same input: gzip's header contains no time and no name. `level`: zlib's.
std::string gzip(const std::string& bytes, int level = Z_DEFAULT_COMPRESSION);

} // namespace tp::analysis
