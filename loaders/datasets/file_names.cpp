#include "loaders/datasets/file_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "loaders/error.h"

namespace loadline {

void FolderNames::begin_directory(std::string_view name) {
  directories_.push_back({.name = std::string(name), .first = ends_.size(), .begin = names_.size()});
}

void FolderNames::add(std::string_view name) {
  names_ += name;
  const std::size_t end = names_.size() - directories_.back().begin;
  if (end > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(
        fmt::format("cannot list {}: its names take more than 4 GiB", (root_ / directories_.back().name).string()));
  }
  ends_.push_back(static_cast<std::uint32_t>(end));
}

std::size_t FolderNames::directory_of(std::size_t file) const {
  const auto next = std::ranges::upper_bound(directories_, file, {}, &Directory::first);
  return static_cast<std::size_t>(next - directories_.begin()) - 1;
}

std::string_view FolderNames::name(std::size_t file) const {
  const Directory& directory = directories_[directory_of(file)];
  const std::size_t begin = file == directory.first ? 0 : ends_[file - 1];
  return std::string_view(names_).substr(directory.begin + begin, ends_[file] - begin);
}

void FolderNames::write_path(std::size_t file, std::string& out) const {
  out.assign(root_.native());
  if (!out.empty() && out.back() != '/') out += '/';
  out += directories_[directory_of(file)].name;
  out += '/';
  out += name(file);
}

std::size_t FolderNames::memory_bytes() const {
  return names_.capacity() + ends_.capacity() * sizeof(std::uint32_t) + directories_.capacity() * sizeof(Directory);
}

std::filesystem::path FileNames::operator[](std::size_t index) const {
  if (!folder_) return paths_[index];
  std::string path;
  folder_->write_path(index, path);
  return path;
}

const std::string& FileNames::path(std::size_t index, std::string& memory) const {
  if (!folder_) return paths_[index].native();
  folder_->write_path(index, memory);
  return memory;
}

bool operator==(const FileNames& a, const FileNames& b) {
  if (a.folder_ && a.folder_ == b.folder_) return true;
  return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

std::vector<std::filesystem::path> evenly_spread(const FileNames& all, std::size_t most) {
  const std::size_t count = std::min(all.size(), most);
  std::vector<std::filesystem::path> sample;
  sample.reserve(count);
  for (std::size_t i = 0; i < count; ++i) sample.push_back(all[i * all.size() / count]);
  return sample;
}

}  // namespace loadline
