#include "harness/cli/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <system_error>
#include <vector>

#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";
constexpr std::string_view kNoise = "noise-";  // what the names of noise floors begin with

// An empty variable counts as none, as the XDG specification has it.
const char* variable(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr && *value != '\0' ? value : nullptr;
}

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-+").find(c) != std::string_view::npos;
}

bool is_name(std::string_view name) {
  constexpr std::size_t kMost = 200;  // of the 255 bytes that file systems allow
  return !name.empty() && name.size() <= kMost && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, is_plain) && !name.starts_with(kNoise);
}

}  // namespace

fs::path baselines_directory() {
  if (const char* own = variable("LOADLINE_BASELINES")) return own;
  if (const char* data = variable("XDG_DATA_HOME")) return fs::path(data) / "loadline" / "baselines";
  if (const char* home = variable("HOME")) return fs::path(home) / ".local" / "share" / "loadline" / "baselines";
  return "loadline-baselines";
}

fs::path baseline_path(std::string_view option, std::string_view name) {
  if (is_name(name)) return baselines_directory() / fmt::format("{}{}", name, kEnding);
  throw usage_error(fmt::format(
      "{}: want a name of letters, digits and any of . _ - +, that begins with none of . and -, nor with {}, "
      "got '{}'",
      option, kNoise, name));
}

std::vector<std::string> baseline_names() {
  std::vector<std::string> names;
  std::error_code ignored;
  for (auto entry = fs::directory_iterator(baselines_directory(), ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    const fs::path& path = entry->path();
    if (path.extension() == kEnding && is_name(path.stem().string())) names.push_back(path.stem().string());
  }
  std::ranges::sort(names);
  return names;
}

fs::path existing_baseline(std::string_view option, std::string_view name) {
  fs::path path = baseline_path(option, name);
  std::error_code ignored;
  if (fs::exists(path, ignored)) return path;
  const std::vector<std::string> known = baseline_names();
  const std::vector<std::string_view> views(known.begin(), known.end());
  if (views.empty()) {
    throw usage_error(fmt::format("{} {}: no baseline is kept in {}, --save-baseline keeps one", option, name,
                                  path.parent_path().string()));
  }
  throw unknown_name(option, name, views);
}

fs::path new_baseline(std::string_view option, std::string_view name, bool overwrite) {
  fs::path path = baseline_path(option, name);
  std::error_code ignored;
  if (overwrite || !fs::exists(path, ignored)) return path;
  throw Error(fmt::format("{} {}: a baseline of this name is kept already; --overwrite replaces it", option, name));
}

fs::path noise_path(std::string_view hostname) {
  std::string name(hostname);
  std::ranges::replace_if(
      name, [](char c) { return !is_plain(c); }, '_');
  return baselines_directory() / fmt::format("{}{}{}", kNoise, name, kEnding);
}

void keep(const fs::path& path, std::string_view text) {
  std::error_code code;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), code);
  if (code) throw Error(fmt::format("cannot write {}: {}", path.string(), code.message()));
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace loadline
