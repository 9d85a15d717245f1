// Which files a folder of images has: one directory a class, one file a sample.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "loaders/datasets/file_names.h"

namespace loadline {

// By which torchvision's ImageFolder tells images; what they are inside is seen when they are decoded.
bool is_image_name(std::string_view name);

struct ImageListing {
  std::shared_ptr<const FolderNames> names;  // classes and the files of each in the order of their names' bytes
  std::size_t stored_bytes = 0;
  std::optional<std::size_t> sized_files;  // that stored_bytes is estimated from; nullopt: it is the sum of all
  std::vector<std::size_t> file_bytes;     // of each file; empty where it is estimated
  bool from_index = false;                 // rather than from the directories
};

struct ListingOptions {
  // Of more files than these, names are kept in an index, where one is to be had, and lengths are estimated from some,
  // evenly spread.
  std::size_t few = 65'536;
  std::size_t lengths = 4'096;                                // that are looked up of so many files
  bool every_length = false;                                  // look all up, however many
  std::optional<std::filesystem::path> index_directory = {};  // nullopt: no index is kept or read
  // A directory that changed less than this ago may change once more without its times telling: no index is kept.
  std::chrono::nanoseconds settling = std::chrono::seconds(2);
  std::size_t threads = 16;  // that list directories: most of it is waiting
};

// Lists the directories of `root`, several at a time; nothing is asked of a file where its directory tells that it is
// one. What has the name of an image and is no file is refused: it would be missing without a word.
//
// The index of a large folder has its names and the stamps of its directories (times of change, inodes); it is used
// while all of these stand. Throws Error naming what is wrong, such as a class without an image.
ImageListing list_images(const std::filesystem::path& root, const ListingOptions& options);

// "loadline/listings" in the user's cache directory ($XDG_CACHE_HOME, or .cache in the home directory). std::nullopt
// where there is neither.
std::optional<std::filesystem::path> listing_directory();

// While it lives, `show` is called now and then, on this thread, as directories are listed on its behalf.
class ListingWatch {
 public:
  using Show = std::function<void(std::size_t directories, std::size_t of_directories, std::size_t files)>;
  explicit ListingWatch(Show show) : show_(std::move(show)), before_(current_) { current_ = this; }
  ListingWatch(const ListingWatch&) = delete;
  ListingWatch& operator=(const ListingWatch&) = delete;
  ~ListingWatch() { current_ = before_; }

  static const Show* current() { return current_ == nullptr ? nullptr : &current_->show_; }

 private:
  static constinit thread_local ListingWatch* current_;

  Show show_;
  ListingWatch* before_;
};

}  // namespace loadline
