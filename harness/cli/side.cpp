#include "harness/cli/side.h"

#include <fmt/format.h>

#include "harness/cli/cli.h"
#include "harness/cli/verbs.h"
#include "harness/cli/words.h"
#include "harness/machine/numa_nodes.h"
#include "harness/machine/threads.h"
#include "harness/plan/workloads.h"
#include "loaders/error.h"
#include "loaders/system/affinity.h"

namespace loadline {

Side make_side(const RunOptions& common, const std::vector<std::string>& common_words, std::string_view option,
               const std::string& text, const std::string& binary) {
  Side side{.option = option, .options = common, .words = common_words, .given = {}, .binary = binary};
  const auto words = split_words(option, text);
  side.words.insert(side.words.end(), words.begin(), words.end());
  side.options.given.clear();  // the words repeat all that was given
  side.given = apply_words(option, side.words, side.options);
  if (side.binary.empty()) side.binary = kThisProgram;
  return side;
}

PlanContext this_context() {
  return {.threads_in_force = threads_in_force(),
          .cpus = affinity_cpus(),
          .nodes = numa_nodes_now(),
          .data_directory = data_directory()};
}

int interrupted(const Interrupt& interrupt, const std::string& what_is_kept) {
  print_error(fmt::format("interrupted; {}", what_is_kept));
  return kExitSignal + interrupt.signal();
}

void throw_first_failure(const Result& result) {
  for (const CellResult& cell : result.cells) {
    if (cell.error) throw Error(fmt::format("{}: {}", cell.cell.name(), *cell.error));
  }
}

}  // namespace loadline
