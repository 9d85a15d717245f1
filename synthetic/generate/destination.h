// Where a generated dataset goes.
#pragma once

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {

// `path` as an absolute path without links or a trailing slash, so that a final rename replaces the file or directory
// itself. Throws usage Error if the name is empty, and Error if the system cannot follow it, "cannot <operation> ...".
std::filesystem::path resolved_destination(std::string_view operation, const std::filesystem::path& path);

// Whether something is at `path`, after links, that no dataset may replace: anything but an empty directory.
bool is_taken(const std::filesystem::path& path);

// The names of files below `directory`, and of empty directories there; empty when it is empty or missing. Throws Error
// like something_else() if it is no directory, and if the system cannot list it.
std::set<std::string> names_below(const std::filesystem::path& directory);

// Why no dataset can be made in `directory`: it holds something else. `what` says how it differs: "without train.npz".
Error something_else(const std::filesystem::path& directory, std::string_view what);

// Commits what goes to `path`. False, with nothing changed, if something has appeared there in the meantime: another
// process makes the same data at the same time. Throws Error like commit().
bool commit_unless_taken(AtomicDirectory& made, const std::filesystem::path& path);
bool commit_unless_taken(AtomicFile& made, const std::filesystem::path& path);

// Calls `write`, which writes below `temporary`. Passes on its Errors, and those of the file system as Error, with
// `shown` in place of `temporary`, so that they name the place that the user gave.
void write_for(const std::filesystem::path& shown, const std::filesystem::path& temporary,
               const std::function<void()>& write);

// The same for data that is only a step towards what the user gets. Its files will not be at `shown`, so whatever lies
// below `temporary` is called `shown` itself.
void make_for(const std::filesystem::path& shown, const std::filesystem::path& temporary,
              const std::function<void()>& make);

// The missing directories above a path: made on demand, taken away again unless kept. One thread.
class Parents {
 public:
  // `shown`: `path` as the user gave it, for messages.
  Parents(const std::filesystem::path& path, std::filesystem::path shown);
  Parents(const Parents&) = delete;
  Parents& operator=(const Parents&) = delete;
  ~Parents();

  // Throws Error naming the directory that cannot be created.
  void make();
  void keep() { kept_ = true; }

 private:
  struct Missing {
    std::filesystem::path path;
    std::filesystem::path shown;
  };

  std::vector<Missing> missing_;  // the deepest first
  bool kept_ = false;
};

}  // namespace loadline
