// SPDX-License-Identifier: Apache-2.0
// What tp-rewrite --emit replies to tp-c++: one line of JSON on stdout, such as (wrapped here)
//   {"schema":"taskpath.rewrite/1","result":"failed","object":"a.cpp",
//    "reason":"cannot be parsed: ..."}
#pragma once

#include <optional>
#include <string>

namespace tp::rewrite {

struct Reply {
  enum class Result { Tagged, NothingToTag, Failed };
  Result result = Result::Failed;
  std::string object, reason; // if it failed
};

std::string to_json(const Reply& reply);
// Empty if `text` is not such a reply.
std::optional<Reply> reply_from(const std::string& text);

} // namespace tp::rewrite
