#include "harness/show/training_text.h"

#include <fmt/format.h>

#include "harness/judge/phrase.h"
#include "harness/show/columns.h"
#include "harness/show/staging_text.h"

namespace loadline {
namespace {

// A first epoch that takes less than this share longer needs no explanation.
constexpr double kWorthSaying = 0.05;

std::string accuracy(const std::optional<Score>& score) {
  if (!score || score->samples == 0) return "";
  return fmt::format("{:.2f} %", 100 * static_cast<double>(score->correct) / static_cast<double>(score->samples));
}

std::string loss(const std::optional<Score>& score) {
  return score && score->samples > 0 ? fmt::format("{:.4f}", score->loss()) : "";
}

double mean_of_later(const TrainingResult& result) {
  double sum = 0;
  for (std::size_t i = 1; i < result.epochs.size(); ++i) sum += result.epochs[i].wall_seconds;
  return sum / static_cast<double>(result.epochs.size() - 1);
}

}  // namespace

std::string training_text(const TrainingResult& result, std::size_t width) {
  const bool validated = !result.validation_data.empty();
  std::vector<Row> rows{{"epoch", "time", "samples/s", "waiting for data", "training loss"}};
  if (validated) rows[0].emplace_back("validation loss");
  if (validated && result.classifies) rows[0].emplace_back("accuracy");
  for (std::size_t i = 0; i < result.epochs.size(); ++i) {
    const EpochResult& epoch = result.epochs[i];
    rows.push_back({fmt::format("{}", i + 1), fmt::format("{:.2f} s", epoch.wall_seconds),
                    rate(epoch.samples_per_second()),
                    fmt::format("{:.1f} %", 100 * epoch.wait_seconds / epoch.wall_seconds), loss(epoch.training)});
    if (validated) rows.back().push_back(loss(epoch.validation));
    if (validated && result.classifies) rows.back().push_back(accuracy(epoch.validation));
  }
  const TableShape shape{.left = {}, .constant = {}, .expendable = {"training loss", "time", "validation loss"}};
  const std::string staged =
      result.staged ? fmt::format("staged: {}\n", staged_words(*result.staged, result.cell.cell.data)) : "";
  std::string text = fmt::format("{}{}, {}: {}\n\n{}", staged, result.cell.cell.workload,
                                 loader_text(*result.cell.cell.loader, result.cell.cell.workers),
                                 result.compute_description, fitted(rows, shape, width));
  if (result.status != Status::kComplete) text += "\nThe training was stopped before its last epoch.\n";
  if (!validated && !result.why_no_validation.empty()) {
    text += fmt::format("\nno validation: {}\n", result.why_no_validation);
  }
  const std::string first = first_epoch_text(result);
  if (!first.empty()) text += fmt::format("\n{}\n", first);
  return text;
}

std::string epoch_text(const TrainingResult& result) {
  const EpochResult& epoch = result.epochs.back();
  std::string text = fmt::format("epoch {}: {:.2f} s, {} samples/s, loss {}", result.epochs.size(), epoch.wall_seconds,
                                 rate(epoch.samples_per_second()), loss(epoch.training));
  if (epoch.validation) text += fmt::format(", validation loss {}", loss(epoch.validation));
  if (epoch.validation && result.classifies) text += fmt::format(", accuracy {}", accuracy(epoch.validation));
  return text;
}

std::string first_epoch_text(const TrainingResult& result) {
  if (result.epochs.size() < 2) return "";
  const EpochResult& first = result.epochs.front();
  const double later = mean_of_later(result);
  const double longer = first.wall_seconds - later;
  if (longer < kWorthSaying * later) return "";
  const double kernels = result.compute_setup_seconds;
  const double start = result.open_seconds + result.loader_setup_seconds;
  std::string text = fmt::format(
      "Epoch 1 took {} longer than those after it: {} to generate kernels and draw weights, {} to open the dataset and "
      "start the loader, {} waiting for the first batch",
      duration(longer), duration(kernels), duration(start), duration(first.first_batch_seconds));
  if (const auto read = first.usage.device_read_bytes; read && *read > 0) {
    text += fmt::format(", and {:.1f} MiB came from the device rather than from the page cache",
                        static_cast<double>(*read) / (1 << 20));
  }
  const double rest = longer - kernels - start - first.first_batch_seconds;
  if (rest > kWorthSaying * later) text += fmt::format("; {} remain unexplained", duration(rest));
  return text + '.';
}

}  // namespace loadline
