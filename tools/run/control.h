// SPDX-License-Identifier: Apache-2.0
// The control page of a process that records (values/control_page.h), mapped from its file. What is
// written there takes effect in the process at once.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <sys/types.h>
#include <utility>

#include "values/control_page.h"

namespace tp::tool {

std::uint64_t monotonic_ns();
// CPU time of a process; 0: not known.
std::uint64_t cpu_time_ns(pid_t pid);
// "1.5 s", "20 ms".
std::string duration_text(std::uint64_t ns);

class Control {
public:
  // Empty if it cannot be opened (errno says why), or is no such file (errno is EINVAL).
  static std::optional<Control> open(const std::string& path);
  ~Control();
  Control(Control&& other) noexcept : page_(std::exchange(other.page_, nullptr)) {}
  Control& operator=(Control&& other) noexcept {
    std::swap(page_, other.page_);
    return *this;
  }

  ControlPage& page() const { return *page_; }
  bool is_recording() const;
  // Pauses or resumes; false: that was so already.
  bool set_paused(bool pause, pid_t pid) const;
  // From here on the process records nothing; ends its window.
  void stop(pid_t pid) const;

private:
  explicit Control(ControlPage* page) : page_(page) {}
  ControlPage* page_;
};

} // namespace tp::tool
