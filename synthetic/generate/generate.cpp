#include "synthetic/generate/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <string>
#include <system_error>
#include <utility>

#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/random.h"
#include "loaders/storage/file.h"
#include "loaders/storage/new_file.h"
#include "synthetic/generate/destination.h"
#include "synthetic/generate/layout.h"

namespace loadline {
namespace {

namespace fs = std::filesystem;

constexpr std::array kGenerators{
    GeneratorKind{"cifar10", "32 x 32 colour pictures in 10 classes, CIFAR-10 binary", "cifar10", 10, 5, cifar10_files},
    GeneratorKind{"cifar100", "32 x 32 colour pictures in 100 fine and 20 coarse classes, CIFAR-100 binary", "cifar100",
                  100, 5, cifar100_files},
    GeneratorKind{"mnist", "28 x 28 grey digits in 10 classes, MNIST IDX", "idx", 10, 6, mnist_files},
};

constexpr std::size_t kMostSamples = 0xffffffff;  // an IDX header counts in 32 bits
constexpr std::size_t kWriteBytes = std::size_t{1} << 20;

std::vector<PlannedFile> plan_files(const GeneratorKind& kind, const GenerateOptions& options) {
  if (options.samples < kind.classes || options.samples > kMostSamples)
    throw usage_error(fmt::format("cannot make {} with {} sample{}: want from {} (one per class) to {}", kind.name,
                                  options.samples, options.samples == 1 ? "" : "s", kind.classes, kMostSamples));
  const SplitPlan train{key_of(options.seed, 0), options.samples};
  const SplitPlan test{key_of(options.seed, 1), std::max<std::size_t>(options.samples / kind.train_per_test, 1)};
  return kind.files(options.seed, train, test);
}

// Tracks the work done, reports it, and checks for a stop.
class GenerationProgress {
 public:
  GenerationProgress(const fs::path& directory, std::span<const PlannedFile> files, const GenerateProgress& progress,
                     std::stop_token stop)
      : directory_(directory), progress_(progress), stop_(std::move(stop)) {
    for (const PlannedFile& file : files) total_ += file.holds_samples ? file.records : 0;
  }

  void check() const {
    if (stop_.stop_requested())
      throw Error(fmt::format("making {} was interrupted; nothing was left behind", directory_.string()));
  }
  void advance(std::size_t samples) {
    done_ += samples;
    if (progress_) progress_(done_, total_);
  }

