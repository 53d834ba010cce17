// SPDX-License-Identifier: Apache-2.0
// COMPARISON of two profiles: what changed from BASE to NEW, for the whole program and per spawn
// site. Sites are matched by file and line; if a line moved, by file, function and construct. Tasks and loops of OpenMP are
// matched with those of oneTBB in the same function.
#pragma once

#include "compare/checks.h"
#include "compare/figures.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tp::analysis {

enum class Match : std::uint8_t { SameLine, Moved, Added, Removed };

struct SitePair {
  Match match = Match::SameLine;
  const SiteFigures* base = nullptr; // null: added
  const SiteFigures* now = nullptr;  // null: removed
  const SiteFigures& either() const { return now ? *now : *base; }
  bool too_short() const { return (base && base->too_short) || (now && now->too_short); }
};

// A metric on both sides; empty on a side where it does not exist.
struct Change {
  std::optional<Measured> base, now;
};

// Does not own the profiles: they must outlive it.
struct Comparison {
  const Figures* base = nullptr;
  const Figures* now = nullptr;
  bool same_unit = true;       // else only ratios and shares can be compared
  std::vector<SitePair> sites; // main first, then by how much their critical work changed
};

Comparison compare_profiles(const Figures& base, const Figures& now);

// The site whose code has most work too much on one side, with as many tasks or iterations on both: at least half as
// much again, and a tenth of that side's work. It may wait in a loop there. Null: there is none, or the
// clock is one that such a loop does not advance.
const SitePair* unlike_work(const Comparison& comparison);

// Whether a metric is in the unit of work, so that it can be compared in the same unit only.
bool is_amount(const Metric& metric);

// How a metric changes. A site that one side lacks has no work on that side. Throws BadCheck if
// neither side has the site, or if the units differ and the metric is an amount of work.
Change change_of(const Metric& metric, const Comparison& comparison);

// A change as --fail-if and reports count it: in percent of the figure in BASE, or as the
// difference, which for shares is in percentage points. Empty if a side is missing. From 0 to more
// is infinite percent.
std::optional<long double> amount_of(const Change& change, bool percent);

} // namespace tp::analysis
