// flags: -std=c++20
// Coroutines: no lambda or block is put around the call.
#include <coroutine>
#include <tbb/tbb.h>

struct Task {
  struct promise_type {
    Task get_return_object() { return {}; }
    std::suspend_never initial_suspend() { return {}; }
    std::suspend_never final_suspend() noexcept { return {}; }
    std::suspend_never yield_value(int) { return {}; }
    void return_void() {}
    void unhandled_exception() {}
  };
};

Task work(int n) {
  tbb::parallel_for(0, n, [](int) {});
  co_await (tbb::parallel_for(0, n, [](int) {}), std::suspend_never());
  co_yield tbb::parallel_reduce(0, 1, [](int, int) { return 1; }, 2);
  tbb::task_group g;
  co_return g.run([] {});
}

int main() { work(3); }
