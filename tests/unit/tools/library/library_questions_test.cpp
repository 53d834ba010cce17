// SPDX-License-Identifier: Apache-2.0
// Questions to the library, and libraries that give no answer, or a wrong one.
#include "common/failure.h"
#include "library/library_questions.h"
#include "temporary_folder.h"

namespace tp::tool {
namespace {

class LibraryQuestions : public testing::Test {
protected:
  LibraryQuestions() {
    std::filesystem::create_directory(folder.at("lib"));
    std::filesystem::create_symlink(TP_FAKE_LIBRARY, prefix.library());
  }
  ~LibraryQuestions() override { unsetenv("TP_TEST_ANSWER"); }
  static void answer(const char* text) { setenv("TP_TEST_ANSWER", text, 1); }
  // The reason of the Failure that a question ends with.
  template <typename Question>
  static std::string failure_of(Question question) {
    try {
      question();
    } catch (const Failure& failure) {
      EXPECT_NE(failure.object().find("/lib/libtbb.so.12"), std::string::npos);
      EXPECT_NE(failure.hint(), "");
      return failure.reason();
    }
    return "none";
  }
  const test::TemporaryFolder folder;
  const Prefix prefix{folder.path()};
};

TEST_F(LibraryQuestions, TheReportIsPassedOn) {
  answer(R"({"schema":"taskpath.doctor/1"})");
  setenv("TP_EVENT", "of the program", 1);
  EXPECT_EQ(report_clocks(prefix), R"({"schema":"taskpath.doctor/1"})");
  unsetenv("TP_EVENT");
}

TEST_F(LibraryQuestions, AnEventThatDoesNotWorkHasAReason) {
  answer(R"({"works":true})");
  EXPECT_FALSE(why_not_measurable("x", prefix).has_value());
  answer(R"({"works":false,"reason":"no such event","command":"sysctl"})");
  const auto reason = why_not_measurable("x", prefix);
  ASSERT_TRUE(reason.has_value());
  EXPECT_EQ(reason->reason, "no such event");
  EXPECT_EQ(reason->command, "sysctl");
}

TEST_F(LibraryQuestions, AnAnswerThatIsNotJsonIsAFailure) {
  for (const char* text : {"", "{", "{}", "[]", R"({"works":1})"}) {
    answer(text);
    EXPECT_EQ(failure_of([&] { why_not_measurable("x", prefix); }),
              "its answer about events is not valid JSON")
        << text;
  }
  answer("{");
  EXPECT_EQ(failure_of([&] { report_clocks(prefix); }),
            "its answer about clocks is not valid JSON");
}

TEST_F(LibraryQuestions, ALibraryThatCrashesDoesNotEndTheTool) {
  answer("crash");
  EXPECT_EQ(failure_of([&] { report_clocks(prefix); }), "signal 9 ended it when it was asked");
  EXPECT_EQ(failure_of([&] { why_not_measurable("x", prefix); }),
            "signal 9 ended it when it was asked");
}

TEST_F(LibraryQuestions, AMissingLibraryIsAFailure) {
  EXPECT_EQ(failure_of([&] { require_library(prefix); }), "none");
  const Prefix nowhere{folder.at("nowhere")};
  EXPECT_EQ(failure_of([&] { require_library(nowhere); }), "No such file or directory");
  EXPECT_NE(failure_of([&] { report_clocks(nowhere); }).find("No such file"), std::string::npos);
}

TEST_F(LibraryQuestions, ALibraryWithoutTheFunctionIsTooOld) {
  std::filesystem::remove(prefix.library());
  std::filesystem::create_symlink("/lib/x86_64-linux-gnu/libc.so.6", prefix.library());
  EXPECT_NE(failure_of([&] { report_clocks(prefix); }).find("tp_report_clocks"), std::string::npos);
}

} // namespace
} // namespace tp::tool
