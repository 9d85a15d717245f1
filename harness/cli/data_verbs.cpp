#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "harness/cli/at_work.h"
#include "harness/cli/cli.h"
#include "harness/cli/interrupt.h"
#include "harness/cli/progress.h"
#include "harness/cli/screen.h"
#include "harness/cli/streams.h"
#include "harness/cli/verbs.h"
#include "harness/judge/phrase.h"
#include "harness/plan/data_kinds.h"
#include "harness/plan/options.h"
#include "harness/plan/refusals.h"
#include "loaders/datasets/dataset.h"
#include "loaders/datasets/fingerprint.h"
#include "loaders/datasets/image_listing.h"
#include "loaders/datasets/residency.h"
#include "loaders/error.h"
#include "loaders/names.h"
#include "loaders/printable.h"
#include "loaders/verify.h"
#include "synthetic/convert/convert.h"

namespace loadline {
namespace {

constexpr std::size_t kMostClassesShown = 20;
constexpr std::size_t kMostFilesShown = 10;

// Of an image folder, whose classes have directories, their names by label; of other datasets, the labels themselves.
std::vector<std::string> class_names(const Dataset& dataset) {
  std::vector<std::string> names;
  for (std::size_t label = 0; label < dataset.info().classes; ++label) names.push_back(fmt::format("{}", label));
  const FolderNames* const folder = dataset.info().files.folder();
  if (folder == nullptr || folder->size() != dataset.labels().size()) return names;
  for (std::size_t i = 0; i < folder->directories(); ++i) {
    const std::string_view directory = folder->directory(i);
    names[static_cast<std::size_t>(dataset.labels()[folder->first_of(i)])] =
        printable(directory.substr(0, directory.find('/')));
  }
  return names;
}

std::string histogram_text(const Dataset& dataset) {
  if (dataset.labels().stored())
    return "not counted because there are more than a million; `loadline data verify` counts them";
  std::vector<std::size_t> counts(dataset.info().classes);
  for (const std::int32_t label : dataset.labels()) ++counts[static_cast<std::size_t>(label)];
  const std::vector<std::string> names = class_names(dataset);
  std::string text;
  for (std::size_t label = 0; label < counts.size() && label < kMostClassesShown; ++label) {
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", names[label], counts[label]);
  }
  if (counts.size() > kMostClassesShown) text += fmt::format(" ... ({} more)", counts.size() - kMostClassesShown);
  return text;
}

// Refuses options that were given for other data than this. Like `loadline run`, with its sentences.
void refuse_unheeded(const DataRequest& request, const DatasetInfo& info) {
  const DatasetOptions& asked = request.options;
  const DatasetOptions standard;
  RunOptions options;
  if (asked.tokenizer != standard.tokenizer) options.given.insert("tokenizer");
  if (asked.text_key != standard.text_key) options.given.insert("text-key");
  if (asked.documents != standard.documents) options.given.insert("documents");
  if (asked.token_bytes != standard.token_bytes) options.given.insert("token-type");
  check_heeded(options, kinds_of(info), holding(request.path, info));
}

// For what reads all data anyway.
DataRequest with_all_checksums(DataRequest request) {
  request.options.verify_checksums = true;
  return request;
}

// Shows the progress of listing a large folder.
std::unique_ptr<Dataset> open_and_show(const DataRequest& request, bool quiet) {
  Progress progress(quiet);
  const ListingWatch watch([&](std::size_t done, std::size_t all, std::size_t files) {
    progress.status(fmt::format("{}: listing {} of {} directories, {} files", request.path, done, all, files));
  });
  auto dataset = open_dataset(request.path, request.options);
  progress.clear();
  refuse_unheeded(request, dataset->info());
  return dataset;
}

// "1 image beside the classes".
std::string beside_words(const DatasetInfo& info) {
  return fmt::format("{} beside the classes", plural(info.images_beside, "image"));
}

// Whether nothing but a guess tells how wide a token is.
bool assumes_type(const DataRequest& request, const DatasetInfo& info) {
  return info.tokens && !info.tokens->documents && request.options.token_bytes == 0;
}

// "u8". Says so if it is assumed.
std::string type_words(const DataRequest& request, const DatasetInfo& info) {
  return fmt::format("{}{}", stored_type(info),
                     assumes_type(request, info) ? ", assumed: it has no index; --token-type names another" : "");
}

// "a.bin: dtype u16, assumed: ...".
std::string type_line(const DataRequest& request, const DatasetInfo& info) {
  return fmt::format("{}: dtype {}", printable(request.path), type_words(request, info));
}

// "mapped; all of it takes 1024 bytes in memory".
std::string access_words(const DatasetInfo& info) {
  const std::string bytes = fmt::format("{} bytes", info.all_bytes());
  if (info.access == Access::kResident) return fmt::format("read into {} of memory when it is opened", bytes);
  return fmt::format("{}; all of it takes {} in memory",
                     info.access == Access::kFiles ? "each file is read when its sample is needed" : name(info.access),
                     bytes);
}

// What the fingerprint of runs covers.
std::string sampled_words(const DatasetInfo& info, std::size_t samples) {
  if (info.tokens) return fmt::format("{} runs of the tokens", samples);
  if (info.text) return fmt::format("{} of the documents", samples);
  return fmt::format("{} of {}", samples, info.volume ? "its values" : "the samples");
}

}  // namespace

int data_info_verb(const DataRequest& request) {
  const auto dataset = open_and_show(request, false);
  const DatasetInfo& info = dataset->info();
  // Before the fingerprint, which reads what is not in the page cache yet.
  const Residency residency = page_cache_residency(*dataset);
  const auto sampled = fingerprint_samples(info);
  const std::uint64_t fingerprint = run_fingerprint(*dataset, {}).value_or(0);
  std::string text = fmt::format("path         {}\n", printable(request.path));
  text += fmt::format("format       {}\n", info.format);
  if (info.labelled()) text += fmt::format("samples      {}\n", info.samples);  // others have as many as requested
  if (info.encoded) {
    text += fmt::format(
        "shape        that of each image, {:.0f} bytes on average\n",
        static_cast<double>(info.encoded_bytes.value_or(info.stored_bytes)) / static_cast<double>(info.samples));
  } else if (const auto& volume = info.volume) {
    text += fmt::format("shape        {} + {} channels of {}x{}x{} (input + target)\n", volume->input_channels,
                        volume->target_channels, volume->edge, volume->edge, volume->edge);
  } else if (const auto& tokens = info.tokens) {
    text += fmt::format("tokens       {}\n", tokens->tokens);
    text += fmt::format("documents    {}\n",
                        tokens->documents ? fmt::format("{}", *tokens->documents) : "unknown: it has no index file");
  } else if (info.text) {
    text += fmt::format("documents    {}, {} bytes on average, {}\n", info.text->documents,
                        info.text->bytes / info.text->documents, name(info.text->stored_as));
    text += fmt::format("tokenizer    {}, {} tokens\n", printable(info.text->tokenizer), info.text->vocabulary);
  } else {
    text += fmt::format("shape        {}x{}x{} (channels x height x width){}\n", info.shape.channels, info.shape.height,
                        info.shape.width, info.channels_last ? ", stored with channels last" : "");
  }
  text += fmt::format("dtype        {}\n", type_words(request, info));
  if (info.labelled()) {
    text += fmt::format("classes      {}\n", info.classes);
    text += fmt::format("labels       {}\n", histogram_text(*dataset));
  }
  if (info.images_beside > 0) text += fmt::format("not read     {}\n", beside_words(info));
  text += fmt::format("stored       {}{} bytes in {}\n", info.sized_files ? "about " : "", info.stored_bytes,
                      plural(info.files.size(), "file"));
  for (std::size_t i = 0; i < std::min(kMostFilesShown, info.files.size()); ++i) {
    text += fmt::format("             {}\n", printable(info.files[i].string()));
  }
  if (info.files.size() > kMostFilesShown)
    text += fmt::format("             ... ({} more)\n", info.files.size() - kMostFilesShown);
  text += fmt::format("access       {}\n", access_words(info));
  const auto looked_at = files_looked_at(info.files);
  text += fmt::format("page cache   {} of {} pages{}\n",
                      residency.resident_pages ? fmt::format("{}", *residency.resident_pages) : "an unknown number",
                      residency.pages, looked_at ? fmt::format(" of {} of the files", *looked_at) : "");
  text += fmt::format("fingerprint  {:016x}{}\n", fingerprint,
                      sampled ? fmt::format(" of {}", sampled_words(info, *sampled)) : "");
  put_text(stdout, text);
  return kExitOk;
}

namespace {

// name(0), name(1) and so on, or the first ones if there are many.
template <typename Name>
std::string some_of(std::size_t count, const Name& name) {
  constexpr std::size_t kMostShown = 5;
  static_assert(kMostShown <= kMostDuplicatesNamed);
  std::string text;
  for (std::size_t i = 0; i < std::min(count, kMostShown); ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : ", ", name(i));
  }
  return count > kMostShown ? text + fmt::format(", ... ({} more)", count - kMostShown) : text;
}

// "2 of 6 samples repeat an earlier one: ..."; `all`: how many samples or files there are.
void print_duplicates(const std::string& path, const Duplicates& found, std::size_t all, std::string_view noun) {
  if (found.count == 0) return;
  const auto name_both = [&](std::size_t i) {
    return printable(fmt::format("{} is the same as {}", found.first[i].name, found.first[i].same_as));
  };
  put(stdout, fmt::format("{}: {} of {} {} {} an earlier one: {}\n", path, found.count, all, noun,
                          found.count == 1 ? "repeats" : "repeat", some_of(found.count, name_both)));
}

// Oddities that may be intended.
void print_oddities(const std::string& path, const Dataset& dataset, const Verification& found) {
  if (dataset.info().images_beside > 0) {
    put(stdout, fmt::format("{}: not read: {}\n", path, beside_words(dataset.info())));
  }
  print_duplicates(path, found.duplicate_samples, dataset.info().samples, "samples");
  print_duplicates(path, found.duplicate_files, dataset.info().files.size(), "files");
  if (!found.empty_classes.empty()) {
    put(stdout, fmt::format("{}: {} of {} classes {} no samples: {}\n", path, found.empty_classes.size(),
                            dataset.info().classes, found.empty_classes.size() == 1 ? "has" : "have",
                            some_of(found.empty_classes.size(),
                                    [&](std::size_t i) { return fmt::format("{}", found.empty_classes[i]); })));
  }
}

// "6 samples and labels read and decoded": all of the data.
std::string read_words(const DatasetInfo& info) {
  if (info.volume) return "all values read";
  if (info.tokens) return fmt::format("{} tokens read", info.tokens->tokens);
  if (info.text) return fmt::format("{} read", plural(info.text->documents, "document"));
  return fmt::format("{} and {} read{}{}", plural(info.samples, "sample"), info.samples == 1 ? "label" : "labels",
                     info.encoded ? " and decoded" : "", info.channels_last ? ", stored with channels last" : "");
}

// Names all unusable samples, and then throws Error if there are any.
void verify_all(const DataRequest& request, const Dataset& dataset, Progress& progress, const std::stop_token& stop) {
  const Error stopped(fmt::format("verifying {} was interrupted", request.path));
  const auto show = [&](std::size_t done, std::size_t total) {
    progress.status(fmt::format("{}: {} of {}", request.path, done, total));
  };
  const auto found = verify(dataset, show, stop);
  progress.clear();
  if (!found) throw stopped;
  // All samples of a chunk share its fault.
  std::string_view last;
  for (const SampleFault& fault : found->faults) {
    if (fault.reason != last) put(stdout, printable(fault.reason) + '\n');
    last = fault.reason;
  }
  if (assumes_type(request, dataset.info())) put(stdout, type_line(request, dataset.info()) + '\n');
  print_oddities(printable(request.path), dataset, *found);
  if (!found->faults.empty()) {
    throw Error(fmt::format("{}: {} of {} {} cannot be {}", request.path, found->faults.size(), dataset.info().samples,
                            dataset.info().text ? "documents" : "samples",
                            dataset.info().text || dataset.info().encoded ? "decoded" : "read"));
  }
  const auto fingerprint = content_fingerprint(dataset, stop);
  if (!fingerprint) throw stopped;
  // What runs on so large a dataset say of it.
  std::string of_runs;
  if (const auto samples = fingerprint_samples(dataset.info())) {
    if (const auto sampled = run_fingerprint(dataset, stop)) {
      of_runs = fmt::format(", {:016x} of {}", *sampled, sampled_words(dataset.info(), *samples));
    }
  }
  put(stdout, fmt::format("{}: ok, {}, fingerprint {:016x}{}\n", printable(request.path), read_words(dataset.info()),
                          *fingerprint, of_runs));
}

}  // namespace

