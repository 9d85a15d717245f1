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
  bool sized = false;                       // --size says something
  bool cut_from_others = false;             // --from says something
  bool has_forms = false;                   // --as is one of its own forms, not a format to convert to
  std::string_view no_samples = {};         // why --samples says nothing; empty: it does
  std::string_view not_images = {};         // what it is instead, which shards cannot hold; empty: it is images
};

// The table: `list`, help and the verb read it. First the rows of generators().
std::span<const MadeKind> made_kinds();

}  // namespace loadline
