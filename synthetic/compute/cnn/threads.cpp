#include "synthetic/compute/cnn/threads.h"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <exception>
#include <latch>
#include <system_error>
#include <thread>
#include <vector>

#include "loaders/error.h"
#include "loaders/system/affinity.h"

namespace loadline {
namespace {

// OpenMP ends the process if it cannot start a thread: this starts threads first, so that the failure can be
// reported.
void check_threads(std::string_view compute, std::size_t threads) {
  std::latch done(1);
  std::vector<std::jthread> probes;
  try {
    for (std::size_t i = 1; i < threads; ++i) probes.emplace_back([&done] { done.wait(); });
    done.count_down();
  } catch (const std::system_error& error) {
    done.count_down();
    throw Error(fmt::format("compute {}: cannot start thread {} of {}: {}; use fewer --compute-threads", compute,
                            probes.size() + 2, threads, error.code().message()));
  }
}

}  // namespace

// OpenMP keeps its threads from one parallel region to the next, so each is pinned once. One thread per CPU if there
// are enough, so that no two that wait for each other share one.
void start_step_threads(std::string_view compute, const StepSetting& setting) {
  check_threads(compute, setting.threads);
  omp_set_dynamic(0);
  omp_set_num_threads(static_cast<int>(setting.threads));
  if (setting.cpus.empty()) return;
  std::exception_ptr failure;  // must not leave a parallel region
#pragma omp parallel
  {
    const auto own = static_cast<std::size_t>(omp_get_thread_num());
    try {
      if (own > 0 && own < setting.cpus.size()) keep_this_thread_on(std::span(setting.cpus).subspan(own, 1));
    } catch (...) {
#pragma omp critical
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

std::span<const std::size_t> first_step_cpu(const StepSetting& setting) {
  return std::span(setting.cpus).first(std::min<std::size_t>(1, setting.cpus.size()));
}

}  // namespace loadline
