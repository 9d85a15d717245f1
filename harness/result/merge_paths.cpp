#include "harness/result/merge_paths.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace loadline {

std::filesystem::path normal_path(const std::filesystem::path& path) {
  const std::filesystem::path normal = path.lexically_normal();
  const bool ends_with_slash = normal.has_relative_path() && !normal.has_filename();
  return ends_with_slash ? normal.parent_path() : normal;
}

void spell_alike(std::vector<MergePart>& parts) {
  std::map<std::filesystem::path, std::filesystem::path> spellings;  // by what they mean
  const auto spell = [&](std::filesystem::path& path) {
    path = spellings.emplace(normal_path(path), path).first->second;
  };
  for (auto& [source, result] : parts) {
    for (DatasetFacts& facts : result.datasets) {
      spell(facts.path);
      std::vector<std::filesystem::path> files(facts.info.files.begin(), facts.info.files.end());
      std::ranges::for_each(files, spell);
      facts.info.files = FileNames(std::move(files));
    }
    for (CellResult& cell : result.cells) spell(cell.cell.data);
    for (CellResult& check : result.checks) spell(check.cell.data);
  }
}

}  // namespace loadline
