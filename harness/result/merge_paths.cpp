#include "harness/result/merge_paths.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace loadline {
namespace {

namespace fs = std::filesystem;

// The first spelling of each path, by what it means.
class Spellings {
 public:
  // `canonical`: where the path led, if that is known. It decides, because one relative path may lead to two places.
  fs::path first_of(const fs::path& path, const std::optional<fs::path>& canonical) {
    const fs::path normal = normal_path(path);
    auto known = canonical ? by_meaning_.find(*canonical) : by_meaning_.end();
    if (known == by_meaning_.end()) known = by_meaning_.find(normal);
    fs::path spelling = known == by_meaning_.end() ? path : known->second;
    by_meaning_.emplace(normal, spelling);
    if (canonical) by_meaning_.emplace(*canonical, spelling);
    return spelling;
  }

 private:
  std::map<fs::path, fs::path> by_meaning_;
};

// Where a file of the dataset lies, as seen from where the dataset does.
std::optional<fs::path> canonical_file(const fs::path& file, const DatasetFacts& facts) {
  if (!facts.canonical_path) return std::nullopt;
  const fs::path within = normal_path(file).lexically_relative(normal_path(facts.path));
  if (within.empty()) return std::nullopt;
  return normal_path(*facts.canonical_path / within);
}

// Where the path of --data led. nullopt: not known, or only the copies that were made of it are.
std::optional<fs::path> canonical_data(const Result& result) {
  const fs::path normal = normal_path(result.options.data);
  const auto same_path = [&](const DatasetFacts& facts) { return normal_path(facts.path) == normal; };
  const auto found = std::ranges::find_if(result.datasets, same_path);
  return found == result.datasets.end() ? std::nullopt : found->canonical_path;
}

// All that --data of a run is known to mean.
std::vector<fs::path> meanings_of_data(const Result& result) {
  std::vector<fs::path> meanings{normal_path(result.options.data)};
  if (const auto canonical = canonical_data(result)) meanings.push_back(*canonical);
  for (const DatasetFacts& facts : result.datasets) {
    if (facts.staged) meanings.push_back(facts.staged->from);
  }
  return meanings;
}

}  // namespace

fs::path normal_path(const fs::path& path) {
  const fs::path normal = path.lexically_normal();
  const bool ends_with_slash = normal.has_relative_path() && !normal.has_filename();
  return ends_with_slash ? normal.parent_path() : normal;
}

bool same_data_option(const Result& a, const Result& b) {
  const std::vector<fs::path> meanings = meanings_of_data(b);
  return std::ranges::any_of(meanings_of_data(a), [&](const fs::path& meaning) {
    return std::ranges::find(meanings, meaning) != meanings.end();
  });
}

void spell_alike(std::vector<MergePart>& parts) {
  Spellings spellings;
  for (auto& [source, result] : parts) {
    std::string& data = result.options.data;
    if (!data.empty()) data = spellings.first_of(data, canonical_data(result)).string();
    for (std::vector<CellResult>* cells : {&result.cells, &result.checks}) {
      for (CellResult& cell : *cells) {
        const DatasetFacts& facts = result.datasets[cell.dataset];
        const bool is_of_dataset = normal_path(cell.cell.data) == normal_path(facts.path);
        cell.cell.data = spellings.first_of(cell.cell.data, is_of_dataset ? facts.canonical_path : std::nullopt);
      }
    }
    for (DatasetFacts& facts : result.datasets) {
      std::vector<fs::path> files(facts.info.files.begin(), facts.info.files.end());
      for (fs::path& file : files) file = spellings.first_of(file, canonical_file(file, facts));
      facts.info.files = FileNames(std::move(files));
      facts.path = spellings.first_of(facts.path, facts.canonical_path);
    }
  }
}

}  // namespace loadline
