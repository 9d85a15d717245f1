// What makes a cell what it is, as one table: the result and its reader, the names of cells, conditions such as
// `workers>1`, tables for other programs and the comparison of two results all read it.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "harness/plan/options.h"
#include "harness/plan/plan.h"

namespace loadline {

// As options have them; std::monostate where the setting does not apply to the cell, or is left to the tool.
using SettingValue = OptionValue;

// What a setting is about, and so which trials it has a say in.
enum class SettingPart : std::uint8_t {
  kMode,     // IO, SYNTHETIC, FULL or OVERHEAD
  kSubject,  // what is trained on what: workload, batch, transform
  kStorage,  // where the samples lie and in which format
  kOrder,    // in which order and by which inner loops they are put into batches
  kLoading,  // who does that and when
  kCompute,  // what becomes of the batches
  kMachine,  // as this machine and this process resolve it
};

struct SettingRow {
  std::string_view name;  // as in the result; that of the option with _ for -, where one sets it
  SettingPart part;
  SettingValue (*read)(const Cell& cell);
  // The inverse of read(): takes what that gives, numbers and lists of numbers of either type. Throws Error saying what
  // is wanted for anything else, unknown names among it.
  void (*write)(Cell& cell, const SettingValue& value);
  bool late = false;  // it came late to this version of the schema: files may lack it, and then it does not apply
};

inline constexpr std::initializer_list<SettingPart> kAllParts{
    SettingPart::kMode,    SettingPart::kSubject, SettingPart::kStorage, SettingPart::kOrder,
    SettingPart::kLoading, SettingPart::kCompute, SettingPart::kMachine};

// In the order of the result. Written in this order a cell is complete, but for how to get its data.
std::span<const SettingRow> settings();

// By name; throws usage Error that begins with `what` and names the nearest.
const SettingRow& setting_named(std::string_view what, std::string_view name);

// "8", "thread-pool", "0.5,0.25", "true"; empty for std::monostate.
std::string text_of(const SettingValue& value);

// All settings of these parts as one text, but for the one named `except`: equal for cells that differ in none of them.
std::string key_of(const Cell& cell, std::initializer_list<SettingPart> parts = kAllParts,
                   std::string_view except = "");
// Of what IO and FULL of one configuration have in common, but for the setting named `except`.
std::string loading_key(const Cell& cell, std::string_view except = "");
// Of what FULL and its SYNTHETIC have in common.
std::string step_key(const Cell& cell);
// "/prefetch:4/dtype:u8": those of the cell's axes that belong to these parts and apply to it.
std::string axes_text(const Cell& cell, std::initializer_list<SettingPart> parts);

}  // namespace loadline
