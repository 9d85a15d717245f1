#include "harness/ranks/mpi.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "harness/machine/kernel_text.h"
#include "harness/ranks/mpi_module.h"
#include "loaders/error.h"
#include "loaders/system/environment.h"
#include "loaders/system/module.h"

namespace loadline {
namespace {

struct LauncherVariables {
  const char* launcher;
  const char* size;
  const char* rank;
  const char* sign;  // required variable; null: none
};

// The most specific first: mpirun in a step of srun is mpirun. A script that sbatch runs has SLURM_NTASKS, but is not
// a task of a step.
constexpr std::array kLaunchers{
    LauncherVariables{"mpirun", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", nullptr},
    LauncherVariables{"mpirun", "PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS"},
    LauncherVariables{"srun", "SLURM_STEP_NUM_TASKS", "SLURM_PROCID", nullptr},
    LauncherVariables{"mpiexec", "PMI_SIZE", "PMI_RANK", nullptr},
};

std::string no_process_manager(const std::string& started) {
  return fmt::format(
      "{} but gave MPI no way to connect them: start them with srun --mpi=pmix or another type that srun --mpi=list "
      "shows, or with mpirun inside salloc or sbatch",
      started);
}

void check_mpi(const char* why) {
  if (why != nullptr) throw Error(why);
}

const MpiFunctions& loaded_mpi() {
  const auto functions = reinterpret_cast<decltype(&loadline_mpi_functions)>(
      load_module("loadline_mpi.so", "loadline_mpi_functions", "connects ranks by MPI"));
  const MpiFunctions* const mpi = functions();
  if (mpi->version != MpiFunctions::kVersion) {
    throw Error("cannot use loadline_mpi.so: it belongs to another version of loadline");
  }
  return *mpi;
}

class MpiMessages final : public Messages {
 public:
  explicit MpiMessages(const MpiFunctions& mpi) : mpi_(mpi) { check_mpi(mpi_.start(&rank_, &size_)); }

  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return size_; }
  std::string description() const override { return mpi_.library(); }
  void send(std::size_t to, std::string bytes) override { check_mpi(mpi_.send(to, bytes.data(), bytes.size())); }
  std::optional<Message> receive() override {
    Message message;
    const char* bytes = nullptr;
    std::size_t count = 0;
    check_mpi(mpi_.receive(&message.from, &bytes, &count));
    if (bytes == nullptr) return std::nullopt;
    message.bytes.assign(bytes, count);
    return message;
  }
  void start_sum(std::span<float> numbers) override { check_mpi(mpi_.start_sum(numbers.data(), numbers.size())); }
  bool sums_done() override {
    bool done = false;
    check_mpi(mpi_.sums_done(&done));
    return done;
  }
  void finish() override { mpi_.finish(); }
  void abort(int code) override { mpi_.abort(code); }

 private:
  const MpiFunctions& mpi_;
  std::size_t rank_ = 0;
  std::size_t size_ = 1;
};

}  // namespace

std::optional<Launch> launch_from(const Variables& variables) {
  const auto number = [&](const char* name) { return parse_whole(variables(name).value_or("")); };
  for (const LauncherVariables& known : kLaunchers) {
    const auto size = number(known.size);
    if (!size || (known.sign != nullptr && !variables(known.sign))) continue;
    if (*size < 2) return std::nullopt;
    return Launch{.launcher = known.launcher, .rank = number(known.rank).value_or(0), .size = *size};
  }
  return std::nullopt;
}

// Of PMIx, and of PMI-1 and PMI-2.
bool has_process_manager(const Variables& variables) {
  return variables("PMIX_NAMESPACE") || variables("PMI_FD") || variables("PMI_SIZE");
}

std::optional<Launch> this_launch() {
  return launch_from(variable);
}

std::string why_no_mpi() {
#ifdef LOADLINE_HAVE_MPI
  return "";
#else
  return "built without MPI; install libopenmpi-dev (Debian), openmpi-devel (Fedora) or openmpi (conda, Spack) and "
         "configure again";
#endif
}

std::string mpi_library() {
  return loaded_mpi().library();
}

bool refuses_root(std::string_view library, bool is_root, const Variables& variables) {
  const bool allowed = variables("OMPI_ALLOW_RUN_AS_ROOT") == "1" && variables("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM") == "1";
  return is_root && library.starts_with("Open MPI") && !allowed;
}

bool mpirun_refuses_user() {
  return refuses_root(mpi_library(), ::geteuid() == 0, variable);
}

void require_mpi() {
  if (const std::string why = why_no_mpi(); !why.empty()) {
    throw Error(fmt::format("cannot join ranks into one run: {}", why));
  }
  loaded_mpi();
}

std::unique_ptr<Messages> start_mpi(const Launch& launch) {
  const std::string started = fmt::format("{} started {} processes", launch.launcher, launch.size);
  if (const std::string why = why_no_mpi(); !why.empty()) {
    throw Error(fmt::format(
        "{}, but this loadline cannot join them into one run: {}, or give each its share with --rank and --world-size",
        started, why));
  }
  if (launch.launcher == "srun" && !has_process_manager(variable)) throw Error(no_process_manager(started));
  auto messages = std::make_unique<MpiMessages>(loaded_mpi());
  if (messages->size() == launch.size) return messages;
  const std::string found = fmt::format("{} sees {}", messages->description(), messages->size());
  messages->finish();
  throw Error(fmt::format("{}, but {}: {}", started, found,
                          launch.launcher == "srun"
                              ? "start them with srun --mpi=pmix"
                              : "start them with the mpirun of the MPI that loadline was built with"));
}

}  // namespace loadline
