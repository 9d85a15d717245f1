// In which settings two cells differ. Pure functions, safe from any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/judge/likeness.h"
#include "harness/plan/settings.h"
#include "harness/result/result.h"

namespace loadline {

// Settings that tell cells of two results apart. The mode and the workload, which partners share, are left out; so
// are the data's location and what the machine makes of a cell.
std::vector<const SettingRow*> choices();

// "batch size" of "batch_size".
std::string words_of(std::string_view setting);

// Whether `setting` follows from `from`: the format from the loader, the normalisation from the type of the batch,
// and the precision from the compute, which may not have one.
bool follows(std::string_view setting, std::string_view from);

// The choices in which two cells differ, in the order of settings(), without those that follow from another:
// {"workers", "1", "2"}, {"batch size", "512", "64"}. "none": the loader has no workers; "auto": left to the tool.
std::vector<Difference> changes_between(const Cell& base, const Cell& changed);

// The same for two cells of results, where the format is known even if it was left to the tool.
std::vector<Difference> changes_between(const Result& base, std::size_t base_cell, const Result& changed,
                                        std::size_t changed_cell);

// The name of `base` without the settings that change: "mnist/FULL/workers:2/batch:512" for another loader. The batch
// size, which every name has, stays.
std::string shared_name(const Cell& base, std::span<const Difference> changes);

// "loader hdf5 -> hdf5-mmap, workers 2 -> 1"; empty for no change.
std::string changes_text(std::span<const Difference> changes);

}  // namespace loadline
