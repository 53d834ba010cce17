// SPDX-License-Identifier: Apache-2.0
// See samples_reader.h. Times: the line through the pairs of clocks around a sample. Between two pairs
// that are close together the line would be less exact than the readings are, so some are skipped.
#include "trace/samples_reader.h"

#include "tp/trace/samples_format.h"
#include "tp/trace/trace_codec.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <map>
#include <tuple>

namespace tp::analysis {
namespace {

constexpr std::uint64_t kPairDistanceNs = 500'000'000;
constexpr std::size_t kMostModules = 100'000;
constexpr std::size_t kMostLoadedLists = 10'000;

struct ClockPair {
  std::uint64_t raw_ns, time;
};

// Names of the modules are repeated each time that one is loaded.
class Modules {
public:
  explicit Modules(SampleFile& file) : file_(file) {}
  void begin_list() { file_.loaded.emplace_back(); }
  bool add(LoadedModule module) {
    const auto key = std::tuple(module.base, module.path, module.build_id);
    const auto [entry, is_new] =
        known_.try_emplace(key, static_cast<std::uint32_t>(file_.modules.size()));
    if (is_new) {
      if (file_.modules.size() >= kMostModules)
        return false;
      file_.modules.push_back(std::move(module));
    }
    file_.loaded.back().push_back(entry->second);
    return true;
  }
  void finish() {
    for (auto& list : file_.loaded)
      std::ranges::sort(list, {}, [&](std::uint32_t id) { return file_.modules[id].begin; });
  }

private:
  SampleFile& file_;
  std::map<std::tuple<std::uint64_t, std::string, std::string>, std::uint32_t> known_;
};

// Times of the kernel's clock to ticks, by interpolation; beyond the pairs by the nearest two.
class TimeLine {
public:
  explicit TimeLine(const std::vector<ClockPair>& pairs) {
    for (const ClockPair& pair : pairs) {
      const bool is_later =
          pairs_.empty() || (pair.raw_ns > pairs_.back().raw_ns && pair.time > pairs_.back().time);
      if (is_later && (pairs_.empty() || pair.raw_ns - pairs_.back().raw_ns >= kPairDistanceNs))
        pairs_.push_back(pair);
      if (is_later)
        last_ = pair;
    }
    if (pairs_.empty() || last_.raw_ns <= pairs_.back().raw_ns)
      return;
    // The last stretch is not a short one.
    if (pairs_.size() > 1 && last_.raw_ns - pairs_.back().raw_ns < kPairDistanceNs)
      pairs_.pop_back();
    pairs_.push_back(last_);
  }
  bool is_known() const { return pairs_.size() > 1; }
  std::uint64_t ticks(std::uint64_t raw_ns) const {
    auto right = std::ranges::upper_bound(pairs_, raw_ns, {}, &ClockPair::raw_ns);
    right = std::clamp(right, pairs_.begin() + 1, pairs_.end() - 1);
    const ClockPair &from = *std::prev(right), &to = *right;
    const double rate =
        static_cast<double>(to.time - from.time) / static_cast<double>(to.raw_ns - from.raw_ns);
    const double distance = raw_ns >= from.raw_ns ? static_cast<double>(raw_ns - from.raw_ns)
                                                  : -static_cast<double>(from.raw_ns - raw_ns);
    const double ticks = distance * rate;
    if (ticks >= 0)
      return from.time + static_cast<std::uint64_t>(std::min(ticks, 1e18));
    return from.time - std::min(from.time, static_cast<std::uint64_t>(std::min(-ticks, 1e18)));
  }

private:
  std::vector<ClockPair> pairs_;
  ClockPair last_{};
};

// Lines that are none are left out. Of code that was made in the place of other code the last one counts.
std::vector<NamedCode> named_code_of(std::string_view map) {
  std::map<std::uint64_t, NamedCode> found; // by begin
  while (!map.empty()) {
    const std::size_t end = std::min(map.find('\n'), map.size());
    const std::string line(map.substr(0, end));
    map.remove_prefix(std::min(end + 1, map.size()));
    char* rest = nullptr;
    const std::uint64_t begin = std::strtoull(line.c_str(), &rest, 16);
    const std::uint64_t bytes = std::strtoull(rest, &rest, 16);
    while (*rest == ' ')
      ++rest;
    if (*rest == '\0' || bytes == 0 || bytes > ~std::uint64_t{0} - begin)
      continue;
    auto before = found.upper_bound(begin);
    while (before != found.begin() && std::prev(before)->second.end > begin)
      found.erase(std::prev(before));
    for (auto next = found.lower_bound(begin); next != found.end() && next->first < begin + bytes;)
      next = found.erase(next);
    found[begin] = {begin, begin + bytes, rest};
  }
  std::vector<NamedCode> code;
  for (auto& [begin, each] : found)
    code.push_back(std::move(each));
  return code;
}

class Reader {
public:
  Reader(std::span<const std::byte> bytes, std::uint64_t session, std::size_t streams)
      : bytes_(bytes), session_(session), streams_(streams), modules_(file_) {}

