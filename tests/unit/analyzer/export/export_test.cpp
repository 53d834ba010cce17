// SPDX-License-Identifier: Apache-2.0
// Each format of a hand-made profile. tests/cli/analyzer/exports.sh reads them with their own tools.
#include "export/export.h"
#include "export/frames.h"
#include "oracle_runs.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <set>

namespace tp::analysis {
namespace {

// main spawns f (10 units) twice; f spawns g (30), of which 20 are critical. A fourth context is
// beyond the limit.
Profile small_profile() {
  Profile profile;
  const auto site = [&](const char* name, const char* function) {
    SiteRow row;
    row.info.name = name;
    row.info.file = name;
    row.info.functions = {function};
    row.row = static_cast<Row>(profile.sites.size());
    profile.sites.push_back(row);
  };
  site("main", "");
  profile.sites[0].info.functions.clear();
  site("f;x.cpp:2", "f");
  site("g\"\n.cpp:3", "g");
  profile.contexts = {
      {0, 0, 5, 5, 0, 1}, {0, 1, 10, 10, 2, 2}, {1, 2, 30, 20, 1, 1}, {0, kNoSite, 7, 0, 1, 1}};
  profile.context_edges = {{0, 1, 1, 2, false}, {1, 2, 2, 1, false}, {0, 3, kNoSite, 1, false}};
  profile.run.work.unit = "ns";
  profile.work = 52;
  profile.span = 35;
  return profile;
}

TEST(Frames, AreOneLineOfUtf8) {
  EXPECT_EQ(clean("a\nb\x7f"), "a?b?");
  EXPECT_EQ(clean("\xc3\xa4\xff\xc3"), "\xc3\xa4??");
  EXPECT_EQ(clean("\xed\xa0\x80"), "???"); // a surrogate
  const Profile profile = small_profile();
  EXPECT_EQ(frame_name(profile, 0), "main");
  EXPECT_EQ(frame_name(profile, 2), "g\"?.cpp:3 (g)");
  EXPECT_EQ(frame_name(profile, kNoSite), "(further contexts)");
  EXPECT_EQ(frames_of(profile, 2), (std::vector<std::uint32_t>{0, 1, 2}));
}

#ifdef TP_PAGE
// The data of a page, as the browser reads it.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "<script type=\"application/json\" id=\"data\">";
  const std::size_t from = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(from, page.find("</script>", from) - from));
}

TEST(Html, NamesEndNoElement) {
  Profile profile = small_profile();
  const std::string hostile = "</script><!--<b>\xe2\x80\xa8\"&'";
  profile.sites[1].info.name = hostile;
  profile.run.program = "/home/user/</title><b>";
  profile.run.host = "secret-host";
  profile.verdict.headline = "<img src=x>" + std::string(10'000, 'x');
  const std::string page = write_html(profile);
  EXPECT_EQ(data_of(page)["sites"][1]["name"], hostile);
  EXPECT_EQ(page.find(hostile), std::string::npos);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("\xe2\x80\xa8"), std::string::npos); // U+2028
  EXPECT_NE(page.find("&lt;img src=x&gt;"), std::string::npos);
  EXPECT_EQ(page.find("secret-host"), std::string::npos);
  EXPECT_EQ(page.find("/home/user"), std::string::npos);
}

TEST(Html, PathsBeginInTheCommonDirectory) {
  Profile profile = small_profile();
  profile.sites[1].info.file = "/home/user/project/src/a.cpp";
  profile.sites[2].info.file = "/home/user/project/lib/b.cpp";
  profile.warnings.push_back({"x", "see /home/user/project/src/a.cpp:3", true});
  const std::string page = write_html(profile);
  EXPECT_EQ(page.find("/home/user"), std::string::npos);
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data["sites"][1]["file"], "src/a.cpp");
  EXPECT_EQ(data["sites"][2]["file"], "lib/b.cpp");
  EXPECT_EQ(data["warnings"][0]["text"], "see src/a.cpp:3");
}

TEST(Html, ManySitesAreCutAndCounted) {
  Profile profile = small_profile();
  constexpr std::size_t kSites = 5000 / test::kFewer;
  while (profile.sites.size() < kSites)
    profile.sites.push_back(profile.sites[1]);
  const std::string page = write_html(profile);
  EXPECT_EQ(data_of(page)["sites"].size(), 400u);
  EXPECT_EQ(data_of(page)["page"]["left_out"]["sites"], kSites - 400);
  EXPECT_LT(page.size(), 2'000'000u);
}
#endif

