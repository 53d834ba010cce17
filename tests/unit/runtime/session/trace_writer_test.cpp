// SPDX-License-Identifier: Apache-2.0
// The trace writer: chunks of every fill level, sealing, the size limit; and data directories.
#include "rt_support.h"

#include "base/json_writer.h"
#include "output/data_directory.h"
#include "output/run_metadata.h"
#include "output/trace_writer.h"
#include "session/settings.h"

#include <algorithm>
#include <fcntl.h>
#include <sys/stat.h>

using namespace tp::test;
using namespace tp;

namespace {

// An Extended record with `payload` bytes, each equal to `fill`.
void append(rt::TraceWriter& writer, std::uint16_t payload, unsigned char fill,
            std::uint64_t lead = 0) {
  trace::RecordEncoder record(writer.reserve(1000, 0));
  const unsigned code = record.field(lead);
  record.operand(std::uint8_t{99});
  record.operand(std::uint8_t{0});
  record.operand(payload);
  const std::vector<unsigned char> bytes(payload, fill);
  if (payload > 0)
    record.bytes(bytes.data(), bytes.size());
  writer.advance(record.commit(trace::make_tag(trace::Op::Extended, code, 0, 0, 0)));
}

} // namespace

TEST(TraceWriter, ChunkChangesAtEveryRecordSize) {
  for (std::uint16_t payload = 0; payload <= 28; ++payload) {
    TemporaryFolder folder;
    rt::TraceWriter writer(7, 3);
    ASSERT_TRUE(writer.open(folder.path() + "/s"));
    constexpr unsigned kRecords = 20000;
    for (unsigned i = 0; i < kRecords; ++i)
      append(writer, payload, static_cast<unsigned char>(i), i % 5 == 0 ? i : 0);
    writer.finish();
    const Stream stream = read_stream(folder.path() + "/s");
    ASSERT_EQ(stream.records.size(), kRecords) << payload;
    EXPECT_GT(stream.chunks.size(), 1u);
    for (unsigned i = 0; i < kRecords; ++i) {
      const trace::Record& record = stream.records[i];
      ASSERT_EQ(record.payload_bytes, payload);
      if (payload > 0) {
        ASSERT_EQ(static_cast<unsigned char>(record.payload[payload - 1]),
                  static_cast<unsigned char>(i));
      }
      ASSERT_EQ(record.lead, i % 5 == 0 ? i : 0);
    }
    for (const trace::ChunkHeader& chunk : stream.chunks) {
      EXPECT_EQ(chunk.flags, trace::kChunkClosed);
      EXPECT_EQ(chunk.stream, 3u);
      EXPECT_EQ(chunk.session, 7u);
    }
  }
}

TEST(TraceWriter, AnOpenChunkIsReadable) {
  TemporaryFolder folder;
  rt::TraceWriter writer(7, 0);
  ASSERT_TRUE(writer.open(folder.path() + "/s"));
  for (int i = 0; i < 10; ++i)
    append(writer, 4, 1);
  Stream stream = read_stream(folder.path() + "/s");
  EXPECT_EQ(stream.records.size(), 10u);
  ASSERT_EQ(stream.chunks.size(), 1u);
  EXPECT_EQ(stream.chunks[0].flags, 0u);
  // Another thread seals the stream while its owner lives; records that the owner adds later do not
  // damage it.
  writer.finish_foreign();
  append(writer, 4, 1);
  EXPECT_EQ(read_stream(folder.path() + "/s").records.size(), 10u);
  writer.finish();
  EXPECT_EQ(read_stream(folder.path() + "/s").records.size(), 11u);
}

TEST(TraceWriter, GoesOnAfterFinish) {
  TemporaryFolder folder;
  rt::TraceWriter writer(7, 0);
  ASSERT_TRUE(writer.open(folder.path() + "/s"));
  for (int thread = 0; thread < 5; ++thread) {
    append(writer, 1, 1);
    writer.finish();
    writer.finish();
  }
  const Stream stream = read_stream(folder.path() + "/s");
  EXPECT_EQ(stream.records.size(), 5u);
  EXPECT_EQ(stream.chunks.size(), 5u);
  EXPECT_LE(stream.bytes.size(), 5u * 4096);
}

