// What loadline asks of MPI, behind functions of C. It is in a module of its own, loadline_mpi.so, which is loaded when
// a launcher has started several processes: the tool itself runs where there is no MPI.
#pragma once

#include <cstddef>

namespace loadline {

// No function throws, lets an exception through or blocks, but for start() and finish(). One thread at a time,
// whichever. Texts that say why something failed live until the next call.
struct MpiFunctions {
  static constexpr unsigned kVersion = 2;

  unsigned version;  // kVersion of the code that filled this in
  // Null, or why it cannot.
  const char* (*start)(std::size_t* rank, std::size_t* size);
  const char* (*library)();  // with its version
  // Copies the bytes.
  const char* (*send)(std::size_t to, const char* bytes, std::size_t count);
  // The next message that has come, whose bytes live until the next call; *bytes is null where there is none.
  const char* (*receive)(std::size_t* from, const char** bytes, std::size_t* count);
  // Starts to add up numbers over all ranks, in place (MPI_Iallreduce). The memory stays in use until they are done.
  const char* (*start_sum)(float* numbers, std::size_t count);
  // Whether all that were started are done; lets them go on.
  const char* (*sums_done)(bool* done);
  // Where sums are left behind it ends all processes instead.
  void (*finish)();
  void (*abort)(int code);
};

// The module's one symbol.
#if defined(__GNUC__)
#define LOADLINE_MPI_EXPORT __attribute__((visibility("default")))
#endif
extern "C" LOADLINE_MPI_EXPORT const MpiFunctions* loadline_mpi_functions();

}  // namespace loadline
