// The standard streams, which a shell, a scheduler or a full disk may have taken away.
#pragma once

#include <cstdio>
#include <string_view>

namespace loadline {

// Before anything else of the process: puts /dev/null where a standard stream is closed, so that no file of ours comes
// to stand in its place, and has a broken pipe or a file size limit reported as an error instead of ending the process.
void secure_streams();

// Never throws, and so never ends a measurement: what could not be written to stdout is for flush_stdout() to say, and
// for stderr there is nobody left to tell.
void put(std::FILE* stream, std::string_view text);

// Throws Error if anything put on stdout so far was lost.
void flush_stdout();

}  // namespace loadline
