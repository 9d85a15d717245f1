#include "harness/show/row_name.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <vector>

#include "harness/plan/settings.h"
#include "harness/show/columns.h"

namespace loadline {
namespace {

// "batch 64", "delivery:in-order", "read:pread".
std::vector<std::string> settings_of(const Configuration& configuration) {
  std::vector<std::string> settings{fmt::format("batch {}", configuration.batch_size)};
  for (const std::string_view axis : axes_in(configuration.choices)) settings.emplace_back(axis);
  return settings;
}

bool same_loader(const Configuration& a, const Configuration& b) {
  return a.workload == b.workload && a.task == b.task && a.loader == b.loader && a.workers == b.workers;
}

}  // namespace

std::string row_name(const Judgement& judgement, std::span<const std::size_t> rows, std::size_t row) {
  const Configuration& named = judgement.configurations[row];
  std::vector<std::vector<std::string>> others;  // settings of the rows that the name so far fits too
  for (const std::size_t other : rows) {
    const Configuration& configuration = judgement.configurations[other];
    if (other != row && same_loader(configuration, named)) others.push_back(settings_of(configuration));
  }
  std::string name = loader_text(named.loader, named.workers);
  for (const std::string& setting : settings_of(named)) {
    const auto differs = [&](const std::vector<std::string>& other) {
      return std::ranges::find(other, setting) == other.end();
    };
    if (std::erase_if(others, differs) > 0) name += fmt::format(", {}", setting);
  }
  return name;
}

}  // namespace loadline
