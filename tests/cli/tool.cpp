#include "tests/cli/tool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "tests/loaders/support/files.h"
#include "tests/support/schema.h"
#include "tests/support/this_build.h"

namespace loadline::test {
namespace {

constexpr int kMostMilliseconds = 180'000;

struct Pipe {
  int read = -1;
  int write = -1;
};

Pipe make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("cannot make a pipe for the test");
  return {ends[0], ends[1]};
}

// Output processing is off: the reader gets the bytes as they were written.
Pipe make_terminal(unsigned short columns) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  std::array<char, 64> name{};
  if (master < 0 || ::grantpt(master) != 0 || ::unlockpt(master) != 0 ||
      ::ptsname_r(master, name.data(), name.size()) != 0) {
    throw std::runtime_error("cannot make a terminal for the test");
  }
  const int end = ::open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios settings{};
  const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
  if (end < 0 || ::tcgetattr(end, &settings) != 0) throw std::runtime_error("cannot make a terminal for the test");
  settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);
  ::tcsetattr(end, TCSANOW, &settings);
  ::ioctl(end, TIOCSWINSZ, &size);
  return {master, end};
}

void close_one(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

constexpr unsigned kNobody = 65534;

// Hides them from this process and its children only.
void hide(const std::vector<std::string>& directories, bool read_only) {
  if (directories.empty() && !read_only) return;
  if (::unshare(CLONE_NEWNS) != 0 || ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) {
    ::_exit(kNoWorld);
  }
  for (const std::string& directory : directories) {
    if (::mount("none", directory.c_str(), "tmpfs", MS_RDONLY, nullptr) != 0) ::_exit(kNoWorld);
  }
  if (read_only && ::mount(nullptr, "/", nullptr, MS_REMOUNT | MS_BIND | MS_RDONLY, nullptr) != 0) ::_exit(kNoWorld);
}

// Makes these system calls of this process and its children fail with EPERM.
void refuse(const std::vector<long>& calls) {
  if (calls.empty()) return;
  std::vector<sock_filter> program{BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const long call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog filter{static_cast<unsigned short>(program.size()), program.data()};
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) {
    ::_exit(kNoWorld);
  }
}

[[noreturn]] void become_tool(const std::vector<char*>& arguments, const std::vector<char*>& environment,
                              const World& world, int in, int out, int err) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  for (const int descriptor : world.closed) ::close(descriptor);
  if (!world.stdout_file.empty()) {
    const int file = ::open(world.stdout_file.c_str(), O_WRONLY);
    if (file < 0 || ::dup2(file, STDOUT_FILENO) < 0) ::_exit(kNoWorld);
    ::close(file);
  }
  for (const std::filesystem::path& group : world.groups) {
    const int processes = ::open((group / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC);
    if (processes < 0 || ::write(processes, "0", 1) != 1) ::_exit(kNoWorld);
  }
  // As from a terminal: tests that a script runs in the background would have them ignored.
  for (const int signal : {SIGPIPE, SIGHUP, SIGINT, SIGQUIT, SIGTERM}) ::signal(signal, SIG_DFL);
  for (const int signal : world.ignored) ::signal(signal, SIG_IGN);
  // SIGQUIT should end the tool, not fill the disk with a core dump.
  const rlimit no_core{0, 0};
  ::setrlimit(RLIMIT_CORE, &no_core);
  hide(world.hidden, world.read_only);
  if (world.most_file_bytes) {
    const rlimit limit{*world.most_file_bytes, *world.most_file_bytes};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  for (const auto& [resource, most] : world.limits) {
    const rlimit limit{most, most};
    if (::setrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0) ::_exit(kNoWorld);
  }
  if (world.nobody && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(kNoWorld);
  refuse(world.refused_calls);
  if (!world.directory.empty() && ::chdir(world.directory.c_str()) != 0) ::_exit(126);
  ::execve(kTool, arguments.data(), environment.data());
  ::_exit(127);
}

// As exec needs them: borrowed, with a null at the end.
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
    const std::string name = variable.substr(0, variable.find('='));
    // The terminal that runs the tests does not set their width.
    const bool unset = name == "COLUMNS" || std::ranges::find(world.unset, name) != world.unset.end();
    if (!unset && !world.environment.contains(name)) variables.push_back(variable);
  }
  for (const auto& [name, value] : world.environment) variables.push_back(fmt::format("{}={}", name, value));
  return variables;
}

// The JSON files below `directory`, each with a stamp that changes when it is rewritten. Symbolic links are left out.
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
  Pipe out = world.out_columns ? make_terminal(*world.out_columns) : make_pipe();
  Pipe err = world.err_columns ? make_terminal(*world.err_columns) : make_pipe();
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

void Tool::send_until_it_ends(int signal) const {
  for (siginfo_t ended{}; ended.si_pid == 0;) {
    send(signal);
    ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(process_), &ended, WEXITED | WNOHANG | WNOWAIT), 0);
    std::this_thread::yield();
  }
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
