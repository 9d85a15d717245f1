#include "harness/cli/child.h"

#include <fmt/format.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "harness/cli/cli.h"
#include "harness/cli/verbs.h"
#include "loaders/error.h"

namespace loadline {
namespace {

constexpr const char* kIsChild = "LOADLINE_IS_CHILD";  // bench/batch/common.sh sets it too

// This process blocks signals for a thread of its own; the child must not inherit that.
class Attributes {
 public:
  Attributes() {
    ::posix_spawnattr_init(&attributes_);
    sigset_t none;
    ::sigemptyset(&none);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
  }
  Attributes(const Attributes&) = delete;
  Attributes& operator=(const Attributes&) = delete;
  ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }

  const posix_spawnattr_t* get() const { return &attributes_; }

 private:
  posix_spawnattr_t attributes_{};
};

std::vector<std::string>& words_of_this_program() {
  static std::vector<std::string> words{"/proc/self/exe"};
  return words;
}

}  // namespace

bool is_interrupted(int exit_code) {
  return exit_code == kExitSignal + SIGHUP || exit_code == kExitSignal + SIGINT || exit_code == kExitSignal + SIGTERM;
}

bool is_child_of_loadline() {
  return std::getenv(kIsChild) != nullptr;
}

void print_interruption(std::string_view sentence) {
  if (!is_child_of_loadline()) print_error(sentence);
}

std::vector<std::string> this_program() {
  return words_of_this_program();
}

void set_this_program(std::vector<std::string> words) {
  words_of_this_program() = std::move(words);
}

int run_child(const std::vector<std::string>& words, const std::stop_token& stop) {
  std::vector<std::string> copies = words;
  std::vector<char*> arguments;
  for (std::string& word : copies) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::string is_child = std::string(kIsChild) + "=1";
  std::vector<char*> environment;
  for (char** variable = environ; *variable != nullptr; ++variable) environment.push_back(*variable);
  environment.insert(environment.end(), {is_child.data(), nullptr});
  pid_t process = -1;
  const Attributes attributes;
  const int error =
      ::posix_spawnp(&process, arguments.front(), nullptr, attributes.get(), arguments.data(), environment.data());
  if (error != 0) throw Error(fmt::format("cannot run {}: {}", words.front(), std::strerror(error)));
  {
    const std::stop_callback end_it(stop, [process] { ::kill(process, SIGTERM); });
    // Does not reap it, so that its number cannot belong to another process when the callback sends a signal.
    siginfo_t ended{};
    while (::waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOWAIT) == -1 && errno == EINTR) {
    }
  }
  int status = 0;
  pid_t reaped = -1;
  do {
    reaped = ::waitpid(process, &status, 0);
  } while (reaped == -1 && errno == EINTR);
  if (reaped == -1) throw Error(fmt::format("cannot learn how {} ended: {}", words.front(), std::strerror(errno)));
  return WIFEXITED(status) ? WEXITSTATUS(status) : kExitSignal + WTERMSIG(status);
}

}  // namespace loadline
