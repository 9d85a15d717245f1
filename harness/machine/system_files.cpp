#include "harness/machine/system_files.h"

#include <fstream>
#include <iterator>
#include <system_error>

#include "harness/machine/kernel_text.h"

namespace loadline {

std::filesystem::path SystemFiles::under_root(const std::filesystem::path& path) const {
  return root_ / path.relative_path();
}

std::optional<std::string> SystemFiles::text(const std::filesystem::path& path) const {
  // A stream, because these files give their size as 0 and end only where reading ends.
  std::ifstream stream(under_root(path), std::ios::binary);
  if (!stream) return std::nullopt;
  std::string text;
  char block[4096];
  while (stream.read(block, sizeof block) || stream.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad()) return std::nullopt;
  return text;
}

std::optional<std::string> SystemFiles::line(const std::filesystem::path& path) const {
  const auto whole = text(path);
  if (!whole) return std::nullopt;
  const std::string_view line = trimmed(*whole);
  return line.empty() ? std::nullopt : std::optional<std::string>(line);
}

bool SystemFiles::exists(const std::filesystem::path& path) const {
  std::error_code ignored;
  return std::filesystem::exists(under_root(path), ignored);
}

std::vector<std::string> SystemFiles::directories(const std::filesystem::path& path) const {
  std::vector<std::string> names;
  std::error_code ignored;
  for (auto entry = std::filesystem::directory_iterator(under_root(path), ignored);
       entry != std::filesystem::directory_iterator(); entry.increment(ignored)) {
    if (entry->is_directory(ignored)) names.push_back(entry->path().filename().string());
  }
  return names;
}

}  // namespace loadline
