#include "harness/cli/baselines.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <vector>

#include "harness/file/result_reader.h"
#include "harness/judge/diff.h"
#include "harness/judge/phrase.h"
#include "harness/show/warning_text.h"
#include "loaders/error.h"
#include "loaders/listed.h"
#include "loaders/names.h"
#include "loaders/storage/file.h"
#include "loaders/system/environment.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kEnding = ".json";
constexpr std::string_view kNoise = "noise-";  // names of noise floors begin with this

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-+").find(c) != std::string_view::npos;
}

bool is_name(std::string_view name) {
  constexpr std::size_t kMost = 200;  // file systems allow 255 bytes
  return !name.empty() && name.size() <= kMost && name.front() != '.' && name.front() != '-' &&
         std::ranges::all_of(name, is_plain) && !name.starts_with(kNoise);
}

// Next to the baseline: main.history/ has the earlier results of main.json.
fs::path history_directory(const fs::path& baseline) {
  fs::path directory = baseline;
  return directory.replace_extension(".history");
}

// The numbers of the results in a history, in order of arrival.
std::vector<std::uint64_t> numbers_in(const fs::path& directory) {
  std::vector<std::uint64_t> numbers;
  std::error_code ignored;
  for (auto entry = fs::directory_iterator(directory, ignored); entry != fs::directory_iterator();
       entry.increment(ignored)) {
    const std::string stem = entry->path().stem().string();
    std::uint64_t number = 0;
    const auto [end, status] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
    const bool whole = status == std::errc{} && end == stem.data() + stem.size();
    if (whole && entry->path().extension() == kEnding) numbers.push_back(number);
  }
  std::ranges::sort(numbers);
  return numbers;
}

fs::path numbered(const fs::path& directory, std::uint64_t number) {
  return directory / fmt::format("{}{}", number, kEnding);
}

void make_directory_of(const fs::path& path) {
  std::error_code code;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), code);
  if (code) throw Error(fmt::format("cannot write {}: {}", path.string(), code.message()));
}

// Gives the current file a second name in the history, so that a baseline exists at every moment. Copies it if the file
// system has no links.
void keep_former(const fs::path& path) {
  constexpr std::size_t kMost = 100;
  const fs::path directory = history_directory(path);
  std::error_code code;
  fs::create_directories(directory, code);
  auto numbers = numbers_in(directory);
  const fs::path to = numbered(directory, numbers.empty() ? 1 : numbers.back() + 1);
  if (!code) fs::create_hard_link(path, to, code);
  if (code) {
    code.clear();
    fs::copy_file(path, to, code);
  }
  if (code) throw Error(fmt::format("cannot write {}: {}", to.string(), code.message()));
  for (std::size_t i = 0; i + kMost <= numbers.size(); ++i) fs::remove(numbered(directory, numbers[i]), code);
}

ListedBaseline as_listed(const std::string& name) {
  const fs::path path = baseline_path("baseline", name);
  ListedBaseline baseline{.name = name, .path = path.string()};
  baseline.former = numbers_in(history_directory(path)).size();
  try {
    const Result result = load_result(path);
    baseline.started = result.started;
    baseline.host = result.environment.machine.hostname;
    baseline.cells = result.cells.size();
  } catch (const Error& error) {
    baseline.error = error.what();
  }
  return baseline;
}

}  // namespace

fs::path baselines_directory() {
  if (const auto own = variable("LOADLINE_BASELINES")) return *own;
  if (const auto data = variable("XDG_DATA_HOME")) return fs::path(*data) / "loadline" / "baselines";
  if (const auto home = variable("HOME")) return fs::path(*home) / ".local" / "share" / "loadline" / "baselines";
  return "loadline-baselines";
}

fs::path baseline_path(std::string_view option, std::string_view name) {
  if (is_name(name)) return baselines_directory() / fmt::format("{}{}", name, kEnding);
  throw usage_error(
      fmt::format("{}: want a name of letters, digits and . _ - + that does not begin with . or - or {}, got '{}'",
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
  if (known.empty()) {
    throw usage_error(fmt::format("{} {}: there is no baseline in {}; --save-baseline keeps one", option, name,
                                  path.parent_path().string()));
  }
  const std::vector<std::string_view> views(known.begin(), known.end());
  throw usage_error(fmt::format("{} {}: there is no baseline with this name, only {}{}", option, name, listed(known),
                                hint_of(name, views)));
}

std::vector<ListedBaseline> listed_baselines() {
  std::vector<ListedBaseline> baselines;
  for (const std::string& name : baseline_names()) baselines.push_back(as_listed(name));
  return baselines;
}

std::string why_no_baseline(const Result& result) {
  if (result.status != Status::kComplete) {
    return result.merged_from.empty() ? "its run was stopped" : "parts of the run are missing, or were stopped";
  }
  if (result.of_ceilings()) return "it is a result of `loadline ceilings`";
  const std::string failure = failure_text(result);
  return failure.empty() ? empty_cells_text(result) : failure;
}

void keep_baseline(const fs::path& path, std::string_view text) {
  std::error_code ignored;
  if (fs::exists(path, ignored)) keep_former(path);
  keep(path, text);
}

std::vector<fs::path> baseline_history(std::string_view option, std::string_view name) {
  const fs::path path = baseline_path(option, name);
  const fs::path directory = history_directory(path);
  std::vector<fs::path> files;
  for (const std::uint64_t number : numbers_in(directory)) files.push_back(numbered(directory, number));
  std::error_code ignored;
  if (fs::exists(path, ignored)) files.push_back(path);
  return files;
}

std::size_t delete_baseline(std::string_view option, std::string_view name) {
  const fs::path path = existing_baseline(option, name);
  const fs::path directory = history_directory(path);
  const auto former = numbers_in(directory);
  std::error_code code;
  // The baseline goes last: until then it can be deleted again.
  for (const std::uint64_t number : former) {
    if (!code) fs::remove(numbered(directory, number), code);
  }
  // Stays if it holds anything else.
  std::error_code ignored;
  fs::remove(directory, ignored);
  if (!code) fs::remove(path, code);
  if (code) throw Error(fmt::format("cannot delete {}: {}", path.string(), code.message()));
  return former.size();
}

fs::path new_baseline(std::string_view option, std::string_view name, bool overwrite) {
  fs::path path = baseline_path(option, name);
  std::error_code ignored;
  if (overwrite || !fs::exists(path, ignored)) return path;
  throw Error(fmt::format("{} {}: a baseline with this name exists already; --overwrite replaces it", option, name));
}

fs::path noise_path(std::string_view hostname) {
  std::string name(hostname);
  std::ranges::replace_if(
      name, [](char c) { return !is_plain(c); }, '_');
  return baselines_directory() / fmt::format("{}{}{}", kNoise, name, kEnding);
}

void check_keepable(const fs::path& path) {
  make_directory_of(path);
  const AtomicFile probe(path);
}

void keep(const fs::path& path, std::string_view text) {
  make_directory_of(path);
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

}  // namespace loadline
