// The names of a dataset's files: a few, or the millions of a folder of images.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loadline {

// Names of the files in the directories of one directory, in one piece of memory: some 20 bytes a file, where a path
// takes 10 times as many and more. Filled once, from front to back.
class FolderNames {
 public:
  explicit FolderNames(std::filesystem::path root) : root_(std::move(root)) {}

  // From here on, names are of files in this directory of the root.
  void begin_directory(std::string_view name);
  // Throws Error where the names of one directory take more than 4 GiB.
  void add(std::string_view name);

  std::size_t size() const { return ends_.size(); }
  std::size_t directories() const { return directories_.size(); }
  const std::filesystem::path& root() const { return root_; }
  std::string_view directory(std::size_t number) const { return directories_[number].name; }
  std::size_t first_of(std::size_t directory) const { return directories_[directory].first; }  // file
  std::size_t directory_of(std::size_t file) const;
  std::string_view name(std::size_t file) const;
  // Root, directory and name, in the memory of `out`.
  void write_path(std::size_t file, std::string& out) const;
  std::size_t memory_bytes() const;

 private:
  struct Directory {
    std::string name;
    std::size_t first = 0;  // file
    std::size_t begin = 0;  // of its names in `names_`
  };

  std::filesystem::path root_;
  std::vector<Directory> directories_;
  std::string names_;
  std::vector<std::uint32_t> ends_;  // of each name, from where those of its directory begin
};

// A list of paths, as a vector of them is, but that those of a folder are put together as they are asked for: whoever
// asks gets a path of his own. Copies share the names of a folder.
class FileNames {
 public:
  using value_type = std::filesystem::path;

  FileNames() = default;
  FileNames(std::initializer_list<std::filesystem::path> paths) : paths_(paths) {}
  FileNames(std::vector<std::filesystem::path> paths) : paths_(std::move(paths)) {}
  explicit FileNames(std::shared_ptr<const FolderNames> folder) : folder_(std::move(folder)) {}

  std::size_t size() const { return folder_ ? folder_->size() : paths_.size(); }
  bool empty() const { return size() == 0; }
  std::filesystem::path operator[](std::size_t index) const;
  // The same path, in memory of the caller's or of this list: once `memory` has room for the longest, nothing is
  // allocated.
  const std::string& path(std::size_t index, std::string& memory) const;
  std::filesystem::path front() const { return (*this)[0]; }
  // Null where they are no folder's.
  const FolderNames* folder() const { return folder_.get(); }

  // For lists that are no folder's.
  void push_back(std::filesystem::path path) { paths_.push_back(std::move(path)); }
  template <typename... Arguments>
  void emplace_back(Arguments&&... arguments) {
    paths_.emplace_back(std::forward<Arguments>(arguments)...);
  }

  class const_iterator {
   public:
    using iterator_category = std::random_access_iterator_tag;
    using value_type = std::filesystem::path;
    using difference_type = std::ptrdiff_t;
    using pointer = const std::filesystem::path*;
    using reference = std::filesystem::path;

    const_iterator() = default;
    const_iterator(const FileNames* names, std::size_t at) : names_(names), at_(at) {}

    std::filesystem::path operator*() const { return (*names_)[at_]; }
    std::filesystem::path operator[](difference_type by) const { return *(*this + by); }
    const_iterator& operator+=(difference_type by) {
      at_ += static_cast<std::size_t>(by);
      return *this;
    }
    const_iterator& operator-=(difference_type by) { return *this += -by; }
    const_iterator& operator++() { return *this += 1; }
    const_iterator& operator--() { return *this += -1; }
    const_iterator operator++(int) { return {names_, at_++}; }
    const_iterator operator--(int) { return {names_, at_--}; }
    friend const_iterator operator+(const_iterator it, difference_type by) { return it += by; }
    friend const_iterator operator+(difference_type by, const_iterator it) { return it += by; }
    friend const_iterator operator-(const_iterator it, difference_type by) { return it -= by; }
    friend difference_type operator-(const const_iterator& a, const const_iterator& b) {
      return static_cast<difference_type>(a.at_) - static_cast<difference_type>(b.at_);
    }
    friend bool operator==(const const_iterator& a, const const_iterator& b) { return a.at_ == b.at_; }
    friend auto operator<=>(const const_iterator& a, const const_iterator& b) { return a.at_ <=> b.at_; }

   private:
    const FileNames* names_ = nullptr;
    std::size_t at_ = 0;
  };
  using iterator = const_iterator;
  using const_reference = std::filesystem::path;
  using reference = std::filesystem::path;

  const_iterator begin() const { return {this, 0}; }
  const_iterator end() const { return {this, size()}; }

  friend bool operator==(const FileNames& a, const FileNames& b);

 private:
  std::vector<std::filesystem::path> paths_;
  std::shared_ptr<const FolderNames> folder_;
};

// Of all, or `most` of them, evenly spread.
std::vector<std::filesystem::path> evenly_spread(const FileNames& all, std::size_t most);

}  // namespace loadline
