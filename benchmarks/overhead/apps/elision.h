// SPDX-License-Identifier: Apache-2.0
// The part of oneTBB that the benchmark programs use, without tasks: a spawn runs its function at
// once, and a loop is one call of its body.
#pragma once

#include <cstddef>

namespace tbb {

template <typename Value>
class blocked_range {
public:
  blocked_range(Value begin, Value end, std::size_t = 1) : begin_(begin), end_(end) {}
  Value begin() const { return begin_; }
  Value end() const { return end_; }

private:
  Value begin_, end_;
};

template <typename Value>
class blocked_range2d {
public:
  blocked_range2d(Value row, Value end_row, std::size_t, Value column, Value end_column,
                  std::size_t)
      : rows_(row, end_row), columns_(column, end_column) {}
  const blocked_range<Value>& rows() const { return rows_; }
  const blocked_range<Value>& cols() const { return columns_; }

private:
  blocked_range<Value> rows_, columns_;
};

struct simple_partitioner {};

class task_group {
public:
  template <typename Body>
  void run(const Body& body) {
    body();
  }
  void wait() {}
};

template <typename... Bodies>
void parallel_invoke(const Bodies&... bodies) {
  (bodies(), ...);
}

template <typename Range, typename Body, typename... Partitioner>
void parallel_for(const Range& range, const Body& body, Partitioner...) {
  body(range);
}

template <typename Range, typename Value, typename Body, typename Join, typename... Partitioner>
Value parallel_reduce(const Range& range, const Value& identity, const Body& body, const Join&,
                      Partitioner...) {
  return body(range, identity);
}

} // namespace tbb
