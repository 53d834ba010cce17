// SPDX-License-Identifier: Apache-2.0
// The tables of compiler options. Only flags in these tables pass to Clang: g++ has many that Clang
// does not know, and none of those left out changes which function a call resolves to.
#include "text/compiler_options.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

namespace tp::rewrite {
namespace {

using std::string_view;

constexpr string_view kTakesNext[] = {"-o",
                                      "-x",
                                      "-I",
                                      "-D",
                                      "-U",
                                      "-L",
                                      "-l",
                                      "-T",
                                      "-u",
                                      "-z",
                                      "-e",
                                      "-B",
                                      "-G",
                                      "-F",
                                      "-MF",
                                      "-MT",
                                      "-MQ",
                                      "-MJ",
                                      "-include",
                                      "-imacros",
                                      "-isystem",
                                      "-iquote",
                                      "-idirafter",
                                      "-iprefix",
                                      "-iwithprefix",
                                      "-iwithprefixbefore",
                                      "-isysroot",
                                      "-imultilib",
                                      "-include-pch",
                                      "--sysroot",
                                      "-cxx-isystem",
                                      "-iframework",
                                      "-target",
                                      "--param",
                                      "-aux-info",
                                      "-dumpbase",
                                      "-dumpbase-ext",
                                      "-dumpdir",
                                      "-wrapper",
                                      "-arch",
                                      "-mllvm",
                                      "-Xlinker",
                                      "-Xassembler",
                                      "-Xpreprocessor",
                                      "-Xclang",
                                      "-Xarch_host",
                                      "-A",
                                      "--output",
                                      "--include-directory",
                                      "--define-macro",
                                      "--language",
                                      "--serialize-diagnostics"};

// Kept, with the value that follows them or is joined to them.
constexpr string_view kKeepWithValue[] = {"-I",
                                          "-D",
                                          "-U",
                                          "-isystem",
                                          "-iquote",
                                          "-idirafter",
                                          "-imacros",
                                          "-isysroot",
                                          "-iprefix",
                                          "-iwithprefix",
                                          "-iwithprefixbefore",
                                          "-cxx-isystem",
                                          "--sysroot",
                                          "-target"};

constexpr string_view kKeepPrefix[] = {"-std=", "--std=",  "-stdlib=",    "--sysroot=", "--target=",
                                       "-O",    "-march=", "-mcpu=",      "-mabi=",     "-mavx",
                                       "-msse", "-mfpu=",  "-mfloat-abi="};

constexpr string_view kKeep[] = {"-ansi",
                                 "-pthread",
                                 "-fopenmp",
                                 "-fopenmp-simd",
                                 "-fexceptions",
                                 "-fno-exceptions",
                                 "-frtti",
                                 "-fno-rtti",
                                 "-fchar8_t",
                                 "-fno-char8_t",
                                 "-funsigned-char",
                                 "-fsigned-char",
                                 "-fshort-enums",
                                 "-fshort-wchar",
                                 "-fms-extensions",
                                 "-fPIC",
                                 "-fpic",
                                 "-fPIE",
                                 "-fpie",
                                 "-fno-pic",
                                 "-fno-pie",
                                 "-ffast-math",
                                 "-ffreestanding",
                                 "-fno-builtin",
                                 "-faligned-new",
                                 "-fno-aligned-new",
                                 "-fsized-deallocation",
                                 "-ftrapping-math",
                                 "-nostdinc",
                                 "-nostdinc++",
                                 "-trigraphs",
                                 "-undef",
                                 "-fno-operator-names",
                                 "-fdollars-in-identifiers",
                                 "-fno-elide-constructors",
                                 "-m32",
                                 "-m64",
                                 "-mx32",
                                 "-mfma",
                                 "-mbmi",
                                 "-mbmi2",
                                 "-mlzcnt",
                                 "-mpopcnt",
                                 "-mf16c",
                                 "-maes",
                                 "-mpclmul",
                                 "-mwaitpkg",
                                 "-mrtm",
                                 "-mmmx",
                                 "-mcx16",
                                 "-mgfni",
                                 "-mvaes",
                                 "-mmovbe",
                                 "-madx",
                                 "-msha",
                                 "-mno-avx",
                                 "-mno-avx2",
                                 "-mno-avx512f",
                                 "-mno-sse",
                                 "-mno-sse2",
                                 "-mno-fma"};

constexpr string_view kQuestionPrefix[] = {
    "-std=",   "--std=",           "-stdlib=",           "--sysroot", "-isysroot",
    "-target", "--target=",        "-nostdinc",          "-m32",      "-m64",
    "-mx32",   "--gcc-toolchain=", "--gcc-install-dir=", "-ansi"};

bool contains(std::span<const string_view> table, string_view text) {
  return std::ranges::find(table, text) != table.end();
}

bool starts_with_any(std::span<const string_view> table, string_view text) {
  return std::ranges::any_of(table, [&](string_view prefix) { return text.starts_with(prefix); });
}

// An option of kKeepWithValue with its value in the same argument.
bool is_joined(string_view argument) {
  return std::ranges::any_of(kKeepWithValue, [&](string_view option) {
    return argument.size() > option.size() && argument.starts_with(option) &&
           (option != "-target" && option != "--sysroot");
  });
}

// The driver would replace `-include F` by a precompiled F.gch or F.pch from another compiler.
void include_as_text(std::vector<std::string>& flags, const std::string& file) {
  for (const std::string& word :
       {std::string("-Xclang"), std::string("-include"), std::string("-Xclang"), file})
    flags.push_back(word);
}

// -Wp,-DX,-UY: options for the preprocessor.
void unpack_preprocessor_options(std::vector<std::string>& flags, string_view list) {
  while (!list.empty()) {
    const size_t comma = std::min(list.find(','), list.size());
    const string_view option = list.substr(0, comma);
    if (option.size() > 2 && (option.starts_with("-D") || option.starts_with("-U")))
      flags.emplace_back(option);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
}

std::vector<std::string> split_response(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote ? c == quote : c == '"' || c == '\'') {
      quote = quote ? 0 : c;
      in_word = true;
    } else if (!quote && string_view(" \t\r\n\v\f").find(c) != string_view::npos) {
      if (in_word)
        words.push_back(std::exchange(word, ""));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word)
    words.push_back(word);
  return words;
}

void expand_into(std::vector<std::string>& result, const std::vector<std::string>& arguments,
                 int depth) {
  for (const std::string& argument : arguments) {
    std::ifstream file;
    if (argument.size() > 1 && argument[0] == '@' && depth < 10)
      file.open(argument.substr(1), std::ios::binary);
    if (!file.is_open() || !file) {
      result.push_back(argument);
      continue;
    }
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    expand_into(result, split_response(text), depth + 1);
  }
}

} // namespace

bool takes_next_argument(const std::string& option) {
  return contains(kTakesNext, option);
}

std::vector<std::string> expand_response_files(const std::vector<std::string>& arguments) {
  std::vector<std::string> result;
  expand_into(result, arguments, 0);
  return result;
}

std::vector<std::string> flags_for_clang(const std::vector<std::string>& arguments) {
  std::vector<std::string> flags;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool has_next = i + 1 < arguments.size();
    if (argument == "-include" && has_next) {
      include_as_text(flags, arguments[++i]);
    } else if (argument == "-Xclang" && has_next) { // CMake: -Xclang -include -Xclang FILE
      ++i;
      if (arguments[i] == "-include" && i + 2 < arguments.size()) {
        i += 2;
        include_as_text(flags, arguments[i]);
      } else if (arguments[i] == "-include-pch") {
        i += 2;
      }
    } else if (argument.starts_with("-Wp,")) {
      unpack_preprocessor_options(flags, string_view(argument).substr(4));
    } else if (contains(kKeepWithValue, argument) && has_next) {
      flags.push_back(argument);
      flags.push_back(arguments[++i]);
    } else if (takes_next_argument(argument)) {
      ++i;
    } else if (contains(kKeep, argument) || starts_with_any(kKeepPrefix, argument) ||
               is_joined(argument)) {
      flags.push_back(argument);
    }
  }
  return flags;
}

std::vector<std::string> flags_for_question(const std::vector<std::string>& arguments) {
  std::vector<std::string> flags;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& argument = arguments[i];
    const bool has_value = takes_next_argument(argument) && i + 1 < arguments.size();
    if (starts_with_any(kQuestionPrefix, argument)) {
      flags.push_back(argument);
      if (has_value)
        flags.push_back(arguments[i + 1]);
    }
    i += has_value;
  }
  return flags;
}

bool is_cxx_source_name(const std::string& source) {
  static constexpr string_view kSuffixes[] = {".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP", ".cp"};
  const size_t dot = source.rfind('.');
  return dot != std::string::npos && contains(kSuffixes, string_view(source).substr(dot));
}

} // namespace tp::rewrite
