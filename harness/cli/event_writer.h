// Event files on disk. They never take the place of what is there.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/show/tensorboard/event_files.h"
#include "loaders/storage/new_file.h"

namespace loadline {

// Throws Error beginning with the option or the verb that asks for event files, where this build cannot write them.
void check_tensorboard(std::string_view asked_by);

// All of them, below `directory`, which is made where it is not there. Throws Error where one cannot be written or is
// there already; then none is left.
void write_event_files(const std::filesystem::path& directory, const std::vector<EventFile>& files);

// One file that grows while a training goes on.
class TrainingEvents {
 public:
  // Throws as write_event_files().
  TrainingEvents(const std::filesystem::path& directory, const EventFile& file);

  // After a failure nothing more is written, so that the file ends with a whole record or in the middle of one, as
  // TensorBoard allows.
  void append(const std::string& events) noexcept;
  // Throws Error saying what failed first.
  void finish();

 private:
  std::optional<NewFile> file_;
  std::optional<std::string> failure_;
};

}  // namespace loadline
