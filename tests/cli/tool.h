// The tool as a child process: its arguments, its world, what it prints and how it ends.
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

// The exit code of the child, before it becomes the tool, if it lacks the rights to make its world.
inline constexpr int kNoWorld = 125;

struct Outcome {
  int exit_code = -1;  // -1 when a signal ended it
  int signal = 0;      // the one that ended it; SIGKILL when it was silent for a minute
  std::string out;
  std::string err;
};

// What the tool finds around itself.
struct World {
  std::filesystem::path directory;
  std::map<std::string, std::string> environment;  // on top of the test's own
  std::string input;                               // on stdin; at most what a pipe holds
  std::vector<int> closed;                         // descriptors that are closed
  std::optional<std::size_t> most_file_bytes;      // RLIMIT_FSIZE
  std::map<int, std::size_t> limits;               // further RLIMIT_*, soft and hard
  std::vector<std::string> hidden;                 // directories that it finds empty
  std::vector<long> refused_calls;                 // numbers of system calls that fail with EPERM
  std::vector<std::string> unset;                  // variables of the test that it does not get
  std::string stdout_file;                         // in place of the pipe, such as /dev/full
  std::vector<std::filesystem::path> groups;       // directories of the control groups that it joins
  bool read_only = false;                          // the root file system is read-only
  bool nobody = false;                             // runs as an unprivileged user
  bool deaf_stdout = false;                        // nobody ever reads it
  bool small_stdout = false;                       // a pipe of one page
  std::optional<unsigned short> out_columns;       // stdout is a terminal of this width
  std::optional<unsigned short> err_columns;       // the same for stderr
  std::vector<int> ignored;                        // signals that it ignores, as under nohup
};

// A running tool. It is killed when it prints nothing for a minute, and at the latest by the destructor.
class Tool {
 public:
  Tool(const std::vector<std::string>& arguments, const World& world);
  Tool(const Tool&) = delete;
  Tool& operator=(const Tool&) = delete;
  ~Tool();

  // Returns true once stderr contains `text`, false when stderr ends without it. Does not read stdout.
  bool wait_until_err_says(std::string_view text);
  void send(int signal) const;
  // Sends the signal until the tool has ended. Reads nothing that it prints.
  void send_until_it_ends(int signal) const;
  // Reads all output and waits for the end. Fails the test if a document that the tool wrote to stdout, or to a file
  // below its directory, does not fit its schema.
  Outcome finish();

 private:
  // Waits for output on stderr and, with `stdout_too`, on stdout; returns false when no more can come.
  bool read_more(bool stdout_too);
  void expect_valid_documents() const;

  std::filesystem::path directory_;
  std::map<std::filesystem::path, FileStamp> before_;  // documents that existed before
  pid_t process_ = -1;
  int out_ = -1;
  int err_ = -1;
  Outcome outcome_;
};

inline Outcome run_tool(const std::vector<std::string>& arguments, const World& world) {
  return Tool(arguments, world).finish();
}

}  // namespace loadline::test
