#include "harness/show/ceilings_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "harness/show/columns.h"
#include "harness/show/table.h"

namespace loadline {
namespace {

// "cifar10", "cifar10 f32, batch 512", "cifar10, random"; empty for ceilings of the machine itself.
std::string subject_text(const Result& result, const CeilingResult& ceiling) {
  if (const auto order = ceiling.ceiling.request_order) {
    return fmt::format("{}, {}", ceiling.ceiling.workload, *order == RequestOrder::kStored ? "as stored" : "random");
  }
  if (ceiling.ceiling.batch_size == 0) return ceiling.ceiling.workload;
  return fmt::format("{} {}, batch {}", ceiling.ceiling.workload, name(result.cells[ceiling.cell].cell.transform.dtype),
                     ceiling.ceiling.batch_size);
}

// The loaders that the ceiling bounds, with the mode if it is not both: "serial FULL, thread-pool x 1".
std::string limited_text(const Result& result, std::size_t ceiling) {
  std::vector<std::pair<std::string, std::vector<Mode>>> limited;
  for (const CellResult& cell : result.cells) {
    if (std::ranges::find(cell.bounds, ceiling) == cell.bounds.end()) continue;
    const std::string loader = loader_text(*cell.cell.loader, cell.cell.workers);
    auto known = std::ranges::find(limited, loader, &std::pair<std::string, std::vector<Mode>>::first);
    if (known == limited.end()) known = limited.insert(limited.end(), {loader, {}});
    auto& modes = known->second;
    if (std::ranges::find(modes, cell.cell.mode) == modes.end()) modes.push_back(cell.cell.mode);
  }
  std::string text;
  for (const auto& [loader, modes] : limited) {
    if (!text.empty()) text += ", ";
    text += modes.size() == 1 ? fmt::format("{} {}", loader, name(modes.front())) : loader;
  }
  return text;
}

}  // namespace

std::string ceilings_text(const Result& result, const Judgement& judgement, std::size_t width) {
  // By kind, then in the order in which cells needed them.
  std::vector<std::size_t> order(result.ceilings.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return result.ceilings[i].ceiling.kind; });
  std::vector<Row> rows{{"ceiling", "of", "threads", "rate", "", "limits"}};
  std::vector<const CeilingKind*> kinds;
  for (const std::size_t i : order) {
    const CeilingResult& ceiling = result.ceilings[i];
    kinds.push_back(ceiling.ceiling.kind);
    rows.push_back({std::string(ceiling.ceiling.kind->name), subject_text(result, ceiling),
                    fmt::format("{}", ceiling.ceiling.threads),
                    ceiling.error ? "not measured" : rate_text(judgement.ceilings[i]),
                    std::string(name(ceiling.ceiling.kind->unit)), limited_text(result, i)});
  }
  const TableShape shape{.left = {0, 1, 4, 5}, .constant = {}, .expendable = {"limits"}};
  return "mean ± standard deviation of the trials\n\n" + fitted(rows, shape, width) + '\n' + legend_text(kinds);
}

std::string legend_text(const std::vector<const CeilingKind*>& kinds) {
  std::vector<Row> rows;
  for (const CeilingKind& kind : ceiling_kinds()) {
    if (std::ranges::find(kinds, &kind) == kinds.end()) continue;
    rows.push_back({fmt::format("  {}", kind.name), std::string(kind.summary)});
  }
  return rows.empty() ? "" : aligned(rows, {0, 1});
}

}  // namespace loadline
