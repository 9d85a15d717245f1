#include "harness/machine/mounts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "harness/machine/kernel_text.h"

namespace loadline {
namespace {

bool is_octal(char c) {
  return c >= '0' && c <= '7';
}

// The kernel writes blank, tab, newline and backslash as \040, \011, \012 and \134.
std::string unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && is_octal(text[i + 1]) && is_octal(text[i + 2]) &&
        is_octal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 + (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

std::optional<DeviceNumber> parse_device(std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 2) return std::nullopt;
  const auto major_number = parse_whole(parts[0]);
  const auto minor_number = parse_whole(parts[1]);
  if (!major_number || !minor_number) return std::nullopt;
  return DeviceNumber{static_cast<unsigned>(*major_number), static_cast<unsigned>(*minor_number)};
}

// Fields: id, parent, device, root, mount point, options, any number of tags, "-", type, source, super options.
std::optional<Mount> parse_line(std::string_view line) {
  const auto fields = split(line, ' ');
  if (fields.size() < 9) return std::nullopt;
  const auto dash = std::find(fields.begin() + 6, fields.end(), "-");
  // An empty source leaves two fields after the dash; then the last is the options.
  const auto after = std::distance(dash, fields.end());
  const auto device = parse_device(fields[2]);
  if (after < 3 || !device) return std::nullopt;
  return Mount{
      .device = *device,
      .root = unescaped(fields[3]),
      .mount_point = unescaped(fields[4]),
      .options = std::string(fields[5]),
      .file_system = unescaped(dash[1]),
      .source = after > 3 ? unescaped(dash[2]) : std::string(),
      .super_options = unescaped(fields.back()),
  };
}

}  // namespace

std::vector<Mount> parse_mountinfo(std::string_view text) {
  std::vector<Mount> mounts;
  for (const std::string_view line : lines_of(text)) {
    if (auto mount = parse_line(line)) mounts.push_back(*std::move(mount));
  }
  return mounts;
}

std::optional<std::filesystem::path> path_within(const std::filesystem::path& directory,
                                                 const std::filesystem::path& path) {
  const auto [in_directory, in_path] = std::mismatch(directory.begin(), directory.end(), path.begin(), path.end());
  if (in_directory != directory.end()) return std::nullopt;
  std::filesystem::path rest;
  for (auto part = in_path; part != path.end(); ++part) rest /= *part;
  return rest;
}

std::optional<Mount> mount_of(const std::vector<Mount>& mounts, const std::filesystem::path& canonical,
                              DeviceNumber device) {
  const auto depth = [](const Mount& mount) { return mount.mount_point.native().size(); };
  const Mount* best = nullptr;
  for (const Mount& mount : mounts) {
    if (!path_within(mount.mount_point, canonical)) continue;
    const bool fits = mount.device == device;
    const bool best_fits = best != nullptr && best->device == device;
    if (best == nullptr || (fits == best_fits ? depth(mount) >= depth(*best) : fits)) best = &mount;
  }
  return best == nullptr ? std::nullopt : std::optional(*best);
}

}  // namespace loadline
