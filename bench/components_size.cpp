// The cost of a dataset with many samples, before and while it is read: black 4x4 images in sparse IDX files, which
// take no disk space and, with 10^8 samples, 1.6 GB of the page cache.
//
//   size/idx/<samples>  from nothing to the first batch of 512 in hand: opening, the order, a loader of one worker.
//                       Counters: open_ms of it; memory_MB that the process takes for it, without files and slots;
//                       per_second, samples of the batches after it
#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "bench/components.h"
#include "loaders/assemble.h"
#include "loaders/datasets/dataset.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/transforms/kernels.h"

namespace loadline::bench {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kSide = 4;
constexpr std::size_t kLoadedBatches = 2000;

// Removed when it goes.
class SparseIdx {
 public:
  explicit SparseIdx(std::size_t samples) {
    std::string name = (fs::temp_directory_path() / "loadline-size-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw Error(fmt::format("cannot make {}", name));
    directory_ = name;
    write("train-images-idx3-ubyte", {samples, kSide, kSide}, samples * kSide * kSide);
    write("train-labels-idx1-ubyte", {samples, 0, 0}, samples);
  }
  SparseIdx(const SparseIdx&) = delete;
  SparseIdx& operator=(const SparseIdx&) = delete;
  ~SparseIdx() {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  const fs::path& path() const { return directory_; }

 private:
  void write(std::string_view name, const std::array<std::size_t, 3>& extents, std::size_t bytes) const {
    std::string header{'\0', '\0', '\x08', '\0'};
    for (const std::size_t extent : extents) {
      if (extent == 0) break;
      ++header[3];
      for (int shift = 24; shift >= 0; shift -= 8) header += static_cast<char>(extent >> shift & 0xff);
    }
    std::ofstream(directory_ / name, std::ios::binary) << header;
    fs::resize_file(directory_ / name, header.size() + bytes);
  }

  fs::path directory_;
};

// The memory of this process without files, or 0 if the system does not report it.
double anonymous_megabytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with("RssAnon:")) return std::strtod(line.c_str() + 8, nullptr) / 1024;
  }
  return 0;
}

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

// So that the page cache holds all of it, as for a dataset that was just written.
void read_once(const fs::path& directory) {
  std::vector<char> block(std::size_t{1} << 20);
  for (const auto& entry : fs::directory_iterator(directory)) {
    std::ifstream file(entry.path(), std::ios::binary);
    while (file.read(block.data(), static_cast<std::streamsize>(block.size()))) {
    }
  }
}

void load(benchmark::State& state, std::size_t samples) {
  const SparseIdx files(samples);
  read_once(files.path());
  const LoaderKind& kind = loader_named("thread-pool");
  double open = 0;
  double memory = 0;
  double rate = 0;
  for (auto pass : state) {
    (void)pass;
    const double before = anonymous_megabytes();
    const auto begin = SteadyClock::now();
    const auto dataset = open_dataset(files.path(), {});
    open = seconds_since(begin);
    const ImageTransform transform(dataset->info().shape, {.dtype = DType::kU8}, kernels_named("auto"));
    const ImageAssembler assembler(*dataset, transform);
    const Sampler sampler({.samples = samples, .batch_size = 512});
    const LoaderOptions options{.workers = 1};
    const auto feed = kind.make(assembler, sampler, options);
    feed->next();
    state.SetIterationTime(seconds_since(begin));
    const auto first = SteadyClock::now();
    for (std::size_t i = 0; i < kLoadedBatches; ++i) feed->next();
    rate = static_cast<double>(kLoadedBatches) * 512 / seconds_since(first);
    const double slots = static_cast<double>(slots_of(kind, options) * 512 * assembler.sample_bytes()) / 0x1p20;
    memory = anonymous_megabytes() - before - slots;
  }
  state.counters["open_ms"] = open * 1e3;
  state.counters["memory_MB"] = memory;
  state.counters["per_second"] = rate;
}

}  // namespace

void add_size_rows(Rows& rows) {
  for (std::size_t samples = 10'000; samples <= 100'000'000; samples *= 10) {
    rows.add(fmt::format("size/idx/{}", samples), [samples](benchmark::State& state) { load(state, samples); })
        ->UseManualTime()
        ->Unit(benchmark::kMillisecond);
  }
}

}  // namespace loadline::bench
