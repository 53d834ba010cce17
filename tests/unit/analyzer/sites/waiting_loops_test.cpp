// SPDX-License-Identifier: Apache-2.0
// Loops that only wait, and loops that do not, as compilers translate them: each function whose name begins with waits_ has a
// loop that is recognized when it is optimized; nothing in the others is, however they are translated. The sources:
// waiting_loops_code.h.
#include "oracle_runs.h"
#include "sites/module_code.h"
#include "sites/waiting_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <unistd.h>
#include <vector>

namespace tp::analysis {
namespace {

const std::string kSource =
    std::string(__FILE__).substr(0, std::string(__FILE__).rfind('/')) + "/waiting_loops_code.h";

// A library that was compiled from the source.
class Library {
public:
  explicit Library(const std::string& path) {
    file_.modules.push_back({.begin = 0, .end = ~std::uint64_t{0}, .path = path, .build_id = {}});
    file_.loaded.push_back({0});
    files_ = std::make_unique<ModuleFiles>(std::vector<Module>{{0, path, ""}}, DebugFiles{});
    unwinder_ = std::make_unique<StackUnwinder>(file_, *files_);
    opened_ = files_->open(0);
    if (!opened_.module)
      return;
    symbols_.emplace(opened_.module);
    code_ = std::make_unique<ModuleCode>(
        *files_, *unwinder_,
        ModuleCode::Questions{[](std::uint32_t) { return false; },
                              [this](std::uint32_t) { return &*symbols_; }});
    loops_ = std::make_unique<WaitingLoops>(*code_);
  }

