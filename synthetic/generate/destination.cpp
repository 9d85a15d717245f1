#include "synthetic/generate/destination.h"

#include <fmt/format.h>

#include <string>
#include <system_error>

#include "loaders/error.h"
#include "loaders/printable.h"
#include "loaders/storage/file.h"

namespace loadline {

namespace fs = std::filesystem;

namespace {

std::string with_shown_path(std::string message, const fs::path& temporary, const fs::path& shown) {
  const std::string inner = printable(temporary.string());
  const std::string outer = (shown.has_filename() ? shown : shown.parent_path()).string();
  for (auto at = message.find(inner); at != std::string::npos; at = message.find(inner, at + outer.size())) {
    message.replace(at, inner.size(), outer);
  }
  return message;
}

}  // namespace

fs::path resolved_destination(const fs::path& directory) {
  if (directory.empty()) throw usage_error("cannot make a dataset: the directory's name is empty");
  std::error_code code;
  const fs::path absolute = fs::absolute(end_of_links("make", directory), code);
  const fs::path resolved = code ? fs::path() : fs::weakly_canonical(absolute, code);
  if (code) throw Error(fmt::format("cannot make {}: {}", directory.string(), code.message()));
  return resolved.has_filename() ? resolved : resolved.parent_path();
}

void write_for(const fs::path& shown, const fs::path& temporary, const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    throw Error(with_shown_path(error.what(), temporary, shown), error.kind());
  } catch (const fs::filesystem_error& error) {
    const std::string where = printable(error.path1().string());
    throw Error(fmt::format("cannot write {}: {}", with_shown_path(where, temporary, shown), error.code().message()));
  }
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