TEST(Folded, HasALineForEachContextWithWork) {
  EXPECT_EQ(write_folded(small_profile()), "main 5\n"
                                           "main;f,x.cpp:2 (f) 10\n"
                                           "main;f,x.cpp:2 (f);g\"?.cpp:3 (g) 30\n"
                                           "main;(further contexts) 7\n");
  EXPECT_EQ(write_folded_critical(small_profile()), "main 5\n"
                                                    "main;f,x.cpp:2 (f) 10\n"
                                                    "main;f,x.cpp:2 (f);g\"?.cpp:3 (g) 20\n");
}

TEST(Speedscope, WeightsAddUp) {
  const auto json = nlohmann::json::parse(write_speedscope(small_profile()));
  std::vector<std::uint64_t> sums;
  for (const auto& one : json["profiles"]) {
    EXPECT_EQ(one["samples"].size(), one["weights"].size());
    std::uint64_t sum = 0;
    for (const auto& weight : one["weights"])
      sum += weight.get<std::uint64_t>();
    EXPECT_EQ(one["endValue"], sum);
    sums.push_back(sum);
  }
  EXPECT_EQ(sums, (std::vector<std::uint64_t>{52, 35, 4}));
}

TEST(Perfetto, NamesTheThreadsOfTheTimeline) {
  Profile profile = small_profile();
  const std::string empty = write_perfetto(profile);
  profile.timeline = {{3, 1, 10, 20, 10, 1, 0, false}};
  const std::string text = write_perfetto(profile);
  EXPECT_EQ(empty.find("thread 3"), std::string::npos);
  EXPECT_NE(text.find("thread 3"), std::string::npos);
  EXPECT_NE(text.find("f;x.cpp:2 (f)"), std::string::npos);
}

TEST(Callgrind, HasTheTotals) {
  const std::string text = write_callgrind(small_profile());
  EXPECT_TRUE(text.starts_with("# callgrind format\n")) << text;
  EXPECT_NE(text.find("fn="), std::string::npos);
}

TEST(Dot, QuotesNames) {
  const std::string text = write_dot(small_profile());
  EXPECT_TRUE(text.starts_with("digraph"));
  EXPECT_NE(text.find("g\\\""), std::string::npos) << text;
}

TEST(ExportFormats, FoldedStacksNameFunctionsWithoutAddresses) {
  EXPECT_TRUE(is_folded("main;fill<int> (void fill<int>(int)) 5\n"));
  EXPECT_TRUE(is_folded("main;S::f+0x10 (S::f()) 5\nmain;parallel_for@prog+0x10 5\n"));
  EXPECT_FALSE(is_folded("main;run (Thread.java) 5\n"));
}

TEST(ExportFormats, KnowTheirOwnFiles) {
  const Profile profile = small_profile();
  for (const ExportFormat& reader : kExportFormats) {
    for (const ExportFormat& writer : kExportFormats)
      EXPECT_EQ(reader.is_own(writer.write(profile)), reader.is_own == writer.is_own)
          << reader.name << " reads " << writer.name;
    for (const char* foreign :
         {"Customer,Revenue\nA,5\n", "main", "main 5\nprintf", "start;f 5\n", "{}", "digraph g {}",
          "# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\n",
          "{\"exporter\": \"other\", \"name\": \"taskpath\"}", "\x1f\x8b",
          "\nnotes on threads at work", "main;solve;inner 7\nmain;solve 3\n"})
      EXPECT_FALSE(reader.is_own(foreign)) << reader.name << " reads " << foreign;
  }
}

TEST(ExportFormats, AllWriteSomethingForAProfileWithMainOnly) {
  Profile profile = small_profile();
  profile.sites.resize(1);
  profile.contexts.resize(1);
  profile.context_edges.clear();
  std::set<std::string> outputs;
  for (const ExportFormat& format : kExportFormats) {
    EXPECT_FALSE(format.write(profile).empty()) << format.name;
    outputs.insert(format.write(profile));
  }
  EXPECT_EQ(outputs.size(), std::size(kExportFormats) - 1); // both folded ones are equal here
}

} // namespace
} // namespace tp::analysis
