// The standard streams. A shell may have closed them, and writing to them may fail.
#pragma once

#include <cstdio>
#include <string_view>

namespace loadline {

// Call this first in the process. Opens /dev/null in place of a closed standard stream, so that none of our files
// gets its number; for stdout it is opened read-only, which distinguishes it from a /dev/null that the user chose.
// Makes a broken pipe or a file size limit an error instead of the end of the process. Silences std::cerr, which only
// libraries use.
void secure_streams();

// Never throws, so it never ends a measurement. flush_stdout() reports what stdout could not take; if stderr fails,
// no channel remains to report it.
void put(std::FILE* stream, std::string_view text);
// Writes at once what put() has kept so far. Never throws either.
void flush(std::FILE* stream);

// Throws Error if stdout was closed when the process started. Call it before work whose outcome goes only there.
void check_stdout();

// False if nobody reads the pipe that stdout is to its end, as before `head`, although check_stdout() was called.
// Throws Error if anything written to stdout so far was lost otherwise. Without check_stdout() before, the outcome is
// in a file: then text may be lost where stdout was closed from the start, or nobody reads its pipe to the end.
bool flush_stdout();

}  // namespace loadline
