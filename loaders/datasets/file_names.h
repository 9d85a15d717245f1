// The names of a dataset's files, from a few to the millions of an image folder.
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

// The names of all files in the subdirectories of one directory, in one block of memory: some 20 bytes per file, less
// than a tenth of a path. Filled once, from front to back.
class FolderNames {
 public:
  explicit FolderNames(std::filesystem::path root) : root_(std::move(root)) {}

  // Names added from here on are files in this subdirectory of the root.
  void begin_directory(std::string_view name);
  // Throws Error if the names in one directory take more than 4 GiB.
  void add(std::string_view name);

  std::size_t size() const { return ends_.size(); }
  std::size_t directories() const { return directories_.size(); }
  const std::filesystem::path& root() const { return root_; }
  std::string_view directory(std::size_t number) const { return directories_[number].name; }
  std::size_t first_of(std::size_t directory) const { return directories_[directory].first; }  // file
  std::size_t directory_of(std::size_t file) const;
  std::string_view name(std::size_t file) const;
  // Writes root, directory and name to `out`, reusing its memory.
  void write_path(std::size_t file, std::string& out) const;
  std::size_t memory_bytes() const;

 private:
  struct Directory {
    std::string name;
    std::size_t first = 0;  // file
    std::size_t begin = 0;  // offset of its names in `names_`
  };

  std::filesystem::path root_;
  std::vector<Directory> directories_;
  std::string names_;
  std::vector<std::uint32_t> ends_;  // end of each name, counted from the beginning of its directory's names
};

// A list of paths, like a vector, except that paths of a folder are put together on demand, so each access returns a
// new path. Copies share the names of a folder.
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
  // The same path, stored in `memory` or in this list. Allocates nothing once `memory` has room for the longest path.
  const std::string& path(std::size_t index, std::string& memory) const;
  std::filesystem::path front() const { return (*this)[0]; }
  // Null unless the list is that of a folder.
  const FolderNames* folder() const { return folder_.get(); }

  // Not for the list of a folder.
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

// All paths, or `most` of them, evenly spread.
std::vector<std::filesystem::path> evenly_spread(const FileNames& all, std::size_t most);

}  // namespace loadline