  SampleFile read() {
    if (read_header())
      while (at_ < bytes_.size() && file_.damage.empty())
        read_block();
    finish();
    return std::move(file_);
  }

private:
  void damaged(std::string_view what) { file_.damage = fmt::format("{} at byte {}", what, at_); }
  template <typename Value>
  static Value value_at(const std::byte* at) {
    Value value;
    std::memcpy(&value, at, sizeof value);
    return value;
  }

  bool read_header() {
    if (bytes_.size() < sizeof header_) {
      damaged("no header");
      return false;
    }
    std::memcpy(&header_, bytes_.data(), sizeof header_);
    const auto check = static_cast<std::uint32_t>(
        trace::checksum(bytes_.data(), offsetof(trace::SamplesHeader, check)));
    if (header_.magic != trace::kSamplesMagic || header_.version < 1 ||
        header_.version > trace::kSamplesVersion || header_.header_bytes != sizeof header_ ||
        header_.check != check) {
      damaged("not a header of this version");
      return false;
    }
    if (header_.session != session_) {
      damaged("samples of another recording");
      return false;
    }
    if (header_.method == 0 || header_.method >= std::size(trace::kSampleMethodNames) ||
        header_.call_graph >= std::size(trace::kCallGraphNames) || header_.registers > 64 ||
        (header_.registers > 0 && header_.registers != registers_of(header_.machine))) {
      damaged("unknown values in the header");
      return false;
    }
    file_.method = trace::kSampleMethodNames[header_.method];
    file_.call_graph = trace::kCallGraphNames[header_.call_graph];
    file_.rate = header_.rate;
    file_.period_ns = header_.period_ns;
    file_.machine = header_.machine;
    if (header_.machine == static_cast<std::uint32_t>(trace::SampleMachine::Aarch64))
      file_.stack_pointer = 31;
    at_ = sizeof header_;
    return true;
  }

  static std::uint32_t registers_of(std::uint32_t machine) {
    switch (static_cast<trace::SampleMachine>(machine)) {
    case trace::SampleMachine::X86_64:
      return trace::kSampleRegistersX86;
    case trace::SampleMachine::Aarch64:
      return trace::kSampleRegistersArm64;
    default:
      return 0;
    }
  }

  void read_block() {
    constexpr std::size_t kChecked = offsetof(trace::SampleBlockHeader, time);
    if (bytes_.size() - at_ < sizeof(trace::SampleBlockHeader))
      return damaged("a torn block");
    const auto header = value_at<trace::SampleBlockHeader>(&bytes_[at_]);
    if (header.magic != trace::kSampleBlockMagic || header.bytes % 8 != 0 ||
        header.bytes > trace::kMostSampleBlockBytes)
      return damaged("not a block");
    if (bytes_.size() - at_ - sizeof header < header.bytes)
      return damaged("a torn block");
    if (trace::checksum(&bytes_[at_] + kChecked, sizeof header - kChecked + header.bytes) !=
        header.checksum)
      return damaged("a block with another checksum");
    pairs_.push_back({header.raw_ns, header.time});
    last_with_stack_.clear();
    const std::size_t end = at_ + sizeof header + header.bytes;
    for (at_ += sizeof header; at_ < end && file_.damage.empty();)
      read_record(end);
  }

  void read_record(std::size_t end) {
    const std::size_t room = end - at_;
    if (room < sizeof(trace::SampleRecord))
      return damaged("a torn record");
    const auto head = value_at<trace::SampleRecord>(&bytes_[at_]);
    if (head.bytes < sizeof head || head.bytes % 8 != 0 || head.bytes > room)
      return damaged("a record of a wrong size");
    const std::span<const std::byte> record = bytes_.subspan(at_, head.bytes);
    const auto kind = static_cast<trace::SampleRecordKind>(head.kind);
    if (kind != trace::SampleRecordKind::Module)
      in_modules_ = false;
    bool good = true;
    switch (kind) {
    case trace::SampleRecordKind::Module:
      good = read_module(record);
      break;
    case trace::SampleRecordKind::Thread:
      good = read_thread(record);
      break;
    case trace::SampleRecordKind::Sample:
      good = read_sample(record, head.flags);
      break;
    case trace::SampleRecordKind::Lost:
      if (record.size() >= sizeof(trace::SampleLoss))
        file_.lost += std::min<std::uint64_t>(value_at<trace::SampleLoss>(record.data()).count,
                                              ~std::uint64_t{0} - file_.lost);
      break;
    case trace::SampleRecordKind::Map:
      if (map_.size() < trace::kMostMapBytes)
        map_.append(reinterpret_cast<const char*>(record.data()) + sizeof head,
                    record.size() - sizeof head);
      while (map_.ends_with('\0'))
        map_.pop_back();
      break;
    default: // of a later version
      break;
    }
    if (!good)
      return damaged("a wrong record");
    at_ += head.bytes;
  }

