// The MPI functions that loadline needs, as C functions. They are in their own module, loadline_mpi.so, which is
// loaded only when a launcher has started several processes, so the tool runs without MPI.
#pragma once

#include <cstddef>

namespace loadline {

// No function throws. None blocks, except start() and finish(). One thread at a time, any thread. Functions that
// return a text return null on success, or the reason of a failure, valid until the next call.
struct MpiFunctions {
  static constexpr unsigned kVersion = 2;

  unsigned version;  // kVersion of the code that filled this in
  // Starts MPI and returns this process's rank and the number of ranks.
  const char* (*start)(std::size_t* rank, std::size_t* size);
  const char* (*library)();  // the name and version, or why it fails
  // Copies the bytes.
  const char* (*send)(std::size_t to, const char* bytes, std::size_t count);
  // The next message that has arrived. Its bytes live until the next call; *bytes is null if there is none.
  const char* (*receive)(std::size_t* from, const char** bytes, std::size_t* count);
  // Starts summing numbers over all ranks, in place (MPI_Iallreduce). The memory stays in use until all sums are
  // done.
  const char* (*start_sum)(float* numbers, std::size_t count);
  // Whether all started sums are done; also makes progress on them.
  const char* (*sums_done)(bool* done);
  // Ends MPI; if sums are still unfinished, ends all processes instead.
  void (*finish)();
  void (*abort)(int code);
};

// The module's only symbol.
#if defined(__GNUC__)
#define LOADLINE_MPI_EXPORT __attribute__((visibility("default")))
#endif
extern "C" LOADLINE_MPI_EXPORT const MpiFunctions* loadline_mpi_functions();

}  // namespace loadline
