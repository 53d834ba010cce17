// SPDX-License-Identifier: Apache-2.0
// A task computes with a mapped file that is not in memory: each page is a fault that reads the disk.
#include "work.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>
#include <sys/mman.h>

int main() {
  const planted::ColdFile file(6144);
  const std::size_t size = file.blocks() * planted::ColdFile::kBlock;
  void* const mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.file(), 0);
  planted::require(mapped != MAP_FAILED && madvise(mapped, size, MADV_RANDOM) == 0, "mmap");
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
  tbb::task_group counting;
  counting.run([&] { // planted
    long sum = 0;
    for (std::size_t i = 0; i < file.blocks(); ++i)
      sum += static_cast<const char*>(mapped)[file.offset(i)];
    planted::require(sum == 'x' * static_cast<long>(file.blocks()), "content");
  });
  counting.wait();
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
}
