// What `loadline data make` makes.
#pragma once

#include <cstddef>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "harness/cli/at_work.h"
#include "harness/cli/verbs.h"

namespace loadline {

struct MadeKind {
  std::string_view name;
  std::string_view summary;
  // Makes it in request.directory. Returns the outcome in words; throws Error.
  std::string (*make)(const MakeRequest& request, const ShowDone& show, const std::stop_token& stop);
  // Rows of convert_formats() that --as takes: those that `make` writes itself, the first unless asked otherwise; and
  // those that can hold the same samples, which are converted from it.
  std::span<const std::string_view> own;
  std::span<const std::string_view> others = {};
  bool sized = false;                // --size applies
  bool cut_from_others = false;      // --from applies
  bool one_split = false;            // otherwise there are train and val
  std::size_t least_in_folder = 0;   // samples so that --as jpeg has every class in val
  std::string_view no_samples = {};  // why --samples does not apply; empty: it does
};

// The table that `list`, the help and the verb read. The rows of generators() come first.
std::span<const MadeKind> made_kinds();

}  // namespace loadline
