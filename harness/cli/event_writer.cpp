#include "harness/cli/event_writer.h"

#include <fmt/format.h>

#include <exception>
#include <ranges>
#include <system_error>
#include <utility>

#include "harness/show/tensorboard/events.h"
#include "loaders/error.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// Directories that this run created; the destructor removes those that are empty unless keep() was called.
class MadeDirectories {
 public:
  MadeDirectories() = default;
  MadeDirectories(const MadeDirectories&) = delete;
  MadeDirectories& operator=(const MadeDirectories&) = delete;
  ~MadeDirectories() {
    std::error_code code;
    for (const fs::path& directory : std::views::reverse(made_)) fs::remove(directory, code);
  }

  // With all above it.
  void make(const fs::path& directory) {
    fs::path part;
    for (const fs::path& name : directory) {
      part /= name;
      std::error_code code;
      if (fs::create_directory(part, code)) made_.push_back(part);
      if (code) throw Error(fmt::format("cannot make the directory {}: {}", part.string(), code.message()));
    }
  }
  void keep() { made_.clear(); }

 private:
  std::vector<fs::path> made_;
};

}  // namespace

void check_tensorboard(std::string_view asked_by) {
  if (!why_no_tensorboard().empty()) throw usage_error(fmt::format("{}: {}", asked_by, why_no_tensorboard()));
}

void write_event_files(const fs::path& directory, const std::vector<EventFile>& files) {
  MadeDirectories directories;
  std::vector<NewFile> written;
  for (const EventFile& file : files) {
    const fs::path path = directory / file.path;
    directories.make(path.parent_path());
    NewFile& made = written.emplace_back(path);
    made.append(file.events);
    made.close();
  }
  for (NewFile& file : written) file.keep();
  directories.keep();
}

TrainingEvents::TrainingEvents(const fs::path& directory, const EventFile& file) {
  MadeDirectories directories;
  const fs::path path = directory / file.path;
  directories.make(path.parent_path());
  file_.emplace(path);
  file_->append(file.events);
  file_->keep();
  directories.keep();
}

void TrainingEvents::append(const std::string& events) noexcept {
  if (failure_) return;
  try {
    file_->append(events);
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
}

void TrainingEvents::finish() {
  if (failure_) throw Error(*failure_);
  file_->close();
}

}  // namespace loadline
