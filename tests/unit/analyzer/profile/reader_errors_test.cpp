// SPDX-License-Identifier: Apache-2.0
// Each way in which a data directory can be wrong: a mutated trace and the Problem that it must
// give. Inconsistencies are counted; they are never fatal and never cause a hang.
#include "profile/make_profile.h"
#include "trace_script.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <set>

namespace tp::analysis {
namespace {

constexpr const char* kScript = R"(
run complete=1
site 1 a.cpp 10
region 0 r a.cpp 5
stream 0
thread role=main
spawn work=80 site=1 ctx=new-exclusive
wait ctx=last
task task=newest work=10
wait-end
cut work=5
thread-end
)";

test::TraceBuilder builder_of(const std::string& more = "", const std::string& script = kScript) {
  return test::parse_trace_script(script + more);
}

Problem problem_of(const TraceSource& source) {
  try {
    make_profile(source, {});
  } catch (const Error& error) {
    EXPECT_NE(std::string::npos, std::string(error.what()).find("expected"));
    return error.problem();
  }
  return Problem::Count;
}

Problem problem_of_records(const std::string& records) {
  return problem_of(
      builder_of("", "site 1 a.cpp 10\nstream 0\nthread role=main\n" + records).source());
}

// Replaces the bytes of the first stream.
Problem
problem_after(const std::function<void(std::vector<std::byte>&, trace::ChunkHeader&)>& change,
              bool fix_check = true) {
  TraceSource source = builder_of().source();
  const auto old = source.streams[0].bytes();
  std::vector<std::byte> bytes(old.begin(), old.end());
  trace::ChunkHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  change(bytes, header);
  if (fix_check)
    header.header_check = trace::header_check(header);
  std::memcpy(bytes.data(), &header, std::min(sizeof header, bytes.size()));
  source.streams.clear();
  source.streams.emplace_back("memory/0.tps", std::move(bytes));
  return problem_of(source);
}

Problem problem_of_json(const std::function<void(TraceSource&)>& change) {
  TraceSource source = builder_of().source();
  change(source);
  return problem_of(source);
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  ASSERT_NE(std::string::npos, at) << from;
  text.replace(at, from.size(), to);
}

TEST(ReaderErrors, TheScriptItselfIsGood) {
  EXPECT_EQ(Problem::Count, problem_of(builder_of().source()));
}

TEST(ReaderErrors, Chunks) {
  using Bytes = std::vector<std::byte>&;
  using Header = trace::ChunkHeader&;
  EXPECT_EQ(Problem::WrongMagic, problem_after([](Bytes, Header h) { h.magic = 1; }));
  EXPECT_EQ(Problem::SwappedMagic, problem_after([](Bytes, Header h) {
              h.magic = __builtin_bswap32(trace::kChunkMagic);
            }));
  EXPECT_EQ(Problem::ChunkVersion, problem_after([](Bytes, Header h) { h.version = 3; }));
  EXPECT_EQ(Problem::HeaderBytes, problem_after([](Bytes, Header h) { h.header_bytes = 80; }));
  EXPECT_EQ(Problem::HeaderCheck, problem_after([](Bytes, Header h) { h.base_time ^= 1; }, false));
  EXPECT_EQ(Problem::ForeignSession, problem_after([](Bytes, Header h) { h.session = 9; }));
  EXPECT_EQ(Problem::WrongStream, problem_after([](Bytes, Header h) { h.stream = 1; }));
  EXPECT_EQ(Problem::MissingChunk, problem_after([](Bytes, Header h) { h.sequence = 1; }));
  EXPECT_EQ(Problem::ChunkBytes, problem_after([](Bytes, Header h) { h.chunk_bytes = 71; }));
  EXPECT_EQ(Problem::UsedBytes,
            problem_after([](Bytes, Header h) { h.used_bytes = h.chunk_bytes; }));
  EXPECT_EQ(Problem::CutChunk, problem_after([](Bytes bytes, Header) { bytes.resize(80); }));
  EXPECT_EQ(Problem::Checksum, problem_after([](Bytes, Header h) { h.checksum ^= 1; }));
  EXPECT_EQ(Problem::FirstSpawn, problem_after([](Bytes, Header h) { h.first_spawn = 1; }));
  const auto reseal = [](Bytes bytes, Header h) {
    h.checksum = trace::checksum(bytes.data() + sizeof h, h.used_bytes);
  };
  EXPECT_EQ(Problem::TornRecord, problem_after([&](Bytes bytes, Header h) {
              h.used_bytes -= 1;
              reseal(bytes, h);
            }));
  EXPECT_EQ(Problem::ZeroInside, problem_after([&](Bytes bytes, Header h) {
              h.used_bytes += 2;
              reseal(bytes, h);
            }));
  EXPECT_EQ(Problem::UnknownOp, problem_after([&](Bytes bytes, Header h) {
              bytes[sizeof h] = std::byte{30};
              reseal(bytes, h);
            }));
}

TEST(ReaderErrors, Records) {
  EXPECT_EQ(Problem::EndWithoutFrame, problem_of_records("end\nend\n"));
  EXPECT_EQ(Problem::StepWithoutFrame, problem_of_records("end\ncut\n"));
  EXPECT_EQ(Problem::StepInWait,
            problem_of_records("spawn ctx=new\nbegin task=newest\nwait ctx=own\nend\n"));
  EXPECT_EQ(Problem::WaitEndWithoutWait, problem_of_records("wait-end\n"));
  EXPECT_EQ(Problem::ThreadNotOver, problem_of_records("thread role=worker\n"));
  EXPECT_EQ(Problem::ThreadNotOver,
            problem_of_records("spawn ctx=new\nbegin task=newest\nthread-end\n"));
  EXPECT_EQ(Problem::NoContextYet, problem_of_records("spawn ctx=own\n"));
  EXPECT_EQ(Problem::NoContextYet, problem_of_records("spawn ctx=last\n"));
  EXPECT_EQ(Problem::NoSiteYet, problem_of_records("spawn site=last ctx=new\n"));
  EXPECT_EQ(Problem::UnknownTask, problem_of_records("begin task=newest\n"));
  EXPECT_EQ(Problem::UnknownTask, problem_of_records("spawn ctx=new\nbegin task=-1\n"));
  EXPECT_EQ(Problem::TaskTwice,
            problem_of_records("spawn ctx=new\ntask task=newest\ntask task=newest\n"));
  EXPECT_EQ(Problem::IdOutOfRange, problem_of_records("begin task=5.0\n"));
  EXPECT_EQ(Problem::IdOutOfRange, problem_of_records("acquire edge=5.0\n"));
  EXPECT_EQ(Problem::IdOutOfRange, problem_of_records("wait ctx=5.0\n"));
  EXPECT_EQ(Problem::BadSite, problem_of_records("spawn site=7 ctx=new\n"));
  EXPECT_EQ(Problem::BadRegion, problem_of_records("region id=7 work=1\n"));
  EXPECT_EQ(Problem::NoLockYet, problem_of_records("section slot=0 place=0 work=1\n"));
  EXPECT_EQ(Problem::BadPayload, problem_of_records("barrier threads=0\n"));
  EXPECT_EQ(Problem::BadPayload, problem_of_records("barrier threads=1\nwait ctx=new-exclusive\n"));
  EXPECT_EQ(Problem::BadPayload,
            problem_of_records("barrier threads=1\nwait ctx=new-gathering\nwait-end\n"
                               "barrier threads=2\nwait ctx=last\n"));
  EXPECT_EQ(Problem::BadPayload,
            problem_of_records("spawn site=1 ctx=new-exclusive\nhand-over from=0.0 to=0.0\n"));
  EXPECT_EQ(Problem::BadPayload,
            problem_of_records("spawn site=1 ctx=new-exclusive\nspawn site=1 "
                               "ctx=new-exclusive\nhand-over from=0.0 to=0.1\n"));
  EXPECT_EQ(Problem::BadLockPlace,
            problem_of_records("lock slot=0 address=64\nsection slot=0 place=9 work=1\n"));
  EXPECT_EQ(Problem::LoopEndWithoutBegin, problem_of_records("loop-end n=2\n"));
  EXPECT_EQ(Problem::JoinWithoutNode, problem_of_records("join\n"));
  EXPECT_EQ(Problem::Overflow, problem_of_records("cut work=18446744073709551615\ncut work=1\n"));
  test::TraceBuilder builder = builder_of("", "stream 0\n");
  builder.at(0).extended(trace::ExtendedKind::ThreadBegin, "x", 1);
  EXPECT_EQ(Problem::BadPayload, problem_of(builder.source()));
}

TEST(ReaderErrors, Json) {
  EXPECT_EQ(Problem::BadJson, problem_of_json([](TraceSource& s) { s.run_json = "{"; }));
  EXPECT_EQ(Problem::BadJson, problem_of_json([](TraceSource& s) { s.run_json = "[]"; }));
  EXPECT_EQ(Problem::BadJson,
            problem_of_json([](TraceSource& s) { s.run_json = std::string(100000, '['); }));
  EXPECT_EQ(Problem::BadField, problem_of_json([](TraceSource& s) {
              replace(s.run_json, "\"cpus\":2", "\"cpus\":-2");
            }));
  EXPECT_EQ(Problem::BadField, problem_of_json([](TraceSource& s) {
              replace(s.run_json, "\"cpus\":2", "\"cpus\":0");
            }));
  EXPECT_EQ(Problem::BadField, problem_of_json([](TraceSource& s) {
              replace(s.run_json, "\"session\":\"0", "\"session\":\"x");
            }));
  EXPECT_EQ(Problem::UnknownSchema,
            problem_of_json([](TraceSource& s) { replace(s.run_json, "run/1", "run/2"); }));
  EXPECT_EQ(Problem::UnknownVersion, problem_of_json([](TraceSource& s) {
              replace(s.run_json, "version\":1", "version\":3");
            }));
  EXPECT_EQ(Problem::ForeignByteOrder,
            problem_of_json([](TraceSource& s) { replace(s.run_json, "little", "big"); }));
  EXPECT_EQ(Problem::DuplicateId,
            problem_of_json([](TraceSource& s) { s.sites_jsonl += s.sites_jsonl; }));
  EXPECT_EQ(Problem::MissingStream, problem_of_json([](TraceSource& s) {
              replace(*s.end_json, "streams\":1", "streams\":2");
            }));
}

TEST(ReaderErrors, Directories) {
  namespace fs = std::filesystem;
  const fs::path directory = fs::path(::testing::TempDir()) / "tp_reader_errors";
  fs::remove_all(directory);
  const auto problem = [&] {
    try {
      open_directory(directory.string());
    } catch (const Error& error) {
      return error.problem();
    }
    return Problem::Count;
  };
  EXPECT_EQ(Problem::NoData, problem());
  builder_of().write(directory.string());
  EXPECT_EQ(Problem::Count, problem());
  fs::rename(directory / "000000.tps", directory / "000001.tps");
  EXPECT_EQ(Problem::MissingStream, problem());
  fs::rename(directory / "000001.tps", directory / "x.tps");
  EXPECT_EQ(Problem::BadStreamName, problem());
  fs::remove(directory / "x.tps");
  EXPECT_EQ(Problem::NoStreams, problem());
  fs::create_directory(directory / "000000.tps");
  EXPECT_EQ(Problem::Unreadable, problem());
  fs::remove(directory / "run.json");
  EXPECT_EQ(Problem::MissingRunJson, problem());
  fs::remove_all(directory);
}

// ---- inconsistencies: reported, not fatal

std::uint64_t count_of(Problem problem, const std::string& script) {
  const Profile profile = make_profile(test::parse_trace_script(script).source(), {});
  EXPECT_FALSE(profile.warnings.empty());
  EXPECT_EQ(profile.work, profile.exclusive_sum);
  EXPECT_EQ(profile.span, profile.critical_sum);
  return profile.read.inconsistencies[static_cast<std::size_t>(problem)];
}

TEST(ReaderInconsistencies, AreNamedAndDoNotHang) {
  const std::string main = "stream 0\nthread role=main\n";
  EXPECT_EQ(1u, count_of(Problem::NeverSpawned, main + "begin task=0.7\nend work=3\ncut work=1\n"));
  EXPECT_EQ(1u, count_of(Problem::NeverEnded,
                         main + "spawn ctx=new-exclusive\nwait ctx=last\nwait-end\ncut work=1\n"));
  EXPECT_EQ(1u, count_of(Problem::NeverJoined, main + "spawn ctx=new split=1\njoin\ncut work=1\n"));
  EXPECT_EQ(1u, count_of(Problem::NeverReleased, main + "acquire edge=0.0\ncut work=1\n"));
  EXPECT_EQ(1u, count_of(Problem::NeverCreated, main + "wait ctx=0.3\nwait-end\n"));
  EXPECT_EQ(
      1u,
      count_of(Problem::ContextReused,
               main +
                   "wait ctx=new\nwait-end\ncontext-end ctx=last\ncut\nwait ctx=0.0\nwait-end\n"));
  EXPECT_EQ(1u, count_of(Problem::RegionExceedsStep,
                         "region 0 r a.cpp 1\n" + main + "region id=0 work=9\ncut work=5\n"));
  EXPECT_EQ(
      1u, count_of(Problem::TimeBackwards, main + "cut work=1000000\nchunk base=10\ncut work=1\n"));
}

// A user's context serves two groups. main waits for that of A (10 + 5 + 1), not for B, which A
// spawned in the other (10 + 5) and which begins after that wait. The clock of stream 1 is behind:
// its task, which B spawns (3), seems to begin first.
TEST(ReaderOrder, AWaitThatMayBeInVainGivesWayFirst) {
  const Profile profile = make_profile(
      test::parse_trace_script("site 1 a.cpp 1\n"
                               "stream 0\n"
                               "thread role=main\n"
                               "spawn work=10 site=1 ctx=new construct=task_group_context\n"
                               "wait ctx=last\n"
                               "begin task=newest\n"
                               "spawn work=5 site=1 ctx=own\n"
                               "end work=1\n"
                               "wait-end\n"
                               "wait work=2 ctx=new-exclusive\n"
                               "begin task=newest\n"
                               "spawn work=3 site=1 ctx=own\n"
                               "end work=1\n"
                               "wait-end\n"
                               "end work=4\n"
                               "thread-end\n"
                               "stream 1\n"
                               "thread role=worker\n"
                               "begin task=0.2 idle=1\n"
                               "end work=20\n"
                               "thread-end\n")
          .source(),
      {});
  EXPECT_TRUE(profile.read.complete);
  for (const std::uint64_t count : profile.read.inconsistencies)
    EXPECT_EQ(0u, count);
  EXPECT_EQ(46u, profile.work);
  EXPECT_EQ(38u, profile.span); // 10 + 5 + 3 + 20
}

// A parallel_for_each in a user's context. Its task (2) runs an item (3), which feeds one (40) and
// waits alone for a loop (1); that feeds another (30). The item continues (5) and main comes after
// all: 10 + 2 + 3 + 40, then 4.
TEST(ReaderOrder, WhatIsFedBelongsToTheWaitForTheWhole) {
  const Profile profile =
      make_profile(test::parse_trace_script(
                       "site 1 a.cpp 1\n"
                       "stream 0\n"
                       "thread role=main\n"
                       "feed\n"
                       "spawn-wait work=10 alone=1 site=1 ctx=new construct=task_group_context\n"
                       "begin task=newest\n"
                       "spawn-wait work=2 site=1 ctx=own\n"
                       "begin task=newest\n"
                       "feed\n"
                       "spawn work=3 site=1 ctx=own\n"
                       "spawn-wait alone=1 site=1 ctx=own\n"
                       "begin task=newest\n"
                       "feed\n"
                       "spawn work=1 site=1 ctx=own\n"
                       "end\n"
                       "wait-end\n"
                       "end work=5\n"
                       "wait-end\n"
                       "end\n"
                       "task work=30\n"
                       "task task=-2 work=40\n"
                       "wait-end\n"
                       "end work=4\n"
                       "thread-end\n")
                       .source(),
                   {});
  EXPECT_TRUE(profile.read.complete);
  for (const std::uint64_t count : profile.read.inconsistencies)
    EXPECT_EQ(0u, count);
  EXPECT_EQ(95u, profile.work);
  EXPECT_EQ(59u, profile.span);
}

// Stream 0 is blocked by the release at 12, so its record of time 8 is read after the acquire at
// 10.
TEST(ReaderOrder, ThatAMessageWasCopiedMayStandInABlockedStream) {
  const Profile profile = make_profile(test::parse_trace_script("stream 0\n"
                                                                "thread role=main\n"
                                                                "release work=5\n"
                                                                "acquire edge=1.0 work=3\n"
                                                                "edge-uses edge=0.0 change=1\n"
                                                                "thread-end\n"
                                                                "stream 1\n"
                                                                "thread role=external\n"
                                                                "acquire edge=0.0 work=10\n"
                                                                "release work=2\n"
                                                                "thread-end\n"
                                                                "stream 2\n"
                                                                "thread role=external\n"
                                                                "acquire edge=0.0 work=30\n"
                                                                "cut work=1\n"
                                                                "thread-end\n")
                                           .source(),
                                       {});
  for (const std::uint64_t count : profile.read.inconsistencies)
    EXPECT_EQ(0u, count);
  EXPECT_EQ(31u, profile.span);
}

// The stack's records are in a stream that stopped early; its next records end frames that were
// never read.
TEST(ReaderIncomplete, ALostStackIsReadable) {
  const Profile profile = make_profile(
      test::parse_trace_script(
          "run complete=0\nsite 1 a.cpp 10\nstream 0\nthread role=worker\nstack-out\n"
          "stack-in stack=1.0\nwait-end\ncut work=1\nloop-end work=2\nend work=3\n"
          "spawn work=4 site=1 ctx=own\nwait ctx=last\ntask task=newest work=5\nwait-end\n"
          "end work=6\nstack-in stack=0.0\nthread-end\n")
          .source(),
      {});
  EXPECT_EQ(1u, profile.read.inconsistencies[static_cast<std::size_t>(Problem::NeverPutAside)]);
  EXPECT_EQ(1u + 2 + 3 + 4 + 5 + 6, profile.work);
  EXPECT_EQ(profile.work, profile.exclusive_sum);
  EXPECT_EQ(profile.span, profile.critical_sum);
}

TEST(ReaderIncomplete, KilledAndCutTracesAreReadable) {
  test::TraceBuilder builder =
      builder_of("", "run complete=0\nsite 1 a.cpp 10\nstream 0\nthread role=main\ncut work=7\n"
                     "spawn work=80 site=1 ctx=new\nbegin task=newest\ncut work=5\n");
  builder.at(0).close_last = false;
  const Profile profile = make_profile(builder.source(), {});
  EXPECT_FALSE(profile.read.complete);
  EXPECT_EQ(92u, profile.work);
  EXPECT_EQ(1u, profile.read.unfinished);
  // An open stream that is cut at any byte stays readable.
  const auto full = builder.source();
  for (std::size_t size = 0; size < full.streams[0].bytes().size(); ++size) {
    TraceSource source = builder.source();
    const auto bytes = full.streams[0].bytes().first(size);
    source.streams.clear();
    source.streams.emplace_back("memory/0.tps", std::vector<std::byte>(bytes.begin(), bytes.end()));
    const Profile part = make_profile(source, {});
    EXPECT_FALSE(part.read.complete);
    EXPECT_LE(part.work, 92u);
  }
}

// ---- lost: less than end.json reports

// Two streams: the second, of two chunks, runs the only task. `change` modifies its bytes.
TraceSource two_streams(const std::function<void(std::vector<std::byte>&)>& change) {
  const test::TraceBuilder builder = builder_of(
      "", "site 1 a.cpp 10\nstream 0\nthread role=main\nspawn work=80 site=1 ctx=new-exclusive\n"
          "wait ctx=last\nwait-end\ncut work=5\nthread-end\n"
          "stream 1\nthread role=external\ncut work=3\nchunk base=3\nbegin task=0.0\n"
          "end work=10\ncut work=4\nthread-end\n");
  TraceSource source = builder.source();
  const auto old = source.streams[1].bytes();
  std::vector<std::byte> bytes(old.begin(), old.end());
  change(bytes);
  source.streams.pop_back();
  source.streams.emplace_back("memory/1.tps", std::move(bytes));
  return source;
}

std::size_t first_chunk(const std::vector<std::byte>& bytes) {
  trace::ChunkHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  return header.chunk_bytes;
}

TEST(ReaderLosses, AWholeTraceIsComplete) {
  const Profile profile = make_profile(two_streams([](auto&) {}), {});
  EXPECT_TRUE(profile.read.complete);
  EXPECT_FALSE(profile.read.lost);
  EXPECT_EQ(102u, profile.work);
}

TEST(ReaderLosses, AStreamThatEndsBetweenTwoChunksIsToldWithItsPlace) {
  std::size_t end = 0;
  const auto cut = [&](std::vector<std::byte>& bytes) { bytes.resize(end = first_chunk(bytes)); };
  const auto zero = [&](std::vector<std::byte>& bytes) {
    end = first_chunk(bytes);
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(end), bytes.end(), std::byte{0});
  };
  for (const std::function<void(std::vector<std::byte>&)>& change :
       {std::function<void(std::vector<std::byte>&)>(cut), {zero}}) {
    const Profile profile = make_profile(two_streams(change), {});
    EXPECT_FALSE(profile.read.complete);
    EXPECT_TRUE(profile.read.lost);
    EXPECT_EQ(88u, profile.work); // an analysis of what remains
    ASSERT_EQ(1u, profile.read.incomplete_reasons.size());
    EXPECT_EQ("1.tps (byte " + std::to_string(end) +
                  ", record 2): the end of the stream is lost: expected 2 chunks, got 1",
              profile.read.incomplete_reasons[0]);
  }
}

