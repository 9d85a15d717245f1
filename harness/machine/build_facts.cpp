#include "harness/machine/build_facts.h"

#include <string_view>

#include "build_info.h"

namespace loadline {
namespace {

// CMake fills in the header, with these words for unknown or missing values.
std::optional<std::string> unless_absent(std::string_view text) {
  if (text.empty() || text == "none" || text == "unknown") return std::nullopt;
  return std::string(text);
}

}  // namespace

Build this_build() {
  Build facts;
  facts.version = build::kVersion;
  facts.build_type = unless_absent(build::kBuildType);
  facts.compiler = unless_absent(build::kCompiler);
  facts.flags = unless_absent(build::kFlags);
  facts.sanitizer = unless_absent(build::kSanitizer);
  for (const auto& library : build::kLibraries) {
    facts.libraries.push_back({library.name, unless_absent(library.version)});
  }
  facts.git_revision = unless_absent(build::kGitRevision);
  if (facts.git_revision) facts.git_dirty = build::kGitDirty;
  return facts;
}

std::string name_of(const Build& build) {
  static constexpr std::size_t kShort = 12;
  std::string name = "loadline " + build.version;
  if (!build.git_revision) return name;
  name += " (" + build.git_revision->substr(0, kShort);
  return name + (build.git_dirty.value_or(false) ? " with changes)" : ")");
}

}  // namespace loadline
