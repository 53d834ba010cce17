// SPDX-License-Identifier: Apache-2.0
// Black-Scholes prices, computed in parallel, of options that are read from a text. One thread
// reads the options and one thread writes the prices. After: both are done in parts.
#include "case_study.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace {

struct Option {
  double spot = 0, strike = 0, time = 0, price = 0;
};

constexpr std::size_t kLine = 16; // "123.45 123.45 1\n"

std::string make_text(std::size_t options) {
  std::string text(options * kLine, '\n');
  tbb::parallel_for( // before: read
      study::Range(0, study::kChunks, 1),
      [&](const study::Range& range) {
        const study::Range part = study::part_of(options, range.begin(), study::kChunks);
        for (std::size_t i = part.begin(); i < part.end(); ++i) {
          const std::uint64_t hash = study::random_number(i);
          char line[kLine + 16];
          std::snprintf(line, sizeof line, "%3u.%02u %3u.%02u %u", 100 + unsigned(hash % 900),
                        unsigned(hash >> 10) % 100, 100 + unsigned(hash >> 20) % 900,
                        unsigned(hash >> 30) % 100, 1 + unsigned(hash >> 40) % 9);
          std::copy_n(line, kLine - 1, &text[i * kLine]);
        }
        tp::spend(8 * kLine * part.size());
      },
      study::kSimple);
  return text;
}

void read(const std::string& text, study::Range part, std::vector<Option>& options) {
  const char* at = text.data() + part.begin() * kLine;
  for (std::size_t i = part.begin(); i < part.end(); ++i) {
    char* end = nullptr;
    options[i].spot = std::strtod(at, &end);
    options[i].strike = std::strtod(end, &end);
    options[i].time = std::strtod(end, &end);
    at += kLine;
  }
  tp::spend(4 * kLine * part.size());
}

void write(const std::vector<Option>& options, study::Range part, std::string& text) {
  for (std::size_t i = part.begin(); i < part.end(); ++i) {
    char line[kLine + 1];
    std::snprintf(line, sizeof line, "%15.6f\n", options[i].price);
    std::copy_n(line, kLine, &text[i * kLine]);
  }
  tp::spend(8 * kLine * part.size());
}

double normal(double x) {
  return 0.5 * std::erfc(-x / std::sqrt(2.0));
}

void price(std::vector<Option>& options) {
  constexpr double kRate = 0.02, kVolatility = 0.3;
  constexpr int kRepeats = 60; // per option, as in PARSEC
  tbb::parallel_for(           // after: read, before: write
      study::Range(0, study::kChunks, 1),
      [&](const study::Range& range) {
        const study::Range part = study::part_of(options.size(), range.begin(), study::kChunks);
        for (std::size_t i = part.begin(); i < part.end(); ++i) {
          Option& o = options[i];
          for (int repeat = 0; repeat < kRepeats; ++repeat) {
            const double deviation = kVolatility * std::sqrt(o.time);
            const double d1 =
                (std::log(o.spot / o.strike) + (kRate + kVolatility * kVolatility / 2) * o.time) /
                deviation;
            o.price =
                o.spot * normal(d1) - o.strike * std::exp(-kRate * o.time) * normal(d1 - deviation);
          }
        }
        tp::spend(40 * kRepeats * part.size());
      },
      study::kSimple);
}

} // namespace

int main(int argc, char** argv) {
  const study::Arguments arguments(argc, argv, 60'000);
  const std::string text = make_text(arguments.size);
  std::vector<Option> options(arguments.size);
  std::string prices(options.size() * kLine, ' ');
  const auto part = [&](const study::Range& range) {
    return study::part_of(options.size(), range.begin(), study::kParts);
  };
  if (arguments.after) {
    tbb::parallel_for(
        study::Range(0, study::kParts, 1),
        [&](const study::Range& range) { read(text, part(range), options); }, study::kSimple);
  } else {
    const tp::CausalRegion region{"read"};
    read(text, {0, options.size()}, options);
  }
  price(options);
  if (arguments.after) {
    tbb::parallel_for(
        study::Range(0, study::kParts, 1),
        [&](const study::Range& range) { write(options, part(range), prices); }, study::kSimple);
  } else {
    const tp::CausalRegion region{"write"};
    write(options, {0, options.size()}, prices);
  }
  return study::verdict(
      std::all_of(options.begin(), options.end(), [](const Option& o) { return o.price >= 0; }));
}
