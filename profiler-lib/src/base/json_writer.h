// SPDX-License-Identifier: Apache-2.0
// Writes flat JSON objects: run.json, sites.jsonl, end.json, the report of the clocks. By hand,
// since the runtime may depend on libc and libstdc++ only. Cold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace tp::rt {

// Appends members in the order of the calls. Keys and text are quoted and escaped. Used by one
// thread.
class JsonObject {
public:
  JsonObject& text(std::string_view key, std::string_view value) {
    begin(key);
    quote(value);
    return *this;
  }
  JsonObject& number(std::string_view key, std::uint64_t value) {
    begin(key);
    text_ += std::to_string(value);
    return *this;
  }
  JsonObject& boolean(std::string_view key, bool value) {
    begin(key);
    text_ += value ? "true" : "false";
    return *this;
  }
  // A value that is JSON already.
  JsonObject& raw(std::string_view key, std::string_view value) {
    begin(key);
    text_ += value;
    return *this;
  }
  std::string str() const { return text_ + "}"; }

  static std::string quoted(std::string_view value) {
    JsonObject object;
    object.text_.clear();
    object.quote(value);
    return object.text_;
  }

private:
  void begin(std::string_view key) {
    if (text_.size() > 1)
      text_ += ',';
    quote(key);
    text_ += ':';
  }
  // Bytes that are not UTF-8 (a file name may contain any) become U+FFFD, since JSON cannot
  // represent them.
  void quote(std::string_view value) {
    text_ += '"';
    for (std::size_t i = 0; i < value.size();) {
      const auto byte = static_cast<unsigned char>(value[i]);
      if (byte == '"' || byte == '\\') {
        text_ += '\\';
        text_ += value[i++];
      } else if (byte < 0x20) {
        constexpr char kHex[] = "0123456789abcdef";
        text_ += "\\u00";
        text_ += kHex[byte >> 4];
        text_ += kHex[byte & 15];
        ++i;
      } else if (const std::size_t length = utf8_length(value.substr(i)); length > 0) {
        text_ += value.substr(i, length);
        i += length;
      } else {
        text_ += "\xef\xbf\xbd";
        ++i;
      }
    }
    text_ += '"';
  }
  // Length of the well-formed UTF-8 sequence at the start of `text`, else 0.
  static std::size_t utf8_length(std::string_view text) {
    const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned lead = at(0);
    if (lead < 0x80)
      return 1;
    const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    if (lead < 0xc2 || lead > 0xf4 || text.size() < length)
      return 0;
    for (std::size_t i = 1; i < length; ++i)
      if ((at(i) & 0xc0) != 0x80)
        return 0;
    const unsigned second = at(1);
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
        (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f))
      return 0; // overlong, surrogate, beyond U+10FFFF
    return length;
  }

  std::string text_ = "{";
};

} // namespace tp::rt
