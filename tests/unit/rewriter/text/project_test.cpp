// SPDX-License-Identifier: Apache-2.0
// Which project a file belongs to, and its name there.
#include "temporary_folder.h"
#include "text/prefix_map.h"
#include "text/project.h"

namespace tp::rewrite {
namespace {

using test::TemporaryFolder;

TEST(Project, TheRepositoryWins) {
  const TemporaryFolder scratch;
  std::filesystem::create_directories(scratch.at("repo/.git"));
  scratch.file("repo/sub/CMakeLists.txt");
  EXPECT_EQ(project_root(scratch.file("repo/sub/src/a.cpp")), scratch.at("repo"));
}

TEST(Project, ElseTheHighestBuildFileOfAnUnbrokenChain) {
  const TemporaryFolder scratch;
  scratch.file("top/CMakeLists.txt");
  scratch.file("top/lib/CMakeLists.txt");
  EXPECT_EQ(project_root(scratch.file("top/lib/src/a.cpp")), scratch.at("top"));
  // Three folders without a build file end the chain.
  scratch.file("top/1/2/3/inner/CMakeLists.txt");
  EXPECT_EQ(project_root(scratch.file("top/1/2/3/inner/a.cpp")), scratch.at("top/1/2/3/inner"));
  scratch.file("top/1/2/inner/CMakeLists.txt");
  EXPECT_EQ(project_root(scratch.file("top/1/2/inner/a.cpp")), scratch.at("top"));
}

TEST(Project, AFileAloneIsItsOwn) {
  const TemporaryFolder scratch;
  EXPECT_EQ(project_root(scratch.file("alone/a.cpp")), scratch.at("alone"));
}

TEST(Project, AGeneratedFileBelongsToTheSourcesOfItsTree) {
  const TemporaryFolder scratch;
  scratch.file("source/CMakeLists.txt");
  scratch.file("tree/CMakeCache.txt",
               "CMAKE_HOME_DIRECTORY:INTERNAL=" + scratch.at("source") + "\n");
  scratch.file("tree/CMakeFiles/x");
  scratch.file("tree/Makefile");
  EXPECT_EQ(project_root(scratch.file("tree/unity/a.cpp")), scratch.at("source"));
}

TEST(Project, NamesBelowARoot) {
  EXPECT_TRUE(is_below("/a/b", "/a"));
  EXPECT_TRUE(is_below("/a", "/"));
  EXPECT_FALSE(is_below("/ab/c", "/a"));
  EXPECT_FALSE(is_below("/a", "/a"));
  const TemporaryFolder scratch;
  const std::string file = scratch.file("x/y.cpp");
  EXPECT_EQ(relative_to(file, scratch.at("x")), "y.cpp");
  EXPECT_EQ(relative_to(file, scratch.at("other")), file);
}

TEST(Project, AllSpellingsOfAHeaderLookTheSame) {
  const TemporaryFolder scratch;
  const std::string header = scratch.file("real/include/a.h");
  std::filesystem::create_directory_symlink(scratch.at("real/include"), scratch.at("link"));
  EXPECT_EQ(without_detours(scratch.at("real/./include/a.h")), header);
  EXPECT_EQ(without_detours(scratch.at("link/../include/a.h")), header); // not <scratch>/include
}

TEST(PrefixMap, TheLastMatchingRuleApplies) {
  const PrefixMap map({"-O2", "-ffile-prefix-map=/src=A", "-fmacro-prefix-map=/src/deep=B",
                       "-fdebug-prefix-map=/src=C"});
  EXPECT_EQ(map.applied_to("/src/a.cpp"), "A/a.cpp");
  EXPECT_EQ(map.applied_to("/src/deep/a.cpp"), "B/a.cpp");
  EXPECT_EQ(map.applied_to("/other/a.cpp"), "/other/a.cpp");
  EXPECT_EQ(PrefixMap({"-ffile-prefix-map=broken"}).applied_to("broken"), "broken");
}

} // namespace
} // namespace tp::rewrite
