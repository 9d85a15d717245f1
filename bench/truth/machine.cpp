#include "bench/truth/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <mutex>
#include <thread>

#include "bench/truth/rows.h"
#include "loaders/error.h"

namespace loadline::truth {
namespace {

struct Job {
  const Experiment* experiment;
  std::size_t draw;
};

}  // namespace

Tally run_machine(const MachineOptions& options) {
  std::vector<Job> jobs;
  for (const Experiment& experiment : experiments()) {
    const auto& only = options.only;
    if (!only.empty() && std::ranges::find(only, experiment.name) == only.end()) continue;
    const auto count = static_cast<std::size_t>(std::ceil(experiment.share * static_cast<double>(options.draws)));
    for (std::size_t i = 0; i < count; ++i) jobs.push_back({&experiment, i});
  }
  Truths truths(options.truth_batches);
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  Tally sum;
  std::exception_ptr failure;
  const auto work = [&] {
    Bed bed;
    Tally tally;
    Session session{bed, truths, tally};
    // Draws of one subject are adjacent and share its truth, so a thread takes several at a time.
    constexpr std::size_t kPiece = 40;
    for (std::size_t begin = next.fetch_add(kPiece); begin < jobs.size(); begin = next.fetch_add(kPiece)) {
      for (std::size_t i = begin; i < std::min(begin + kPiece, jobs.size()); ++i) {
        const Job& job = jobs[i];
        try {
          job.experiment->run(options.seed, job.draw, session);
        } catch (const Error& error) {
          const std::lock_guard lock(mutex);
          failure = std::make_exception_ptr(Error(
              fmt::format("{}, draw {} of seed {}: {}", job.experiment->name, job.draw, options.seed, error.what())));
          return;
        }
      }
    }
    const std::lock_guard lock(mutex);
    sum.add(tally);
  };
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < std::max<std::size_t>(1, options.threads); ++i) threads.emplace_back(work);
  threads.clear();
  if (failure) std::rethrow_exception(failure);
  return sum;
}

}  // namespace loadline::truth
