#include "loaders/storage/staged_place.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <vector>

#include "loaders/error.h"
#include "loaders/storage/directory.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

// The name of every incomplete copy, up to the number of its process.
std::string mark_of_unfinished(const fs::path& place) {
  return fmt::format(".{}.{}.", place.filename().string(), host_mark());
}

// Whether the name begins with "<process>-" and that process has ended or is this one.
bool is_of_ended_process(std::string_view name) {
  pid_t process = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), process);
  if (error != std::errc() || end == name.data() + name.size() || *end != '-' || process <= 0) return false;
  return process == ::getpid() || (::kill(process, 0) != 0 && errno == ESRCH);
}

}  // namespace

std::string host_mark() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "host";
  std::string mark = name.data();
  std::ranges::replace(mark, '/', '_');
  return mark;
}

void remove_leftovers(const fs::path& place) {
  const std::string begin = mark_of_unfinished(place);
  std::vector<fs::path> left;
  for_each_entry(place.parent_path(), [&](std::string_view name, EntryKind kind) {
    if (kind == EntryKind::kDirectory && name.starts_with(begin) && is_of_ended_process(name.substr(begin.size())))
      left.push_back(place.parent_path() / name);
  });
  for (const fs::path& one : left) fs::remove_all(one);
}

std::optional<fs::path> set_aside(const fs::path& place, const HeldFile& stale) {
  if (!stale.is_at(place / kCopyNote)) return std::nullopt;
  fs::path aside = place.parent_path() / fmt::format("{}{}-old", mark_of_unfinished(place), ::getpid());
  fs::rename(place, aside);
  return aside;
}

void commit_copy(AtomicDirectory& fresh, const fs::path& place, const HeldFile* stale,
                 const std::function<bool()>& is_there) {
  if (is_there()) return;
  const auto old = stale == nullptr ? std::nullopt : set_aside(place, *stale);
  try {
    fresh.commit();
  } catch (const Error&) {
    // A directory that has left its temporary name is committed; only its sync failed.
    if (fresh.temporary().empty() || !is_there()) throw;
  }
  if (old) fs::remove_all(*old);
}

}  // namespace loadline
