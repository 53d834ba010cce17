// SPDX-License-Identifier: Apache-2.0
// The file of samples: what is read, and that nothing in it can harm the reader.
#include "trace/samples_reader.h"

#include "tp/trace/samples_format.h"
#include "tp/trace/trace_codec.h"

#include <cstring>
#include <gtest/gtest.h>
#include <optional>
#include <utility>
#include <vector>

namespace tp::analysis {
namespace {

constexpr std::uint64_t kSession = 77;

class SamplesBuilder {
public:
  SamplesBuilder() {
    trace::SamplesHeader header{};
    header.magic = trace::kSamplesMagic;
    header.version = trace::kSamplesVersion;
    header.header_bytes = sizeof header;
    header.session = kSession;
    header.method = 1;
    header.call_graph = 2;
    header.machine = 1;
    header.registers = trace::kSampleRegistersX86;
    header.stack_bytes = 1024;
    header.rate = 1000;
    header.check = static_cast<std::uint32_t>(trace::checksum(
        reinterpret_cast<const std::byte*>(&header), offsetof(trace::SamplesHeader, check)));
    append(bytes_, header);
  }
  void module(std::uint64_t begin, std::uint64_t end, std::string path) {
    trace::SampleModule module{};
    module.base = begin;
    module.begin = begin;
    module.end = end;
    module.path_bytes = static_cast<std::uint32_t>(path.size());
    path.resize((path.size() + 7) / 8 * 8);
    module.head = {1, 0, static_cast<std::uint32_t>(sizeof module + path.size())};
    append(records_, module);
    for (const char c : path)
      records_.push_back(static_cast<std::byte>(c));
  }
  void thread(std::uint32_t stream, std::uint32_t os_thread, std::uint64_t time) {
    append(records_,
           trace::SampleThread{{2, 0, sizeof(trace::SampleThread)}, stream, os_thread, time});
  }
  void sample(std::uint32_t stream, std::uint64_t raw_ns, std::uint64_t instruction,
              std::size_t stack = 0) {
    const std::size_t more = stack > 0 ? trace::kSampleRegistersX86 * 8 + stack : 0;
    const auto flags = static_cast<std::uint16_t>(stack > 0 ? trace::kSampleHasStack : 0);
    append(records_, trace::SampleStack{
                         {3, flags, static_cast<std::uint32_t>(sizeof(trace::SampleStack) + more)},
                         stream,
                         9,
                         raw_ns,
                         instruction});
    records_.resize(records_.size() + more);
  }
  // Whole words from `address` on; or a stack of so many words that shares those without a bit in `own`.
  void stack(std::uint64_t address, const std::vector<std::uint64_t>& words,
             std::optional<std::uint64_t> own = {}, std::uint64_t count = 0) {
    const std::size_t more = 8 * (trace::kSampleRegistersX86 + (own ? 2 : 0) + words.size());
    const auto flags =
        static_cast<std::uint16_t>(trace::kSampleHasStack | (own ? trace::kSampleSharesStack : 0));
    append(records_, trace::SampleStack{
                         {3, flags, static_cast<std::uint32_t>(sizeof(trace::SampleStack) + more)},
                         0,
                         9,
                         1'000'000'500,
                         1100});
    for (std::uint64_t number = 0; number < trace::kSampleRegistersX86; ++number)
      append(records_, number == 7 ? address : number);
    if (own) {
      append(records_, count);
      append(records_, *own);
    }
    for (const std::uint64_t word : words)
      append(records_, word);
  }
  void lost(std::uint64_t count) {
    append(records_, trace::SampleLoss{{4, 0, sizeof(trace::SampleLoss)}, 0, 9, count});
  }
  void block(std::uint64_t time, std::uint64_t raw_ns) {
    trace::SampleBlockHeader header{};
    header.magic = trace::kSampleBlockMagic;
    header.bytes = static_cast<std::uint32_t>(records_.size());
    header.time = time;
    header.raw_ns = raw_ns;
    std::vector<std::byte> checked;
    append(checked, header.time);
    append(checked, header.raw_ns);
    checked.insert(checked.end(), records_.begin(), records_.end());
    header.checksum = trace::checksum(checked.data(), checked.size());
    append(bytes_, header);
    bytes_.insert(bytes_.end(), records_.begin(), records_.end());
    records_.clear();
  }
  std::vector<std::byte> bytes() const { return bytes_; }

private:
  template <typename Value>
  static void append(std::vector<std::byte>& to, const Value& value) {
    const auto* const at = reinterpret_cast<const std::byte*>(&value);
    to.insert(to.end(), at, at + sizeof value);
  }
  std::vector<std::byte> bytes_, records_;
};

TraceSource source_of(std::vector<std::byte> bytes) {
  TraceSource source;
  source.streams.emplace_back("000000.tps", std::vector<std::byte>());
  source.samples.emplace("samples.bin", std::move(bytes));
  return source;
}

SamplesBuilder two_blocks() {
  SamplesBuilder file;
  file.module(1000, 2000, "/prog");
  file.thread(0, 9, 5000);
  file.sample(0, 1'000'000'500, 1100, 64);
  file.block(10'000, 1'000'000'000);
  file.sample(0, 2'000'000'000, 1200);
  file.lost(3);
  file.module(1000, 2000, "/prog");
  file.module(4000, 5000, "/lib");
  file.sample(0, 3'000'000'000, 4100);
  file.block(4'000'010'000, 3'000'000'000);
  return file;
}

TEST(SamplesReader, ReadsSamplesWithTimesOfTheStreams) {
  const TraceSource source = source_of(two_blocks().bytes());
  const auto file = read_samples(source, kSession);
  ASSERT_TRUE(file);
  EXPECT_EQ(file->damage, "");
  EXPECT_EQ(file->method, "cpu-clock");
  EXPECT_EQ(file->call_graph, "dwarf");
  ASSERT_EQ(file->samples.size(), 3u);
  // Two ticks per ns.
  EXPECT_EQ(file->samples[0].time, 11'000u);
  EXPECT_EQ(file->samples[1].time, 2'000'010'000u);
  EXPECT_EQ(file->samples[2].time, 4'000'010'000u);
  EXPECT_EQ(file->samples[0].registers.size(), trace::kSampleRegistersX86 * 8);
  EXPECT_EQ(file->samples[0].stack.size(), 64u);
  EXPECT_TRUE(file->samples[1].stack.empty());
  EXPECT_EQ(file->lost, 3u);
  ASSERT_EQ(file->modules.size(), 2u);
  ASSERT_EQ(file->loaded.size(), 2u);
  EXPECT_EQ(file->loaded[0], (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(file->loaded[1], (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(file->samples[2].modules, 1u);
  ASSERT_EQ(file->threads.size(), 1u);
  EXPECT_EQ(file->threads[0].time, 5000u);
}

TEST(SamplesReader, StacksShareWordsWithTheLastOneOfTheirThreadInTheBlock) {
  SamplesBuilder builder;
  builder.module(1000, 2000, "/prog");
  builder.stack(8000, {10, 11, 12});
  builder.sample(0, 1'000'000'600, 1100); // without a stack
  builder.stack(7992, {20}, 0b1, 4);
  builder.block(10'000, 1'000'000'000);
  builder.stack(8000, {30});
  builder.stack(8000, {}, 0, 1);
  builder.block(4'000'010'000, 3'000'000'000);
  const TraceSource source = source_of(builder.bytes());
  const auto file = read_samples(source, kSession);
  ASSERT_EQ(file->damage, "");
  ASSERT_EQ(file->samples.size(), 5u);
  EXPECT_EQ(file->samples[0].stack_words, 0u);
  EXPECT_EQ(file->samples[0].stack.size(), 24u);
  EXPECT_EQ(file->samples[2].stack_words, 4u);
  EXPECT_EQ(file->samples[2].stack.size(), 8u);
  EXPECT_EQ(file->samples[2].other, 0u);
  EXPECT_EQ(file->samples[4].other, 3u);
}

TEST(SamplesReader, WrongSharedStacksEndTheFile) {
  const auto damage_of = [](auto&& add) {
    SamplesBuilder builder;
    builder.module(1000, 2000, "/prog");
    add(builder);
    builder.block(10'000, 1'000'000'000);
    return read_samples(source_of(builder.bytes()), kSession)->damage;
  };
  const std::vector<std::uint64_t> whole = {1, 2, 3};
  // The others share with one that is there: it is right, as far as this can be known.
  EXPECT_EQ(damage_of([&](SamplesBuilder& file) {
              file.stack(8000, whole);
              file.stack(8000, {4}, 0b1, 3);
            }),
            "one pair of clocks only");
  EXPECT_NE(damage_of([](SamplesBuilder& file) { file.stack(8000, {4}, 0b1, 3); }).find("wrong"),
            std::string::npos);
  for (const auto& [own, count] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
           {0b11, 3}, {0, 3}, {0b1, 0}, {0b1, 129}, {0b1, ~std::uint64_t{0}}})
    EXPECT_NE(damage_of([&](SamplesBuilder& file) {
                file.stack(8000, whole);
                file.stack(8000, {4}, own, count);
              }).find("wrong"),
              std::string::npos)
        << own << " " << count;
}

TEST(SamplesReader, NoFileMeansNoSamples) {
  EXPECT_FALSE(read_samples(TraceSource{}, kSession));
}

TEST(SamplesReader, SamplesOfAnotherRecordingAreRefused) {
  const TraceSource source = source_of(two_blocks().bytes());
  const auto file = read_samples(source, kSession + 1);
  EXPECT_TRUE(file->samples.empty());
  EXPECT_NE(file->damage, "");
}

TEST(SamplesReader, StopsAtATornEnd) {
  const std::vector<std::byte> whole = two_blocks().bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const TraceSource source =
        source_of({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    const auto file = read_samples(source, kSession);
    ASSERT_TRUE(file);
    EXPECT_LE(file->samples.size(), 1u) << size;
    const bool at_a_block = size == sizeof(trace::SamplesHeader);
    EXPECT_EQ(file->damage.empty(), at_a_block) << size;
  }
}

TEST(SamplesReader, EachChangedBitIsNoticed) {
  const std::vector<std::byte> whole = two_blocks().bytes();
  for (std::size_t at = 0; at < whole.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::vector<std::byte> changed = whole;
      changed[at] ^= std::byte(1 << bit);
      const TraceSource source = source_of(std::move(changed));
      const auto file = read_samples(source, kSession);
      EXPECT_NE(file->damage, "") << at << " " << bit;
    }
}

// With a right checksum: what a defective writer could write.
TEST(SamplesReader, WrongRecordsEndTheFile) {
  {
    SamplesBuilder file;
    file.sample(0, 1, 1); // before any module
    file.block(1, 1);
    EXPECT_NE(read_samples(source_of(file.bytes()), kSession)->damage, "");
  }
  {
    SamplesBuilder file;
    file.module(1000, 2000, "/prog");
    file.sample(1, 1, 1); // a stream that does not exist
    file.block(1, 1);
    EXPECT_NE(read_samples(source_of(file.bytes()), kSession)->damage, "");
  }
  {
    SamplesBuilder file;
    file.module(2000, 2000, "/prog"); // nothing
    file.block(1, 1);
    EXPECT_NE(read_samples(source_of(file.bytes()), kSession)->damage, "");
  }
  {
    SamplesBuilder file;
    file.thread(5, 9, 1);
    file.block(1, 1);
    EXPECT_NE(read_samples(source_of(file.bytes()), kSession)->damage, "");
  }
}

TEST(SamplesReader, ClocksThatGoBackwardsAreSkipped) {
  SamplesBuilder file;
  file.module(1000, 2000, "/prog");
  file.block(10'000, 1'000'000'000);
  file.block(20'000, 500'000'000);
  file.sample(0, 1'500'000'000, 1200);
  file.block(2'000'010'000, 2'000'000'000);
  const TraceSource source = source_of(file.bytes());
  const auto read = read_samples(source, kSession);
  ASSERT_EQ(read->samples.size(), 1u);
  EXPECT_EQ(read->samples[0].time, 1'000'010'000u);
}

} // namespace
} // namespace tp::analysis