 private:
  const fs::path& directory_;
  const GenerateProgress& progress_;
  std::stop_token stop_;
  std::size_t done_ = 0;
  std::size_t total_ = 0;
};

// Passes the bytes of `file` to `consume` in order, one block at a time.
template <typename Consume>
void stream(const PlannedFile& file, GenerationProgress& so_far, const Consume& consume) {
  so_far.check();
  consume(std::as_bytes(std::span(file.header)));
  if (file.records == 0) return;
  const std::size_t most_records = std::max<std::size_t>(kWriteBytes / file.record_bytes, 1);
  std::vector<std::uint8_t> block;
  for (std::size_t done = 0; done < file.records;) {
    const std::size_t records = std::min(most_records, file.records - done);
    block.resize(records * file.record_bytes);
    for (std::size_t i = 0; i < records; ++i) {
      so_far.check();
      file.fill(file.first + done + i, std::span(block).subspan(i * file.record_bytes, file.record_bytes));
    }
    consume(std::as_bytes(std::span(block)));
    done += records;
    if (file.holds_samples) so_far.advance(records);
  }
}

void expect_names_and_sizes(const fs::path& directory, std::set<std::string> names,
                            std::span<const PlannedFile> files) {
  for (const PlannedFile& file : files) {
    if (names.erase(file.name) == 0) throw something_else(directory, fmt::format("without {}", file.name));
    std::error_code code;
    const auto bytes = fs::file_size(directory / file.name, code);
    if (code || bytes != file.bytes()) throw something_else(directory, fmt::format("{} differs in size", file.name));
  }
  if (!names.empty()) throw something_else(directory, fmt::format("holding {}", *names.begin()));
}

void expect_bytes(const fs::path& directory, std::span<const PlannedFile> files, GenerationProgress& so_far) {
  std::vector<std::byte> there;
  for (const PlannedFile& file : files) {
    const File existing = File::open(directory / file.name);
    std::size_t offset = 0;
    stream(file, so_far, [&](std::span<const std::byte> wanted) {
      there.resize(wanted.size());
      existing.read_exactly(offset, there);
      if (!std::ranges::equal(there, wanted))
        throw something_else(directory, fmt::format("{} differs in content", file.name));
      offset += wanted.size();
    });
  }
}

void write_files(const fs::path& directory, std::span<const PlannedFile> files, GenerationProgress& so_far) {
  // To wait until each is on storage would take hours for a million files.
  constexpr std::size_t kMostAwaitedEach = 64;
  const bool many = files.size() > kMostAwaitedEach;
  for (const PlannedFile& file : files) {
    const fs::path path = directory / file.name;
    fs::create_directories(path.parent_path());
    if (many) {
      NewFile out(path);
      stream(file, so_far, [&](std::span<const std::byte> bytes) { out.append(bytes); });
      out.close();
      out.keep();
    } else {
      AtomicFile out(path);
      stream(file, so_far, [&](std::span<const std::byte> bytes) { out.write(bytes); });
      out.commit();
    }
  }
  if (many) wait_until_all_is_stored(directory);
}

// `shown`: the path of `directory` for messages. False, with nothing written, if another process has made something
// there in the meantime.
bool make(const fs::path& directory, const fs::path& shown, std::span<const PlannedFile> files,
          GenerationProgress so_far) {
  Parents parents(directory, shown);
  parents.make();
  AtomicDirectory made(directory);
  write_for(shown, made.temporary(), [&] { write_files(made.temporary(), files, so_far); });
  const bool is_ours = commit_unless_taken(made, directory);
  parents.keep();
  return is_ours;
}

Generated generate_files(const std::vector<PlannedFile>& files, const fs::path& directory,
                         const GenerateProgress& progress, std::stop_token stop) {
  const fs::path target = resolved_destination("make", directory);
  GenerationProgress so_far(directory, files, progress, std::move(stop));
  Generated outcome = Generated::kMade;
  write_for(directory, target, [&] {
    if (names_below(target).empty() && make(target, directory, files, so_far)) return;
    expect_names_and_sizes(target, names_below(target), files);
    expect_bytes(target, files, so_far);
    outcome = Generated::kAlreadyThere;
  });
  return outcome;
}

// Generates a row of pages, and a tenth as many for validation.
Generated generate_pages(std::string_view what, std::size_t size, std::size_t page, std::uint64_t seed,
                         const std::function<std::vector<PlannedFile>(const SplitPlan&, const SplitPlan&)>& files,
                         const fs::path& directory, const GenerateProgress& progress, std::stop_token stop) {
  constexpr std::size_t kTrainPerTest = 10;
  const std::size_t pages = size / page + (size % page == 0 ? 0 : 1);
  if (pages == 0 || pages > kMostSamples) {
    throw usage_error(fmt::format("cannot make {} of size {}: want from 1 to {}", what, size, kMostSamples * page));
  }
  const SplitPlan train{key_of(seed, 0), pages};
  const SplitPlan test{key_of(seed, 1), std::max<std::size_t>(pages / kTrainPerTest, 1)};
  return generate_files(files(train, test), directory, progress, std::move(stop));
}

constexpr std::array<std::string_view, 3> kTextForms{"lines", "json-lines", "files"};  // in the order of TextForm

}  // namespace

std::span<const GeneratorKind> generators() {
  return kGenerators;
}

const GeneratorKind& generator(std::string_view name) {
  return row_named(kGenerators, "kind of dataset", name);
}

Generated generate(std::string_view kind, const std::filesystem::path& directory, const GenerateOptions& options,
                   const GenerateProgress& progress, std::stop_token stop) {
  return generate_files(plan_files(generator(kind), options), directory, progress, std::move(stop));
}

Generated generate_tokens(const std::filesystem::path& directory, const TokensOptions& options,
                          const GenerateProgress& progress, std::stop_token stop) {
  return generate_pages("tokens", options.tokens, kPageTokens, options.seed, tokens_files, directory, progress,
                        std::move(stop));
}

TextForm text_form_named(std::string_view name) {
  const auto found = std::ranges::find(kTextForms, name);
  if (found == kTextForms.end()) throw unknown_name("form of text", name, kTextForms);
  return static_cast<TextForm>(found - kTextForms.begin());
}

Generated generate_text(const fs::path& directory, const TextOptions& options, const GenerateProgress& progress,
                        std::stop_token stop) {
  const auto files = [&](const SplitPlan& train, const SplitPlan& test) {
    return text_files(options.form, train, test);
  };
  return generate_pages("text", options.bytes, kPageBytes, options.seed, files, directory, progress, std::move(stop));
}

}  // namespace loadline
