// In templates: tagged if the candidates are certainly oneTBB's, else left to the header.
#include <tbb/tbb.h>
#include <utility>

using tbb::parallel_for;

template <typename Range, typename Body>
void all(const Range& range, const Body& body) {
  tbb::parallel_for(range, body);
  parallel_for(range, body);
  (parallel_for)(range, body);
}

template <typename Group>
void member(Group& group, tbb::task_group& known) {
  group.run([] {});
  known.run([] {});
  known.run_and_wait(group);
}

template <typename... Args>
void pack(Args&&... args) {
  tbb::parallel_for(std::forward<Args>(args)...);
  tbb::parallel_invoke(args.begin()...);
}

template <typename T>
struct Owner {
  tbb::task_group group;
  void start(T f) { group.run(f); }
  struct Inner : tbb::task_group {
    void start(T f) { this->run(f); }
  };
};

template <typename T>
void not_dependent() {
  tbb::task_group group;
  parallel_for(0, 3, sizeof(T) > 1 ? +[](int) {} : +[](int) {});
}

int main() {
  all(tbb::blocked_range<int>(0, 1), [](const tbb::blocked_range<int>&) {});
  not_dependent<int>();
  Owner<void (*)()>().start([] {});
}
