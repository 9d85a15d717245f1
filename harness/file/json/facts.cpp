#include "harness/file/json/facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace loadline {

std::string hex(std::uint64_t value) {
  return fmt::format("{:016x}", value);
}

std::uint64_t parse_hex(const std::string& text) {
  std::uint64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (status == std::errc{} && end == text.data() + text.size() && text.size() == 16) return value;
  throw Error(fmt::format("want 16 hexadecimal digits, got '{}'", text));
}

std::optional<std::string> hex_of(std::optional<std::uint64_t> value) {
  return value ? std::optional(hex(*value)) : std::nullopt;
}

std::optional<std::uint64_t> parse_hex_or_none(const std::optional<std::string>& text) {
  return text ? std::optional(parse_hex(*text)) : std::nullopt;
}

Extents extents_of(const ImageShape& shape) {
  Extents extents;
  for (const std::size_t pixels : {shape.channels, shape.height, shape.width}) {
    extents.push_back(pixels == 0 ? std::nullopt : std::optional(pixels));
  }
  return extents;
}

ImageShape shape_of(const Extents& extents) {
  if (extents.size() != 3) throw Error(fmt::format("want channels, height and width, got {} items", extents.size()));
  return {.channels = extents[0].value_or(0), .height = extents[1].value_or(0), .width = extents[2].value_or(0)};
}

std::vector<std::filesystem::path> first_of(const FileNames& files) {
  constexpr std::size_t kMostFilesLookedAt = 64;
  return {files.begin(), files.begin() + static_cast<std::ptrdiff_t>(std::min(kMostFilesLookedAt, files.size()))};
}

void libraries_fields(RecordWriter& json, const std::vector<Build::Library>& libraries) {
  for (const auto& library : libraries) json(library.name.c_str(), library.version);
}

void libraries_fields(RecordReader& json, std::vector<Build::Library>& libraries) {
  json.object().each_member([&](std::string_view name, const JsonReader& version) {
    read_value(version, libraries.emplace_back(Build::Library{.name = std::string(name), .version = {}}).version);
  });
}

void versions_fields(RecordWriter& json, const std::map<std::string, std::string>& versions) {
  for (const auto& [name, version] : versions) json(name, version);
}

void versions_fields(RecordReader& json, std::map<std::string, std::string>& versions) {
  json.object().each_member(
      [&](std::string_view name, const JsonReader& version) { read_value(version, versions[printable(name)]); });
}

}  // namespace loadline
