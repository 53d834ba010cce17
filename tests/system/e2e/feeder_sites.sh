# SPDX-License-Identifier: Apache-2.0
# What is added to a feeder belongs to the place of `add`, within the parallel_for_each; also if the
# feeder's type is deduced.
. "$(dirname "$0")/common.inc"
for type in "tbb::feeder<int>" auto; do
  build feeder <<X
#include <forward_list>
#include <oneapi/tbb/parallel_for_each.h>
#include <tp/virtual_clock.h>
int main() {
  const std::forward_list<int> items{3};
  tbb::parallel_for_each(items.begin(), items.end(), [](int left, $type& feeder) {
    tp::spend(left == 3 ? 10 : 1);
    if (left > 0)
      feeder.add(left - 1);
  });
}
X
  ours ./feeder
  analyze tp-data
  same "sites of $type" "6: 13 13, 9: 3 3" "$(python3 -c 'import json
sites = json.load(open("profile.json"))["sites"]
print(", ".join("%d: %d %d" % s for s in sorted((s["line"], s["work"], s["span"]) for s in sites if s["line"])))')"
done
finish
