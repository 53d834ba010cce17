// SPDX-License-Identifier: Apache-2.0
// Opens a data directory. Streams are mapped, not read: a mapping needs no file descriptor once it
// exists, so a trace may have thousands of streams, and the kernel can drop pages that were read at
// any time.
#include "trace/trace_source.h"

#include "base/problem.h"
#include "tp/trace/samples_format.h"
#include "tp/trace/trace_format.h"

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <utility>

namespace tp::analysis {
namespace fs = std::filesystem;

namespace {

// JSON texts have a few kilobytes, a site table some megabytes: a larger file is not ours.
constexpr std::uint64_t kMaxJsonBytes = std::uint64_t{1} << 30;

[[noreturn]] void fail_errno(const std::string& path, int error) {
  fail(Problem::Unreadable, {path}, "a readable file", std::strerror(error));
}

class Descriptor {
public:
  explicit Descriptor(const std::string& path) : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (fd_ < 0)
      fail_errno(path, errno);
  }
  ~Descriptor() { ::close(fd_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }

private:
  int fd_;
};

std::uint64_t size_of(const Descriptor& file, const std::string& path) {
  struct stat status{};
  if (::fstat(file.get(), &status) != 0)
    fail_errno(path, errno);
  if (!S_ISREG(status.st_mode))
    fail(Problem::Unreadable, {path}, "a regular file", "something else");
  return static_cast<std::uint64_t>(status.st_size);
}

std::string read_text(const std::string& path) {
  const Descriptor file(path);
  const std::uint64_t size = size_of(file, path);
  if (size > kMaxJsonBytes)
    fail(Problem::Unreadable, {path}, fmt::format("at most {} bytes", kMaxJsonBytes),
         std::to_string(size));
  std::string text(size, '\0');
  std::size_t filled = 0;
  while (filled < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + filled, text.size() - filled);
    if (got < 0)
      fail_errno(path, errno);
    if (got == 0)
      break;
    filled += static_cast<std::size_t>(got);
  }
  text.resize(filled);
  return text;
}

// The number of a stream file, or nothing for a file of another kind.
std::optional<std::uint32_t> stream_number(const fs::path& path) {
  if (path.extension() != trace::kStreamSuffix)
    return std::nullopt;
  const std::string stem = path.stem().string();
  const bool digits =
      !stem.empty() && stem.size() <= 9 &&
      std::all_of(stem.begin(), stem.end(), [](char c) { return c >= '0' && c <= '9'; });
  const std::uint32_t number =
      digits ? static_cast<std::uint32_t>(std::stoul(stem)) : trace::kMaxStreams;
  if (number >= trace::kMaxStreams)
    fail(Problem::BadStreamName, {path.string()},
         fmt::format("a number below {}", trace::kMaxStreams), stem);
  return number;
}

} // namespace

StreamBytes::StreamBytes(std::string name, std::vector<std::byte> bytes)
    : name_(std::move(name)), owned_(std::move(bytes)), bytes_(owned_) {}

StreamBytes::StreamBytes(StreamBytes&& other) noexcept
    : name_(std::move(other.name_)), owned_(std::move(other.owned_)), bytes_(other.bytes_),
      mapped_(std::exchange(other.mapped_, false)) {
  other.bytes_ = {};
}

StreamBytes::~StreamBytes() {
  if (mapped_)
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

StreamBytes StreamBytes::map(const std::string& path) {
  StreamBytes result{path};
  const Descriptor file(path);
  const std::uint64_t size = size_of(file, path);
  if (size == 0)
    return result;
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (address == MAP_FAILED)
    fail_errno(path, errno);
  ::madvise(address, size, MADV_SEQUENTIAL);
  result.bytes_ = {static_cast<const std::byte*>(address), static_cast<std::size_t>(size)};
  result.mapped_ = true;
  return result;
}

std::uint64_t TraceSource::bytes() const {
  std::uint64_t sum = 0;
  for (const StreamBytes& stream : streams)
    sum += stream.bytes().size();
  return sum;
}

TraceSource open_directory(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error))
    fail(Problem::NoData, {path}, fs::exists(path, error) ? "a directory written by tp-run" : "",
         "a file", "tp-run ./your-program");
  const fs::path directory(path);
  TraceSource source;
  source.name = path;
  if (!fs::exists(directory / "run.json", error))
    fail(Problem::MissingRunJson, {path}, "a data directory written by tp-run", "no run.json",
         "tp-run ./your-program");
  source.run_json = read_text(directory / "run.json");
  if (fs::exists(directory / "sites.jsonl", error))
    source.sites_jsonl = read_text(directory / "sites.jsonl");
  if (fs::exists(directory / "end.json", error))
    source.end_json = read_text(directory / "end.json");

  if (fs::exists(directory / trace::kSamplesFile, error))
    source.samples.emplace(StreamBytes::map((directory / trace::kSamplesFile).string()));

  std::map<std::uint32_t, std::string> files;
  fs::directory_iterator entries(directory, error);
  if (error)
    fail(Problem::Unreadable, {path}, "a readable directory", error.message());
  for (const auto& entry : entries)
    if (const auto number = stream_number(entry.path())) {
      if (!files.emplace(*number, entry.path().string()).second)
        fail(Problem::BadStreamName, {entry.path().string()}, "one file per stream", "two");
    }
  if (files.empty())
    fail(Problem::NoStreams, {path}, "at least one .tps file", "none",
         "tp-doctor, then tp-run ./your-program");
  source.streams.reserve(files.size());
  for (const auto& [number, file] : files) {
    if (number != source.streams.size())
      fail(Problem::MissingStream, {path}, fmt::format("stream {}", source.streams.size()),
           fmt::format("stream {} as the next one", number));
    source.streams.push_back(StreamBytes::map(file));
  }
  return source;
}

} // namespace tp::analysis