int data_verify_verb(const DataRequest& request) {
  const auto dataset = open_and_show(with_all_checksums(request), false);
  const Interrupt interrupt;
  Progress progress(false);
  try {
    verify_all(request, *dataset, progress, interrupt.token());
  } catch (const Error& error) {
    if (interrupt.signal() == 0) throw;
    print_error(error.what());
    return kExitSignal + interrupt.signal();
  }
  return kExitOk;
}

int data_convert_verb(const ConvertRequest& request) {
  if (request.to.empty() || request.to == "-") {
    throw usage_error(fmt::format("data convert: want a file or a directory to write, got '{}'", request.to));
  }
  std::string format = request.format;
  if (format.empty()) format = format_named_by(request.to);
  if (format.empty()) {
    throw usage_error(fmt::format("--format: {} does not say what to convert to; want one of {}", request.to,
                                  list_of(names_of(convert_formats()))));
  }
  ConvertOptions options{.format = format, .gzip_level = request.gzip_level};
  if (request.chunk_samples > 0) options.chunk_samples = request.chunk_samples;
  constexpr std::uint64_t kMostMebibytes = std::uint64_t{1} << 20;
  if (request.shard_mebibytes == 0 || request.shard_mebibytes > kMostMebibytes) {
    throw usage_error(fmt::format("--shard: want from 1 to {} MiB, got {}", kMostMebibytes, request.shard_mebibytes));
  }
  options.shard_bytes = request.shard_mebibytes << 20U;
  options.decode = request.decode;
  options.token_bytes = request.token_bytes;
  const auto dataset = open_and_show(with_all_checksums(request.from), request.quiet);
  if (assumes_type(request.from, dataset->info())) {
    Progress(request.quiet).milestone(type_line(request.from, dataset->info()));
  }
  return at_work(request.to, request.quiet, [&](const auto& show, const std::stop_token& stop) {
    // Known before, because a copy may replace the empty directory where this process runs.
    std::error_code ignored;
    const std::filesystem::path place = std::filesystem::absolute(request.to, ignored);
    const bool made = convert(*dataset, request.to, options, show, stop) == Converted::kMade;
    if (!made) return std::string(kNothingChanged);
    const auto copy = open_converted(*dataset, place, options);
    const std::size_t losing_alpha = images_losing_alpha(*dataset, options);
    return fmt::format(
        "made, {}fingerprint {:016x}{}",
        !copy->info().labelled() ? "" : fmt::format("{}, ", plural(copy->info().samples, "sample")),
        content_fingerprint(*copy),
        losing_alpha == 0 ? "" : fmt::format(", without the alpha channel of {}", plural(losing_alpha, "image")));
  });
}

}  // namespace loadline
