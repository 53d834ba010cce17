// SPDX-License-Identifier: Apache-2.0
// Which files `tp-rewrite --out` may replace.
#include "common/failure.h"
#include "temporary_folder.h"
#include "text/written_copies.h"

namespace tp::rewrite {
namespace {

bool is_replaceable(const WrittenCopies& copies, const std::string& path) {
  try {
    copies.require_replaceable(path);
    return true;
  } catch (const tool::Failure&) {
    return false;
  }
}

TEST(WrittenCopies, OnlyUnchangedOnesAreReplaceable) {
  const test::TemporaryFolder folder;
  {
    WrittenCopies copies(folder.path());
    for (const char* const path : {"a.cpp", "sub dir/b.h", "gone.h"}) {
      EXPECT_TRUE(is_replaceable(copies, path));
      copies.add(path, "text of the copy");
      folder.file(path, "text of the copy");
    }
    copies.write();
  }
  const WrittenCopies copies(folder.path());
  folder.file("foreign.h", "text of the copy");
  std::filesystem::remove(folder.at("gone.h"));
  EXPECT_TRUE(is_replaceable(copies, "a.cpp"));
  EXPECT_TRUE(is_replaceable(copies, "sub dir/b.h"));
  EXPECT_TRUE(is_replaceable(copies, "gone.h"));
  EXPECT_TRUE(is_replaceable(copies, "new.h"));
  EXPECT_FALSE(is_replaceable(copies, "foreign.h"));
  folder.file("a.cpp", "text of the copy, edited");
  EXPECT_FALSE(is_replaceable(copies, "a.cpp"));
  std::filesystem::create_symlink("nowhere", folder.at("link"));
  EXPECT_FALSE(is_replaceable(copies, "link"));
}

TEST(WrittenCopies, AListOfSomebodyElseIsNotReplaced) {
  const test::TemporaryFolder folder;
  folder.file(".tp-rewrite", "mine\n");
  EXPECT_THROW(WrittenCopies{folder.path()}, tool::Failure);
}

} // namespace
} // namespace tp::rewrite
