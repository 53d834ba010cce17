// Thousands of damaged traces: each is an answer or an Error, never a crash or a hang. Meant to run
// under ASan and UBSan too. TP_MUTATIONS sets how many per trace.
#include "mutate.h"
#include "random_program.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tp::test {
namespace {

std::uint64_t mutations() {
  const char* const text = std::getenv("TP_MUTATIONS");
  return text ? std::strtoull(text, nullptr, 10) : 1500;
}

void check(const analysis::TraceSource& source, std::uint64_t count) {
  ASSERT_TRUE(digest(source));
  std::uint64_t readable = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed)
    readable += digest(mutate(source, seed));
  // Neither all refused nor all accepted, else the mutations test nothing.
  EXPECT_GT(readable, count / 50);
  EXPECT_LT(readable, count);
}

TEST(Mutation, PaperExample) {
  check(load_trace_script(TP_GOLDEN_DIR "/taskprof_paper.trace.txt").source(), mutations());
}

// The seeds of tests/fuzz, and what it found: to be seen under the sanitizers.
TEST(Mutation, FuzzedBefore) {
  unsigned files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TP_CORPUS_DIR)) {
    SCOPED_TRACE(entry.path());
    std::ifstream file(entry.path(), std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    digest(from_blob(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()));
    ++files;
  }
  EXPECT_GE(files, 5u);
}

TEST(Mutation, RandomPrograms) {
  unsigned done = 0;
  for (std::uint64_t seed = 1; done < 3; ++seed) {
    const RandomProgram program = make_random_program({.seed = seed, .most_tasks = 30});
    if (!program.valid)
      continue;
    ++done;
    check(program.trace.source(), mutations() / 3);
  }
}

} // namespace
} // namespace tp::test
