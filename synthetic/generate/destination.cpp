#include "synthetic/generate/destination.h"

#include <fmt/format.h>

#include <system_error>

#include "loaders/error.h"

namespace loadline {

namespace fs = std::filesystem;

fs::path resolved_destination(const fs::path& directory) {
  if (directory.empty()) throw usage_error("cannot make a data set: the directory's name is empty");
  std::error_code code;
  const fs::path absolute = fs::absolute(directory, code);
  const fs::path resolved = code ? fs::path() : fs::weakly_canonical(absolute, code);
  if (code) throw Error(fmt::format("cannot make {}: {}", directory.string(), code.message()));
  return resolved.has_filename() ? resolved : resolved.parent_path();
}

Parents::Parents(const fs::path& path) {
  std::error_code ignored;
  for (fs::path parent = path.parent_path(); !fs::exists(parent, ignored); parent = parent.parent_path()) {
    missing_.push_back(parent);
  }
}

Parents::~Parents() {
  if (kept_) return;
  std::error_code ignored;  // directories that others have filled since stay
  for (const fs::path& parent : missing_) fs::remove(parent, ignored);
}

void Parents::make() {
  for (auto parent = missing_.rbegin(); parent != missing_.rend(); ++parent) {
    std::error_code code;
    fs::create_directory(*parent, code);
    if (code) throw Error(fmt::format("cannot create {}: {}", parent->string(), code.message()));
  }
}

}  // namespace loadline
