// SPDX-License-Identifier: Apache-2.0
// File names may contain any bytes: those that are not UTF-8 are replaced.
#include "driver/reply.h"

#include <nlohmann/json.hpp>

namespace tp::rewrite {
namespace {

using Json = nlohmann::ordered_json;
constexpr const char* kSchema = "taskpath.rewrite/1";
constexpr const char* kResults[] = {"tagged", "nothing_to_tag", "failed"}; // as Reply::Result

} // namespace

std::string to_json(const Reply& reply) {
  Json json{{"schema", kSchema}, {"result", kResults[static_cast<int>(reply.result)]}};
  if (reply.result == Reply::Result::Failed) {
    json["object"] = reply.object;
    json["reason"] = reply.reason;
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::optional<Reply> reply_from(const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  const auto string = [&](const char* key) -> std::string {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : "";
  };
  if (!json.is_object() || string("schema") != kSchema)
    return std::nullopt;
  for (int i = 0; i < 3; ++i)
    if (string("result") == kResults[i])
      return Reply{static_cast<Reply::Result>(i), string("object"), string("reason")};
  return std::nullopt;
}

} // namespace tp::rewrite
