#include "synthetic/generate/destination.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "loaders/printable.h"

namespace loadline {

namespace fs = std::filesystem;

namespace {

enum class Below { kKept, kDropped };  // what becomes of the names below a path that is replaced

// Without a trailing slash.
fs::path named(const fs::path& path) {
  return path.has_filename() ? path : path.parent_path();
}

Error cannot(std::string_view operation, const fs::path& path, const std::error_code& code) {
  return Error(fmt::format("cannot {} {}: {}", operation, path.string(), code.message()));
}

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
  const std::string outer = named(shown).string();
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

fs::path resolved_destination(std::string_view operation, const fs::path& path) {
  if (path.empty()) throw usage_error(fmt::format("cannot {} a dataset: its path is empty", operation));
  std::error_code code;
  const fs::path absolute = fs::absolute(end_of_links(operation, path), code);
  const fs::path resolved = code ? fs::path() : fs::weakly_canonical(absolute, code);
  if (code) throw cannot(operation, path, code);
  return named(resolved);
}

bool is_taken(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored) && !(fs::is_directory(path, ignored) && fs::is_empty(path, ignored));
}

std::set<std::string> names_below(const fs::path& directory) {
  std::error_code code;
  const fs::file_status status = fs::status(directory, code);
  if (status.type() == fs::file_type::not_found) return {};
  if (code) throw cannot("inspect", directory, code);
  if (!fs::is_directory(status)) throw something_else(directory, "not a directory");
  std::set<std::string> names;
  auto entry = fs::recursive_directory_iterator(directory, code);
  for (; !code && entry != fs::recursive_directory_iterator(); entry.increment(code)) {
    std::error_code gone;
    if (entry->is_directory(gone) && !fs::is_empty(entry->path(), gone)) continue;
    names.insert(entry->path().lexically_relative(directory));
  }
  if (code) throw cannot("list", directory, code);
  return names;
}

Error something_else(const fs::path& directory, std::string_view what) {
  return Error(fmt::format("cannot make {}: something else is there ({}); name another directory or remove this one",
                           directory.string(), what));
}

bool commit_unless_taken(AtomicDirectory& made, const fs::path& path) {
  try {
    made.commit();
    return true;
  } catch (const Error&) {
    // A directory that has left its temporary name is there; only its sync failed.
    if (made.temporary().empty() || !is_taken(path)) throw;
    return false;
  }
}

bool commit_unless_taken(AtomicFile& made, const fs::path& path) {
  // The rename would replace a file. One that appears after this moment is replaced, by a complete one.
  if (is_taken(path)) return false;
  made.commit();
  return true;
}

void write_for(const fs::path& shown, const fs::path& temporary, const std::function<void()>& write) {
  call_for(shown, temporary, Below::kKept, write);
}

void make_for(const fs::path& shown, const fs::path& temporary, const std::function<void()>& make) {
  call_for(shown, temporary, Below::kDropped, make);
}

Parents::Parents(const fs::path& path, fs::path shown) {
  std::error_code ignored;
  shown = named(shown);
  fs::path parent = named(path).parent_path();
  for (; !parent.empty() && !fs::exists(parent, ignored); parent = parent.parent_path()) {
    shown = shown.parent_path();  // leads elsewhere if the user's path has links or dots
    missing_.push_back({.path = parent, .shown = shown.filename() == parent.filename() ? shown : parent});
  }
}

Parents::~Parents() {
  if (kept_) return;
  std::error_code ignored;  // directories that others have filled since stay
  for (const Missing& parent : missing_) fs::remove(parent.path, ignored);
}

void Parents::make() {
  for (auto parent = missing_.rbegin(); parent != missing_.rend(); ++parent) {
    std::error_code code;
    fs::create_directory(parent->path, code);
    if (code) throw cannot("create", parent->shown, code);
  }
}

}  // namespace loadline
