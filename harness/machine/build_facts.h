// How this program was built.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace loadline {

struct Build {
  struct Library {
    std::string name;
    std::optional<std::string> version;
  };

  std::string version;  // of loadline
  std::optional<std::string> build_type;
  std::optional<std::string> compiler;
  std::optional<std::string> flags;
  std::optional<std::string> sanitizer;  // nullopt: none
  std::vector<Library> libraries;
  std::optional<std::string> git_revision;
  std::optional<bool> git_dirty;  // nullopt when the revision is unknown
};

Build this_build();

// "loadline 0.1.0 (cfc7d8d2ca93)": the version and the revision.
std::string name_of(const Build& build);

}  // namespace loadline