  // By name.
  std::map<std::string, StackCall> functions() const {
    std::map<std::string, StackCall> found;
    const int count = opened_.module ? dwfl_module_getsymtab(opened_.module) : 0;
    for (int i = 1; i < count; ++i) {
      GElf_Sym symbol;
      GElf_Addr address = 0;
      const char* const name =
          dwfl_module_getsym_info(opened_.module, i, &symbol, &address, nullptr, nullptr, nullptr);
      if (name && GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size > 0)
        found[name] = {0, address - opened_.base};
    }
    return found;
  }
  // The instructions of a function from which a loop is found, alone or by what it calls there.
  std::vector<std::string> found_in(const StackCall& function) {
    std::vector<std::string> found;
    const auto around = code_->function_at(function);
    if (!around)
      return found;
    for (const Instruction& each : decode(around->machine, around->code, around->begin)) {
      std::vector<StackCall> calls{{0, each.address}};
      if (loops_->find(calls))
        found.push_back("at " + std::to_string(each.address - around->begin));
      if (each.flow != Instruction::Flow::Call || !each.target)
        continue;
      calls = {{0, *each.target}, {0, each.end() - 1}};
      if (!loops_->find({calls.data(), 1}) && loops_->find(calls))
        found.push_back("by the call at " + std::to_string(each.address - around->begin));
    }
    return found;
  }

private:
  SampleFile file_;
  std::unique_ptr<ModuleFiles> files_;
  std::unique_ptr<StackUnwinder> unwinder_;
  ModuleFiles::Opened opened_;
  std::optional<SymbolIndex> symbols_;
  std::unique_ptr<ModuleCode> code_;
  std::unique_ptr<WaitingLoops> loops_;
};

std::string joined(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& each : all)
    text += (text.empty() ? "" : ", ") + each;
  return text;
}

// `command`: of a compiler, with its options.
void expect_names_to_be_right(const std::string& command) {
  SCOPED_TRACE(command);
  const std::string path =
      testing::TempDir() + "/waiting_loops." + std::to_string(getpid()) + ".so";
  ASSERT_EQ(0, std::system((command + " -std=c++17 -shared -fPIC -nostdlib -x c++ " + kSource +
                            " -o " + path)
                               .c_str()));
  const bool is_optimized = command.find("-O0") == command.npos;
  Library library(path);
  std::size_t waiting = 0, working = 0;
  for (const auto& [name, at] : library.functions()) {
    const std::vector<std::string> found = library.found_in(at);
    if (name.starts_with("waits_")) {
      ++waiting;
      EXPECT_TRUE(!is_optimized || !found.empty()) << name << ": no loop found";
    } else if (is_optimized || !name.starts_with("mixes_")) {
      working += name.starts_with("works_") ? 1 : 0;
      EXPECT_TRUE(found.empty()) << name << ": " << joined(found);
    }
  }
  EXPECT_GT(waiting, 10U);
  EXPECT_GT(working, 20U);
  std::filesystem::remove(path);
}

bool is_installed(const std::string& compiler) {
  return std::system(("command -v " + compiler + " >/dev/null").c_str()) == 0;
}

TEST(WaitingLoops, OfGcc) {
  if (!is_installed("g++"))
    GTEST_SKIP() << "no g++";
  for (const char* const options :
       {"-O0", "-O1", "-O2", "-O3", "-Os", "-O2 -fno-plt", "-O3 -funroll-loops"})
    expect_names_to_be_right(std::string("g++ ") + options);
}

TEST(WaitingLoops, OfClang) {
  if (!is_installed("clang++-19"))
    GTEST_SKIP() << "no clang++-19";
  for (const char* const options : {"-O0", "-O1", "-O2", "-O3", "-Os"})
    expect_names_to_be_right(std::string("clang++-19 ") + options);
}

TEST(WaitingLoops, OfGccForArm) {
  if (!is_installed("aarch64-linux-gnu-g++"))
    GTEST_SKIP() << "no aarch64-linux-gnu-g++";
  for (const char* const options :
       {"-O0", "-O2", "-O3", "-O2 -mno-outline-atomics", "-O2 -march=armv8.3-a"})
    expect_names_to_be_right(std::string("aarch64-linux-gnu-g++ ") + options);
}

// Its loops search, count and compute.
TEST(WaitingLoops, ThisProgramHasNone) {
  Library library(std::filesystem::read_symlink("/proc/self/exe").string());
  const auto functions = library.functions();
  EXPECT_GT(functions.size(), 500U);
  constexpr std::size_t kOneOf = test::kFewer * test::kFewer; // 1, except with sanitizers
  std::size_t i = 0;
  for (const auto& [name, at] : functions) {
    if (i++ % kOneOf != 0)
      continue;
    const std::vector<std::string> found = library.found_in(at);
    EXPECT_TRUE(found.empty()) << name << ": " << joined(found);
  }
}

// Code of any bytes, in functions that call each other.
class AnyCode : public ProgramCode {
public:
  AnyCode(CodeMachine machine, unsigned seed) : machine_(machine), random_(seed) {
    const auto parts = machine == CodeMachine::X86_64 ? parts_of_x86() : parts_of_arm();
    while (bytes_.size() < kFunctions * kBytes) {
      const std::vector<int>& part = parts[random_() % parts.size()];
      for (const int each : part)
        bytes_.push_back(static_cast<std::byte>(each < 0 ? random_() : each));
    }
  }
  std::optional<Function> function_at(const StackCall& call) override {
    if (call.address >= kFunctions * kBytes)
      return std::nullopt;
    const std::uint64_t begin = call.address / kBytes * kBytes;
    return Function{machine_, begin, std::span(bytes_).subspan(begin, kBytes)};
  }
  std::optional<Function> code_at(const StackCall& call, std::size_t most) override {
    if (call.address >= bytes_.size())
      return std::nullopt;
    const auto rest = std::span(bytes_).subspan(call.address);
    return Function{machine_, call.address, rest.first(std::min(rest.size(), most))};
  }
  std::string symbol_at(const StackCall& call) override {
    return call.address % 7 == 0 ? "sched_yield" : "";
  }
  std::string import_at(std::uint32_t, std::uint64_t slot) override {
    return slot % 2 == 0 ? "sched_yield" : "";
  }
  static constexpr std::size_t kFunctions = 8, kBytes = 160;

private:
  // Instructions of loops that wait, with what is at -1 left to chance, and anything.
  static std::vector<std::vector<int>> parts_of_x86() {
    return {{0x74, -1},
            {0x75, -1},
            {0xEB, -1},
            {0xF3, 0x90},
            {0x8B, 0x07},
            {0x85, 0xC0},
            {0x86, 0x07},
            {0xE8, -1, 0, 0, 0},
            {0xE8, -1, 0xFF, 0xFF, 0xFF},
            {0xFF, 0x25, -1, 0, 0, 0},
            {0xC3},
            {0xB0, 1},
            {-1},
            {-1, -1, -1},
            {0x48, 0xFF, 0xC1},
            {0xFF, 0xE0}};
  }
  static std::vector<std::vector<int>> parts_of_arm() {
    return {{-1, -1, -1, 0x54},     {-1, 0xFF, 0xFF, 0x54}, {-1, 0, 0, 0x35},
            {-1, 0xFF, 0xFF, 0x35}, {0x3F, 0x20, 3, 0xD5},  {0, 0xFC, 0x5F, 0x88},
            {-1, 0xFF, 0xFF, 0x97}, {-1, 0, 0, 0x94},       {0xC0, 3, 0x5F, 0xD6},
            {-1, 0xFC, 2, 0x88},    {-1, -1, -1, -1},       {0x20, 0, 0x5F, 0xD6}};
  }
  CodeMachine machine_;
  std::mt19937 random_;
  std::vector<std::byte> bytes_;
};

TEST(WaitingLoops, EndForAnyCode) {
  std::size_t found = 0;
  for (const CodeMachine machine : {CodeMachine::X86_64, CodeMachine::Aarch64})
    for (unsigned seed = 0; seed < 300; ++seed) {
      AnyCode code(machine, seed);
      WaitingLoops loops(code);
      for (std::uint64_t at = 0; at < AnyCode::kFunctions * AnyCode::kBytes; at += 4) {
        const std::vector<StackCall> calls{{0, at}, {0, (at * 31 + seed) % 1600}, {0, at / 2}};
        found += loops.find(calls) ? 1 : 0;
      }
    }
  EXPECT_GT(found, 0U);
}

// Libraries of which some bytes are others.
TEST(WaitingLoops, AreNotFoundOutsideOfDamagedFiles) {
  const std::string path =
      testing::TempDir() + "/damaged_loops." + std::to_string(getpid()) + ".so";
  const std::string command = "g++ -O2 -std=c++17 -shared -fPIC -nostdlib -x c++ ";
  ASSERT_EQ(0, std::system((command + kSource + " -o " + path).c_str()));
  std::ifstream file(path, std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(file), {}};
  std::mt19937 random(1);
  std::size_t read = 0;
  for (int round = 0; round < 200; ++round) {
    std::string bytes = whole;
    // Half of the time in what comes first: headers, symbols, relocations.
    for (unsigned i = 0; i < 1 + random() % 6; ++i)
      bytes[random() % (round % 2 == 0 ? 2048 : bytes.size())] = static_cast<char>(random());
    if (round % 8 == 7)
      bytes.resize(random() % bytes.size());
    std::ofstream(path, std::ios::binary) << bytes;
    Library library(path);
    for (const auto& [name, at] : library.functions())
      read += library.found_in(at).size();
  }
  EXPECT_GT(read, 0U);
  std::filesystem::remove(path);
}

} // namespace
} // namespace tp::analysis
