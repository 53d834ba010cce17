// SPDX-License-Identifier: Apache-2.0
// Thousands of damaged traces: each gives an answer or an Error, never a crash or a hang. Run under
// ASan and UBSan as well. TP_MUTATIONS sets the number of mutations per trace.
#include "mutate.h"
#include "oracle_runs.h"
#include "random_program.h"
#include "trace_script.h"

// The fuzz targets, each renamed to a unique name.
#define LLVMFuzzerTestOneInput fuzz_csv
#include "../fuzz/csv_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_info
#include "../fuzz/info_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_json
#include "../fuzz/json_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_reader
#include "../fuzz/reader_fuzz.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_samples
#include "../fuzz/samples_fuzz.cpp"
#undef LLVMFuzzerTestOneInput

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace tp::test {
namespace {

std::uint64_t mutations() {
  const char* const text = std::getenv("TP_MUTATIONS");
  return text ? std::strtoull(text, nullptr, 10) : 1500 / kFewer;
}

void check(const analysis::TraceSource& source, std::uint64_t count) {
  ASSERT_TRUE(digest(source));
  std::uint64_t readable = 0;
  for (std::uint64_t seed = 1; seed <= count; ++seed)
    readable += digest(mutate(source, seed));
  // If all or none were accepted, the mutations would test nothing.
  EXPECT_GT(readable, count / 50);
  EXPECT_LT(readable, count);
}

TEST(Mutation, PaperExample) {
  check(load_trace_script(TP_GOLDEN_DIR "/taskprof_paper.trace.txt").source(), mutations());
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}
const std::uint8_t* data_of(const std::string& bytes) {
  return reinterpret_cast<const std::uint8_t*>(bytes.data());
}

// Passes the seeds of tests/fuzz, and inputs that fuzzing found, to the fuzz targets themselves;
// for runs under the sanitizers.
TEST(Mutation, FuzzedBefore) {
  namespace fs = std::filesystem;
  const std::map<std::string, int (*)(const std::uint8_t*, std::size_t)> targets{
      {"csv", fuzz_csv},
      {"info", fuzz_info},
      {"json", fuzz_json},
      {"reader", fuzz_reader},
      {"samples", fuzz_samples}};
  std::map<std::string, unsigned> files;
  for (const auto& entry : fs::recursive_directory_iterator(TP_CORPUS_DIR)) {
    if (!entry.is_regular_file())
      continue;
    SCOPED_TRACE(entry.path());
    const std::string target = entry.path().parent_path().filename().string();
    ASSERT_TRUE(targets.contains(target)) << "which fuzz target is this for?";
    const std::string bytes = bytes_of(entry.path());
    targets.at(target)(data_of(bytes), bytes.size());
    ++files[target];
  }
  EXPECT_EQ(targets.size(), files.size());
}

// Invalid seeds would test only how errors are reported.
TEST(Mutation, SeedsOfInfoAreGood) {
  for (const char* const seed : {"run", "sites", "end", "all"})
    EXPECT_TRUE(digest(with_info(bytes_of(std::string(TP_CORPUS_DIR "/info/") + seed)))) << seed;
}

TEST(Mutation, RecordingsAmongTheSeedsAreGood) {
  unsigned recordings = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TP_CORPUS_DIR "/reader")) {
    if (!entry.path().has_extension()) // PROGRAM.CASE of tests/system/programs
      continue;
    ++recordings;
    const std::string bytes = bytes_of(entry.path());
    EXPECT_TRUE(digest(from_blob(data_of(bytes), bytes.size()))) << entry.path();
  }
  EXPECT_GT(recordings, 10U);
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
