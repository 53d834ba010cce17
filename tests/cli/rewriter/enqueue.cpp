// Tasks given to an arena: by a function, or by the handle of a group's task. Other functions of the name are left alone.
#include <tbb/tbb.h>
#include <utility>

int calls = 0;
struct Queue {
  template <typename F>
  void enqueue(F f) { f(); }
};
template <typename Arena>
void any_arena(Arena& arena) { arena.enqueue([] { ++calls; }); }
template <typename F>
void in_a_template(tbb::task_arena& arena, F f) { arena.enqueue(f), tbb::this_task_arena::enqueue(f); }

int main() {
  const auto call = [] { ++calls; };
  tbb::task_arena arena, *pointer = &arena;
  tbb::task_group group;
  arena.enqueue(call);
  pointer->enqueue([] { ++calls; });
  arena.enqueue(group.defer(call));
  tbb::task_handle handle = group.defer(call);
  arena.enqueue(std::move(handle));
  tbb::this_task_arena::enqueue(call);
  tbb::this_task_arena::enqueue(group.defer(call));
  using namespace tbb::this_task_arena;
  enqueue(call);
  arena.execute([&] { enqueue(call); });
  Queue().enqueue(call);
  any_arena(arena);
  in_a_template(arena, call);
  group.wait();
  return calls == 12 ? 0 : 1;
}
