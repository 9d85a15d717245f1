#include "harness/cli/result_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <system_error>
#include <vector>

#include "harness/cli/streams.h"
#include "harness/file/result_json.h"
#include "harness/judge/phrase.h"
#include "harness/show/columns.h"
#include "loaders/error.h"
#include "loaders/foreign_call.h"
#include "loaders/listed.h"
#include "loaders/printable.h"
#include "loaders/storage/file.h"

namespace loadline {
namespace {

std::atomic<const char*> words_of_saved{""};
std::atomic<bool> results_temporary{false};

void note_saved(const std::string& path) {
  static std::mutex mutex;
  static auto& paths = *new std::vector<std::string>();
  const std::lock_guard lock(mutex);
  if (std::ranges::find(paths, printable(path)) != paths.end()) return;
  paths.push_back(printable(path));
  words_of_saved.store(kept_for_ever(fmt::format("; what was measured before is in {}", listed(paths))));
}

}  // namespace

const char* saved_words() {
  return words_of_saved.load();
}

void set_results_temporary(bool temporary) {
  results_temporary.store(temporary);
}

bool names_stdout(const std::string& path) {
  return path == "-" || path == "/dev/stdout" || path == "/dev/fd/1" || path == "/proc/self/fd/1";
}

ResultFile::ResultFile(const std::string& path, const OutputRules& rules)
    : path_(path), to_stdout_(names_stdout(path)), temporary_(results_temporary.load()) {
  if (to_stdout_) {
    check_stdout();
    return;
  }
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    const int descriptor = open_other_than_file(path);
    stream_.reset(::fdopen(descriptor, "w"));
    if (!stream_) {
      const int failure = errno;
      ::close(descriptor);
      throw Error(fmt::format("cannot write {}: {}", path, std::strerror(failure)));
    }
    return;
  }
  path_ = end_of_links("write", path).string();
  { const AtomicFile probe(path_); }
  lock_ = std::make_unique<FileLock>(path_);
  check_output(path_, rules);
  was_there_ = std::filesystem::exists(path_, code);
  if (was_there_ && rules.has_trials) note_saved(path_);
}

std::optional<std::string> ResultFile::save_in_passing(const Result& result, Clock& clock) {
  if (!is_due(clock)) return std::nullopt;
  const Time begin = clock.now();
  std::optional<std::string> news;
  try {
    replace(result_json(result, judge_run(result)));
    saved_trials_ = result.trial_count();
    if (*saved_trials_ > 0) note_saved(path_);
    if (fails_) news = fmt::format("{} can be written again; {}", path_, what_is_saved());
    fails_ = false;
  } catch (const Error& error) {
    if (!fails_) news = fmt::format("{}; {}; the run goes on and tries again", error.what(), what_is_saved());
    fails_ = true;
  }
  const Time end = clock.now();
  next_ = end + 19 * (end - begin);
  return news;
}

void ResultFile::finish(const Result& result, const Judgement& judgement) const {
  finish(result_json(result, judgement));
}

void ResultFile::finish(const std::string& text) const {
  if (to_stdout_) return put(stdout, text);
  if (!stream_) {
    try {
      return replace(text);
    } catch (const Error& error) {
      throw Error(fmt::format("{}; {}", error.what(), what_is_saved()));
    }
  }
  put(stream_.get(), text);
  if (std::fflush(stream_.get()) == 0 && std::ferror(stream_.get()) == 0) return;
  throw Error(fmt::format("cannot write {}: {}", path_, std::strerror(errno)));
}

void ResultFile::replace(const std::string& text) const {
  AtomicFile file(path_);
  file.write(text);
  file.commit();
}

std::string ResultFile::what_is_saved() const {
  if (saved_trials_) {
    return fmt::format("{} {} saved there", plural(*saved_trials_, "trial"), *saved_trials_ == 1 ? "is" : "are");
  }
  return was_there_ ? "the earlier file is unchanged" : "nothing is saved";
}

}  // namespace loadline
