// Event files on disk. They never replace an existing file.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "harness/show/tensorboard/event_files.h"
#include "loaders/storage/new_file.h"

namespace loadline {

// Throws Error if this build cannot write event files; it begins with `asked_by`, the option or verb that requests
// them.
void check_tensorboard(std::string_view asked_by);

// Writes all files below `directory`, which is created if missing. Throws Error if a file exists already or cannot be
// written; then none of them remains.
void write_event_files(const std::filesystem::path& directory, const std::vector<EventFile>& files);

// One file that grows during a training run.
class TrainingEvents {
 public:
  // Throws as write_event_files().
  TrainingEvents(const std::filesystem::path& directory, const EventFile& file);

  // After a failure writes nothing more, so the file ends with a whole record or within one; TensorBoard accepts
  // both.
  void append(const std::string& events) noexcept;
  // Throws Error naming the first failure.
  void finish();

 private:
  std::optional<NewFile> file_;
  std::optional<std::string> failure_;
};

}  // namespace loadline
