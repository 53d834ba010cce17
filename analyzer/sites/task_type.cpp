// The names of oneTBB's task templates and where their arguments hold the user's code are part of its ABI: a program that was
// not recompiled has them inside.
#include "sites/task_type.h"

#include "sites/cxx_names.h"

#include <string_view>

namespace tp::analysis {
namespace {

// A template of namespace tbb::detail, the position of the body among its arguments, and the construct.
struct Template {
  std::string_view name;
  std::size_t body;
  std::string_view construct;
};

constexpr Template kTasks[] = {
    {"d1::start_for", 1, "parallel_for"},
    {"d1::start_reduce", 1, "parallel_reduce"},
    {"d1::start_deterministic_reduce", 1, "parallel_deterministic_reduce"},
    {"d1::start_scan", 1, "parallel_scan"},
    {"d1::sum_node", 1, "parallel_scan"},
    {"d1::final_sum", 1, "parallel_scan"},
    {"d2::for_each_iteration_task", 1, "parallel_for_each"},
    {"d2::for_each_root_task", 1, "parallel_for_each"},
    {"d2::forward_block_handling_task", 1, "parallel_for_each"},
    {"d2::input_block_handling_task", 0, "parallel_for_each"},
    {"d2::feeder_item_task", 0, "parallel_for_each"},
    {"d1::function_invoker", 0, "parallel_invoke"},
    {"d1::invoke_subroot_task", 0, "parallel_invoke"},
    {"r1::stage_task", 0, "parallel_pipeline"},
    {"d1::function_task", 0, ""},
    {"d2::function_task", 0, ""},
    {"d1::function_stack_task", 0, ""},
    {"d1::enqueue_task", 0, ""},
};

// What the algorithms themselves wrap around the user's function.
constexpr Template kWrappers[] = {
    {"d1::parallel_for_body_wrapper", 0, ""},
    {"d1::lambda_reduce_body", 2, ""},
    {"d1::lambda_scan_body", 2, ""},
    {"d2::parallel_for_body_wrapper", 1, "parallel_for_each"}, // over random access iterators
};

constexpr std::string_view kNamespace = "tbb::detail::";

template <std::size_t Size>
const Template* find(const Template (&table)[Size], std::string_view type) {
  if (!type.starts_with(kNamespace))
    return nullptr;
  type.remove_prefix(kNamespace.size());
  const std::string_view name = type.substr(0, type.find('<'));
  for (const Template& row : table)
    if (row.name == name)
      return &row;
  return nullptr;
}

std::string_view argument(std::string_view type, std::size_t position) {
  const auto arguments = template_arguments(type);
  return position < arguments.size() ? arguments[position] : std::string_view();
}

// The function around a lambda; other types are their own name.
std::string_view owner(std::string_view body) {
  const std::size_t lambda = body.find("::{lambda");
  return lambda == std::string_view::npos ? body : body.substr(0, lambda);
}

} // namespace

TaskType look_at_task_type(const std::string& type) {
  const Template* const task = find(kTasks, type);
  if (!task)
    return {};
  if (argument(type, 0).starts_with("tbb::detail::d1::quick_sort_range"))
    return {"", "parallel_sort"};
  std::string_view body = argument(type, task->body), construct = task->construct;
  while (const Template* const wrapper = find(kWrappers, body)) {
    if (!wrapper->construct.empty())
      construct = wrapper->construct;
    body = argument(body, wrapper->body);
  }
  if (body.starts_with(kNamespace) || body.starts_with("std::"))
    body = {}; // no code of the user's
  return {std::string(owner(body)), std::string(construct)};
}

} // namespace tp::analysis