TEST(ReaderLosses, SoIsAnEmptyStream) {
  const auto empty = [](std::vector<std::byte>& bytes) { bytes.clear(); };
  TraceSource source = two_streams(empty);
  const Profile profile = make_profile(source, {});
  EXPECT_TRUE(profile.read.lost);
  EXPECT_EQ("1.tps (byte 0): the end of the stream is lost: expected 2 chunks, got 0",
            profile.read.incomplete_reasons.front());
  // Old recordings do not contain the number of chunks.
  replace(*source.end_json, ",\"chunks\":[1,2]", "");
  EXPECT_EQ("1.tps (byte 0): the end of the stream is lost: expected 1 chunks, got 0",
            make_profile(source, {}).read.incomplete_reasons.front());
  // If the space was exhausted, a thread may have recorded nothing.
  replace(*source.end_json, "\"truncated\":false", "\"truncated\":true");
  EXPECT_FALSE(make_profile(source, {}).read.lost);
}

TEST(ReaderLosses, WithoutCountsWhatIsMissingShowsIt) {
  TraceSource source =
      two_streams([](std::vector<std::byte>& bytes) { bytes.resize(first_chunk(bytes)); });
  replace(*source.end_json, ",\"chunks\":[1,2]", "");
  replace(*source.end_json, "\"unfinished_tasks\":true,", "");
  EXPECT_FALSE(make_profile(source, {}).read.lost); // all tasks need not have ended
  replace(*source.end_json, "\"truncated\":false",
          "\"truncated\":false,\"unfinished_tasks\":false");
  const Profile profile = make_profile(source, {});
  EXPECT_TRUE(profile.read.lost);
  EXPECT_NE(
      std::string::npos,
      profile.read.incomplete_reasons.front().find(
          ", record 4): waits end before all tasks they join: expected whole streams, got 1"));
}

