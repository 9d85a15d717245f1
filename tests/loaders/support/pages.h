// Which pages of a file came to the page cache, or are on their way there.
#pragma once

#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>

#include "loaders/storage/mapping.h"
#include "loaders/storage/scattered_reads.h"

namespace loadline::test {

// How many pages of the file need no request to storage when they are touched: the page cache holds them, or somebody
// has asked for them. Touches all, and so waits for these and reads the others. (mincore() does not count those that
// are on their way.)
inline std::size_t pages_asked_for(const std::filesystem::path& path) {
  const MappedFile file(path);
  const ScatteredReads alone(file.bytes());  // or the first fault would bring the neighbours
  const auto major_faults = [] {
    rusage used{};
    ::getrusage(RUSAGE_THREAD, &used);
    return used.ru_majflt;
  };
  std::size_t pages = 0;
  for (std::size_t at = 0; at < file.bytes().size(); at += static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
    const long before = major_faults();
    static_cast<void>(*static_cast<const volatile std::byte*>(file.bytes().data() + at));
    if (major_faults() == before) ++pages;
  }
  return pages;
}

}  // namespace loadline::test
