#include "tests/cli/tool.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "test_paths.h"
#include "tests/loaders/support/files.h"
#include "tests/support/schema.h"

namespace loadline::test {
namespace {

constexpr int kMostMilliseconds = 60'000;

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe for the test");
  return {ends[0], ends[1]};
}

void close_one(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

[[noreturn]] void become_tool(const std::vector<char*>& arguments, const std::vector<char*>& environment,
                              const World& world, int in, int out, int err) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  for (const int descriptor : world.closed) ::close(descriptor);
  ::signal(SIGPIPE, SIG_DFL);
  if (world.most_file_bytes) {
    const rlimit limit{*world.most_file_bytes, *world.most_file_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  if (!world.directory.empty() && ::chdir(world.directory.c_str()) != 0) ::_exit(126);
  ::execve(kTool, arguments.data(), environment.data());
  ::_exit(127);
}

// As exec wants them: borrowed, with a null at the end.
std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> environment_of(const World& world) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string variable(*entry);
    if (!world.environment.contains(variable.substr(0, variable.find('=')))) variables.push_back(variable);
  }
  for (const auto& [name, value] : world.environment) variables.push_back(name + "=" + value);
  return variables;
}

// With what tells one version of them from the next. Not those that are linked to.
std::map<std::filesystem::path, FileStamp> documents_in(const std::filesystem::path& directory) {
  std::map<std::filesystem::path, FileStamp> found;
  std::error_code code;
  for (auto entry = std::filesystem::recursive_directory_iterator(directory, code);
       entry != std::filesystem::recursive_directory_iterator(); entry.increment(code)) {
    if (entry->path().extension() != ".json" || entry->is_symlink(code)) continue;
    if (const auto stamp = stamp_of(entry->path())) found[entry->path()] = *stamp;
  }
  return found;
}

}  // namespace

Tool::Tool(const std::vector<std::string>& arguments, const World& world)
    : directory_(world.directory), before_(documents_in(directory_)) {
  std::vector<std::string> words{"loadline"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<std::string> variables = environment_of(world);
  const auto argv = pointers_to(words);
  const auto envp = pointers_to(variables);
  Pipe in = make_pipe();
  Pipe out = make_pipe();
  Pipe err = make_pipe();
  if (world.small_stdout) ::fcntl(out.read, F_SETPIPE_SZ, 4096);
  if (world.deaf_stdout) close_one(out.read);
  process_ = ::fork();
  if (process_ == 0) become_tool(argv, envp, world, in.read, out.write, err.write);
  close_one(in.read);
  close_one(out.write);
  close_one(err.write);
  out_ = out.read;
  err_ = err.read;
  const bool fed =
      ::write(in.write, world.input.data(), world.input.size()) == static_cast<ssize_t>(world.input.size());
  close_one(in.write);
  if (process_ < 0 || !fed) throw std::runtime_error("cannot start the tool");
}

Tool::~Tool() {
  close_one(out_);
  close_one(err_);
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

bool Tool::read_more(bool stdout_too) {
  std::array<pollfd, 2> streams{pollfd{err_, POLLIN, 0}, pollfd{stdout_too ? out_ : -1, POLLIN, 0}};
  if (streams[0].fd < 0 && streams[1].fd < 0) return false;
  if (::poll(streams.data(), streams.size(), kMostMilliseconds) <= 0) {
    ::kill(process_, SIGKILL);
    return false;
  }
  for (const pollfd& stream : streams) {
    if (stream.revents == 0) continue;
    std::array<char, 65536> buffer;
    const ssize_t got = ::read(stream.fd, buffer.data(), buffer.size());
    const bool is_err = stream.fd == err_;
    if (got > 0) {
      (is_err ? outcome_.err : outcome_.out).append(buffer.data(), static_cast<std::size_t>(got));
    } else {
      close_one(is_err ? err_ : out_);
    }
  }
  return true;
}

bool Tool::wait_until_err_says(std::string_view text) {
  while (outcome_.err.find(text) == std::string::npos) {
    if (!read_more(false)) return false;
  }
  return true;
}

void Tool::send(int signal) const {
  ::kill(process_, signal);
}

void Tool::expect_valid_documents() const {
  expect_valid_result(outcome_.out, "stdout");
  for (const auto& [path, stamp] : documents_in(directory_)) {
    const auto known = before_.find(path);
    if (known == before_.end() || known->second != stamp) expect_valid_result(bytes_of(path), path.filename());
  }
}

Outcome Tool::finish() {
  while (read_more(true)) {
  }
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  expect_valid_documents();
  if (WIFEXITED(status)) outcome_.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome_.signal = WTERMSIG(status);
  return outcome_;
}

}  // namespace loadline::test