// A worker thread may have opened another chunk after end.json was written.
TEST(ReaderLosses, MoreChunksThanToldAreNoLoss) {
  TraceSource source = two_streams([](auto&) {});
  replace(*source.end_json, "\"chunks\":[1,2]", "\"chunks\":[1,1]");
  EXPECT_TRUE(make_profile(source, {}).read.complete);
  replace(*source.end_json, "\"chunks\":[1,1]", "\"chunks\":[1,-1]");
  EXPECT_EQ(Problem::BadField, problem_of(source));
}

// An error at the first byte has a position, too.
TEST(ReaderErrors, ThePlaceOfAChunkIsTold) {
  TraceSource source = builder_of().source();
  const auto old = source.streams[0].bytes();
  std::vector<std::byte> bytes(old.begin(), old.end());
  bytes[sizeof(trace::ChunkHeader)] ^= std::byte{1};
  source.streams.clear();
  source.streams.emplace_back("memory/0.tps", std::move(bytes));
  try {
    make_profile(source, {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(0u, std::string(error.what()).find("memory/0.tps (byte 0): the records of a chunk"));
  }
}

TEST(ReaderErrors, EverySentenceIsThere) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < static_cast<std::size_t>(Problem::Count); ++i) {
    ASSERT_NE(nullptr, text_of(static_cast<Problem>(i)).name) << i;
    EXPECT_TRUE(names.insert(text_of(static_cast<Problem>(i)).name).second);
  }
}

} // namespace
} // namespace tp::analysis
