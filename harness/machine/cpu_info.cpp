#include "harness/machine/cpu_info.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "harness/machine/kernel_text.h"

namespace loadline {
namespace {

// ARM gives numbers only. The names of the server cores met on clusters; any other is told by its numbers.
struct ArmCore {
  std::string_view implementer;
  std::string_view part;
  const char* name;
};

constexpr std::array kArmCores{
    ArmCore{"0x41", "0xd08", "Arm Cortex-A72"},   ArmCore{"0x41", "0xd0c", "Arm Neoverse-N1"},
    ArmCore{"0x41", "0xd40", "Arm Neoverse-V1"},  ArmCore{"0x41", "0xd49", "Arm Neoverse-N2"},
    ArmCore{"0x41", "0xd4f", "Arm Neoverse-V2"},  ArmCore{"0x43", "0x0af", "Cavium ThunderX2"},
    ArmCore{"0x46", "0x001", "Fujitsu A64FX"},    ArmCore{"0x48", "0xd01", "HiSilicon Kunpeng-920"},
    ArmCore{"0xc0", "0xac3", "Ampere AmpereOne"},
};

std::optional<std::string> arm_model(std::string_view text) {
  const auto implementer = value_of(text, "CPU implementer");
  const auto part = value_of(text, "CPU part");
  if (!implementer || !part) return std::nullopt;
  const auto core = std::find_if(kArmCores.begin(), kArmCores.end(), [&](const ArmCore& known) {
    return known.implementer == *implementer && known.part == *part;
  });
  if (core != kArmCores.end()) return core->name;
  return fmt::format("ARM implementer {} part {}", *implementer, *part);
}

std::optional<std::string> model_of(std::string_view text) {
  if (const auto x86 = value_of(text, "model name")) return std::string(*x86);
  if (const auto power = value_of(text, "cpu")) return std::string(*power);
  return arm_model(text);
}

std::optional<bool> virtualised_by(std::string_view text) {
  const auto flags = value_of(text, "flags");
  if (!flags) return std::nullopt;
  const auto words = split(*flags, ' ');
  return std::find(words.begin(), words.end(), "hypervisor") != words.end();
}

}  // namespace

CpuInfo parse_cpu_info(std::string_view text) {
  return {.model = model_of(text), .virtualised = virtualised_by(text)};
}

}  // namespace loadline
