// SPDX-License-Identifier: Apache-2.0
// Which sources are worth a parse.
#include "temporary_folder.h"
#include "text/spawn_scan.h"

namespace tp::rewrite {
namespace {

TEST(HasWord, AWordIsNotPartOfAnotherNorInACommentLine) {
  EXPECT_TRUE(has_word("x = run(y)", "run"));
  EXPECT_TRUE(has_word("run", "run"));
  EXPECT_FALSE(has_word("rerun(); runs; run_2;", "run"));
  EXPECT_FALSE(has_word("  // we run it", "run"));
  EXPECT_TRUE(has_word("f(); // then\nrun();", "run"));
  EXPECT_FALSE(has_word("\\par and @par", "par")); // Doxygen
  EXPECT_FALSE(has_word("", "run"));
}

class SpawnScan : public testing::Test {
protected:
  SpawnScan() { scratch.file("CMakeLists.txt"); }
  bool scanned(const std::string& text, const std::vector<std::string>& arguments = {},
               const std::string& wrappers = "") {
    return may_spawn(scratch.file("a.cpp", text), arguments, wrappers);
  }
  test::TemporaryFolder scratch;
};

TEST_F(SpawnScan, LooksForConstructsNodesAndPolicies) {
  EXPECT_TRUE(scanned("void f() { tbb::parallel_for(0, 9, g); }"));
  EXPECT_TRUE(scanned("tbb::flow::continue_node<M> n;"));
  EXPECT_TRUE(scanned("std::sort(std::execution::par, a, b);"));
  EXPECT_FALSE(scanned("int main() { return parallel_for_you; }"));
}

TEST_F(SpawnScan, FollowsIncludesIntoTheProjectOnly) {
  scratch.file("include/deep/b.h", "group.run(f);");
  scratch.file("include/a.h", "#  include  <deep/b.h>\n");
  EXPECT_TRUE(scanned("#include \"include/a.h\"\n", {"-I", scratch.at("include")}));
  EXPECT_FALSE(scanned("#include \"include/a.h\"\n")); // <deep/b.h> is not found
  EXPECT_TRUE(scanned("", {"-include", scratch.at("include/deep/b.h")}));
  const test::TemporaryFolder other;
  EXPECT_FALSE(scanned("#include \"" + other.file("c.h", "parallel_for") + "\"\n"));
}

TEST_F(SpawnScan, EndsWhenHeadersIncludeEachOther) {
  scratch.file("x.h", "#include \"y.h\"\n");
  scratch.file("y.h", "#include \"x.h\"\n#include \"a.cpp\"\n");
  EXPECT_FALSE(scanned("#include \"x.h\"\n"));
}

TEST_F(SpawnScan, KnowsTheUsersWrappers) {
  EXPECT_TRUE(scanned("in_parallel(f);", {}, "other::one,ours::in_parallel"));
  EXPECT_FALSE(scanned("in_parallel(f);", {}, "ours::in_parallel_too"));
}

TEST_F(SpawnScan, LeavesModuleUnitsAlone) {
  EXPECT_FALSE(scanned("export module a;\nvoid f() { tbb::parallel_for(0, 9, g); }"));
  EXPECT_TRUE(scanned("int module = 1;\nvoid f() { tbb::parallel_for(0, 9, g); }"));
}

} // namespace
} // namespace tp::rewrite
