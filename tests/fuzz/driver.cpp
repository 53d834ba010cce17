// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: fuzz_NAME CORPUS [FILE...]. Calls the target with each file
// of the corpus, then for TP_FUZZ_SECONDS with mutated copies of them; every run makes the same
// copies. If files are given, calls it with these only. Writes the input of a failure to the file
// `crash`.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)());

namespace {

constexpr std::size_t kLongest = 4096;
std::string current;

void keep_input() {
  std::ofstream("crash", std::ios::binary) << current;
  std::fputs("the input is in the file `crash`\n", stderr);
}
extern "C" void keep_input_of_signal(int signal) {
  std::signal(signal, SIG_DFL);
  keep_input();
  std::raise(signal);
}

void call(std::string input) {
  current = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(current.data()), current.size());
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Applies one to eight changes: flips a bit, sets a byte, removes or repeats a run of bytes, or
// takes a run from another seed.
std::string changed(std::string text, const std::vector<std::string>& seeds,
                    std::mt19937_64& random) {
  const auto below = [&](std::size_t limit) { return limit ? random() % limit : 0; };
  for (std::size_t changes = 1 + below(8); changes > 0; --changes) {
    const std::size_t at = below(text.size() + 1);
    const std::size_t length = std::min<std::size_t>(1 + below(16), text.size() - at);
    switch (below(6)) {
    case 0:
      if (at < text.size())
        text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
      break;
    case 1:
      if (at < text.size())
        text[at] = static_cast<char>(random());
      break;
    case 2:
      text.erase(at, length);
      break;
    case 3:
      text.insert(at, text.substr(at, length));
      break;
    case 4:
      text.insert(at, 1, static_cast<char>(random()));
      break;
    default: {
      const std::string& other = seeds[below(seeds.size())];
      const std::size_t from = below(other.size() + 1);
      text.insert(at, other.substr(from, 1 + below(64)));
    }
    }
  }
  text.resize(std::min(text.size(), kLongest));
  return text;
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s CORPUS [FILE...]\n", argv[0]);
    return 2;
  }
  __sanitizer_set_death_callback(keep_input);
  std::signal(SIGILL, keep_input_of_signal);
  std::signal(SIGABRT, keep_input_of_signal);
  if (argc > 2) {
    std::for_each(argv + 2, argv + argc, [](const char* name) { call(bytes_of(name)); });
    return 0;
  }
  std::vector<std::string> seeds;
  for (const auto& entry : std::filesystem::directory_iterator(argv[1]))
    seeds.push_back(bytes_of(entry.path()));
  std::sort(seeds.begin(), seeds.end());
  if (seeds.empty()) {
    std::fprintf(stderr, "tp: error: %s: expected seeds, got none\n", argv[1]);
    return 2;
  }
  for (const std::string& seed : seeds)
    call(seed);
  const char* const text = std::getenv("TP_FUZZ_SECONDS");
  const std::chrono::duration<double> limit(text ? std::atof(text) : 5);
  const auto start = std::chrono::steady_clock::now();
  std::mt19937_64 random(1);
  unsigned long inputs = seeds.size();
  for (; std::chrono::steady_clock::now() - start < limit; ++inputs)
    call(changed(seeds[random() % seeds.size()], seeds, random));
  std::printf("%lu inputs\n", inputs);
  return 0;
}
