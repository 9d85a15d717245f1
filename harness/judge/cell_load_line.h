// How near a cell came to the lowest of its ceilings, in figures and in words. Pure functions, safe from any thread.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/judge/causes.h"
#include "harness/judge/judgement.h"
#include "harness/result/result.h"

namespace loadline {

// Samples per second of each trial; by default the ceiling's own units per second.
std::vector<double> rates_of(const CeilingResult& ceiling, double samples_per_unit = 1);

// What the one consumer of IO can read.
bool is_drain(const Ceiling& ceiling);
// What the storage of the data delivers.
bool is_device(const Ceiling& ceiling);

// The compute bounds a FULL cell too: it takes no more than it takes alone, in `synthetic` (null: not measured).
// std::nullopt without trials or ceilings.
std::optional<CellLoadLine> load_line_of(const Result& result, const CellResult& cell, const CellResult* synthetic);

// The sentence has a leading space. It is empty without a load line, where the compute is the lowest bound, and where
// the figure is too noisy. `beside_full`: the cell is IO of a configuration that also has FULL.
std::string load_line_sentence(const Result& result, const CellResult& cell, const std::optional<CellLoadLine>& found,
                               bool beside_full);

// Whether it is a device's rate for so few requests at a time that it says how long one takes, and not how many a
// device can serve.
bool is_of_latency(const Ceiling& ceiling);

// Whether the ceiling is a device's rate for few reads in flight, which may be higher for more. It is not if a trial
// was no faster with as many as it allows than with fewer.
bool is_of_few_reads(const CeilingResult& ceiling);

// The share of the device's rate for such reads that the trials used: the highest that any of its ceilings gives, in
// samples (which in random order are filled after the reading) and in bytes that came from the device (samples at
// random places need more bytes than they hold). std::nullopt where no such ceiling was measured. Does not know what
// else the run tried.
std::optional<DeviceShare> device_share_of(const Result& result, const CellResult& cell);

}  // namespace loadline
