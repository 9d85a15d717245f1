// Where a generated dataset goes.
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

namespace loadline {

// `directory` as an absolute path without links or a trailing slash, so that a final rename replaces the directory
// itself. Throws usage Error if the name is empty, and Error if the system cannot follow it.
std::filesystem::path resolved_destination(const std::filesystem::path& directory);

// Whether something is at `path`, after links, that no dataset may replace: anything but an empty directory.
bool is_taken(const std::filesystem::path& path);

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
  // `path` is absolute.
  explicit Parents(const std::filesystem::path& path);
  Parents(const Parents&) = delete;
  Parents& operator=(const Parents&) = delete;
  ~Parents();

  // Throws Error naming the directory that cannot be created.
  void make();
  void keep() { kept_ = true; }

 private:
  std::vector<std::filesystem::path> missing_;  // the deepest first
  bool kept_ = false;
};

}  // namespace loadline
