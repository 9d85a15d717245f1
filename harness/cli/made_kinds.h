// What `loadline data make` makes.
#pragma once

#include <span>
#include <string_view>

#include "harness/cli/verbs.h"

namespace loadline {

struct MadeKind {
  std::string_view name;
  std::string_view summary;
  int (*make)(const MakeRequest& request);  // returns an exit code; throws Error
  bool sized = false;                       // --size applies
  bool cut_from_others = false;             // --from applies
  bool has_forms = false;                   // --as takes one of its own forms, not a format to convert to
  std::string_view no_samples = {};         // why --samples does not apply; empty: it does
  std::string_view not_images = {};         // what it makes instead, which shards cannot hold; empty: it makes images
};

// The table that `list`, the help and the verb read. The rows of generators() come first.
std::span<const MadeKind> made_kinds();

}  // namespace loadline
