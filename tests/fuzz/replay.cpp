// TARGET FILE...: runs the fuzz target linked to it on the files, such as those that a fuzzer found.
// TARGET --mutations N [KEY]: runs it on its seeds and on N inputs made from them by mistakes, the same for each KEY
// (default 1). If the target fails, the program ends and leaves that input in the file `found-by-replay`.
// TARGET --seeds DIRECTORY: writes the seeds there, for a fuzzer to start with.
#include "tests/fuzz/replay.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <exception>
#include <fstream>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>

#include "loaders/random.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace loadline::test {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::array<std::uint8_t, 6> kTelling{0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff};  // the bounds, and their neighbours

std::size_t below(std::size_t bound, Random& random) {
  return random.below(static_cast<std::uint32_t>(bound));
}

Bytes::iterator at(Bytes& bytes, std::size_t place) {
  return bytes.begin() + static_cast<std::ptrdiff_t>(place);
}

// Makes one mistake, like those of disks, networks and people.
void mutate(Bytes& bytes, const Bytes& other, Random& random) {
  if (bytes.empty()) return;
  const std::size_t place = below(bytes.size(), random);
  const std::size_t count = 1 + below(std::min<std::size_t>(bytes.size() - place, 64), random);
  // Headers are short, and most mistakes that matter are there.
  const std::size_t in_header = below(std::min<std::size_t>(bytes.size(), 700), random);
  switch (random.below(9)) {
    case 0: bytes[place] ^= static_cast<std::uint8_t>(1U << random.below(8)); break;
    case 1: bytes[in_header] ^= static_cast<std::uint8_t>(1U << random.below(8)); break;
    case 2: bytes[in_header] = kTelling.at(random.below(kTelling.size())); break;
    case 3: bytes[place] = static_cast<std::uint8_t>(random.below(256)); break;
    case 4: bytes.resize(place); break;
    case 5: bytes.erase(at(bytes, place), at(bytes, place + count)); break;
    case 6: std::fill_n(at(bytes, place), count, std::uint8_t{0}); break;
    case 7: {
      const Bytes again(at(bytes, place), at(bytes, place + count));
      bytes.insert(at(bytes, below(bytes.size(), random)), again.begin(), again.end());
      break;
    }
    case 8: {
      const std::size_t from = below(other.size(), random);
      bytes.resize(place);
      bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(from), other.end());
      break;
    }
  }
}

// A signal handler can reach only globals.
const Bytes* running = nullptr;

void keep_input(int signal) {
  const int file = ::open("found-by-replay", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  [[maybe_unused]] const auto written = ::write(file, running->data(), running->size());
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Runs on a copy of exactly its size, so that a sanitizer sees a read past the end.
int run(const Bytes& bytes) {
  const Bytes exact(bytes.begin(), bytes.end());
  running = &exact;
  std::signal(SIGABRT, keep_input);
  return LLVMFuzzerTestOneInput(exact.data(), exact.size());
}

int run_mutations(const std::vector<Bytes>& seeds, std::uint64_t key, std::uint64_t mutations) {
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    if (run(seeds[i]) == 0) continue;
    const unsigned first = seeds[i].empty() ? 0 : seeds[i].front();
    std::fprintf(stderr, "seed %zu of fuzz_seeds() is refused; its first byte, which often selects a row, is %u\n", i,
                 first);
    return 1;
  }
  run({});
  for (std::uint64_t i = 0; i < mutations; ++i) {
    Random random(key_of(key, i));
    Bytes bytes = seeds[below(seeds.size(), random)];
    const Bytes& other = seeds[below(seeds.size(), random)];
    for (std::uint32_t mistakes = 1 + random.below(3); mistakes > 0; --mistakes) mutate(bytes, other, random);
    run(bytes);
  }
  std::printf("%zu seeds, %llu mutations\n", seeds.size(), static_cast<unsigned long long>(mutations));
  return 0;
}

int write_seeds(const std::string& directory) {
  const std::vector<Bytes> seeds = fuzz_seeds();
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    std::ofstream file(directory + "/seed-" + std::to_string(i), std::ios::binary);
    file.write(reinterpret_cast<const char*>(seeds[i].data()), static_cast<std::streamsize>(seeds[i].size()));
    if (!file.flush()) throw std::runtime_error("cannot write to " + directory);
  }
  return 0;
}

int run_files(std::span<char*> paths) {
  for (const char* path : paths) {
    std::ifstream file(path, std::ios::binary);
    const Bytes bytes{std::istreambuf_iterator<char>(file), {}};
    if (!file) {
      std::fprintf(stderr, "cannot read %s\n", path);
      return 1;
    }
    run(bytes);
    std::printf("%s: %zu bytes\n", path, bytes.size());
  }
  return 0;
}

}  // namespace
}  // namespace loadline::test

int main(int argc, char** argv) {
  using namespace loadline::test;
  const std::string command = argc > 2 ? argv[1] : "";
  try {
    if (argc == 3 && command == "--seeds") return write_seeds(argv[2]);
    if ((argc == 3 || argc == 4) && command == "--mutations") {
      return run_mutations(fuzz_seeds(), argc == 4 ? std::stoull(argv[3]) : 1, std::stoull(argv[2]));
    }
    if (argc > 1) return run_files(std::span(argv, static_cast<std::size_t>(argc)).subspan(1));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "an exception that is none of ours: %s\n", error.what());
    return 1;
  }
  std::fprintf(stderr, "usage: %s FILE... | --mutations N [KEY] | --seeds DIRECTORY\n", argv[0]);
  return 2;
}
