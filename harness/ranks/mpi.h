// Ranks started by an MPI launcher: mpirun, mpiexec, srun.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "harness/machine/job.h"
#include "harness/ranks/messages.h"

namespace loadline {

// What the launcher tells each process that it starts.
struct Launch {
  std::string launcher;  // "mpirun", "srun"
  std::size_t rank = 0;
  std::size_t size = 1;
};

// Reads the variables of Open MPI, of MPICH and others with its process manager interface (PMI), and of srun(1) in a
// step of several tasks. nullopt unless several processes were started.
std::optional<Launch> launch_from(const Variables& variables);

// Whether srun has provided PMI or PMIx, by which MPI finds the other processes. Without it, each MPI process sees
// only itself or ends with MPI's own error.
bool has_process_manager(const Variables& variables);
// launch_from() for this process's environment.
std::optional<Launch> this_launch();

// Why this build has no MPI, and how to get it; empty if it has MPI. Loads nothing.
std::string why_no_mpi();

// Loads the module and returns which MPI it is, with its version. Throws Error if it cannot be loaded.
std::string mpi_library();

// Whether mpirun of this MPI starts nothing for this user: that of Open MPI refuses root unless two variables allow it.
// `library`: as mpi_library() returns it.
bool refuses_root(std::string_view library, bool is_root, const Variables& variables);
// The same for this process. Loads the module; throws Error if it cannot be loaded.
bool mpirun_refuses_user();
inline constexpr std::string_view kRootRemedy =
    "set OMPI_ALLOW_RUN_AS_ROOT=1 and OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1, or use another user";

// Loads the module. Throws Error if several ranks cannot be joined into one run: without MPI, saying how to get it, or
// if the module cannot be loaded.
void require_mpi();

// Loads the module and starts MPI; call it at most once per process. Throws Error without MPI, saying how to get it,
// and if the launcher belongs to another MPI, so that each process sees only itself.
std::unique_ptr<Messages> start_mpi(const Launch& launch);

}  // namespace loadline
