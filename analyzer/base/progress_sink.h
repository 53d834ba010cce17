// What a question that takes long reports of its progress, to whoever wants to show it. Called from one thread.
#pragma once

#include <cstdint>
#include <string>

namespace tp::analysis {

class ProgressSink {
public:
  virtual ~ProgressSink() = default;
  // What is done from here on, in few words.
  virtual void begin(std::string phase) = 0;
  // In this phase: so many readings from here on, of so many bytes each.
  virtual void expect(std::uint64_t readings, std::uint64_t bytes) = 0;
};

} // namespace tp::analysis
