// The verbs of the command line: each a function of parsed options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/options.h"
#include "harness/result/result.h"
#include "loaders/datasets/dataset.h"

namespace loadline {

struct RunRequest {
  RunOptions options;
  std::vector<std::string> arguments;  // of the command line
  std::string resume;                  // result to go on with, and to write to; empty: none
  std::optional<Result> earlier;       // what is in it; none: it is not there yet
  bool dry_run = false;
  bool dump_config = false;
};

struct TrainRequest {
  std::size_t epochs = 3;
};

struct DataRequest {
  std::string path;
  DatasetOptions options;
};

struct MakeRequest {
  std::string kind;
  std::string directory;
  std::optional<std::uint64_t> samples;  // none: the kind's own
  std::uint64_t seed = 1;
  std::string from;                   // directory of photographs
  std::optional<std::uint64_t> size;  // of a volume
  bool quiet = false;
};

// Kinds beside those of generators().
inline constexpr std::string_view kPhotos = "photos";
inline constexpr std::string_view kNbody = "nbody";

struct ConvertRequest {
  DataRequest from;
  std::string to;
  std::string format;               // empty: by the name of `to`
  std::uint64_t chunk_samples = 0;  // 0: in one piece
  std::uint64_t gzip_level = 0;
  bool quiet = false;
};

// Reads what request.resume names, if it is there, and makes its options those of the request, which goes to the same
// file. Throws Error where it cannot be gone on with.
void load_earlier(RunRequest& request);

// Each returns an exit code; what goes wrong is thrown as Error.
int run_verb(const RunRequest& request);
int ceilings_verb(const RunRequest& request);  // of the options those that are is_for_ceilings()
int train_verb(const RunRequest& request, const TrainRequest& training);  // of the options those for training
int list_verb();
int data_info_verb(const DataRequest& request);
int data_verify_verb(const DataRequest& request);
int data_make_verb(const MakeRequest& request);
int data_convert_verb(const ConvertRequest& request);

// "loadline: <sentence>" on stderr.
void print_error(std::string_view sentence);

}  // namespace loadline
