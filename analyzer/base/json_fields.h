// SPDX-License-Identifier: Apache-2.0
// JSON FIELDS: typed access to the fields of one JSON object. If a field is absent or has another
// type, an Error names the file and the field; the JSON library throws nothing. Used to read all
// JSON that may be damaged or come from another program.
#pragma once

#include "base/problem.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace tp::analysis {

// How errors name a field, and how they show a wrong value.
enum class FieldErrors : std::uint8_t {
  NameAndValue, // expected "hz" to be a string, got 7
  PathAndType,  // expected a string in work.hz, got number
};

// The file that an object was read from. Has to outlive the fields of its objects.
struct JsonFile {
  Place place;
  FieldErrors errors = FieldErrors::NameAndValue;
  std::string hint = {}; // of every error
};

class JsonFields {
public:
  using Json = nlohmann::json;

  // `path` leads from the file's outermost object to this one: "", "clock.", "sites.". Both
  // referenced arguments have to outlive this. Throws Error{BadJson, BadField} if `object` is not a
  // JSON object.
  JsonFields(const Json& object, const JsonFile& file, std::string path = {});

  bool has(const char* key) const { return object_.contains(key); }
  bool is_null(const char* key) const { return has(key) && object_[key].is_null(); }
  // Each throws Error{BadField} if the field has another type, or is absent and `otherwise` is not
  // given.
  std::string text(const char* key, const char* otherwise = nullptr) const;
  std::uint64_t number(const char* key,
                       std::uint64_t limit = std::numeric_limits<std::uint64_t>::max(),
                       std::optional<std::uint64_t> otherwise = {}) const;
  std::uint32_t number32(const char* key, std::optional<std::uint64_t> otherwise = {}) const;
  double decimal(const char* key, double otherwise) const;
  bool flag(const char* key, std::optional<bool> otherwise = {}) const;
  JsonFields object(const char* key) const;
  const Json& array(const char* key) const;
  const Json& array_or_empty(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  std::vector<std::string> texts_or_empty(const char* key) const;

  // Throws: the field has an unexpected value.
  [[noreturn]] void wrong(const char* key, const std::string& expected, const Json& got) const;
  const JsonFile& file() const { return file_; }
  const std::string& path() const { return path_; }

private:
  const Json* find(const char* key, bool optional, const char* expected) const;
  std::vector<std::string> texts_of(const char* key, const Json& array) const;

  const Json& object_;
  const JsonFile& file_;
  std::string path_;
};

} // namespace tp::analysis
