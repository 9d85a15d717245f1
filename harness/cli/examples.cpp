#include "harness/cli/examples.h"

#include <algorithm>
#include <array>
#include <vector>

namespace loadline {
namespace {

struct Examples {
  std::string_view verb;
  std::vector<std::string_view> lines;
};

const auto& table() {
  static const std::array kTable{
      Examples{"loadline run",
               {"loadline run --workload cifar10 --loader thread-pool --workers 1,2,4 -o result.json",
                "loadline run --workload photos --data DIR --time-limit 5m"}},
      Examples{"loadline ceilings", {"loadline ceilings --workload cifar10"}},
      Examples{"loadline train", {"loadline train --workload fashion-mnist --epochs 3"}},
      Examples{"loadline check", {"loadline check ./libmine.so --workload cifar10"}},
      Examples{"loadline diff",
               {"loadline diff before.json after.json", "loadline diff result.json --by workers --base-value 1"}},
      Examples{"loadline ab", {"loadline ab --workload cifar10 --base '--prefetch 2' --new '--prefetch 8'"}},
      Examples{"loadline aa", {"loadline aa --workload cifar10"}},
      Examples{"loadline list", {"loadline list"}},
      Examples{"loadline doctor", {"loadline doctor"}},
      Examples{"loadline data info", {"loadline data info DIR"}},
      Examples{"loadline data verify", {"loadline data verify DIR"}},
      Examples{"loadline data make",
               {"loadline data make cifar10 DIR", "loadline data make photos DIR --from PHOTOGRAPHS"}},
      Examples{"loadline data convert", {"loadline data convert DIR cifar10.h5"}},
      Examples{"loadline baseline list", {"loadline baseline list"}},
      Examples{"loadline baseline show", {"loadline baseline show main"}},
      Examples{"loadline baseline delete", {"loadline baseline delete main"}},
      Examples{"loadline baseline history", {"loadline baseline history main --last 20"}},
      Examples{"loadline merge", {"loadline merge part-1.json part-2.json -o whole.json"}},
      Examples{"loadline export",
               {"loadline export --to csv result.json -o meanwhile.csv",
                "loadline export --to tensorboard result.json DIR"}},
      Examples{"loadline report", {"loadline report result.json", "loadline report result.json -o report.html"}},
      Examples{"loadline forecast", {"loadline forecast result.json --ranks 1:1024:*2 --storage bytes_per_second=20G"}},
      Examples{"loadline scale", {"loadline scale --ranks 1,2,4 --workload cifar10 -o scaling.json"}},
      Examples{"loadline completion", {"eval \"$(loadline completion bash)\""}},
      Examples{"loadline help", {"loadline help --read", "loadline help wide-spread"}},
  };
  return kTable;
}

}  // namespace

std::span<const std::string_view> examples_of(std::string_view verb) {
  const auto found = std::ranges::find(table(), verb, &Examples::verb);
  return found == table().end() ? std::span<const std::string_view>() : std::span(found->lines);
}

}  // namespace loadline
