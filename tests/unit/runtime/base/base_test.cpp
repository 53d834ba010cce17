// SPDX-License-Identifier: Apache-2.0
// The leaf helpers of the runtime: JSON, files that may be taken away, descriptors, caches, messages.
#include "base/descriptor_room.h"
#include "base/json_writer.h"
#include "base/messages.h"
#include "base/own_file.h"
#include "base/recording_state.h"
#include "base/site_cache.h"
#include "temporary_folder.h"

#include <cstring>
#include <random>
#include <sys/wait.h>

using namespace tp::rt;
using tp::test::TemporaryFolder;

namespace {

TEST(JsonObject, KeepsTheOrderOfTheCalls) {
  EXPECT_EQ(JsonObject().str(), "{}");
  EXPECT_EQ(JsonObject()
                .text("b", "x")
                .number("a", 18446744073709551615u)
                .boolean("t", true)
                .raw("l", "[1,2]")
                .str(),
            R"({"b":"x","a":18446744073709551615,"t":true,"l":[1,2]})");
}

TEST(JsonObject, EscapesWhatJsonCannotHold) {
  EXPECT_EQ(JsonObject::quoted("a\"b\\c\n\x01\x7f"), "\"a\\\"b\\\\c\\u000a\\u0001\x7f\"");
  EXPECT_EQ(JsonObject::quoted(std::string_view("\0", 1)), "\"\\u0000\"");
}

TEST(JsonObject, BytesThatAreNotUtf8AreReplaced) {
  const std::string mark = "\xef\xbf\xbd";
  EXPECT_EQ(JsonObject::quoted("\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80"),
            "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80\"");
  EXPECT_EQ(JsonObject::quoted("\xff"), '"' + mark + '"');
  EXPECT_EQ(JsonObject::quoted("\xc3"), '"' + mark + '"');                       // cut off
  EXPECT_EQ(JsonObject::quoted("\xc0\xaf"), '"' + mark + mark + '"');            // overlong
  EXPECT_EQ(JsonObject::quoted("\xed\xa0\x80"), '"' + mark + mark + mark + '"'); // surrogate
  EXPECT_EQ(JsonObject::quoted("\xf4\x90\x80\x80").size(), 2 + 4 * mark.size()); // > U+10FFFF
}

TEST(OwnFile, IsNotMadeOverAnotherFile) {
  const TemporaryFolder folder;
  const std::string name = folder.file("taken", "precious");
  OwnFile file;
  EXPECT_FALSE(file.create(name));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(file.open(O_WRONLY), -1);
  EXPECT_EQ(tp::test::content_of(name), "precious");
}

TEST(OwnFile, IsOnlyOpenedWhileItIsTheSame) {
  const TemporaryFolder folder;
  const std::string name = folder.at("own");
  OwnFile file;
  ASSERT_TRUE(file.create(name));
  const int fd = file.open(O_WRONLY | O_APPEND);
  ASSERT_GE(fd, 0);
  EXPECT_NE(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
  ::close(fd);
  std::filesystem::rename(name, folder.at("away"));
  EXPECT_EQ(file.open(O_WRONLY), -1);
  EXPECT_EQ(errno, ENOENT);
  folder.file("own", "of the program");
  EXPECT_EQ(file.open(O_WRONLY), -1);
  EXPECT_EQ(errno, ESTALE);
  std::filesystem::remove(name);
  std::filesystem::create_symlink(folder.at("away"), name);
  EXPECT_EQ(file.open(O_WRONLY), -1); // the same file by another name could be anyone's
  EXPECT_EQ(errno, ELOOP);
}

TEST(OwnFile, ForgottenItIsNotOpened) {
  const TemporaryFolder folder;
  OwnFile file;
  ASSERT_TRUE(file.create(folder.at("own")));
  file.forget();
  EXPECT_EQ(file.open(O_WRONLY), -1);
  EXPECT_TRUE(std::filesystem::exists(folder.at("own")));
}

TEST(DescriptorRoom, LeavesTheProgramItsNumbersAndItsLimit) {
  rlimit before{}, after{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  int fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int low = fd;
  {
    const DescriptorRoom room;
    EXPECT_FALSE(room.holds(fd));
    fd = room.moved(fd);
    EXPECT_TRUE(room.holds(fd)) << fd;
  }
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &after), 0);
  EXPECT_EQ(before.rlim_cur, after.rlim_cur);
  const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  EXPECT_EQ(next, low); // the number is free again
  ::close(next);
  ::close(fd);
}

// In a process of its own, since a hard limit that was lowered stays so. -1: the limit cannot be set.
int is_apart_with(rlim_t soft, rlim_t hard) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{soft, hard};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
      _exit(2);
    _exit(DescriptorRoom().is_apart() ? 1 : 0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  const int answer = WEXITSTATUS(status);
  return answer == 2 ? -1 : answer;
}

TEST(DescriptorRoom, IsApartFromTheProgramsNumbers) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
  EXPECT_EQ(is_apart_with(256, 512), limit.rlim_max >= 512 ? 1 : -1); // above the soft limit
  EXPECT_EQ(is_apart_with(512, 512), limit.rlim_max >= 512 ? 0 : -1); // among them
  if (limit.rlim_max >= 20000) {
    EXPECT_EQ(is_apart_with(20000, 20000), 1); // behind thousands of them
    EXPECT_EQ(is_apart_with(8000, 8000), 0);
  }
}

TEST(SiteCache, KnowsWhatItWasToldLast) {
  SiteCache<7> cache;
  EXPECT_EQ(cache.find(7), 0u);
  cache.remember(7, 3);
  EXPECT_EQ(cache.find(7), 3u);
  cache.remember(7, 4);
  EXPECT_EQ(cache.find(7), 4u);
}

TEST(SiteCache, NeverGivesTheNumberOfAnotherKey) {
  SiteCache<7> cache;
  std::mt19937_64 random(1);
  for (int turn = 0; turn < 10000; ++turn) {
    const std::uint64_t key = random() % 1000 + 1;
    const std::uint32_t found = cache.find(key);
    ASSERT_TRUE(found == 0 || found == key + 5) << key;
    cache.remember(key, static_cast<std::uint32_t>(key) + 5);
    ASSERT_EQ(cache.find(key), key + 5);
  }
}

TEST(Messages, AreOneLineEachUpToTheLevel) {
  testing::internal::CaptureStderr();
  warn("run.json", "no space");
  note(1, "not shown");
  set_verbosity(1);
  note(1, "shown");
  note(2, "not shown");
  set_verbosity(0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "tp: warning: run.json: no space\ntp: shown\n");
}

TEST(RecordingState, IsWhatWasSet) {
  const Recording before = recording();
  for (const Recording state : {Recording::NotStarted, Recording::On, Recording::Off}) {
    set_recording(state);
    EXPECT_EQ(recording(), state);
  }
  set_recording(before);
  EXPECT_FALSE(paused());
}

} // namespace
