// What the component benchmarks share: their options, and the rows they are registered as.
#pragma once

#include <benchmark/benchmark.h>

#include <atomic>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace loadline::bench {

struct ComponentOptions {
  std::filesystem::path data;  // of the gather rows; empty: a temporary CIFAR-10-like dataset
  std::filesystem::path fashion_mnist = "/usr/share/datasets/fashion-mnist";
  std::vector<std::size_t> threads;  // of the gather rows
};

// The rows of this program. Outlives the run: the registered functions refer to it.
class Rows {
 public:
  // Registers one row. An exception from `body` fails the row and the program. SkipWithError alone would not fail the
  // program: Google Benchmark still exits with 0.
  benchmark::internal::Benchmark* add(const std::string& name, std::function<void(benchmark::State&)> body);

  bool failed() const { return failed_.load(); }

 private:
  std::atomic<bool> failed_{false};
};

// For the rows that show what many workers cost each other, on any number of CPUs.
inline constexpr std::size_t kMostMeasuredWorkers = 128;

void add_gather_rows(Rows& rows, const ComponentOptions& options);
void add_convert_rows(Rows& rows);
void add_hand_off_rows(Rows& rows);
void add_permutation_rows(Rows& rows);
void add_size_rows(Rows& rows);
void add_inflate_rows(Rows& rows, const ComponentOptions& options);
void add_jpeg_rows(Rows& rows);
void add_volume_rows(Rows& rows);
void add_cnn_rows(Rows& rows);  // only with oneDNN

}  // namespace loadline::bench
