// SPDX-License-Identifier: Apache-2.0
// Files: never left half written, modes preserved, devices written to instead of replaced.
#include "common/failure.h"
#include "common/files.h"
#include "temporary_folder.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>

namespace tp::tool {
namespace {

namespace fs = std::filesystem;

class Files : public testing::Test {
protected:
  const test::TemporaryFolder scratch;
  const std::string folder = scratch.path();
};

mode_t mode_of(const std::string& path) {
  struct stat status{};
  EXPECT_EQ(stat(path.c_str(), &status), 0);
  return status.st_mode & 07777;
}

TEST_F(Files, AreReplacedWithTheirMode) {
  const std::string path = folder + "/new/deep/file";
  write_file(path, "one");
  EXPECT_EQ(read_file(path), "one");
  const mode_t mask = umask(0);
  umask(mask);
  EXPECT_EQ(mode_of(path), 0666 & ~mask);
  chmod(path.c_str(), 0740);
  write_file(path, std::string("t\0wo", 4));
  EXPECT_EQ(read_file(path), std::string("t\0wo", 4));
  EXPECT_EQ(mode_of(path), 0740u);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder + "/new/deep"), {}), 1)
      << "a temporary file";
}

TEST_F(Files, PipesAreWrittenToAndStay) {
  const std::string path = folder + "/pipe";
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::optional<std::string> got;
  std::thread reader([&] { got = read_file(path); });
  write_file(path, "through");
  reader.join();
  EXPECT_EQ(got, "through");
  EXPECT_TRUE(fs::is_fifo(path));
}

TEST_F(Files, FailuresNameTheFileAndLeaveNothing) {
  fs::create_directory(folder + "/taken");
  write_file(folder + "/taken/inside", "x");
  for (const std::string& path : {folder + "/taken", folder + "/taken/inside/below"}) {
    try {
      write_file(path, "text");
      ADD_FAILURE() << path;
    } catch (const Failure& failure) {
      EXPECT_EQ(failure.object(), path);
      EXPECT_TRUE(failure.reason().starts_with("cannot be written: ")) << failure.reason();
      EXPECT_NE(failure.hint(), "");
    }
  }
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
  EXPECT_EQ(read_file(folder), std::nullopt);
  EXPECT_EQ(errno, EISDIR);
  EXPECT_EQ(read_file(folder + "/none"), std::nullopt);
  EXPECT_EQ(errno, ENOENT);
}

TEST_F(Files, OutputsReplaceOnlyTheirKind) {
  const OutputKind letters{"letters",
                           [](std::string_view text) { return text.starts_with("Dear"); }};
  const std::string own = scratch.file("own", "Dear reader"), empty = scratch.file("empty"),
                    foreign = scratch.file("foreign", "revenue");
  write_outputs(
      {{own, letters, "Dear all"}, {empty, letters, "Dear me"}, {scratch.at("new"), letters, "x"}});
  EXPECT_EQ(read_file(own), "Dear all");
  EXPECT_EQ(read_file(empty), "Dear me");
  EXPECT_EQ(read_file(scratch.at("new")), "x");
  try {
    write_outputs({{own, letters, "Dear none"}, {foreign, letters, "Dear none"}});
    ADD_FAILURE() << "overwritten";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.object(), foreign);
    EXPECT_NE(failure.hint(), "");
  }
  EXPECT_EQ(read_file(foreign), "revenue");
  EXPECT_EQ(read_file(own), "Dear all"); // none of the outputs is written
}

TEST(Shell, WordsAreQuotedWhereNeeded) {
  EXPECT_EQ(shell_quoted("runs/a-b_1.csv"), "runs/a-b_1.csv");
  EXPECT_EQ(shell_quoted(""), "''");
  EXPECT_EQ(shell_quoted("a b"), "'a b'");
  EXPECT_EQ(shell_quoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shell_quoted(std::vector<std::string>{"x", "$y"}), "x '$y'");
}

} // namespace
} // namespace tp::tool
