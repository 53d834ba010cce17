// SPDX-License-Identifier: Apache-2.0
// CHECKS: claims about a profile, for CI. `parallelism>=16`, `site(tree.cpp:25).critical<30%`.
#pragma once

#include "compare/figures.h"

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace tp::analysis {

struct Metric {
  std::string site; // as file:line; empty: of the whole program
  std::string name;
  std::uint64_t procs = 0; // of time(P) and speedup(P); 0: not one of those
};

struct Check {
  std::string text;
  Metric metric;
  std::string comparison;
  long double value = 0;
  bool percent = false; // the value was given with %
};

// The expected text, and the text that was found instead.
struct BadCheck : std::runtime_error {
  BadCheck(const std::string& what_expected, const std::string& what_got)
      : std::runtime_error("expected " + what_expected + ", got " + what_got),
        expected(what_expected), got(what_got) {}
  std::string expected, got;
};

// `change`: the claim is about how much a figure changes; it may be negative, and a percentage
// refers to the old value. Throws BadCheck.
Check parse_check(const std::string& text, bool change = false);

// A figure, and how to write it.
struct Measured {
  Ratio value;
  bool percent = false; // `value` is a share
  long double number() const;
  std::string text() const;
};

// The numbers of CPUs for which the checks need a prediction.
std::vector<std::uint64_t> procs_of(const std::vector<Check>& checks);

// Empty if the profile does not have this figure. `site`: the one that `metric.site` names.
std::optional<Measured> measure(const Metric& metric, const Figures& figures,
                                const SiteFigures* site);

// Why a figure is missing, and what to do about it.
struct Missing {
  std::string why, hint;
};
Missing why_missing(const Metric& metric, const Figures& figures);

// The site with this name, this file:line, or a path that ends so. Null if there is none. Throws
// BadCheck if there are several.
const SiteFigures* find_site(const Figures& figures, const std::string& name);

bool compare(long double left, const std::string& comparison, long double right);

// Whether a check holds; sets `actual` to the figure that it was compared with. Empty if the figure
// does not exist. Throws BadCheck if the site does not exist.
std::optional<bool> holds(const Check& check, const Figures& figures, std::string& actual);

} // namespace tp::analysis
