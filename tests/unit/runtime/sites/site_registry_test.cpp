// SPDX-License-Identifier: Apache-2.0
// The lines of sites.jsonl, and the numbers of sites and regions.
#include "sites/site_registry.h"

#include "sites/address_sites.h"
#include "temporary_folder.h"
#include "tp/site.h"

#include <set>
#include <thread>
#include <vector>

namespace {

using namespace tp::rt;

// A call in a header that tp-c++ did not change.
TP_SITE_NOTE("test", "20, 8, 20, 3, 22, 5",
             "\"dir/./noted.h\", \"noted.h\", \"f<int>\", \"parallel_for\"");

__attribute__((noinline)) Stack stack_below(const void* task_stack) {
  return stack_of_caller(nullptr, task_stack);
}

class SiteRegistry : public testing::Test {
protected:
  SiteRegistry() { EXPECT_TRUE(open_site_table(path.c_str())); }
  static std::uint32_t number_of(const char* name, const char* file, unsigned line, double factor) {
    tp_region region{};
    region.name = name;
    region.file = file;
    region.line = line;
    region.factor = factor;
    return register_region(region);
  }
  std::string lines() const { return tp::test::content_of(path); }
  const tp::test::TemporaryFolder folder;
  const std::string path = folder.at("sites.jsonl");
};

TEST_F(SiteRegistry, ARecordOfTheRewriterHasAllFields) {
  static constexpr tp_spawn_site kSite{"a.cpp", "f", 12, 7 | TP_SITE_EXPLICIT, "parallel_for", 14};
  EXPECT_EQ(register_site(&kSite), 1u);
  EXPECT_EQ(register_site(&kSite), 1u); // known
  EXPECT_EQ(
      lines(),
      R"({"site":1,"tag":"explicit","file":"a.cpp","line":12,"column":7,"function":"f","end_line":14,"construct":"parallel_for"})"
      "\n");
}

TEST_F(SiteRegistry, APlaceOfTheCompilerHasFourFields) {
  static constexpr tp_spawn_site kSite{"a.cpp", nullptr, 12, 7, nullptr, 0};
  EXPECT_EQ(register_site(&kSite), 1u);
  EXPECT_EQ(lines(),
            R"({"site":1,"tag":"header","file":"a.cpp","line":12,"column":7,"function":""})"
            "\n");
}

TEST_F(SiteRegistry, APlaceInsideANotedCallIsThatCall) {
  static constexpr tp_spawn_site kInside{"dir/noted.h", "g", 21, 1, nullptr, 0};
  static constexpr tp_spawn_site kOutside{"dir/noted.h", "g", 23, 1, nullptr, 0};
  register_site(&kInside);
  EXPECT_EQ(
      lines(),
      R"({"site":1,"tag":"explicit","file":"noted.h","line":20,"column":8,"function":"f<int>","end_line":22,"construct":"parallel_for"})"
      "\n");
  register_site(&kOutside);
  EXPECT_NE(lines().find(R"({"site":2,"tag":"header","file":"dir/noted.h","line":23)"),
            std::string::npos);
}

TEST_F(SiteRegistry, AFilterIsASitePerPlaceCallNumberAndMode) {
  EXPECT_EQ(register_filter(7, 8, 1, 1), 1u);
  EXPECT_EQ(register_filter(7, 8, 1, 1), 1u); // known
  EXPECT_EQ(register_filter(7, 8, 2, 1), 2u);
  EXPECT_EQ(register_filter(7, 0, 2, 0), 3u);
  EXPECT_EQ(register_filter(7, 0, 2, 3), 4u);
  EXPECT_EQ(lines(),
            R"({"site":1,"tag":"filter","of":7,"call":8,"filter":1,"mode":"serial_in_order"})"
            "\n"
            R"({"site":2,"tag":"filter","of":7,"call":8,"filter":2,"mode":"serial_in_order"})"
            "\n"
            R"({"site":3,"tag":"filter","of":7,"call":0,"filter":2,"mode":"parallel"})"
            "\n"
            R"({"site":4,"tag":"filter","of":7,"call":0,"filter":2,"mode":"serial_out_of_order"})"
            "\n");
}

TEST_F(SiteRegistry, SitesInsideALibraryHaveNoNumber) {
  static constexpr tp_spawn_site kSite{
      "/usr/include/oneapi/tbb/parallel_for.h", "f", 1, 1, nullptr, 0};
  EXPECT_EQ(register_site(&kSite), kInternalSite);
  static constexpr tp_spawn_site kOurs{
      "x.h", "tp::located<T>::located(T&&) [with T = int]", 1, 1, nullptr, 0};
  EXPECT_EQ(register_site(&kOurs), kInternalSite);
  // What an algorithm of the standard library spawns belongs to the call of the algorithm.
  static constexpr tp_spawn_site kAlgorithm{
      "x.h", "void __pstl::__tbb_backend::__parallel_for(P&&)", 1, 1, nullptr, 0};
  EXPECT_EQ(register_site(&kAlgorithm), kStandardLibrarySite);
  EXPECT_EQ(lines(), "");
}

TEST_F(SiteRegistry, AUsersFileMayBeInAnyFolder) {
  static constexpr tp_spawn_site kSites[] = {
      {"/home/me/oneapi/tbb/x.cpp", "int main()", 1, 1, nullptr, 0},
      {"/home/me/include/tbb/x.cpp", "int main()", 1, 1, nullptr, 0},
      {"/home/me/pstl/x.cpp", "main()::<lambda()>", 1, 1, nullptr, 0},
      {"/home/me/bits/stl_x.h", "void shop::f()", 1, 1, nullptr, 0},
      {"/usr/include/shop/order.h", "void shop::order(int)", 1, 1, nullptr, 0}};
  std::uint32_t number = 0;
  for (const tp_spawn_site& site : kSites)
    EXPECT_EQ(register_site(&site), ++number) << site.file;
}

TEST_F(SiteRegistry, RegionsAreKnownByNameElseByPlace) {
  EXPECT_EQ(number_of("sort", "a.cpp", 1, 2.5), 0u);
  EXPECT_EQ(number_of("sort", "b.cpp", 9, 0), 0u);
  EXPECT_EQ(number_of(nullptr, "a.cpp", 1, -1), 1u);
  EXPECT_EQ(number_of("", "a.cpp", 2, 1e16), 2u);
  EXPECT_EQ(number_of("", "a.cpp", 1, 0), 1u);
  EXPECT_EQ(lines(), R"({"region":0,"name":"sort","file":"a.cpp","line":1,"factor":2.500})"
                     "\n"
                     R"({"region":1,"name":"","file":"a.cpp","line":1,"factor":0.000})"
                     "\n"
                     R"({"region":2,"name":"","file":"a.cpp","line":2,"factor":0.000})"
                     "\n");
}

TEST_F(SiteRegistry, AnAddressIsNamedByTypeAndStack) {
  const int type = 0;
  std::uint64_t words[2] = {};
  const tp_task task{words, nullptr, reinterpret_cast<const void*>(&SiteRegistry::SetUpTestSuite)};
  EXPECT_EQ(register_address(task, TP_CONSTRUCT_PARALLEL_FOR), 1u);
  EXPECT_EQ(register_address(task, TP_CONSTRUCT_PARALLEL_FOR), 1u);
  const tp_task other{words, nullptr, &type};
  EXPECT_EQ(register_address(other, 99), 2u);
  EXPECT_NE(lines().find(R"({"site":1,"tag":"address","stack":[)"), std::string::npos) << lines();
  EXPECT_NE(lines().find(R"("type":"","construct":"parallel_for"})"), std::string::npos) << lines();
  EXPECT_NE(address_key(task.type, task.caller), address_key(other.type, other.caller));
}

// A thread that waits runs tasks of others: what called the wait did not call them.
TEST_F(SiteRegistry, TheStackOfATaskEndsWhereTheTaskBegins) {
  const Stack whole = stack_below(nullptr);
  // Not the address of a variable: AddressSanitizer may keep variables elsewhere.
  const Stack part = stack_below(__builtin_frame_address(0));
  ASSERT_GT(whole.count, 2);
  EXPECT_LT(part.count, whole.count);
  EXPECT_GT(part.count, 0);
  static const int elsewhere = 0; // the data of a program is below its stack
  EXPECT_EQ(whole.count, stack_below(&elsewhere).count);
}

TEST_F(SiteRegistry, ANewTableStartsAnew) {
  static constexpr tp_spawn_site kSite{"a.cpp", "f", 12, 7, nullptr, 0};
  static constexpr tp_spawn_site kOther{"a.cpp", "f", 13, 7, nullptr, 0};
  register_site(&kSite);
  EXPECT_FALSE(open_site_table(path.c_str())); // it exists
  ASSERT_TRUE(open_site_table(folder.at("second").c_str()));
  EXPECT_EQ(register_site(&kOther), 1u);
}

TEST_F(SiteRegistry, ThreadsAgreeOnTheNumbers) {
  static constexpr tp_spawn_site kSites[] = {{"a.cpp", "f", 1, 1, nullptr, 0},
                                             {"a.cpp", "f", 2, 1, nullptr, 0},
                                             {"a.cpp", "f", 3, 1, nullptr, 0},
                                             {"a.cpp", "f", 4, 1, nullptr, 0}};
  std::vector<std::vector<std::uint32_t>> numbers(8);
  std::vector<std::thread> threads;
  for (auto& mine : numbers)
    threads.emplace_back([&mine] {
      for (const tp_spawn_site& site : kSites)
        mine.push_back(register_site(&site));
    });
  for (std::thread& thread : threads)
    thread.join();
  for (const auto& mine : numbers)
    EXPECT_EQ(mine, numbers[0]);
  EXPECT_EQ(std::set(numbers[0].begin(), numbers[0].end()), (std::set<std::uint32_t>{1, 2, 3, 4}));
}

} // namespace
