#include "harness/plan/data_kinds.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/plan/script_workload.h"
#include "loaders/datasets/script.h"
#include "loaders/listed.h"

namespace loadline {

DataKinds kinds_of(const DatasetInfo& info) {
  if (info.format == kScriptFormat) return kOutsideData;
  return info.tokens    ? kTokenData
         : info.text    ? kTextData
         : info.volume  ? kVolumeData
         : info.encoded ? kPhotoData
                        : kImageData;
}

DataKinds kinds_of(const Workload& workload) {
  if (workload.name == kScriptWorkload) return kOutsideData;
  return workload.text      ? kTextData
         : workload.tokens  ? kTokenData
         : workload.volumes ? kVolumeData
                            : kImageData | kPhotoData | kVolumeData;  // a path without a workload may hold any of them
}

std::string words_of(DataKinds kinds) {
  if (kinds == kOwnData) return "data that loadline reads itself";
  constexpr std::array<std::pair<DataKinds, std::string_view>, 5> kWords{{{kImageData, "images of one size"},
                                                                          {kPhotoData, "photographs"},
                                                                          {kVolumeData, "volumes"},
                                                                          {kTokenData, "tokens"},
                                                                          {kTextData, "text"}}};
  std::vector<std::string> words;
  for (const auto& [kind, word] : kWords) {
    if ((kinds & kind) != 0) words.emplace_back(word);
  }
  return listed(words);
}

std::string holding(const std::filesystem::path& path, const DatasetInfo& info) {
  if (info.format == kScriptFormat) return fmt::format("loaders in {}", path.string());
  return fmt::format("{}, which holds {}", path.string(), words_of(kinds_of(info)));
}

}  // namespace loadline
