// SPDX-License-Identifier: Apache-2.0
// Compiler options: which ones Clang gets to see, and response files.
#include "temporary_folder.h"
#include "text/compiler_options.h"

namespace tp::rewrite {
namespace {

using Words = std::vector<std::string>;

TEST(CompilerOptions, OnlyWhatChangesTheTextPasses) {
  EXPECT_EQ(flags_for_clang({"-O3", "-Ia", "-I", "b", "-DX=1", "-U", "Y", "-std=c++20", "-o", "x.o",
                             "-fno-tree-vectorize", "-march=native", "in.cpp", "-c"}),
            // -O and -march define macros
            (Words{"-O3", "-Ia", "-I", "b", "-DX=1", "-U", "Y", "-std=c++20", "-march=native"}));
}

TEST(CompilerOptions, AValueIsNeverTakenForAnOption) {
  EXPECT_EQ(flags_for_clang({"-o", "-DX", "-l", "-DY", "-MF", "-DZ"}), Words{});
}

TEST(CompilerOptions, AForcedHeaderIsReadAsText) {
  const Words expected{"-Xclang", "-include", "-Xclang", "all.h"};
  EXPECT_EQ(flags_for_clang({"-include", "all.h"}), expected);
  EXPECT_EQ(flags_for_clang({"-Xclang", "-include", "-Xclang", "all.h"}), expected);
  EXPECT_EQ(flags_for_clang({"-Xclang", "-include-pch", "-Xclang", "all.pch", "-DX"}),
            Words{"-DX"});
  EXPECT_EQ(flags_for_clang({"-Xclang", "-include"}), Words{}); // incomplete
  EXPECT_EQ(flags_for_clang({"-include"}), Words{});
}

TEST(CompilerOptions, OptionsForThePreprocessorAreUnpacked) {
  EXPECT_EQ(flags_for_clang({"-Wp,-DX=1,-UY,-MD,f.d"}), (Words{"-DX=1", "-UY"}));
  EXPECT_EQ(flags_for_clang({"-Wp,"}), Words{});
}

TEST(CompilerOptions, TheQuestionHasWhatSelectsHeadersAndLanguage) {
  EXPECT_EQ(
      flags_for_question({"-O2", "-std=c++17", "-DX", "-m32", "--sysroot", "/s", "-o", "-m64"}),
      (Words{"-std=c++17", "-m32", "--sysroot", "/s"}));
}

TEST(CompilerOptions, ResponseFilesNestAndMayBeMissing) {
  const test::TemporaryFolder scratch;
  const std::string inner = scratch.file("inner", "-DA='x y' \"-DB=\\\"q\\\"\"\n''");
  const std::string outer = scratch.file("outer", "-c @" + inner + "\tlast\\ word");
  EXPECT_EQ(
      expand_response_files({"first", "@" + outer, "@" + scratch.at("none")}),
      (Words{"first", "-c", "-DA=x y", "-DB=\"q\"", "", "last word", "@" + scratch.at("none")}));
}

TEST(CompilerOptions, AResponseFileThatContainsItselfEnds) {
  const test::TemporaryFolder scratch;
  const std::string file = scratch.at("self");
  scratch.file("self", "-DX @" + file);
  const Words words = expand_response_files({"@" + file});
  EXPECT_EQ(words.back(), "@" + file);
  EXPECT_GT(words.size(), 1u);
}

TEST(CompilerOptions, SourcesByName) {
  for (const char* name : {"a.cpp", "a.cc", "dir.d/a.cxx", "a.c++", "a.C"})
    EXPECT_TRUE(is_cxx_source_name(name)) << name;
  for (const char* name : {"a.c", "a.h", "cpp", "a.cpp.o", ""})
    EXPECT_FALSE(is_cxx_source_name(name)) << name;
}

} // namespace
} // namespace tp::rewrite
