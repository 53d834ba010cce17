// SPDX-License-Identifier: Apache-2.0
// A folder for one test, removed with the object.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace tp::test {

class TemporaryFolder {
public:
  TemporaryFolder() {
    char name[] = "/tmp/tp-test-XXXXXX";
    if (mkdtemp(name) != nullptr)
      path_ = std::filesystem::canonical(name).string();
    else
      ADD_FAILURE() << name << " cannot be made";
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string at(const std::string& name) const { return path_ + "/" + name; }

  // Writes a file, after making the folders it is in, and returns its path.
  std::string file(const std::string& name, const std::string& text = "") const {
    const std::filesystem::path file = at(name);
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << text;
    EXPECT_TRUE(out.flush()) << file;
    return file.string();
  }

private:
  std::string path_;
};

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace tp::test
