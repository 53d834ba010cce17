// SPDX-License-Identifier: Apache-2.0
// What exports have in common: names of frames, and text that other tools can read.
#pragma once

#include "model/profile.h"

#include <string>
#include <string_view>
#include <vector>

namespace tp::analysis {

// `text` as UTF-8 on one line; each byte that does not fit becomes '?'.
std::string clean(std::string_view text);

// "tree.cpp:25 (build_tree)": where the tasks are spawned, and in which function. It contains
// nothing that may differ in the next run: other tools compare runs by these names.
std::string frame_name(const Profile& profile, std::uint32_t site);

// "noise_level (a.cpp:81)", "sinf @libm.so.6": a function that samples hit, by its index in
// Profile::functions.
std::string function_frame_name(const Profile& profile, std::uint32_t function);

// Indices of contexts from main down to `context`.
std::vector<std::uint32_t> frames_of(const Profile& profile, std::uint32_t context);

// The unit of work, in the words that other tools know.
std::string unit_name(const Profile& profile);

} // namespace tp::analysis
