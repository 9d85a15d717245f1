// Benchmarks the parts of loadline with Google Benchmark: what each part can do by itself, on this machine, in this
// build. Rows depend on the tables and the CPU; `components --benchmark_list_tests` lists them.
//
//   gather/...        assembling batches: the limit of an IO trial with a core to spare for its drain
//   gather_drain/...  and reading them: its limit without one. components_gather.cpp says how to compare
//   convert/...       ImageTransform::apply() where memory is no limit, at each level of CPU: the limit of one worker
//   handoff/...       what one batch costs a loader beyond its samples: the limit of IO as batches become small
//   permutation/...   what one epoch's order costs: a loader computes it beside its batches
//   order/...         and what dealing it out costs a batch, to 1 to 128 workers
//   size/...          what datasets of 10^4 to 10^8 samples cost before the first batch, and then
//   jpeg/...          encoded photographs to their place in a batch: the limit of one worker
//   resize/...        the last step of that alone, at each level of CPU
//   volume/...        crops of volumes, turned, in the cache and beyond it, at each level of CPU
//   cnn/...           a training step, and its convolutions and dense layers alone: the limit of SYNTHETIC
//   inflate/...       opening a compressed dataset: part of no trial, but of the time until the first
//
// Every rate is by wall time, because Google Benchmark's CPU time does not include our threads.
#include "bench/components.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <memory>
#include <set>

#include "harness/machine/build_facts.h"
#include "harness/machine/threads.h"
#include "loaders/error.h"
#include "loaders/loader.h"
#include "loaders/transforms/kernels.h"

namespace loadline::bench {

benchmark::internal::Benchmark* Rows::add(const std::string& name, std::function<void(benchmark::State&)> body) {
  return benchmark::RegisterBenchmark(name.c_str(), [this, body = std::move(body)](benchmark::State& state) {
    try {
      body(state);
    } catch (const std::exception& error) {
      failed_.store(true);
      state.SkipWithError(error.what());
    }
  });
}

namespace {

constexpr int kFailed = 1;
constexpr int kUsage = 2;

// 1, 2, 4, ... and the threads in force.
std::vector<std::size_t> doubling_up_to(std::size_t most) {
  std::set<std::size_t> counts{most};
  for (std::size_t count = 1; count < most; count *= 2) counts.insert(count);
  return {counts.begin(), counts.end()};
}

void describe(CLI::App& app, ComponentOptions& options) {
  app.footer(
      "Also takes the options of Google Benchmark, such as --benchmark_filter=REGEX, --benchmark_list_tests,\n"
      "--benchmark_repetitions=N (here 5), --benchmark_min_time=SECONDS (here 0.1), --benchmark_out=FILE");
  app.add_option("--data", options.data, "dataset of the gather rows; default: a temporary CIFAR-10-like one")
      ->type_name("PATH")
      ->check(CLI::ExistingPath);
  app.add_option("--fashion-mnist", options.fashion_mnist, "directory of the inflate rows")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--threads", options.threads,
                 "threads of the gather rows; default: 1, 2, 4, ... up to the CPUs in force")
      ->type_name("N,...")
      ->delimiter(',')
      ->check(CLI::Range(std::size_t{1}, kMostWorkers));
  app.allow_extras();
}

void add_rows(Rows& rows, const ComponentOptions& options) {
  add_gather_rows(rows, options);
  add_convert_rows(rows);
  add_hand_off_rows(rows);
  add_permutation_rows(rows);
  add_size_rows(rows);
  add_volume_rows(rows);
  add_inflate_rows(rows, options);
  add_jpeg_rows(rows);
#ifdef LOADLINE_HAVE_ONEDNN
  add_cnn_rows(rows);
#endif
}

void add_context() {
  const Build build = this_build();
  benchmark::AddCustomContext("loadline_version", build.version);
  benchmark::AddCustomContext("loadline_build_type", build.build_type.value_or("unknown"));
  benchmark::AddCustomContext("loadline_flags", build.flags.value_or("unknown"));
  benchmark::AddCustomContext("loadline_kernels", std::string(kernels_named("auto").name));
  benchmark::AddCustomContext("loadline_threads_in_force", fmt::format("{}", threads_in_force()));
}

int run(int argc, char** argv) {
  ComponentOptions options;
  CLI::App app{"Benchmarks of the parts of loadline", "components"};
  describe(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& stop) {
    return app.exit(stop) == 0 ? 0 : kUsage;
  }
  if (options.threads.empty()) options.threads = doubling_up_to(threads_in_force());

  // Later options win, so these only replace Google Benchmark's own defaults.
  std::vector<std::string> arguments{"components", "--benchmark_repetitions=5", "--benchmark_min_time=0.1",
                                     "--benchmark_display_aggregates_only=true"};
  const std::vector<std::string> rest = app.remaining();
  arguments.insert(arguments.end(), rest.begin(), rest.end());
  std::vector<char*> theirs;
  theirs.reserve(arguments.size());
  for (std::string& argument : arguments) theirs.push_back(argument.data());
  int count = static_cast<int>(theirs.size());
  benchmark::Initialize(&count, theirs.data());
  if (count > 1) throw usage_error(fmt::format("unknown option '{}': see --help", theirs[1]));

  Rows rows;
  add_rows(rows, options);
  add_context();
  // If nothing matched, Google Benchmark has already said so.
  if (benchmark::RunSpecifiedBenchmarks() == 0) return kFailed;
  return rows.failed() ? kFailed : 0;
}

}  // namespace
}  // namespace loadline::bench

int main(int argc, char** argv) {
  try {
    return loadline::bench::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "components: {}\n", error.what());
    const auto* ours = dynamic_cast<const loadline::Error*>(&error);
    const bool usage = ours != nullptr && ours->kind() == loadline::Error::Kind::kUsage;
    return usage ? loadline::bench::kUsage : loadline::bench::kFailed;
  }
}
