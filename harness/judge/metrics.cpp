#include "harness/judge/metrics.h"

#include <array>
#include <limits>

#include "loaders/names.h"

namespace loadline {
namespace {

double rate_of_trial(const Trial& trial) {
  return trial.samples_per_second();
}

constexpr Metric throughput_of(std::string_view name, std::string_view summary, std::optional<Mode> mode) {
  return {name, summary, Unit::kPerSecond, true, "faster", "slower", "fast", rate_of_trial, mode};
}

constexpr Metric duration_of(std::string_view name, std::string_view summary, double (*value)(const Trial&)) {
  return {name, summary, Unit::kSeconds, false, "shorter", "longer", "long", value};
}

constexpr std::array kMetrics{
    throughput_of("samples_per_second", "throughput of every mode", {}),
    throughput_of("io", "throughput of IO alone", Mode::kIo),
    throughput_of("synthetic", "throughput of SYNTHETIC alone", Mode::kSynthetic),
    throughput_of("full", "throughput of FULL alone", Mode::kFull),
    duration_of("first_batch_seconds", "from creating the loader to the first batch",
                [](const Trial& trial) { return trial.first_batch_seconds; }),
    duration_of("wait_p50_seconds", "the consumer's wait for a batch, median",
                [](const Trial& trial) { return trial.wait.p50_seconds; }),
    duration_of("wait_p99_seconds", "the same, 99th percentile",
                [](const Trial& trial) { return trial.wait.p99_seconds; }),
    duration_of("wait_max_seconds", "the same, longest", [](const Trial& trial) { return trial.wait.max_seconds; }),
    Metric{"cpu_seconds_per_1000_samples", "CPU time of the process, user and system", Unit::kSeconds, false, "less",
           "more", "much",
           [](const Trial& trial) {
             return (trial.usage.user_cpu_seconds + trial.usage.system_cpu_seconds) * 1000 /
                    static_cast<double>(trial.samples);
           }},
    Metric{"joules_per_1000_samples", "energy of CPUs, memory and GPUs, where it is known", Unit::kJoules, false,
           "less", "more", "much",
           [](const Trial& trial) {
             const auto joules = trial.energy ? trial.energy->joules() : std::nullopt;
             return joules ? *joules * 1000 / static_cast<double>(trial.samples)
                           : std::numeric_limits<double>::quiet_NaN();
           }},
    Metric{"peak_rss_bytes", "peak memory of the process during a trial", Unit::kBytes, false, "less", "more", "much",
           [](const Trial& trial) {
             const auto& peak = trial.usage.peak_rss_bytes;
             return peak ? static_cast<double>(*peak) : std::numeric_limits<double>::quiet_NaN();
           }},
};

}  // namespace

std::span<const Metric> metrics() {
  return kMetrics;
}

const Metric& metric_named(std::string_view name) {
  return row_named(kMetrics, "--metric", name);
}

}  // namespace loadline
