#include "loaders/storage/file_contents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <new>
#include <utility>

#include "loaders/error.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

constexpr std::size_t kMostContentsBytes = std::size_t{4} << 20;
constexpr std::size_t kContentsLineBytes = 64;

// Passing answers are no failures: the file is then read on.
void check_answer(std::string_view operation, std::string_view path, int answer) {
  if (answer >= 0 || is_passing(answer) || answer == -ECANCELED) return;
  throw Error(fmt::format("cannot {} {}: {}", operation, path, std::strerror(-answer)));
}

}  // namespace

std::size_t contents_bytes(std::size_t file_bytes) {
  const std::size_t wanted = std::min(file_bytes, kMostContentsBytes - 1) + 1;
  return (wanted + kContentsLineBytes - 1) / kContentsLineBytes * kContentsLineBytes;
}

std::unique_ptr<std::byte[]> contents_memory(std::size_t bytes) {
  try {
    return std::make_unique_for_overwrite<std::byte[]>(bytes);
  } catch (const std::bad_alloc&) {
    throw Error(fmt::format("cannot allocate {} bytes to read files into", bytes));
  }
}

void keep_for_good(std::unique_ptr<std::byte[]> memory) {
  static std::mutex mutex;
  static auto& kept = *new std::vector<std::unique_ptr<std::byte[]>>();  // never freed, but reachable for leak
                                                                         // checkers
  const std::lock_guard lock(mutex);
  kept.push_back(std::move(memory));
}

bool is_passing(int answer) {
  return answer == -EINTR || answer == -EAGAIN || answer == -EBUSY;
}

std::span<const std::byte> file_contents(const FileAnswers& answers, std::span<std::byte> memory,
                                         std::vector<std::byte>& long_one) {
  check_answer("open", answers.path, answers.opened);
  // A file that was not opened has no answer for its read.
  if (answers.opened >= 0) check_answer("read", answers.path, answers.read);
  const std::size_t known = answers.opened < 0 || answers.read < 0 ? 0 : static_cast<std::size_t>(answers.read);
  if (known == answers.expected_bytes && known < memory.size()) return memory.first(known);
  const File file = File::open(answers.path);
  const std::size_t bytes = file.size_bytes();
  const std::size_t begun = std::min({known, memory.size(), bytes});
  std::span<std::byte> all = memory;
  if (bytes > all.size()) {
    long_one.resize(bytes);
    std::ranges::copy(memory.first(begun), long_one.begin());
    all = long_one;
  }
  file.read_exactly(begun, all.subspan(begun, bytes - begun));
  return all.first(bytes);
}

}  // namespace loadline
