// SPDX-License-Identifier: Apache-2.0
// How a tool ends early: it throws a Failure, which run_tool() turns into an error message, a hint
// and an exit status.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

namespace tp::tool {

// `object`: the file, option or other thing that the error is about. `what`: what is wrong with it.
// `hint`: a command or a step that helps; may be empty.
class Failure : public std::exception {
public:
  Failure(std::string object, std::string what, std::string hint = {})
      : text_(object.empty() ? what
              : what.empty() ? object
                             : object + ": " + what),
        object_(std::move(object)), what_(std::move(what)), hint_(std::move(hint)) {}

  // For a tool that has more than one status for failures.
  Failure&& with_status(int status) && {
    status_ = status;
    return std::move(*this);
  }

  const char* what() const noexcept override { return text_.c_str(); } // "<object>: <what>"
  const std::string& object() const { return object_; }
  const std::string& reason() const { return what_; }
  const std::string& hint() const { return hint_; }
  std::optional<int> status() const { return status_; }

private:
  std::string text_, object_, what_, hint_;
  std::optional<int> status_;
};

// A value that `object` (an option, a variable) does not allow: "expected X, got Y".
Failure unexpected(std::string object, const std::string& expected, const std::string& got,
                   std::string hint = {});

// Prints the error and its hint; returns the exit status.
int report(const Failure& failure, int status_of_failures);

// Returns the exit status of `body`; if it throws, reports the failure and returns its status.
int run_tool(const std::string& tool, int status_of_failures, const std::function<int()>& body);

} // namespace tp::tool
