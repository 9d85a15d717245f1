// The standard streams, which a shell, a scheduler or a full disk may have taken away.
#pragma once

#include <cstdio>
#include <string_view>

namespace loadline {

// Before anything else of the process. Puts /dev/null where a standard stream is closed, so that no file of ours comes
// to stand in its place; that of stdout takes no writes, by which it is told from one that the user chose. Has a broken
// pipe or a file size limit reported as an error instead of ending the process. Silences std::cerr, which only
// libraries use.
void secure_streams();

// Never throws, and so never ends a measurement: what could not be written to stdout is for flush_stdout() to say, and
// if stderr fails, no channel remains to report it.
void put(std::FILE* stream, std::string_view text);

// Throws Error if stdout was closed when the process began. Call it before writing a document there.
void check_stdout();

// Throws Error if anything put on stdout so far was lost. Text for people may be: where stdout was closed, nobody waits
// for it.
void flush_stdout();

}  // namespace loadline
