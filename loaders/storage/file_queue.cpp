#include "loaders/storage/file_queue.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <liburing.h>

#include <cerrno>
#include <cstring>
#include <vector>

#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// The steps of one file, each done by the system when the one before it is.
enum Step : unsigned { kOpen, kRead, kClose, kSteps };

// What most photographs take; a longer file is read once more, and its place is longer from then on.
constexpr std::size_t kUsualBytes = std::size_t{256} << 10;

struct Place {
  const fs::path* path = nullptr;
  std::vector<std::byte> bytes = std::vector<std::byte>(kUsualBytes);
  int results[kSteps] = {};
  unsigned pending = 0;  // steps
};

Error failure(std::string_view operation, const fs::path& path, int code) {
  return Error(fmt::format("cannot {} {}: {}", operation, path.string(), std::strerror(code)));
}

}  // namespace

struct FileQueue::State {
  explicit State(std::size_t capacity) : places(capacity + 1) {
    const auto check = [](int result) {
      if (result >= 0) return;
      throw Error(fmt::format("cannot read files by io_uring: {}; use --read pread, with more --workers",
                              std::strerror(-result)));
    };
    check(::io_uring_queue_init(static_cast<unsigned>(kSteps * places.size()), &ring, 0));
    try {
      check(::io_uring_register_files_sparse(&ring, static_cast<unsigned>(places.size())));
      // What a file system cannot do without waiting is done by threads of the system's, by default no more than four a
      // CPU: with two CPUs and 16 reads in flight, half of them waited for the other half.
      unsigned most_threads[2] = {static_cast<unsigned>(places.size()), 0};  // for files; 0: as it is
      check(::io_uring_register_iowq_max_workers(&ring, most_threads));
    } catch (...) {
      ::io_uring_queue_exit(&ring);
      throw;
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() {
    for (Place& place : places) await(place);
    ::io_uring_queue_exit(&ring);
  }

  void await(const Place& place) {
    while (place.pending > 0) {
      io_uring_cqe* done = nullptr;
      if (::io_uring_wait_cqe(&ring, &done) < 0) continue;  // a signal
      Place& its = places[done->user_data / kSteps];
      its.results[done->user_data % kSteps] = done->res;
      --its.pending;
      ::io_uring_cqe_seen(&ring, done);
    }
  }

  io_uring ring{};
  std::vector<Place> places;  // one more than can be asked for: the bytes that were taken last stay
  std::size_t first = 0;      // place of the file to be taken next
  std::size_t size = 0;
};

FileQueue::FileQueue(std::size_t capacity) : state_(std::make_unique<State>(capacity)) {}
FileQueue::~FileQueue() = default;

std::size_t FileQueue::capacity() const {
  return state_->places.size() - 1;
}

std::size_t FileQueue::size() const {
  return state_->size;
}

const fs::path& FileQueue::front() const {
  return *state_->places[state_->first].path;
}

void FileQueue::push(const fs::path& path) {
  State& state = *state_;
  const std::size_t at = (state.first + state.size++) % state.places.size();
  Place& place = state.places[at];
  place.path = &path;
  place.pending = kSteps;
  const auto file = static_cast<int>(at);

  // The ring has room for all that can be asked for, so that there is always an entry.
  io_uring_sqe* entry = ::io_uring_get_sqe(&state.ring);
  ::io_uring_prep_openat_direct(entry, AT_FDCWD, path.c_str(), O_RDONLY, 0, static_cast<unsigned>(at));
  entry->flags |= IOSQE_IO_LINK;
  entry->user_data = at * kSteps + kOpen;

  entry = ::io_uring_get_sqe(&state.ring);
  ::io_uring_prep_read(entry, file, place.bytes.data(), static_cast<unsigned>(place.bytes.size()), 0);
  // A file that is shorter than the place for it ends the chain, unless the link is a hard one.
  entry->flags |= IOSQE_FIXED_FILE | IOSQE_IO_HARDLINK;
  entry->user_data = at * kSteps + kRead;

  entry = ::io_uring_get_sqe(&state.ring);
  ::io_uring_prep_close_direct(entry, static_cast<unsigned>(at));
  entry->user_data = at * kSteps + kClose;
  ::io_uring_submit(&state.ring);
}

std::span<const std::byte> FileQueue::take() {
  State& state = *state_;
  Place& place = state.places[state.first];
  state.first = (state.first + 1) % state.places.size();
  --state.size;
  state.await(place);
  if (place.results[kOpen] < 0) throw failure("open", *place.path, -place.results[kOpen]);
  if (place.results[kRead] < 0) throw failure("read", *place.path, -place.results[kRead]);
  const auto bytes = static_cast<std::size_t>(place.results[kRead]);
  if (bytes < place.bytes.size()) return std::span(place.bytes).first(bytes);
  const File file = File::open(*place.path);
  const std::size_t all = file.size_bytes();
  if (place.bytes.size() <= all) place.bytes.resize(all + all / 4 + 1);
  file.read_exactly(0, std::span(place.bytes).first(all));
  return std::span(place.bytes).first(all);
}

}  // namespace loadline
