#include <fmt/format.h>

#include "harness/ceilings/ceilings.h"
#include "harness/cli/cli.h"
#include "harness/cli/verbs.h"
#include "harness/plan/workloads.h"
#include "loaders/loader.h"
#include "loaders/transforms/kernels.h"
#include "synthetic/compute/compute.h"
#include "synthetic/generate/generate.h"

namespace loadline {
namespace {

template <typename Table>
void print_table(std::string_view title, const Table& table) {
  fmt::print("{}\n", title);
  for (const auto& row : table) fmt::print("  {:<14} {}\n", row.name, row.summary);
  fmt::print("\n");
}

std::string standard_of(const ComputeParameter& parameter) {
  if (parameter.required) return "required";
  if (parameter.words.empty()) return fmt::format("default {}", parameter.standard);
  return fmt::format("default {}", parameter.words[static_cast<std::size_t>(parameter.standard)]);
}

void print_computes() {
  fmt::print("compute (--compute)\n");
  for (const ComputeKind& kind : computes()) {
    fmt::print("  {:<14} {}\n", kind.name, kind.summary);
    for (const ComputeParameter& parameter : kind.parameters) {
      fmt::print("  {:<14}   {}: {} ({})\n", "", parameter.name, parameter.help, standard_of(parameter));
    }
  }
  for (const LeftOut& row : computes_left_out()) fmt::print("  {:<14} left out: {}\n", row.name, row.reason);
  fmt::print("\n");
}

}  // namespace

int list_verb() {
  print_table("workloads (--workload)", workloads());
  print_table("loaders (--loader)", loaders());
  print_computes();
  print_table("formats (--format)", dataset_formats());
  print_table("ceilings (loadline ceilings)", ceiling_kinds());
  print_table("generators (loadline data make)", generators());
  fmt::print("kernels (--kernels)\n ");
  for (const Kernels* kernels : supported_kernels()) fmt::print(" {}", kernels->name);
  fmt::print("\n");
  return kExitOk;
}

}  // namespace loadline
