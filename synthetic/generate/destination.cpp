#include "synthetic/generate/destination.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>

#include "loaders/error.h"
#include "loaders/printable.h"
#include "loaders/storage/file.h"

namespace loadline {

namespace fs = std::filesystem;

namespace {

enum class Below { kKept, kDropped };  // what becomes of the names below a path that is replaced

// Whether no name in a path goes on at this place.
bool ends_a_name(const std::string& message, std::size_t place) {
  return place == message.size() || std::string_view("/ :;,)'`\"").find(message[place]) != std::string_view::npos;
}

// Where a path in a message ends: before the reason, or else at the next word.
std::size_t end_of_path(const std::string& message, std::size_t begin) {
  const auto reason = message.find(": ", begin);
  return reason != std::string::npos ? reason : std::min(message.find(' ', begin), message.size());
}

std::string with_shown_path(std::string message, const fs::path& temporary, const fs::path& shown, Below below) {
  const std::string inner = printable(temporary.string());
  const std::string outer = (shown.has_filename() ? shown : shown.parent_path()).string();
  for (auto at = message.find(inner); at != std::string::npos; at = message.find(inner, at + 1)) {
    if (!ends_a_name(message, at + inner.size())) continue;  // a neighbour whose name begins alike
    const bool whole = below == Below::kDropped && message.compare(at + inner.size(), 1, "/") == 0;
    message.replace(at, whole ? end_of_path(message, at) - at : inner.size(), outer);
    at += outer.size() - 1;
  }
  return message;
}

void call_for(const fs::path& shown, const fs::path& temporary, Below below, const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    throw Error(with_shown_path(error.what(), temporary, shown, below), error.kind());
  } catch (const fs::filesystem_error& error) {
    const std::string where = printable(error.path1().string());
    const std::string message = fmt::format("cannot write {}: {}", where, error.code().message());
    throw Error(with_shown_path(message, temporary, shown, below));
  }
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

bool is_taken(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !(fs::is_directory(path, ignored) && fs::is_empty(path, ignored));
}

void write_for(const fs::path& shown, const fs::path& temporary, const std::function<void()>& write) {
  call_for(shown, temporary, Below::kKept, write);
}

void make_for(const fs::path& shown, const fs::path& temporary, const std::function<void()>& make) {
  call_for(shown, temporary, Below::kDropped, make);
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
