// Lists the files of an image folder: one directory per class, one file per sample, in it or in directories below it.
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

// Whether torchvision's ImageFolder takes this name for an image. Decoding shows what the file really is.
bool is_image_name(std::string_view name);
// The same of a name's extension alone, in lower case and without its dot.
bool is_image_extension(std::string_view extension);

struct ImageListing {
  // For each class its directory and all below it, in byte order of their paths, and the files of each in byte order of
  // their names: the order of torchvision's ImageFolder, so that a sample has the same number there.
  std::shared_ptr<const FolderNames> names;
  std::vector<std::size_t> classes;  // the first file of each class
  std::size_t beside = 0;            // images beside the directories of the classes, which are not listed
  std::size_t stored_bytes = 0;
  std::optional<std::size_t> sized_files;  // how many files stored_bytes is estimated from; nullopt: it is the sum of
                                           // all
  std::vector<std::size_t> file_bytes;     // per file; empty if stored_bytes is estimated
  bool from_index = false;                 // false: from the directories
};

struct ListingOptions {
  // Above this many files, names are kept in an index if one is possible, and lengths are estimated from some evenly
  // spread files.
  std::size_t few = 65'536;
  std::size_t lengths = 4'096;                                // how many lengths are then looked up
  bool every_length = false;                                  // look all up, however many
  std::optional<std::filesystem::path> index_directory = {};  // nullopt: no index is kept or read
  // A directory that changed more recently than this may change again without a new time stamp: no index is kept.
  std::chrono::nanoseconds settling = std::chrono::seconds(2);
  std::size_t threads = 16;  // for listing directories, which is mostly waiting
};

// Lists the directories of `root` and all below them, several at a time. Does not look at a file itself if its
// directory entry says it is one. An entry with an image's name that is not a file is refused rather than silently left
// out. Names that begin with a dot are skipped, and so are links to a directory that they lie in, which would never
// end; other links are followed.
//
// The index of a large folder holds its names and the stamps of its directories (times of change, inodes); it stays
// valid until one of these changes. Throws Error naming what is wrong, such as a class without images.
ImageListing list_images(const std::filesystem::path& root, const ListingOptions& options);

// "loadline/listings" in the user's cache directory, see environment.h. It need not exist. std::nullopt if the
// environment names no cache directory.
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
