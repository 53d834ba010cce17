// SPDX-License-Identifier: Apache-2.0
// Tasks read a file from the disk, block by block, one task after the other.
#include "work.h"

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_group.h>

int main() {
  const planted::ColdFile file(6144);
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
  tbb::task_group reading;
  reading.run([&] { // planted
    std::vector<char> block(planted::ColdFile::kBlock);
    for (std::size_t i = 0; i < file.blocks(); ++i)
      planted::require(pread(file.file(), block.data(), block.size(), file.offset(i)) ==
                           static_cast<ssize_t>(block.size()),
                       "pread");
  });
  reading.wait();
  tbb::parallel_for(0, 256, [](int) { planted::compute(1); });
}
