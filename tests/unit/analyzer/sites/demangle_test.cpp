// SPDX-License-Identifier: Apache-2.0
// More than 500 mangled names against llvm-cxxfilt; and that names are read alike whichever demangler
// wrote them.
#include "sites/demangle.h"

#include "sites/cxx_names.h"
#include "sites/display_names.h"

#include <cxxabi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace tp::analysis {
namespace {

struct Golden {
  std::string mangled, name;
  bool is_type;
};

std::vector<Golden> golden_names() {
  std::ifstream file(TP_GOLDEN_DIR "/demangled.txt");
  std::vector<Golden> all;
  bool is_type = false;
  for (std::string line; std::getline(file, line);)
    if (const std::size_t tab = line.find('\t'); line == "types")
      is_type = true;
    else if (!line.starts_with('#'))
      all.push_back({line.substr(0, tab), line.substr(tab + 1), is_type});
  return all;
}

// Empty: refused.
std::string by_runtime(const std::string& name) {
  int status = 0;
  char* const text = abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status);
  const std::string result = text ? text : "";
  std::free(text);
  return result;
}

TEST(Demangle, NamesAreThoseOfLlvmCxxfilt) {
  if (!has_llvm_demangler())
    GTEST_SKIP() << "built without LLVM's demangler";
  const std::vector<Golden> all = golden_names();
  EXPECT_GE(all.size(), 500u);
  std::size_t refused = 0;
  for (const Golden& each : all) {
    EXPECT_EQ(each.name, each.is_type ? demangle_type(each.mangled) : demangle_symbol(each.mangled))
        << each.mangled;
    refused += by_runtime(each.mangled).empty();
  }
  EXPECT_GT(refused, 10u); // by the runtime: what LLVM's is for
}

TEST(Demangle, BothDemanglersGiveTheSameFunction) {
  for (const Golden& each : golden_names()) {
    const std::string other = by_runtime(each.mangled);
    EXPECT_FALSE(scopes_of(each.name).empty()) << each.name;
    EXPECT_FALSE(short_name(each.name).empty()) << each.name;
    EXPECT_TRUE(other.empty() || plain_name(each.name) == plain_name(other)) << each.name << "\n"
                                                                             << other;
  }
}

TEST(Demangle, NamesThatAreNotMangledStay) {
  // As types these are float, unsigned long, and others.
  for (const std::string name : {"f", "m", "x", "main", "St", "", "_start", "Z3foov"})
    EXPECT_EQ(name, demangle_symbol(name));
  EXPECT_EQ("float", demangle_type("f"));
  EXPECT_EQ("tbb::detail::d1::task", demangle_type("N3tbb6detail2d14taskE"));
  EXPECT_EQ("not a type", demangle_type("not a type"));
  // What LLVM's refuses, the runtime may read.
  EXPECT_NE("_ZGTtNKSt11logic_error4whatEv", demangle_symbol("_ZGTtNKSt11logic_error4whatEv"));
}

TEST(Demangle, TheCodeOfAnOpenMpConstructIsThatOfItsFunction) {
  EXPECT_EQ("user::loop()", demangle_symbol("_ZN4user4loopEv._omp_fn.0"));
  EXPECT_EQ("user::loop()", demangle_symbol("_ZN4user4loopEv.omp_outlined_debug__"));
  EXPECT_EQ("user::loop()", demangle_symbol("_ZN4user4loopEv.omp_outlined.omp_outlined.3"));
  EXPECT_EQ("main", demangle_symbol("__omp_offloading_801_ab12_main_l5"));
  EXPECT_EQ("user::loop()",
            demangle_symbol("__omp_offloading_801_ab12__ZN4user4loopEv_l12.omp_outlined"));
  EXPECT_EQ("__omp_offloading_801", demangle_symbol("__omp_offloading_801"));
  EXPECT_EQ("main", demangle_symbol("main._omp_fn.1"));
  EXPECT_EQ("relax_", demangle_symbol("*relax_._omp_fn.1")); // __asm__("relax_")
  EXPECT_EQ(".omp_task_entry.", demangle_symbol(".omp_task_entry."));
  EXPECT_EQ("f.part.0", demangle_symbol("f.part.0"));
}

TEST(Demangle, DeepNamesDoNotOverflowTheStack) {
  std::string pointers(100000, 'P');
  EXPECT_FALSE(demangle_type(pointers + "i").empty());
  std::string templates = "_Z1f";
  for (int i = 0; i < 20000; ++i)
    templates += "I1X";
  EXPECT_FALSE(demangle_symbol(templates).empty());
  EXPECT_EQ(std::string(1 << 20, 'P'), demangle_type(std::string(1 << 20, 'P')));
  // Their texts are read as well.
  EXPECT_FALSE(short_name(demangle_type(pointers + "i")).empty());
  std::string nested = "A";
  for (int i = 0; i < 20000; ++i)
    nested = "A<" + nested + ">";
  EXPECT_FALSE(short_name(nested).empty());
}

} // namespace
} // namespace tp::analysis
