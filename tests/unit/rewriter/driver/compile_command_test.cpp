// SPDX-License-Identifier: Apache-2.0
// What a compiler command asks for, and the reply of tp-rewrite.
#include "driver/compile_command.h"
#include "driver/reply.h"

#include <gtest/gtest.h>

namespace tp::rewrite {
namespace {

using Words = std::vector<std::string>;

TEST(CompileCommand, FindsSourcesAndWhatIsMadeOfThem) {
  const Command command = read_command({"-O2", "a.cpp", "-c", "-o", "a.o", "b.c", "-q"});
  EXPECT_EQ(command.arguments, (Words{"-O2", "a.cpp", "-c", "-o", "a.o", "b.c"}));
  EXPECT_EQ(command.sources, (std::vector<size_t>{1}));
  EXPECT_TRUE(command.compiles && command.rewritable && command.quiet);
  EXPECT_FALSE(command.links);
  EXPECT_EQ(command.output, "a.o");
}

TEST(CompileCommand, LinksUnlessItStopsBefore) {
  EXPECT_TRUE(read_command({"a.cpp"}).links);
  EXPECT_TRUE(read_command({"a.o", "-ltbb"}).links);
  EXPECT_FALSE(read_command({"a.o"}).compiles);
  for (const char* option : {"-c", "-S", "-E", "-fsyntax-only", "-r", "-M"})
    EXPECT_FALSE(read_command({option, "a.cpp"}).links) << option;
  EXPECT_FALSE(read_command({"--version"}).links);
}

TEST(CompileCommand, LeavesWhatIsNotCompiledToObjects) {
  for (const char* option : {"-E", "-M", "-MM", "-fsyntax-only", "-###", "-fpreprocessed"})
    EXPECT_FALSE(read_command({option, "a.cpp"}).rewritable) << option;
  EXPECT_FALSE(read_command({"-x", "c++-header", "a.h"}).rewritable);
  EXPECT_FALSE(read_command({"-c", "-"}).rewritable);
}

TEST(CompileCommand, TheLanguageIsThatOfTheLastX) {
  EXPECT_EQ(read_command({"-x", "c++", "-c", "a.inc"}).sources, (std::vector<size_t>{3}));
  EXPECT_EQ(read_command({"-xc", "-c", "a.cpp"}).sources, (std::vector<size_t>{}));
  EXPECT_EQ(read_command({"-xc", "a.cpp", "-xnone", "b.cpp"}).sources, (std::vector<size_t>{3}));
}

TEST(CompileCommand, AValueIsNotAnInput) {
  const Command command = read_command({"-MD", "-MF", "deps.cpp", "-I", "dir.cpp", "-c", "a.cpp"});
  EXPECT_EQ(command.sources, (std::vector<size_t>{6}));
  EXPECT_EQ(command.dependency_file, "deps.cpp");
}

TEST(CompileCommand, DependencyFilesHaveTheNamesOfTheCompilers) {
  const auto candidates = [](const Words& arguments) {
    return dependency_file_candidates(read_command(arguments), "src/a.cpp");
  };
  EXPECT_EQ(candidates({"-c", "src/a.cpp"}), Words{});
  EXPECT_EQ(candidates({"-MD", "-c", "src/a.cpp"}).front(), "a.d");
  EXPECT_EQ(candidates({"-MMD", "-c", "src/a.cpp", "-o", "out/a.o"}).front(), "out/a.d");
  EXPECT_EQ(candidates({"-Wp,-MD,x.d", "-c", "src/a.cpp"}), Words{"x.d"});
  EXPECT_EQ(make_escaped("a b#c$d"), "a\\ b\\#c$$d");
}

TEST(Reply, IsReadAsItWasWritten) {
  for (const Reply::Result result :
       {Reply::Result::Tagged, Reply::Result::NothingToTag, Reply::Result::Failed}) {
    const auto read = reply_from(to_json({result, "a \"b\"\n.cpp", "cannot be parsed"}));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->result, result);
    EXPECT_EQ(read->object, result == Reply::Result::Failed ? "a \"b\"\n.cpp" : "");
  }
}

TEST(Reply, AnythingElseIsNone) {
  for (const char* text : {"", "x", "[]", "{}", "{\"schema\":1}",
                           R"({"schema":"taskpath.rewrite/2","result":"tagged"})",
                           R"({"schema":"taskpath.rewrite/1","result":"other"})",
                           R"({"schema":"taskpath.rewrite/1"})"})
    EXPECT_FALSE(reply_from(text).has_value()) << text;
}

TEST(Reply, AnyBytesCanBeAName) {
  const auto read = reply_from(to_json({Reply::Result::Failed, "\xff", "r"}));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->object, "\xef\xbf\xbd");
}

} // namespace
} // namespace tp::rewrite
