// SPDX-License-Identifier: Apache-2.0
// If several rules match, the last one on the command line applies (GCC manual, -ffile-prefix-map).
#include "text/prefix_map.h"

#include <ranges>
#include <string_view>

namespace tp::rewrite {

PrefixMap::PrefixMap(const std::vector<std::string>& flags) {
  for (const std::string& flag : flags)
    for (const std::string_view option : {"-ffile-prefix-map=", "-fmacro-prefix-map="})
      if (const size_t equals = flag.find('=', option.size());
          flag.starts_with(option) && equals != std::string::npos)
        rules_.emplace_back(flag.substr(option.size(), equals - option.size()),
                            flag.substr(equals + 1));
}

std::string PrefixMap::applied_to(const std::string& file) const {
  for (const auto& [from, to] : std::views::reverse(rules_))
    if (file.starts_with(from))
      return to + file.substr(from.size());
  return file;
}

} // namespace tp::rewrite
