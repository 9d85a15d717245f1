#include "harness/cli/staging.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "harness/measure/prepare.h"
#include "harness/show/staging_text.h"
#include "loaders/printable.h"
#include "loaders/size_words.h"
#include "loaders/storage/staged_copy.h"
#include "loaders/transforms/tokenizer.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// The copies that cells need, each once, with one of the cells that need it.
std::map<fs::path, const Cell*> wanted_copies(std::span<const Cell> cells) {
  std::map<fs::path, const Cell*> wanted;
  for (const Cell& cell : cells) {
    if (!cell.staged_from.empty()) wanted.emplace(cell.data, &cell);
  }
  return wanted;
}

// All files of a dataset that is named by one of them, and the files that opening the copy will look for next to it.
// Throws Error if there are none, saying how to get them.
std::vector<fs::path> files_of_source(const Cell& cell) {
  Cell source = cell;
  source.data = cell.staged_from;
  source.dataset.in_memory = false;  // only its files are needed
  std::error_code ignored;
  if (fs::is_directory(source.data, ignored)) return {};
  const auto dataset = open_for(source);
  std::vector<fs::path> files;
  for (const fs::path& file : dataset->info().files) files.push_back(file);
  const auto& text = dataset->info().text;
  if (text && cell.dataset.tokenizer == "auto" && text->tokenizer != kBytesTokenizer)
    files.emplace_back(text->tokenizer);
  return files;
}

// None when stopped.
std::optional<StagedCopy> stage_here(const Cell& cell, const std::string& directory, Clock& clock,
                                     const std::stop_token& stop, Progress& progress,
                                     std::vector<std::unique_ptr<const HeldFile>>& uses) {
  const auto files = files_of_source(cell);
  std::uint64_t shown = 0;
  const auto show = [&](std::uint64_t done, std::uint64_t all) {
    if (done - shown < all / 200) return;
    shown = done;
    progress.status(fmt::format("staging {} in {}: {} of {}", printable(cell.staged_from.string()),
                                printable(directory), size_words(done), size_words(all)));
  };
  const Time begin = clock.now();
  auto staged = stage_files(cell.staged_from, files, directory, show, stop);
  progress.clear();
  if (!staged) return std::nullopt;
  uses.push_back(std::move(staged->use));
  StagedCopy copy{.files = staged->files, .bytes = staged->bytes};
  if (staged->copied) {
    copy.copied_nodes = 1;
    copy.seconds = seconds(clock.now() - begin);
  }
  return copy;
}

std::optional<std::vector<StagedCopy>> stage_all_here(const std::map<fs::path, const Cell*>& wanted,
                                                      const std::string& directory, Clock& clock,
                                                      const std::stop_token& stop, Progress& progress,
                                                      std::vector<std::unique_ptr<const HeldFile>>& uses) {
  std::vector<StagedCopy> copies;
  for (const auto& [path, cell] : wanted) {
    const auto copy = stage_here(*cell, directory, clock, stop, progress, uses);
    if (!copy) return std::nullopt;
    copies.push_back(*copy);
  }
  return copies;
}

}  // namespace

std::optional<StagedCopies> stage_data(std::span<const Cell> cells, const std::string& directory, RankSession* ranks,
                                       Clock& clock, const std::stop_token& stop, Progress& progress) {
  const auto wanted = wanted_copies(cells);
  if (wanted.empty()) return StagedCopies();
  std::optional<std::vector<StagedCopy>> made = std::vector<StagedCopy>();
  StagedCopies copies;
  if (ranks == nullptr || ranks->is_first_here())
    made = stage_all_here(wanted, directory, clock, stop, progress, copies.uses);
  if (ranks != nullptr) made = ranks->share_staging(made);
  if (!made) return std::nullopt;
  auto copy = made->begin();
  for (const auto& [path, cell] : wanted) {
    copy->from = staged_source(cell->staged_from);
    progress.milestone("staged: " + staged_words(*copy, path));
    copies.by_path.emplace(path, *copy++);
  }
  return copies;
}

void note_staged(const StagedCopies& copies, Result& result) {
  for (DatasetFacts& facts : result.datasets) {
    const auto copy = copies.by_path.find(facts.path);
    facts.staged = copy == copies.by_path.end() ? std::nullopt : std::optional(copy->second);
  }
}

}  // namespace loadline
