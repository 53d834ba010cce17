// SPDX-License-Identifier: Apache-2.0
#include "base/json_fields.h"

#include <fmt/format.h>

#include <utility>

namespace tp::analysis {
namespace {

constexpr std::size_t kShownBytes = 80; // of a wrong value in a message

} // namespace

JsonFields::JsonFields(const Json& object, const JsonFile& file, std::string path)
    : object_(object), file_(file), path_(std::move(path)) {
  if (object.is_object())
    return;
  if (file.errors == FieldErrors::NameAndValue)
    fail(Problem::BadJson, file.place, "an object", object.type_name(), file.hint);
  wrong("", "an object", object);
}

std::string JsonFields::text(const char* key, const char* otherwise) const {
  const Json* const value = find(key, otherwise != nullptr, "a string");
  if (!value)
    return otherwise;
  if (!value->is_string())
    wrong(key, "a string", *value);
  return value->get<std::string>();
}

std::uint64_t JsonFields::number(const char* key, std::uint64_t limit,
                                 std::optional<std::uint64_t> otherwise) const {
  const Json* const value = find(key, otherwise.has_value(), "a number");
  if (!value)
    return *otherwise;
  if (!value->is_number_unsigned() || value->get<std::uint64_t>() > limit)
    wrong(key,
          file_.errors == FieldErrors::PathAndType ? "an integer of at least 0"
                                                   : fmt::format("an integer from 0 to {}", limit),
          *value);
  return value->get<std::uint64_t>();
}

std::uint32_t JsonFields::number32(const char* key, std::optional<std::uint64_t> otherwise) const {
  return static_cast<std::uint32_t>(
      number(key, std::numeric_limits<std::uint32_t>::max(), otherwise));
}

double JsonFields::decimal(const char* key, double otherwise) const {
  const Json* const value = find(key, true, "a number");
  if (!value)
    return otherwise;
  if (!value->is_number())
    wrong(key, "a number", *value);
  return value->get<double>();
}

bool JsonFields::flag(const char* key, std::optional<bool> otherwise) const {
  const Json* const value = find(key, otherwise.has_value(), "a boolean");
  if (!value)
    return *otherwise;
  if (!value->is_boolean())
    wrong(key, "true or false", *value);
  return value->get<bool>();
}

JsonFields JsonFields::object(const char* key) const {
  const Json* const value = find(key, false, "an object");
  if (file_.errors == FieldErrors::NameAndValue && !value->is_object())
    wrong(key, "an object", *value);
  return {*value, file_, path_ + key + "."};
}

const JsonFields::Json& JsonFields::array(const char* key) const {
  const Json* const value = find(key, false, "an array");
  if (!value->is_array())
    wrong(key, "an array", *value);
  return *value;
}

const JsonFields::Json& JsonFields::array_or_empty(const char* key) const {
  static const Json kEmpty = Json::array();
  return has(key) ? array(key) : kEmpty;
}

std::vector<std::string> JsonFields::texts(const char* key) const {
  return texts_of(key, array(key));
}

std::vector<std::string> JsonFields::texts_or_empty(const char* key) const {
  return texts_of(key, array_or_empty(key));
}

std::vector<std::string> JsonFields::texts_of(const char* key, const Json& array) const {
  std::vector<std::string> values;
  for (const Json& value : array) {
    if (!value.is_string())
      wrong(key, "strings", value);
    values.push_back(value.get<std::string>());
  }
  return values;
}

void JsonFields::wrong(const char* key, const std::string& expected, const Json& got) const {
  if (file_.errors == FieldErrors::PathAndType)
    fail(Problem::BadField, file_.place, fmt::format("{} in {}{}", expected, path_, key),
         got.type_name(), file_.hint);
  const std::string shown =
      got.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, kShownBytes);
  fail(Problem::BadField, file_.place, fmt::format("\"{}\" to be {}", key, expected), shown,
       file_.hint);
}

// Null: the field is absent, which is an error unless it is optional.
const JsonFields::Json* JsonFields::find(const char* key, bool optional,
                                         const char* expected) const {
  const auto found = object_.find(key);
  if (found != object_.end())
    return &*found;
  if (optional)
    return nullptr;
  if (file_.errors == FieldErrors::PathAndType)
    fail(Problem::BadField, file_.place, path_ + key, "none", file_.hint);
  fail(Problem::BadField, file_.place, fmt::format("\"{}\" to be {}", key, expected), "nothing",
       file_.hint);
}

} // namespace tp::analysis
