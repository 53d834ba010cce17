// SPDX-License-Identifier: Apache-2.0
// The calls that are inlined into one another, at addresses all over this test program, compared with what
// llvm-symbolizer says of them: functions, files and lines, from the innermost to the outermost.
#include "sites/debug_info.h"
#include "sites/demangle.h"
#include "sites/module_files.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <link.h>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

namespace tp::analysis {
namespace {

struct Call {
  std::string function, file;
  unsigned line = 0;
};
using Chain = std::vector<Call>;

constexpr std::size_t kAddresses = 1500;

// Of the code of the executable, as its file has them.
std::vector<std::uint64_t> own_addresses() {
  std::vector<std::uint64_t> addresses;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* data) {
        auto& found = *static_cast<std::vector<std::uint64_t>*>(data);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0)
            continue;
          const std::uint64_t step = segment.p_filesz / kAddresses + 1;
          for (std::uint64_t at = step; at < segment.p_filesz; at += step)
            found.push_back(segment.p_vaddr + at);
        }
        return 1; // the executable is the first
      },
      &addresses);
  return addresses;
}

// "FUNCTION\nFILE:LINE:COLUMN\n" for each call, an empty line after each address.
std::vector<Chain> chains_of(std::istream& text) {
  std::vector<Chain> chains(1);
  for (std::string function, place; std::getline(text, function);) {
    if (function.empty()) {
      chains.emplace_back();
      continue;
    }
    std::getline(text, place);
    const std::size_t column = place.rfind(':'), line = place.rfind(':', column - 1);
    // It takes names of symbols where there are any: a part of a function has one of its own.
    std::string name = demangle_symbol(function);
    name.resize(std::min({name.size(), name.find(" [clone "), name.find(" (.")}));
    chains.back().push_back(
        {name, place.substr(0, line), static_cast<unsigned>(std::atoi(&place[line + 1]))});
  }
  chains.pop_back();
  return chains;
}

std::vector<Chain> chains_by_llvm(const std::string& program,
                                  const std::vector<std::uint64_t>& addresses) {
  const std::string name = testing::TempDir() + "/inline_chains." + std::to_string(getpid());
  std::ofstream asked(name);
  for (const std::uint64_t address : addresses)
    asked << "0x" << std::hex << address << '\n';
  asked.close();
  const std::string command =
      "llvm-symbolizer-19 --functions=linkage --no-demangle --inlines --obj=" + program + " < " +
      name + " > " + name + ".out";
  const int status = std::system(command.c_str());
  std::ifstream answer(name + ".out");
  std::vector<Chain> chains = status == 0 ? chains_of(answer) : std::vector<Chain>{};
  unlink(name.c_str());
  unlink((name + ".out").c_str());
  return chains;
}

// Debug information has short names only of functions that other units don't see; it takes the symbol's.
void shorten_like(const Chain& short_ones, Chain& chain) {
  for (std::size_t i = 0; i < std::min(chain.size(), short_ones.size()); ++i) {
    const std::string& name = short_ones[i].function;
    // "operator int (*)(std::size_t)" of a lambda: the symbol has its type with other words.
    const bool conversion = name.starts_with("operator ");
    const std::string base = conversion ? "operator " : name.substr(0, name.find('<'));
    if ((conversion || base == "operator()" || base.find_first_of("(:") == base.npos) &&
        chain[i].function.find(base) != base.npos)
      chain[i].function = name;
  }
}

std::string text_of(const Chain& chain) {
  std::string text;
  for (const Call& call : chain)
    text += "  " + call.function + " " + call.file + ":" + std::to_string(call.line) + "\n";
  return text;
}

TEST(InlineChains, AreThoseOfLlvmSymbolizer) {
  char program[4096];
  const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
  ASSERT_GT(length, 0);
  program[length] = '\0';
  const std::vector<std::uint64_t> addresses = own_addresses();
  ASSERT_GT(addresses.size(), kAddresses / 2);
  if (std::system("llvm-symbolizer-19 --version > /dev/null 2>&1") != 0)
    GTEST_SKIP() << "no llvm-symbolizer-19";
  const std::vector<Chain> expected = chains_by_llvm(program, addresses);
  ASSERT_EQ(addresses.size(), expected.size());

  ModuleFiles files({{0, program, ""}}, {});
  const ModuleFiles::Opened opened = files.open(0);
  ASSERT_NE(nullptr, opened.module);
  DebugInfo debug_info(opened.module);
  std::size_t compared = 0, inlined = 0, shorter = 0, other_line = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    if (expected[i].empty() || expected[i].front().line == 0 ||
        expected[i].front().function == "??" || expected[i].front().function.starts_with("_sub_"))
      continue; // no debug information, a line that no source has, between two functions, or the compiler's
    Chain found;
    for (const SourceFrame& frame : debug_info.chain_at(opened.base + addresses[i]).frames)
      found.push_back({frame.function, frame.file, frame.line});
    Chain by_llvm = expected[i];
    shorten_like(found, by_llvm);
    ++compared;
    inlined += found.size() > 1;
    // g++ gives some inlined calls a range that goes beyond that of the call around them, by a jump:
    // there the inner ones are not found.
    if (by_llvm.size() > found.size() && !found.empty()) {
      Chain outer(by_llvm.end() - static_cast<std::ptrdiff_t>(found.size()), by_llvm.end());
      outer.front().line = found.front().line; // of the last code of its own, not of the call
      if (text_of(outer) == text_of(found)) {
        ++shorter;
        continue;
      }
    }
    // Where units have the same function of the same size, GNU ld gives each unit's lines its address.
    if (!found.empty() && by_llvm.size() == found.size() &&
        by_llvm.front().line != found.front().line) {
      Chain same_line = by_llvm;
      same_line.front().line = found.front().line;
      if (text_of(same_line) == text_of(found)) {
        ++other_line;
        continue;
      }
    }
    EXPECT_EQ(text_of(by_llvm), text_of(found)) << "at 0x" << std::hex << addresses[i];
    if (testing::Test::HasFailure())
      break;
  }
  EXPECT_GT(compared, kAddresses / 4);
  EXPECT_GT(inlined, 50u);
  EXPECT_LE(shorter * 200, compared);
  EXPECT_LE(other_line * 200, compared);
}

} // namespace
} // namespace tp::analysis
