// Ranks that a launcher of MPI has started: mpirun, mpiexec, srun.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "harness/machine/job.h"
#include "harness/ranks/messages.h"

namespace loadline {

// What the launcher says to each process that it starts.
struct Launch {
  std::string launcher;  // "mpirun", "srun"
  std::size_t rank = 0;
  std::size_t size = 1;
};

// From the variables of Open MPI, of MPICH and others by their process managers' interfaces (PMI, PMIx), and of srun(1)
// in a step of several tasks. Absent unless several processes were started.
std::optional<Launch> launch_from(const Variables& variables);

// Whether a step of srun has what MPI finds the other processes by: PMI or PMIx. Without it an MPI sees one process
// each, or ends them with words of its own.
bool has_process_manager(const Variables& variables);
// What launch_from() says of this process's environment.
std::optional<Launch> this_launch();

// Why this build has no MPI, and how to get it; empty where it has. Loads nothing.
std::string why_no_mpi();

// Loads the module, and says which MPI it is, with its version. Throws Error where there is none.
std::string mpi_library();

// Loads the module and starts MPI, for good: once in a process. Throws Error where there is no MPI, saying how to get
// it, and where the launcher has started these processes for another one, so that each is alone.
std::unique_ptr<Messages> start_mpi(const Launch& launch);

}  // namespace loadline
