// SPDX-License-Identifier: Apache-2.0
// What the finder makes of a translation unit, with headers that contain no more of oneTBB than the
// rules need: its namespaces and the parameter tp::site. tests/cli/rewriter uses oneTBB's headers.
#include "temporary_folder.h"
#include "clang/parse.h"
#include "clang/real_compiler.h"

namespace tp::rewrite {
namespace {

constexpr char kPatched[] = R"(#pragma once
namespace tp { struct site { site(int = 0) {} }; }
namespace tbb { namespace detail { namespace d1 {
template <class F> void parallel_for(int, int, const F&, tp::site = tp::site()) {}
template <class... F> void parallel_invoke(tp::site, F&&...) {}
template <class... F> void parallel_invoke(F&&...) {}
struct task_group { template <class F> void run(F&&, tp::site = tp::site()) {} };
} } using namespace detail::d1; }
)";
constexpr char kStock[] = R"(#pragma once
namespace tbb { namespace detail { namespace d1 {
template <class F> void parallel_for(int, int, const F&) {}
} } using namespace detail::d1; }
)";

class Parse : public testing::Test {
protected:
  // The result for a.cpp, which contains `text` and may include the headers above.
  ParseResult parsed(const std::string& text, std::vector<std::string> flags = {}) {
    scratch.file("system/patched.h", kPatched);
    scratch.file("system/stock.h", kStock);
    flags.insert(flags.end(), {"-isystem", scratch.at("system"), "-std=c++17"});
    const std::string file = scratch.file("project/a.cpp", text);
    return parse({file, scratch.at("project"), {"c++"}, flags, {}});
  }
  std::vector<FoundSite> sites(const std::string& text, const std::string& file = "project/a.cpp") {
    const ParseResult result = parsed(text);
    EXPECT_TRUE(result.ok) << (result.errors.empty() ? "" : result.errors.front());
    const auto found = result.files.find(scratch.at(file));
    EXPECT_NE(found, result.files.end());
    return found == result.files.end() ? std::vector<FoundSite>{} : found->second.sites;
  }
  test::TemporaryFolder scratch;
};

TEST_F(Parse, ACallOfAConstructIsASite) {
  const auto found =
      sites("#include <patched.h>\nvoid f() {\n  tbb::parallel_for(0, 9,\n    [](int) {});\n}\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].construct, "parallel_for");
  EXPECT_EQ(found[0].function, "f");
  EXPECT_EQ(found[0].line, 3u);
  EXPECT_EQ(found[0].column, 8u);
  EXPECT_EQ(found[0].end_line, 4u);
  EXPECT_EQ(found[0].handling, Handling::Tag);
  EXPECT_EQ(found[0].placement, Placement::Last);
}

TEST_F(Parse, NamesAloneDecideNothing) {
  EXPECT_TRUE(
      sites(
          "namespace mine { void parallel_for(int, int); struct task_group { void run(int); }; }\n"
          "void f() { mine::parallel_for(0, 9); mine::task_group().run(1); }\n")
          .empty());
}

TEST_F(Parse, MembersAndPacks) {
  const auto found = sites("#include <patched.h>\nvoid f(tbb::task_group& g) {\n  g.run([] {});\n  "
                           "tbb::parallel_invoke([] {}, [] {});\n}\n");
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].construct, "task_group::run");
  EXPECT_EQ(found[1].construct, "parallel_invoke");
  EXPECT_EQ(found[1].placement, Placement::First);
}

TEST_F(Parse, StockHeadersHaveNoParameter) {
  const auto found =
      sites("#include <stock.h>\nvoid f() { tbb::parallel_for(0, 9, [](int) {}); }\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].handling, Handling::NoParameter);
  EXPECT_STREQ(found[0].reason, "the oneTBB headers in use are not Taskpath's");
}

TEST_F(Parse, ACallInAMacroKeepsTheHeadersArgument) {
  const auto found = sites("#include <patched.h>\n#define LOOP tbb::parallel_for(0, 9, [](int) "
                           "{})\nvoid f() { LOOP; }\n");
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].handling, Handling::LeftToHeader);
}

TEST_F(Parse, OwnHeadersAreReadTooSystemHeadersAreNot) {
  scratch.file("project/CMakeLists.txt");
  scratch.file("project/own.h",
               "#include <patched.h>\ninline void g() { tbb::parallel_for(0, 9, [](int) {}); }\n");
  EXPECT_EQ(sites("#include \"own.h\"\n", "project/own.h").size(), 1u);
  for (const auto& [path, file] : parsed("#include \"own.h\"\n").files)
    EXPECT_EQ(path.find("/system/"), std::string::npos) << path;
}

TEST_F(Parse, ErrorsHaveAPlace) {
  const ParseResult result = parsed("int x;\nunknown y;\n");
  EXPECT_FALSE(result.ok);
  ASSERT_FALSE(result.errors.empty());
  EXPECT_NE(result.errors.front().find("a.cpp:2:1: "), std::string::npos) << result.errors.front();
}

TEST_F(Parse, AFolderThatDoesNotExistIsAnError) {
  const ParseResult result =
      parse({scratch.file("a.cpp", "int x;\n"), scratch.at("none"), {"c++"}, {}, {}});
  EXPECT_FALSE(result.ok);
  ASSERT_EQ(result.errors.size(), 1u);
  EXPECT_EQ(result.errors[0], scratch.at("none") + ": No such file or directory");
}

TEST(RealCompiler, AnswersWithItsHeadersAndLanguage) {
  const RealCompiler compiler = ask_real_compiler({"c++"}, {"-std=c++17"});
  ASSERT_TRUE(compiler.answered);
  EXPECT_FALSE(compiler.include_dirs.empty());
  EXPECT_EQ(compiler.cplusplus, "201703L");
  EXPECT_EQ(standard_flag(compiler), "-std=gnu++17");
}

TEST(RealCompiler, OneThatIsNoneDoesNotAnswer) {
  EXPECT_FALSE(ask_real_compiler({"/nonexistent/c++"}, {}).answered);
  EXPECT_FALSE(ask_real_compiler({"false"}, {}).answered);
}

} // namespace
} // namespace tp::rewrite
