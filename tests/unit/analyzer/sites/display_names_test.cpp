// SPDX-License-Identifier: Apache-2.0
// Names of rows: what the user would call the code, and no two rows the same.
#include "sites/display_names.h"

#include "sites/cxx_names.h"
#include "sites/row_names.h"

#include <gtest/gtest.h>

#include <map>

namespace tp::analysis {
namespace {

TEST(DisplayNames, AreThoseOfTheInnermostUserCode) {
  const std::map<std::string, std::string> name_of = {
      // Functions, and lambdas in them, as both demanglers write them.
      {"shop::Builder::rebuild(int)", "Builder::rebuild"},
      {"void ours::parallel_for<ours::Range, Builder::rebuild()::{lambda(int)#1}>(ours::Range, "
       "int)",
       "Builder::rebuild"},
      {"void ours::parallel_for<ours::Range, Builder::rebuild()::'lambda'(int)>(ours::Range, int)",
       "Builder::rebuild"},
      {"ours::parallel_for<int, Builder::rebuild() const::'lambda0'(int)>(int)::'lambda'(int)::"
       "operator()(int) const",
       "Builder::rebuild"},
      {"main::{lambda(int)#1}", "main"},
      {"shop::run(int)::$_0", "shop::run"},
      {"shop::$_0::operator()(int) const", "shop"},
      {"main", "main"},
      {"std::function<void (int)>", "std::function"},
      {"std::_Bind<shop::Order (int)>", "shop::Order"},
      {"std::reference_wrapper<shop::Order>", "shop::Order"},
      {"(anonymous namespace)::g(int)", "g"},
      {"f[abi:cxx11](int)", "f"},
      {"ours::run<&ours::Solver::step(int)>(int)", "Solver::step"},
      {"ours::run<&(ours::Solver::step(int))>(int)", "Solver::step"},
      // Classes, by what they wrap.
      {"Probe", "Probe"},
      {"vtk::detail::smp::FuncCall<long, vtk::detail::smp::Functor<(anonymous namespace)::Probe, "
       "true>>",
       "Probe"},
      {"FuncCall<Functor<Probe> >", "Probe"},
      {"FuncCall<std::reference_wrapper<Functor<Probe>>>", "Probe"},
      {"Reducer<List>", "Reducer<List>"},
      {"shop::Reducer<std::vector<shop::List>>", "shop::Reducer<List>"},
      {"vdb::tools::TopologyCopy<vdb::tree::Tree<vdb::tree::Root<vdb::tree::Leaf<float, 3u>>>>",
       "tools::TopologyCopy<Tree>"},
      {"vdb::tree::Manager<vdb::tree::Leaf<float, 3u>>::Transformer<vdb::Sharpen>",
       "Manager<Leaf>::Transformer<Sharpen>"},
      {"vdb::tree::Node<vdb::tree::Node<vdb::tree::Leaf<vdb::Mask, 3u>>>::Copy",
       "Node<Node>::Copy"},
      {"vdb::Node<vdb::Leaf<float, 3u>>::Copy<vdb::Node<vdb::Leaf<vdb::Mask, 3u>, 4u>>",
       "Node<Leaf>::Copy<Node>"},
      {"vdb::Each<void vdb::Load::operator()<int>(int) const::'lambda'(int)>", "vdb::Load"},
      {"ours::run<void (*)(int)>(int)", "ours::run"},
      {"ours::run<unsigned long const*>(int)", "ours::run<unsigned long const*>"},
      {"a::MultiResGridOfManyWords<a::SomeTree>::FractionOp<1u>",
       "MultiResGridOfManyWords::FractionOp"},
      {"salmon::update<std::vector<int>>(int)", "salmon::update"},
      {"salmon::an_update_of_these<salmon::WithSomeLongName, salmon::AndMore>(int)",
       "an_update_of_these<WithSomeLongN...>"},
      {"vdb::tree::LeafManager<vdb::tree::Leaf<float, 3u>>::LeafTransformer<vdb::Sharpen>",
       "LeafTransformer<Sharpen>"},
      {"Functor<Builder::rebuild()::{lambda(int)#1}>", "Builder::rebuild"},
      {"Probe::operator()(int) const", "Probe"},
      {"FuncCall<Functor<Probe>>::operator()(int) const", "Probe"},
      {"FuncCall<Functor<Probe>>::run(int) const", "FuncCall<Probe>::run"},
      // Values and built-in types distinguish.
      {"image::convolve<float, 3>(image::Image const&)", "image::convolve<float, 3>"},
      {"image::Image<unsigned char>", "image::Image<unsigned char>"},
      {"a::f<(Color)2, -1, true>()", "a::f<(Color)2, -1, true>"},
      {"bool a::operator<<int>(int)", "a::operator<<int>"},
      {"bool a::operator< <int>(int)", "a::operator<<int>"},
      {"void a_very_long_namespace_indeed::AndAClassOfManyMoreWords::rebuild_its(int)",
       "rebuild_its"},
      {"_ZN4shop", "_ZN4shop"},
      {"", ""}};
  for (const auto& [function, name] : name_of)
    EXPECT_EQ(name, short_name(function)) << function;
}

TEST(DisplayNames, ComponentsAreThoseOfTheName) {
  const auto components = [](const std::string& name) {
    std::string result;
    for (const NameScope& scope : scopes_of(name))
      result.append(result.empty() ? "" : " ").append(scope.name);
    return result;
  };
  const std::map<std::string, std::string> components_of = {
      {"void f<int>(int) requires C<int>", "f"},
      {"void a::f<int>(int) requires a::C<int> && (sizeof(int) > a::k)", "a f"},
      {"a::S<(1 > 2)>::f()", "a S f"},
      {"a::S<((sizeof (int)) > (4))>::f()", "a S f"},
      {"a::S::operator->() const", "a S operator->"},
      {"a::S::operator><int>(int)", "a S operator>"},
      {"a::S::operator()<int>(int) const", "a S operator()"},
      {"a::S::operator std::vector<int>() const", "a S operator std::vector<int>"},
      {"operator\"\" _km(long double)", "operator\"\" _km"},
      {"a::f@mod.part(int)", "a f"},
      {"f(int)::Local::run() const", "f Local run"},
      {"f() const::'lambda'()::operator()() const", "f 'lambda' operator()"},
      {"x::'lambda'<typename $T>($T)::operator()<int>(int) const", "x 'lambda' operator()"},
      {"non-virtual thunk to a::S::f()", "a S f"},
      {"foo(int) (.constprop.0)", "foo"},
      {"foo(int) [clone .constprop.0]", "foo"},
      {"decltype(g(fp)) a::f<int>(int)", "a f"},
      {"decltype(auto) a::f<int>(int)", "a f"},
      {"a::S const&", "a S"},
      {"a::S const& b::f(int)", "b f"},
      {"a::S const* const* b::f(int) const", "b f"},
      {"char [3]", "char"},
      {"a::f(", ""},
      {"a<b", ""}};
  for (const auto& [name, expected] : components_of)
    EXPECT_EQ(expected, components(name)) << name;
}

TEST(DisplayNames, QualifiedNamesAreTheSameByBothDemanglers) {
  EXPECT_EQ("a::f<int>::{lambda(char)#2}",
            qualified_name("void a::f<int>(int)::'lambda0'(char)::operator()(char) const"));
  EXPECT_EQ("a::f<int>::{lambda(char)#2}",
            qualified_name("void a::f<int>(int)::{lambda(char)#2}::operator()(char) const"));
  EXPECT_EQ("a::{unnamed type#1}::f", qualified_name("a::'unnamed'::f()"));
  EXPECT_EQ("a::{unnamed type#1}::f", qualified_name("a::{unnamed type#1}::f()"));
  EXPECT_EQ("a::f<A, B>", qualified_name("int a::f<A, B>(int, char) const &"));
}

TEST(DisplayNames, OfVariables) {
  EXPECT_EQ("(anonymous namespace)::totals", variable_name("(anonymous namespace)::totals"));
  EXPECT_EQ("shop::Cache<int>::lock", variable_name("shop::Cache<int>::lock"));
  EXPECT_EQ("time_with::of",
            variable_name("double (anonymous namespace)::time_with<tbb::detail::d1::queuing_mutex, "
                          "double (anonymous namespace)::with_scope<tbb::detail::d1::queuing_mutex>"
                          "()::'lambda'(tbb::detail::d1::queuing_mutex&, bool)>(double (anonymous "
                          "namespace)::with_scope<tbb::detail::d1::queuing_mutex>()::'lambda'("
                          "tbb::detail::d1::queuing_mutex&, bool))::of"));
}

std::vector<std::string> names(const std::vector<RowCode>& codes) {
  IdVector<Row, SiteInfo> rows;
  const auto add = [&rows](const std::string& file) {
    SiteInfo info;
    info.file = file;
    rows.push_back(info);
  };
  add("main");
  std::vector<RowCode> all(1);
  for (const RowCode& code : codes) {
    all.push_back(code);
    add(code.what + "|" + code.in_module);
  }
  name_codes(rows, all);
  std::vector<std::string> result;
  for (const SiteInfo& row : rows)
    result.push_back(row.name);
  return result;
}

TEST(DisplayNames, RowsHaveDifferentNames) {
  using Names = std::vector<std::string>;
  EXPECT_EQ((Names{"main", "S::f", "S::g"}),
            names({{"a::S::f()", "+0x1", ""}, {"a::S::g()", "+0x1", ""}}));
  // Two calls in a function; two functions; both.
  EXPECT_EQ((Names{"main", "S::f+0x1", "S::f+0x2"}),
            names({{"a::S::f()", "+0x1", ""}, {"a::S::f()", "+0x2", ""}}));
  EXPECT_EQ((Names{"main", "a::S::f", "b::S::f"}),
            names({{"a::S::f()", "+0x1", ""}, {"b::S::f()", "+0x1", ""}}));
  EXPECT_EQ(
      (Names{"main", "a::S::f+0x1", "a::S::f+0x2", "b::S::f"}),
      names({{"a::S::f()", "+0x1", ""}, {"a::S::f()", "+0x2", ""}, {"b::S::f()", "+0x1", ""}}));
  // The code outside of all tasks is called main.
  EXPECT_EQ((Names{"main", "main+0x1"}), names({{"main", "+0x1", ""}}));
  EXPECT_EQ((Names{"main", "Tree<Root>::clear [float]+0x1", "Tree<Root>::clear [float]+0x2",
                   "Tree<Root>::clear [int]"}),
            names({{"Tree<Root<Leaf<float, 3>>>::clear()", "+0x1", ""},
                   {"Tree<Root<Leaf<float, 3>>>::clear()", "+0x2", ""},
                   {"Tree<Root<Leaf<int, 3>>>::clear()", "+0x1", ""}}));
  EXPECT_EQ((Names{"main", "S::f [lambda 1]", "S::f [lambda 3]"}),
            names({{"S::f()::'lambda'()", "@0x1", ""}, {"S::f()::'lambda1'()", "@0x2", ""}}));
  // Data below the code that a wrapper runs; the wrapper's arguments are cut.
  const auto wrapped = [](const std::string& code) {
    return RowCode{"smp::FuncCall<long, smp::FunctorInternal<" + code + ", true>>", "@0x1", ""};
  };
  EXPECT_EQ((Names{"main", "FuncCall<FunctorInternal> [Pass1]", "FuncCall<FunctorInternal> [Pass2]",
                   "FuncCall [Elevation]"}),
            names({wrapped("Edges<double>::Pass1<double>"), wrapped("Edges<double>::Pass2<double>"),
                   wrapped("(anonymous namespace)::Elevation<Array<float, 3>>")}));
  EXPECT_EQ((Names{"main", "S<X>::f [const]", "S<X>::f"}),
            names({{"S<X const>::f()", "+0x1", ""}, {"S<X>::f()", "+0x1", ""}}));
  // Functions of internal linkage may have the same name.
  EXPECT_EQ((Names{"main", "f+0x1@x+0x1", "f+0x1@x+0x2"}),
            names({{"f()", "+0x1", "x+0x1"}, {"f()", "+0x1", "x+0x2"}}));
}

TEST(DisplayNames, RowsOfSeveralWrappersHaveDifferentNames) {
  using Names = std::vector<std::string>;
  const auto by = [](const char* wrapper) {
    return RowCode{.what = "S::f()", .place = "+0x1", .in_module = "", .wrapper = wrapper};
  };
  EXPECT_EQ((Names{"main", "S::f"}), names({by("Call<First>")}));
  EXPECT_EQ((Names{"main", "S::f [First]", "S::f [Second]"}),
            names({by("Call<First>"), by("Call<Second>")}));
  // What follows the name is another place.
  const auto at = [](const char* suffix) {
    return RowCode{.what = "S::f()", .place = "+0x1", .in_module = "", .suffix = suffix};
  };
  EXPECT_EQ((Names{"main", "S::f", "S::f"}), names({at(" <- a.h:1"), at(" <- a.h:2")}));
}

} // namespace
} // namespace tp::analysis
