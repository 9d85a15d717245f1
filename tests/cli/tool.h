// The tool as a child process: its arguments, its world, what it says and how it ends.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "loaders/storage/file_stamp.h"

namespace loadline::test {

// Ends the tool with this code before it is one where its world cannot be made, for want of rights.
inline constexpr int kNoWorld = 125;

struct Outcome {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;      // that ended it; SIGKILL when it ran past the time limit
  std::string out;
  std::string err;
};

// What the tool finds around itself.
struct World {
  std::filesystem::path directory;
  std::map<std::string, std::string> environment;  // on top of the test's own
  std::string input;                               // on stdin, at most what a pipe holds
  std::vector<int> closed;                         // descriptors that are not there
  std::optional<std::size_t> most_file_bytes;      // RLIMIT_FSIZE
  std::map<int, std::size_t> limits;               // further RLIMIT_*, soft and hard
  std::vector<std::string> hidden;                 // directories that are empty for it
  std::vector<long> refused_calls;                 // numbers of system calls that fail with EPERM
  std::vector<std::string> unset;                  // variables of the test's own that it does not have
  std::string stdout_file;                         // in place of the pipe, such as /dev/full
  std::vector<std::filesystem::path> groups;       // directories of control groups that it is put into
  bool read_only = false;                          // the file system that holds the root
  bool nobody = false;                             // runs as a user without rights
  bool deaf_stdout = false;                        // nobody will ever read it
  bool small_stdout = false;                       // a pipe of one page
  std::optional<unsigned short> out_columns;       // stdout is a terminal that is so wide
  std::optional<unsigned short> err_columns;       // the same of stderr
  std::vector<int> ignored;                        // signals, as nohup leaves them
};

// A running tool. Killed when it runs past a minute, and at the latest by the destructor.
class Tool {
 public:
  Tool(const std::vector<std::string>& arguments, const World& world);
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;
  ~Tool();

  // Returns once stderr has said `text`; false when it ended without. Leaves stdout unread.
  bool wait_until_err_says(std::string_view text);
  void send(int signal) const;
  // Reads all that comes and waits for the end. Fails the test where a result or a comparison that the tool wrote to a
  // file below its directory, or to stdout, does not fit its schema.
  Outcome finish();

 private:
  // Waits for more on stderr and, if asked, stdout; false when neither has any to come.
  bool read_more(bool stdout_too);
  void expect_valid_documents() const;

  std::filesystem::path directory_;
  std::map<std::filesystem::path, FileStamp> before_;  // documents that were there
  pid_t process_ = -1;
  int out_ = -1;
  int err_ = -1;
  Outcome outcome_;
};

inline Outcome run_tool(const std::vector<std::string>& arguments, const World& world) {
  return Tool(arguments, world).finish();
}

}  // namespace loadline::test
