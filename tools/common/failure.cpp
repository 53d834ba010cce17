// SPDX-License-Identifier: Apache-2.0
// See failure.h.
#include "common/failure.h"

#include "common/message.h"

#include <new>

namespace tp::tool {

Failure unexpected(std::string object, const std::string& expected, const std::string& got,
                   std::string hint) {
  return {std::move(object), "expected " + expected + ", got " + got, std::move(hint)};
}

int report(const Failure& failure, int status_of_failures) {
  error(failure.what());
  if (!failure.hint().empty())
    hint(failure.hint());
  return failure.status().value_or(status_of_failures);
}

int run_tool(const std::string& tool, int status_of_failures, const std::function<int()>& body) {
  try {
    return body();
  } catch (const Failure& failure) {
    return report(failure, status_of_failures);
  } catch (const std::bad_alloc&) {
    return report({tool, "out of memory"}, status_of_failures);
  } catch (const std::exception& problem) {
    return report({tool, std::string("internal error: ") + problem.what()}, status_of_failures);
  }
}

} // namespace tp::tool
