// -pedantic-errors, task groups as bases: public, private with a using-declaration, and as members.
#include <tbb/tbb.h>

int calls = 0;
struct Derived : tbb::task_group {
  void go() { run([] { ++calls; }); this->run_and_wait([] { ++calls; }); }
};
class Hidden : tbb::task_group {
public:
  using tbb::task_group::run;
  void finish() { tbb::task_group::run_and_wait([] { ++calls; }); }
};
struct Owner {
  tbb::task_group group;
  tbb::task_group& get() { return group; }
  tbb::task_group* operator->() { return &group; }
};
template <typename Base>
struct Mixin : Base {
  void go() { this->run([] { ++calls; }); }
};

int main() {
  Derived d;
  d.go();
  d.Derived::task_group::run([] { ++calls; });
  Hidden h;
  h.run([] { ++calls; });
  h.finish();
  Owner o;
  o.get().run([] { ++calls; });
  o->run([] { ++calls; }), (&o.group)->run([] { ++calls; });
  Mixin<tbb::task_group>().go();
  return calls == 9 ? 0 : 1;
}
