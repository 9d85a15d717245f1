#include "harness/show/staging_text.h"

#include <fmt/format.h>

#include "harness/judge/phrase.h"
#include "harness/result/memory_words.h"
#include "loaders/printable.h"

namespace loadline {

std::string staged_words(const StagedCopy& staged, const std::filesystem::path& copy) {
  const std::string size = size_words(staged.bytes);
  const std::string directory = printable(copy.parent_path().parent_path().string());
  if (staged.copied_nodes == 0 || !staged.seconds) {
    return fmt::format("{} in {}, by an earlier run{}", size, directory,
                       staged.nodes == 1 ? "" : fmt::format(" on each of {} nodes", staged.nodes));
  }
  const double rate = static_cast<double>(staged.bytes) / *staged.seconds;
  const std::string took =
      fmt::format("in {}, {}/s", duration(*staged.seconds), size_words(static_cast<std::uint64_t>(rate)));
  if (staged.nodes == 1) return fmt::format("{} to {} {}", size, directory, took);
  const std::string where =
      staged.copied_nodes == staged.nodes
          ? fmt::format("on each of {} nodes", staged.nodes)
          : fmt::format("on {} of {} nodes, as the others have an earlier copy", staged.copied_nodes, staged.nodes);
  return fmt::format("{} to {} {}; the slowest {}", size, directory, where, took);
}

std::string staged_text(const Result& result) {
  std::string text;
  for (const DatasetFacts& facts : result.datasets) {
    if (facts.staged) text += fmt::format("staged: {}\n", staged_words(*facts.staged, facts.path));
  }
  return text;
}

}  // namespace loadline
