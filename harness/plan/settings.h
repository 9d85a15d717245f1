// The settings of a cell, as one table. The result and its reader, the names of cells, conditions such as
// `workers>1`, tables for other programs and the comparison of two results all read it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/plan/options.h"
#include "harness/plan/plan.h"

namespace loadline {

// A value as options have it; std::monostate if the setting does not apply to the cell or is left to the tool.
using SettingValue = OptionValue;

// What a setting is about, and so which trials it affects.
enum class SettingPart : std::uint8_t {
  kMode,     // IO, SYNTHETIC, FULL or OVERHEAD
  kSubject,  // what is trained, and on what: workload, batch, transform
  kStorage,  // where the samples lie and in which format
  kOrder,    // in which order and with which kernels they are put into batches
  kLoading,  // which threads do that, and when
  kCompute,  // what consumes the batches
  kMachine,  // what this machine and this process resolve
};

struct SettingRow {
  std::string_view name;  // as in the result; if an option sets it, the option's name with _ for -
  SettingPart part;
  SettingValue (*read)(const Cell& cell);
  // The inverse of read(): accepts what read() returns, and numbers and lists of numbers of either type. Throws Error
  // saying what is expected for anything else, including unknown names.
  void (*write)(Cell& cell, const SettingValue& value);
  bool late = false;  // added late to this version of the schema: if a file lacks it, it does not apply
};

inline constexpr std::initializer_list<SettingPart> kAllParts{
    SettingPart::kMode,    SettingPart::kSubject, SettingPart::kStorage, SettingPart::kOrder,
    SettingPart::kLoading, SettingPart::kCompute, SettingPart::kMachine};

// In the order of the result. Writing all of them in this order makes a complete cell, except for how to get its
// data.
std::span<const SettingRow> settings();

// The names of the settings that nobody chooses for their speed: what is trained (the data's meaning, the size and
// shape of samples, the compute, the number of ranks), and whether the data is cached at first. All others are choices:
// how the same is loaded.
std::span<const std::string_view> task_settings();
bool is_task(std::string_view setting);

// By name; throws usage Error that begins with `what` and names the nearest setting.
const SettingRow& setting_named(std::string_view what, std::string_view name);

// "8", "thread-pool", "0.5,0.25", "true"; empty for std::monostate.
std::string text_of(const SettingValue& value);
// The same as options take it: "on" and "off" for "true" and "false".
std::string as_option(const SettingValue& value);

// All settings of these parts as one text, without the one named `except`: equal for cells that differ in none of
// them.
std::string key_of(const Cell& cell, std::initializer_list<SettingPart> parts = kAllParts,
                   std::string_view except = "");
// The key of the settings that IO and FULL of one configuration share, without the one named `except`.
std::string loading_key(const Cell& cell, std::string_view except = "");
// The key of the settings that FULL and its SYNTHETIC share.
std::string step_key(const Cell& cell);
// "/prefetch:4/dtype:u8": the cell's axes that belong to these parts and apply to it.
std::string axes_text(const Cell& cell, std::initializer_list<SettingPart> parts);
// The axes in such a text: "prefetch:4", "dtype:u8". Views of `axes`.
std::vector<std::string_view> axes_in(std::string_view axes);

}  // namespace loadline