TEST(TraceWriter, SizeLimit) {
  TemporaryFolder folder;
  const pid_t child = fork(); // the limit applies to the whole process
  if (child == 0) {
    close(2);
    rt::set_size_limit(200 << 10);
    rt::TraceWriter first(7, 0), second(7, 1);
    bool good = first.open(folder.path() + "/first") && second.open(folder.path() + "/second");
    for (int i = 0; i < 100000; ++i)
      append(first, 8, 1);
    first.finish();
    append(second, 8, 1);
    second.finish();
    good = good && first.truncated() && rt::any_truncated();
    _exit(good ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  const Stream stream = read_stream(folder.path() + "/first");
  ASSERT_FALSE(stream.chunks.empty());
  EXPECT_LE(stream.bytes.size(), 200u << 10);
  EXPECT_GT(stream.records.size(), 1000u);
  EXPECT_TRUE(stream.chunks.back().flags & trace::kChunkTruncated);
}

TEST(TraceWriter, WithoutAFileItIsASink) {
  rt::TraceWriter writer(7, 0);
  EXPECT_FALSE(writer.open("/nowhere/at/all"));
  const pid_t child = fork();
  if (child == 0) {
    close(2);
    for (int i = 0; i < 10000; ++i)
      append(writer, 28, 1);
    writer.finish();
    _exit(writer.truncated() ? 0 : 1);
  }
  int status;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(DataDirectory, ClaimsRotatesAndKeepsOut) {
  TemporaryFolder folder;
  const std::string name = folder.path() + "/a/b/data";
  std::string error;
  rt::DataDirectory first;
  ASSERT_TRUE(first.create(name, "", error)) << error;
  EXPECT_EQ(first.path(), name);
  ASSERT_TRUE(first.write_file("run.json", "first", error)) << error;
  // A live recording uses the name: the next one gets another name.
  rt::DataDirectory second;
  ASSERT_TRUE(second.create(name, "", error)) << error;
  EXPECT_EQ(second.path(), name + "." + std::to_string(getpid()));
  // The first recording is over: it is renamed to .old, and so is the next.
  first.forget();
  rt::DataDirectory third;
  ASSERT_TRUE(third.create(name + "//", "", error)) << error;
  EXPECT_EQ(third.path(), name);
  EXPECT_EQ(content_of(name + ".old/run.json"), "first");
  ASSERT_TRUE(third.write_file("run.json", "third", error));
  third.forget();
  rt::DataDirectory fourth;
  ASSERT_TRUE(fourth.create(name, "", error));
  EXPECT_EQ(content_of(name + ".old/run.json"), "third");
}

TEST(DataDirectory, RecordingsOfOneRunAreKept) {
  TemporaryFolder folder;
  const std::string name = folder.path() + "/data";
  const std::string own = name + "." + std::to_string(getpid());
  std::string error;
  const auto record = [&](const std::string& run) {
    rt::DataDirectory directory;
    EXPECT_TRUE(directory.create(name, run, error)) << error;
    rt::RunStart start;
    start.run = run;
    EXPECT_TRUE(directory.write_file("run.json", run_json(start), error)) << error;
    const std::string path = directory.path();
    directory.forget();
    return path;
  };
  EXPECT_EQ(record("1-5"), name);
  EXPECT_EQ(record("1-5"), own);
  EXPECT_EQ(record("1-5"), own + ".2");
  EXPECT_EQ(record("1-56"), name); // another run
  EXPECT_TRUE(std::filesystem::exists(name + ".old/run.json"));
  EXPECT_EQ(record("1-56"), own); // of the other run, with the same pid: renamed as well
  EXPECT_TRUE(std::filesystem::exists(own + ".old/run.json"));
  EXPECT_TRUE(std::filesystem::exists(own + ".2/run.json"));
  EXPECT_EQ(record(""), name); // without tp-run
  EXPECT_EQ(record(""), name);
}

TEST(DataDirectory, ForeignFilesStay) {
  TemporaryFolder folder;
  const std::string name = folder.path() + "/data";
  std::filesystem::create_directory(name);
  std::ofstream(name + "/thesis.txt") << "years of work";
  std::string error;
  rt::DataDirectory directory;
  ASSERT_TRUE(directory.create(name, "", error));
  EXPECT_NE(directory.path(), name);
  EXPECT_EQ(content_of(name + "/thesis.txt"), "years of work");
}

TEST(DataDirectory, Patterns) {
  TemporaryFolder folder;
  std::string error;
  rt::DataDirectory directory;
  ASSERT_TRUE(directory.create(folder.path() + "/%p-%e-%%-%q-%", "", error));
  EXPECT_EQ(directory.path(),
            folder.path() + "/" + std::to_string(getpid()) + "-" +
                std::filesystem::read_symlink("/proc/self/exe").filename().string() + "-%-%q-%");
}

TEST(DataDirectory, SaysWhyNot) {
  std::string error;
  rt::DataDirectory directory;
  EXPECT_FALSE(directory.create("/dev/null/data", "", error));
  EXPECT_NE(error.find("/dev/null/data"), std::string::npos);
}

TEST(Settings, BadValuesLeaveDefaults) {
  const struct {
    const char *name, *value;
    bool good;
  } kTable[] = {{"TP_DISABLE", "1", true},        {"TP_DISABLE", "yes", false},
                {"TP_PAUSED", "0", true},         {"TP_PAUSED", "on", false},
                {"TP_VERBOSE", "2", true},        {"TP_VERBOSE", "3", false},
                {"TP_AS_IF_CORES", "64", true},   {"TP_AS_IF_CORES", "-64", false},
                {"TP_AS_IF_CORES", "1e3", false}, {"TP_MAX_SIZE", "512mb", true},
                {"TP_MAX_SIZE", "big", false},    {"TP_DATA", "", false},
                {"TP_EVENT", "", false}};
  for (const auto& row : kTable) {
    TemporaryFolder folder;
    const pid_t child = fork();
    if (child == 0) {
      const int fd = open((folder.path() + "/err").c_str(), O_WRONLY | O_CREAT, 0666);
      dup2(fd, 2);
      setenv(row.name, row.value, 1);
      rt::read_settings();
      _exit(0);
    }
    waitpid(child, nullptr, 0);
    const std::string text = content_of(folder.path() + "/err");
    if (row.good) {
      EXPECT_EQ(text, "");
    } else {
      EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << text;
      EXPECT_NE(text.find(row.name), std::string::npos) << text;
      EXPECT_NE(text.find("got '" + std::string(row.value) + "'"), std::string::npos) << text;
    }
  }
}

TEST(Json, Escapes) {
  const std::string replaced = "\xef\xbf\xbd";
  const std::pair<std::string, std::string> kTable[] = {
      {"plain", "\"plain\""},
      {"a\"b\\c", "\"a\\\"b\\\\c\""},
      {std::string("\0\x01\x1f\n\t", 5), "\"\\u0000\\u0001\\u001f\\u000a\\u0009\""},
      {"\x7f", "\"\x7f\""},
      {"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80", "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\""},
      {"\xe4", "\"" + replaced + "\""},                               // Latin-1
      {"\xc3", "\"" + replaced + "\""},                               // cut off
      {"\xc0\x80", "\"" + replaced + replaced + "\""},                // overlong
      {"\xed\xa0\x80", "\"" + replaced + replaced + replaced + "\""}, // surrogate
      {"\xf4\x90\x80\x80",
       "\"" + replaced + replaced + replaced + replaced + "\""}, // beyond U+10FFFF
      {"\x80z", "\"" + replaced + "z\""},
  };
  for (const auto& [text, json] : kTable)
    EXPECT_EQ(rt::JsonObject::quoted(text), json);
  rt::JsonObject object;
  object.text("a", "x").number("b", UINT64_MAX).boolean("c", false).raw("d", "[1]");
  EXPECT_EQ(object.str(), R"({"a":"x","b":18446744073709551615,"c":false,"d":[1]})");
  EXPECT_EQ(rt::JsonObject().str(), "{}");
}
