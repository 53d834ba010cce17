// SPDX-License-Identifier: Apache-2.0
// The interface by which a long analysis reports its progress. Called from one thread.
#pragma once

#include <cstdint>
#include <string>

namespace tp::analysis {

class ProgressSink {
public:
  virtual ~ProgressSink() = default;
  // A phase begins; `phase` names it in few words.
  virtual void begin(std::string phase) = 0;
  // In this phase `readings` more readings follow, of `bytes` bytes each.
  virtual void expect(std::uint64_t readings, std::uint64_t bytes) = 0;
};

} // namespace tp::analysis
