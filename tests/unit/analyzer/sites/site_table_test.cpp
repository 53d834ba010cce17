// SPDX-License-Identifier: Apache-2.0
// The rows of sites: filters of pipelines, which refer to other sites.
#include "sites/site_table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tp::analysis {
namespace {

StaticSite tagged(std::uint32_t id, const char* file, std::uint32_t line) {
  StaticSite site;
  site.id = id;
  site.tag = "explicit";
  site.file = file;
  site.line = line;
  site.column = 3;
  site.function = "run()";
  return site;
}

StaticSite filter(std::uint32_t id, std::uint32_t of, std::uint32_t call, std::uint32_t number,
                  const char* mode = "parallel") {
  StaticSite site;
  site.id = id;
  site.tag = "filter";
  site.of = of;
  site.call = call;
  site.filter = number;
  site.mode = mode;
  return site;
}

SiteTable table_of(std::vector<StaticSite> sites) {
  SiteFile file;
  file.sites = std::move(sites);
  return build_site_table(file, {});
}

std::vector<std::string> names_of_filters(const SiteTable& table) {
  std::vector<std::string> names;
  for (const SiteInfo& row : table.rows)
    if (row.filter != 0)
      names.push_back(row.name);
  return names;
}

// Names of tagged sites, in their order.
std::vector<std::string> names_of_files(const std::vector<const char*>& files) {
  std::vector<StaticSite> sites;
  for (const char* const file : files)
    sites.push_back(tagged(static_cast<std::uint32_t>(sites.size() + 1), file, 7));
  const SiteTable table = table_of(sites);
  std::vector<std::string> names;
  for (const StaticSite& site : sites)
    names.push_back(table.rows[*table.maps.row_of_site.find(site.id)].name);
  return names;
}

TEST(SiteTable, FilesAreShownBelowTheFolderOfAll) {
  using Names = std::vector<std::string>;
  EXPECT_EQ((Names{"src/a.cpp:7", "b.cpp:7"}),
            names_of_files({"/home/me/src/a.cpp", "/home/me/b.cpp"}));
  EXPECT_EQ((Names{"a.cpp:7", "a.cpp.in:7"}), names_of_files({"/p/a.cpp", "/p/a.cpp.in"}));
  EXPECT_EQ((Names{"src/a.cpp:7", "b.cpp:7"}), names_of_files({"src/a.cpp", "b.cpp"}));
}

// Nothing in common: a program in a home directory, and an installed library.
TEST(SiteTable, FilesWithoutAFolderInCommonAreShownByWhatDistinguishesThem) {
  using Names = std::vector<std::string>;
  EXPECT_EQ((Names{"a.cpp:7", "pool.h:7"}),
            names_of_files({"/home/me/a.cpp", "/usr/include/pool.h"}));
  EXPECT_EQ((Names{"me/pool.h:7", "include/pool.h:7", "xpool.h:7"}),
            names_of_files({"/home/me/pool.h", "/usr/include/pool.h", "/usr/include/xpool.h"}));
  EXPECT_EQ((Names{"me/a.cpp:7", "b.h:7", "a.cpp:7"}),
            names_of_files({"/home/me/a.cpp", "/usr/b.h", "a.cpp"}));
  EXPECT_EQ((Names{"/a.cpp:7", "/x/a.cpp:7"}), names_of_files({"/a.cpp", "/x/a.cpp"}));
}

TEST(SiteTable, FiltersAreNamedByTheirPlaceAndNumber) {
  const SiteTable table =
      table_of({tagged(1, "a.cpp", 10), tagged(2, "a.cpp", 11), tagged(3, "a.cpp", 11),
                filter(4, 1, 3, 1, "serial_in_order"), filter(5, 2, 3, 2), filter(6, 2, 3, 3)});
  EXPECT_EQ((std::vector<std::string>{"filter 1 of a.cpp:10", "filter 2 of a.cpp:11",
                                      "filter 3 of a.cpp:11"}),
            names_of_filters(table));
  const SiteInfo& first = table.rows[*table.maps.row_of_site.find(4)];
  EXPECT_EQ(first.filter_modes, std::vector<std::string>{"serial_in_order"});
  EXPECT_EQ(first.constructs, std::vector<std::string>{"parallel_pipeline"});
  EXPECT_EQ(first.place_name(), "a.cpp:10");
  EXPECT_EQ(first.column, 3u);
  ASSERT_EQ(first.pipelines.size(), 1u);
  EXPECT_EQ(first.pipelines[0].line, 11u);
  EXPECT_EQ(first.pipelines[0].function, "run()");
  EXPECT_EQ(first.pipelines[0].name, "a.cpp:11");
  for (const std::uint32_t place : {1u, 2u, 3u})
    EXPECT_TRUE(table.maps.is_place_of_filter(*table.maps.row_of_site.find(place)));
}

TEST(SiteTable, AFilterOfTwoPipelinesIsOneRowIfItsNumberIsTheSame) {
  const SiteTable table =
      table_of({tagged(1, "a.cpp", 10), tagged(2, "a.cpp", 30), tagged(3, "a.cpp", 20),
                filter(4, 1, 2, 1), filter(5, 1, 3, 1, "serial_in_order"), filter(6, 1, 3, 2)});
  EXPECT_EQ((std::vector<std::string>{"filter 1 of a.cpp:10", "filter 2 of a.cpp:10"}),
            names_of_filters(table));
  const SiteInfo& both = table.rows[*table.maps.row_of_site.find(5)];
  EXPECT_EQ(both.site_ids, (std::vector<std::uint32_t>{4, 5}));
  EXPECT_EQ(both.filter_modes, (std::vector<std::string>{"parallel", "serial_in_order"}));
  ASSERT_EQ(both.pipelines.size(), 2u);
  EXPECT_EQ(both.pipelines[0].line, 20u); // by line
}

TEST(SiteTable, WithoutTagsThePlaceOfAFilterIsItsPipelinesCall) {
  StaticSite address;
  address.id = 1;
  address.tag = "address";
  address.type = "N3tbb6detail2d115concrete_filterIiiZ3runvEUliE_EE";
  StaticSite other = address;
  other.id = 2;
  other.type = "N3tbb6detail2d115concrete_filterIii6ResizeEE";
  const SiteTable table = table_of({address, other, filter(3, 1, 0, 1), filter(4, 2, 0, 2)});
  ASSERT_EQ(names_of_filters(table).size(), 2u);
  for (const std::uint32_t id : {3u, 4u})
    EXPECT_EQ(table.rows[*table.maps.row_of_site.find(id)].pipelines.size(), 1u);
}

TEST(SiteTable, AFilterOfASiteThatIsLostHasARow) {
  const SiteTable table = table_of({filter(3, 7, 8, 1)});
  ASSERT_EQ(names_of_filters(table).size(), 1u);
  EXPECT_TRUE(table.rows[*table.maps.row_of_site.find(3)].pipelines.empty());
}

TEST(SiteTable, RowsOfDifferentFiltersHaveDifferentNames) {
  SiteFile file;
  for (std::uint32_t i = 0; i < 4; ++i) {
    StaticSite address;
    address.id = 2 * i + 1;
    address.tag = "address";
    address.stack = {{i / 2, 0x40 + 0x10 * i}};
    address.type = "N3tbb6detail2d115concrete_filterIii6ResizeEE";
    file.sites.push_back(address);
    file.sites.push_back(filter(2 * i + 2, 2 * i + 1, 0, 1 + i % 2));
  }
  std::vector<std::string> names = names_of_filters(build_site_table(file, {}));
  std::ranges::sort(names);
  EXPECT_EQ(names.size(), 4u);
  EXPECT_EQ(std::ranges::adjacent_find(names), names.end());
}

} // namespace
} // namespace tp::analysis
