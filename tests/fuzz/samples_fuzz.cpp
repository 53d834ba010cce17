// SPDX-License-Identifier: Apache-2.0
// libFuzzer target: reads any bytes as the blocks of a file of samples, with right checksums, and puts all
// stacks together. A seed is the machine (a byte), then for each block 2 bytes with the size of its records
// and these.
#include "sites/sample_stacks.h"
#include "tp/trace/samples_format.h"
#include "tp/trace/trace_codec.h"
#include "trace/samples_reader.h"

#include <cstring>
#include <span>
#include <vector>

// Not without a name: a test includes all targets.
namespace samples_fuzz {

namespace trace = tp::trace;
inline constexpr std::uint64_t kSession = 77;

template <typename Value>
void append(std::vector<std::byte>& to, const Value& value) {
  const auto* const at = reinterpret_cast<const std::byte*>(&value);
  to.insert(to.end(), at, at + sizeof value);
}

inline void append_header(std::vector<std::byte>& file, std::uint32_t machine) {
  trace::SamplesHeader header{};
  header.magic = trace::kSamplesMagic;
  header.version = trace::kSamplesVersion;
  header.header_bytes = sizeof header;
  header.session = kSession;
  header.method = 1;
  header.call_graph = 2;
  header.machine = machine;
  header.registers = machine == 1 ? trace::kSampleRegistersX86 : trace::kSampleRegistersArm64;
  header.stack_bytes = 4096;
  header.rate = 1000;
  header.check = static_cast<std::uint32_t>(trace::checksum(
      reinterpret_cast<const std::byte*>(&header), offsetof(trace::SamplesHeader, check)));
  append(file, header);
}

inline void append_block(std::vector<std::byte>& file, std::uint64_t number,
                         std::span<const std::byte> records) {
  trace::SampleBlockHeader header{};
  header.magic = trace::kSampleBlockMagic;
  header.bytes = static_cast<std::uint32_t>(records.size());
  header.time = header.raw_ns = 1'000'000'000 * (number + 1);
  std::vector<std::byte> checked;
  append(checked, header.time);
  append(checked, header.raw_ns);
  checked.insert(checked.end(), records.begin(), records.end());
  header.checksum = trace::checksum(checked.data(), checked.size());
  append(file, header);
  file.insert(file.end(), records.begin(), records.end());
}

} // namespace samples_fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0)
    return 0;
  std::span<const std::byte> rest(reinterpret_cast<const std::byte*>(data), size);
  std::vector<std::byte> file;
  samples_fuzz::append_header(file, 1 + data[0] % 2);
  rest = rest.subspan(1);
  for (std::uint64_t number = 0; rest.size() > 2; ++number) {
    std::uint16_t bytes;
    std::memcpy(&bytes, rest.data(), sizeof bytes);
    rest = rest.subspan(sizeof bytes);
    const std::size_t used = std::min<std::size_t>(bytes, rest.size()) / 8 * 8;
    samples_fuzz::append_block(file, number, rest.first(used));
    rest = rest.subspan(used);
  }
  tp::analysis::TraceSource source;
  for (int i = 0; i < 2; ++i)
    source.streams.emplace_back("000000.tps", std::vector<std::byte>());
  source.samples.emplace("samples.bin", std::move(file));
  const auto samples = tp::analysis::read_samples(source, samples_fuzz::kSession);
  tp::analysis::SampleStacks stacks(*samples);
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < samples->samples.size(); ++i)
    bytes += stacks.of(i).size();
  for (std::size_t i = samples->samples.size(); i-- > 0;) // not in their order
    bytes -= stacks.of(i).size();
  if (bytes != 0)
    __builtin_trap();
  return 0;
}