  bool read_module(std::span<const std::byte> record) {
    if (record.size() < sizeof(trace::SampleModule))
      return false;
    const auto module = value_at<trace::SampleModule>(record.data());
    const std::size_t text = record.size() - sizeof module;
    if (module.path_bytes > text || module.build_id_bytes > text - module.path_bytes ||
        module.begin >= module.end)
      return false;
    if (!std::exchange(in_modules_, true)) {
      if (file_.loaded.size() >= kMostLoadedLists)
        return false;
      modules_.begin_list();
    }
    const auto* const characters = reinterpret_cast<const char*>(record.data() + sizeof module);
    return modules_.add({module.base,
                         module.begin,
                         module.end,
                         {characters, module.path_bytes},
                         {characters + module.path_bytes, module.build_id_bytes}});
  }

  bool read_thread(std::span<const std::byte> record) {
    if (record.size() < sizeof(trace::SampleThread))
      return false;
    const auto thread = value_at<trace::SampleThread>(record.data());
    if (thread.stream >= streams_)
      return false;
    file_.threads.push_back({thread.stream, thread.os_thread, thread.time});
    return true;
  }

  bool read_sample(std::span<const std::byte> record, std::uint16_t flags) {
    if (record.size() < sizeof(trace::SampleStack))
      return false;
    const auto sample = value_at<trace::SampleStack>(record.data());
    if (sample.stream >= streams_ || file_.loaded.empty())
      return false;
    RawSample raw{.stream = sample.stream,
                  .os_thread = sample.os_thread,
                  .modules = static_cast<std::uint32_t>(file_.loaded.size() - 1),
                  .periods = std::max(1u, unsigned{flags} >> trace::kSamplePeriodsShift),
                  .time = sample.raw_ns,
                  .instruction = sample.instruction};
    const std::span<const std::byte> rest = record.subspan(sizeof sample);
    const std::size_t register_bytes = header_.registers * sizeof(std::uint64_t);
    if ((flags & trace::kSampleHasStack) != 0) {
      if (header_.registers == 0 || rest.size() < register_bytes)
        return false;
      raw.registers = rest.first(register_bytes);
      raw.stack = rest.subspan(register_bytes);
      if ((flags & trace::kSampleSharesStack) != 0 && !read_shared_stack(raw))
        return false;
      if (!raw.stack.empty() || raw.stack_words > 0)
        last_with_stack_[{raw.stream, raw.os_thread}] =
            static_cast<std::uint32_t>(file_.samples.size());
    } else if ((flags & trace::kSampleHasChain) != 0) {
      raw.chain = rest;
    }
    if ((flags & trace::kSampleTimeIsTicks) == 0)
      to_convert_.push_back(file_.samples.size());
    file_.samples.push_back(raw);
    return true;
  }

  // Whether the words that it does not have itself are in the other stack is found out when they are needed.
  bool read_shared_stack(RawSample& raw) const {
    const auto other = last_with_stack_.find({raw.stream, raw.os_thread});
    if (other == last_with_stack_.end() || raw.stack.size() < sizeof(std::uint64_t))
      return false;
    const auto words = value_at<std::uint64_t>(raw.stack.data());
    const std::span<const std::byte> rest = raw.stack.subspan(sizeof words);
    const std::uint64_t masks = words / 64 + (words % 64 != 0 ? 1 : 0);
    if (words == 0 || words > header_.stack_bytes / sizeof(std::uint64_t) ||
        rest.size() < masks * sizeof(std::uint64_t))
      return false;
    raw.stack_words = static_cast<std::uint32_t>(words);
    raw.own_words = rest.first(masks * sizeof(std::uint64_t));
    raw.stack = rest.subspan(masks * sizeof(std::uint64_t));
    raw.other = other->second;
    std::uint64_t own = 0;
    for (std::uint64_t i = 0; i < masks; ++i)
      own += static_cast<std::uint64_t>(
          std::popcount(value_at<std::uint64_t>(raw.own_words.data() + i * sizeof(std::uint64_t))));
    return own * sizeof(std::uint64_t) == raw.stack.size();
  }

  void finish() {
    modules_.finish();
    file_.named_code = named_code_of(map_);
    const TimeLine line(pairs_);
    if (!line.is_known() && !to_convert_.empty()) {
      // One pair: the process was killed within the first moments.
      file_.samples.clear();
      if (file_.damage.empty())
        file_.damage = "one pair of clocks only";
      return;
    }
    for (const std::size_t i : to_convert_)
      file_.samples[i].time = line.ticks(file_.samples[i].time);
  }

  std::span<const std::byte> bytes_;
  const std::uint64_t session_;
  const std::size_t streams_;
  std::size_t at_ = 0;
  trace::SamplesHeader header_{};
  SampleFile file_;
  Modules modules_;
  bool in_modules_ = false;
  std::vector<ClockPair> pairs_;
  std::string map_; // of code made at run time
  std::vector<std::size_t> to_convert_;
  // Of each thread (and stream) in this block.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> last_with_stack_;
};

} // namespace

std::optional<SampleFile> read_samples(const TraceSource& source, std::uint64_t session) {
  if (!source.samples)
    return std::nullopt;
  return Reader(source.samples->bytes(), session, source.streams.size()).read();
}

} // namespace tp::analysis
