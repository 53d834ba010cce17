// SPDX-License-Identifier: Apache-2.0
// -ffile-prefix-map and -fmacro-prefix-map: the name that the real compiler gives a file in
// __FILE__ and source locations.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace tp::rewrite {

class PrefixMap {
public:
  explicit PrefixMap(const std::vector<std::string>& flags);
  std::string applied_to(const std::string& file) const;

private:
  std::vector<std::pair<std::string, std::string>> rules_; // in the order of the command line
};

} // namespace tp::rewrite
