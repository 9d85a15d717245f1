#include "loaders/datasets/script.h"

#include <string>
#include <utility>
#include <vector>

#include "loaders/datasets/strided.h"
#include "loaders/error.h"

namespace loadline {
namespace {

SampleCount& sample_count() {
  static SampleCount the_one;
  return the_one;
}

}  // namespace

void set_sample_count(SampleCount count) {
  sample_count() = std::move(count);
}

std::unique_ptr<Dataset> open_script(const std::filesystem::path& path) {
  if (!sample_count()) {
    throw usage_error("--workload python: its loaders are Python functions, which only `python3 -m loadline` can call");
  }
  const std::size_t samples = sample_count()(path);
  DatasetInfo info{.format = std::string(kScriptFormat), .samples = samples, .shape = {1, 1, 1}, .classes = 1};
  info.files = {path};
  std::error_code ignored;
  info.stored_bytes = std::filesystem::file_size(path, ignored);
  if (ignored) info.stored_bytes = 0;
  return std::make_unique<StridedDataset>(std::move(info), std::vector<std::int32_t>(samples), HugeMemory(samples));
}

}  // namespace loadline
