// SPDX-License-Identifier: Apache-2.0
// The worked example of the TaskProf paper (FSE 2017, Figures 2 and 3), with its line numbers:
// F0{S0=80, F1{A0@L25{S2=5, F2{A1@L10{S5=30}, S4=5, A2@L13{S6=40}}, S3=10}}, S1=5}; regions are S0, S5 and S6.
#include "specification.h"

#include <oneapi/tbb/task_group.h>

using namespace spec;

static void sum_tree() {
  spend(5);
  tbb::task_group children;
#line 10
  children.run([] {
    tp::CausalRegion region("left");
    spend(30);
  });
  spend(5);
#line 13
  children.run([] {
    tp::CausalRegion region("right");
    spend(40);
  });
  children.wait();
  spend(10);
}

CASE(taskprof_paper) {
  causal_begin("create");
  spend(80);
  causal_end("create");
  tbb::task_group sum;
#line 25
  sum.run([] { sum_tree(); });
  sum.wait();
  spend(5);

  expect_what_if([](Units full, Units faster) {
    const Cost left = step(30 * faster), right = step(40 * faster);
    return in_series({step(80 * faster), step(5 * full),
                      in_parallel({left, in_series({step(5 * full), right})}), step(10 * full),
                      step(5 * full)});
  });
  expect_regions(3);
  expect_site(0, {175, 145}, 85);
  expect_site(13, {40, 40}, 40);
  expect_site(25, {90, 60}, 20);
  expect_site(10, {30, 30}, 0);
  // The digits as printed in the paper.
  std::puts("expect percent 0 58.62\nexpect percent 13 27.58\nexpect percent 25 13.79\nexpect "
            "percent 10 0");
  std::puts("expect parallelism 1.21");
  std::puts("expect what-if-parallelism 2 2.06\nexpect what-if-parallelism 4 3.18\nexpect "
            "what-if-parallelism 8 4.38");
}
