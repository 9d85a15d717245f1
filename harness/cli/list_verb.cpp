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

void print_computes() {
  fmt::print("compute (--compute)\n");
  for (const ComputeKind& kind : computes()) {
    fmt::print("  {:<14} {}\n", kind.name, kind.summary);
    for (const ComputeParameter& parameter : kind.parameters) {
      const std::string standard = parameter.required ? "required" : fmt::format("default {}", parameter.standard);
      fmt::print("  {:<14}   {}: {} ({})\n", "", parameter.name, parameter.help, standard);
    }
  }
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
