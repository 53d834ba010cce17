// SPDX-License-Identifier: Apache-2.0
// Text with records and arguments: what is inserted, and that nothing else changes.
#include "text/hex.h"
#include "text/spawn_site_rewriter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace tp::rewrite {
namespace {

FoundSite site_at(unsigned offset, unsigned line, Placement placement = Placement::Last) {
  FoundSite site;
  site.file = site.presumed_file = "a.cpp";
  site.construct = "parallel_for";
  site.function = "main";
  site.line = site.insert_line = line;
  site.column = 6;
  site.end_line = line;
  site.insert_offset = offset;
  site.placement = placement;
  site.handling = Handling::Tag;
  return site;
}

std::string rewritten(const std::string& text, std::vector<FoundSite> sites) {
  return rewrite({"a.cpp", "/a.cpp", text, std::move(sites)}, {"a.cpp", "project/a.cpp", {}});
}

TEST(SpawnSiteRewriter, ATextWithoutSitesIsUnchanged) {
  FoundSite header = site_at(0, 1);
  header.handling = Handling::LeftToHeader;
  EXPECT_EQ(rewritten("int x;\n", {}), "int x;\n");
  EXPECT_EQ(rewritten("int x;\n", {header}), "int x;\n");
}

TEST(SpawnSiteRewriter, TheArgumentIsOnALineOfItsOwn) {
  const std::string text = "tbb::parallel_for(r, body);\n";
  const std::string hash = hex(site_hash(site_at(0, 1), "project/a.cpp"));
  const std::string result = rewritten(text, {site_at(25, 1)});
  EXPECT_TRUE(
      result.starts_with("#line 1 \"a.cpp\"\n#include <tp/site.h>\n#ifndef TP_SITE_" + hash));
  EXPECT_TRUE(result.ends_with("#endif\n#line 1 \"a.cpp\"\ntbb::parallel_for(r, body\n"
                               ", ::tp::site(::tp::sites::s_" +
                               hash + "<0>::record)\n#line 1\n                         );\n"))
      << result;
}

TEST(SpawnSiteRewriter, PlacesTheArgumentWhereTheFunctionTakesIt) {
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const std::string record = "::tp::site(::tp::sites::s_" +
                             hex(site_hash(site_at(0, 1), "project/a.cpp")) + "<0>::record)";
  EXPECT_TRUE(has(rewritten("f();", {site_at(2, 1, Placement::Only)}), "f(\n" + record + "\n"));
  EXPECT_TRUE(has(rewritten("f(a);", {site_at(2, 1, Placement::First)}), "f(\n" + record + ",\n"));
  FoundSite skipping = site_at(3, 1);
  skipping.skipped = 2;
  EXPECT_TRUE(has(rewritten("f(a);", {skipping}), "f(a\n, {}, {}, " + record + "\n"));
  FoundSite around = site_at(0, 1, Placement::Around);
  around.after_offset = 1;
  around.after_line = 1;
  const std::string wrapped = rewritten("f(a);", {around});
  EXPECT_TRUE(has(wrapped, "#include <tp/called_at.h>"));
  EXPECT_TRUE(has(wrapped, "::tp::called_at(" + record + ", [](auto&&... tp_a)")) << wrapped;
}

TEST(SpawnSiteRewriter, TheHashDependsOnThePlaceAndNotOnTheMachine) {
  FoundSite site = site_at(10, 3);
  const auto hash = site_hash(site, "project/a.cpp");
  site.file = site.presumed_file = "/home/other/a.cpp";
  EXPECT_EQ(site_hash(site, "project/a.cpp"), hash);
  EXPECT_NE(site_hash(site, "project/b.cpp"), hash);
  ++site.line;
  EXPECT_NE(site_hash(site, "project/a.cpp"), hash);
}

TEST(SpawnSiteRewriter, DirectivesMayBeContinued) {
  const std::string text = "#define F(x) \\\n  g(x)\nint y; # z\n%: pragma\n\\\nlast";
  EXPECT_TRUE(in_directive(text, 3));
  EXPECT_TRUE(in_directive(text, static_cast<unsigned>(text.find("g(x)"))));
  EXPECT_FALSE(in_directive(text, static_cast<unsigned>(text.find("# z"))));
  EXPECT_TRUE(in_directive(text, static_cast<unsigned>(text.find("pragma"))));
  EXPECT_FALSE(in_directive(text, static_cast<unsigned>(text.find("last"))));
}

// The text without the records at the top and the inserted lines. `markers`: what an inserted line
// starts with; the padding behind it has as many bytes as the part of the line before it.
std::string without_insertions(const std::string& result, const std::string& name) {
  const std::string line_one = "#line 1 \"" + name + "\"\n";
  std::string body = result.substr(result.rfind(line_one) + line_one.size());
  for (size_t at; (at = body.find("\n, ::tp::site(")) != std::string::npos;) {
    const size_t line = body.find("#line ", at);
    const size_t pad = body.find('\n', line) + 1;
    const size_t start = at == 0 ? 0 : body.rfind('\n', at - 1) + 1;
    body.erase(at, pad - at + (at - start));
  }
  return body;
}

TEST(SpawnSiteRewriter, OnlyInserts) {
  std::mt19937 random(1);
  for (int turn = 0; turn < 1000; ++turn) {
    std::string text;
    for (unsigned i = 0, size = 1 + random() % 120; i < size; ++i)
      text += "ab (\t)\n,;"[random() % 9];
    std::vector<unsigned> offsets;
    for (unsigned i = 0; i < 3; ++i)
      offsets.push_back(static_cast<unsigned>(random() % text.size()));
    std::ranges::sort(offsets);
    const auto same = std::ranges::unique(offsets);
    offsets.erase(same.begin(), same.end());
    std::vector<FoundSite> sites;
    for (const unsigned offset : offsets)
      sites.push_back(site_at(offset, 1 + static_cast<unsigned>(std::count(
                                              text.begin(), text.begin() + offset, '\n'))));
    ASSERT_EQ(without_insertions(rewritten(text, sites), "a.cpp"), text) << "turn " << turn;
  }
}

} // namespace
} // namespace tp::rewrite
