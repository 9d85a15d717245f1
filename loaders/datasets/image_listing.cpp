#include "loaders/datasets/image_listing.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <limits>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/directory.h"
#include "loaders/storage/file.h"
#include "loaders/storage/file_stamp.h"
#include "loaders/storage/mapping.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::array<std::string_view, 9> kExtensions{".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                                      ".pgm", ".tif",  ".tiff", ".webp"};

// Several threads take one number after another; the calling thread shows the progress. Rethrows the failure with the
// lowest number.
void in_parallel(std::size_t count, std::size_t most_threads, const std::function<void(std::size_t)>& work,
                 const std::function<void(std::size_t done)>& show) {
  std::atomic<std::size_t> next{0};
  std::mutex mutex;  // guards the three below
  std::condition_variable changed;
  std::size_t done = 0;
  std::size_t failed = count;
  std::exception_ptr failure;
  const auto run = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      std::exception_ptr why;
      try {
        work(i);
      } catch (...) {
        why = std::current_exception();
      }
      const std::lock_guard lock(mutex);
      if (why && i < failed) {
        failed = i;
        failure = why;
        next.store(count);  // numbers already taken are finished
      }
      if (++done == count || why) changed.notify_one();
    }
  };
  {
    std::vector<std::jthread> threads;
    const std::size_t wanted = std::min(count, most_threads);
    try {
      while (threads.size() < wanted) threads.emplace_back(run);
    } catch (const std::system_error&) {
      if (threads.empty()) run();  // if no thread can be started, this one does it
    }
    std::unique_lock lock(mutex);
    while (done < count && !failure) {
      changed.wait_for(lock, std::chrono::milliseconds(100));
      const std::size_t so_far = done;
      lock.unlock();
      show(so_far);
      lock.lock();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

// The names of one directory, sorted, each ending with a null byte.
struct Names {
  std::string text;
  std::size_t count = 0;
};

Names image_names(const fs::path& directory) {
  std::string found;
  std::vector<std::pair<std::size_t, std::size_t>> places;  // begin and length in `found`
  for_each_entry(directory, [&](std::string_view name, EntryKind kind) {
    if (name.front() == '.' || !is_image_name(name)) return;
    if (kind == EntryKind::kDirectory || kind == EntryKind::kOther) refuse_other_than_file("open", directory / name);
    places.emplace_back(found.size(), name.size());
    found += name;
  });
  if (places.empty()) throw Error(fmt::format("cannot open {}: a class has no image", directory.string()));
  const auto name_at = [&](const auto& place) { return std::string_view(found).substr(place.first, place.second); };
  std::ranges::sort(places, {}, name_at);
  Names sorted{.text = {}, .count = places.size()};
  sorted.text.reserve(found.size() + places.size());
  for (const auto& place : places) {
    sorted.text += name_at(place);
    sorted.text += '\0';
  }
  return sorted;
}

std::vector<std::string> class_names(const fs::path& root) {
  std::vector<std::string> names;
  for_each_entry(root, [&](std::string_view name, EntryKind kind) {
    if (kind == EntryKind::kDirectory && name.front() != '.') names.emplace_back(name);
  });
  std::ranges::sort(names);
  return names;
}

void add_names(std::string_view text, FolderNames& names) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\0'), text.size() - 1);
    names.add(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
}

// ---- the index

constexpr std::string_view kListingMagic = "loadline listing 1\n";

class IndexWriter {
 public:
  void text(std::string_view text) {
    number(text.size());
    bytes_ += text;
  }
  void number(std::uint64_t value) { bytes_.append(reinterpret_cast<const char*>(&value), sizeof value); }
  void stamp(const FileStamp& stamp) {
    number(stamp.device);
    number(stamp.inode);
    number(stamp.bytes);
    number(static_cast<std::uint64_t>(stamp.modified_ns));
    number(static_cast<std::uint64_t>(stamp.changed_ns));
  }
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_{kListingMagic};
};

// Throws Error at the end of the bytes: the index is invalid then.
class IndexReader {
 public:
  explicit IndexReader(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::uint64_t count) {
    if (count > rest_.size()) throw Error("the index is too short");
    const auto taken = rest_.substr(0, count);
    rest_.remove_prefix(count);
    return taken;
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(number()); }
  FileStamp stamp() {
    FileStamp stamp;
    stamp.device = number();
    stamp.inode = number();
    stamp.bytes = number();
    stamp.modified_ns = static_cast<std::int64_t>(number());
    stamp.changed_ns = static_cast<std::int64_t>(number());
    return stamp;
  }
  bool empty() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

fs::path index_path(const fs::path& root, const fs::path& directory) {
  const std::string name = fs::absolute(root).lexically_normal().string();
  return directory / fmt::format("{:016x}.listing", XXH3_64bits(name.data(), name.size()));
}

// Null if there is no valid index.
std::shared_ptr<FolderNames> read_index(const fs::path& root, const fs::path& directory) {
  try {
    const fs::path path = index_path(root, directory);
    if (!fs::exists(path)) return nullptr;
    const MappedFile file(path);
    const std::string_view all(reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size());
    constexpr std::size_t kDigestBytes = sizeof(std::uint64_t);
    if (all.size() < kListingMagic.size() + kDigestBytes || !all.starts_with(kListingMagic)) return nullptr;
    const auto content = all.substr(0, all.size() - kDigestBytes);
    IndexReader digest(all.substr(content.size()));
    if (digest.number() != XXH3_64bits(content.data(), content.size())) return nullptr;
    IndexReader index(content.substr(kListingMagic.size()));
    if (index.text() != fs::absolute(root).lexically_normal().string()) return nullptr;
    if (stamp_of(root) != index.stamp()) return nullptr;
    auto names = std::make_shared<FolderNames>(root);
    while (!index.empty()) {
      const auto name = index.text();
      if (stamp_of(root / name) != index.stamp()) return nullptr;
      names->begin_directory(name);
      add_names(index.text(), *names);
    }
    file.check_intact();
    return names;
  } catch (const Error&) {
    return nullptr;
  } catch (const fs::filesystem_error&) {
    return nullptr;
  }
}

bool is_settled(const std::vector<std::optional<FileStamp>>& stamps, std::chrono::nanoseconds settling) {
  const std::int64_t now =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
  return std::ranges::all_of(stamps,
                             [&](const auto& stamp) { return stamp && stamp->changed_ns <= now - settling.count(); });
}

// Without an index the next listing takes as long as this one, which is no reason to fail.
void write_index(const fs::path& root, const fs::path& directory, const std::vector<std::string>& classes,
                 const std::vector<Names>& names, const std::vector<std::optional<FileStamp>>& stamps) {
  try {
    fs::create_directories(directory);
    IndexWriter index;
    index.text(fs::absolute(root).lexically_normal().string());
    index.stamp(*stamps.back());
    for (std::size_t i = 0; i < classes.size(); ++i) {
      index.text(classes[i]);
      index.stamp(*stamps[i]);
      index.text(names[i].text);
    }
    const std::uint64_t digest = XXH3_64bits(index.bytes().data(), index.bytes().size());
    AtomicFile file(index_path(root, directory));
    file.write(index.bytes());
    file.write(std::as_bytes(std::span(&digest, 1)));
    file.commit();
  } catch (const Error&) {
  } catch (const fs::filesystem_error&) {
  }
}

// ---- listing

std::shared_ptr<FolderNames> list_directories(const fs::path& root, const ListingOptions& options) {
  const std::optional<FileStamp> root_stamp = stamp_of(root);
  const std::vector<std::string> classes = class_names(root);
  if (classes.empty()) throw Error(fmt::format("cannot open {}: no directory of images in it", root.string()));
  std::vector<Names> names(classes.size());
  std::vector<std::optional<FileStamp>> stamps(classes.size() + 1);
  std::atomic<std::size_t> files{0};
  const auto list = [&](std::size_t i) {
    const fs::path directory = root / classes[i];
    const auto before = stamp_of(directory);
    names[i] = image_names(directory);
    if (stamp_of(directory) == before) stamps[i] = before;
    files += names[i].count;
  };
  in_parallel(classes.size(), options.threads, list, [&](std::size_t done) {
    if (const auto* show = ListingWatch::current()) (*show)(done, classes.size(), files);
  });
  if (stamp_of(root) == root_stamp) stamps.back() = root_stamp;
  if (options.index_directory && files > options.few && is_settled(stamps, options.settling)) {
    write_index(root, *options.index_directory, classes, names, stamps);
  }
  auto all = std::make_shared<FolderNames>(root);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    all->begin_directory(classes[i]);
    add_names(names[i].text, *all);
    names[i] = {};
  }
  return all;
}

void look_up_lengths(const ListingOptions& options, ImageListing& listing) {
  const FolderNames& names = *listing.names;
  const bool all = options.every_length || names.size() <= options.few;
  const std::size_t count = all ? names.size() : std::min(names.size(), options.lengths);
  std::vector<std::size_t> lengths(count);
  constexpr std::size_t kAtATime = 256;
  const auto look_up = [&](std::size_t block) {
    std::string path;
    for (std::size_t i = block * kAtATime; i < std::min(count, (block + 1) * kAtATime); ++i) {
      names.write_path(all ? i : i * names.size() / count, path);
      lengths[i] = file_bytes(path.c_str());
    }
  };
  in_parallel((count + kAtATime - 1) / kAtATime, options.threads, look_up, [](std::size_t /*done*/) {});
  std::size_t sum = 0;
  for (const std::size_t bytes : lengths) sum += bytes;
  listing.stored_bytes = sum;
  if (all) {
    listing.file_bytes = std::move(lengths);
  } else {
    listing.sized_files = count;
    listing.stored_bytes = static_cast<std::size_t>(static_cast<double>(sum) / static_cast<double>(count) *
                                                    static_cast<double>(names.size()));
  }
}

}  // namespace

constinit thread_local ListingWatch* ListingWatch::current_ = nullptr;

bool is_image_name(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return false;
  std::string extension(name.substr(dot));
  std::ranges::transform(extension, extension.begin(), [](unsigned char c) { return std::tolower(c); });
  return std::ranges::find(kExtensions, extension) != kExtensions.end();
}

ImageListing list_images(const fs::path& root, const ListingOptions& options) {
  ImageListing listing;
  if (options.index_directory) listing.names = read_index(root, *options.index_directory);
  listing.from_index = listing.names != nullptr;
  if (!listing.names) listing.names = list_directories(root, options);
  look_up_lengths(options, listing);
  return listing;
}

std::optional<fs::path> listing_directory() {
  // NOLINTBEGIN(concurrency-mt-unsafe): nothing here changes the environment
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return fs::path(cache) / "loadline" / "listings";
  }
  if (const char* home = std::getenv("HOME"); home != nullptr && *home != '\0') {
    return fs::path(home) / ".cache" / "loadline" / "listings";
  }
  // NOLINTEND(concurrency-mt-unsafe)
  return std::nullopt;
}

}  // namespace loadline
