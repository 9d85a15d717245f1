// Lists of numbers with names, as options take them: "latency=2e-3,iops=50k".
#pragma once

#include <span>
#include <string_view>

namespace loadline {

struct NumberPart {
  std::string_view name;
  double* value;
  double least = 0;
  double most = 1e21;
  bool above_least = false;  // `least` itself is too small
  bool whole = false;        // no fraction
};

// Sets the numbers that `text` has, and leaves the rest alone. Numbers may end in k, M, G, T, P (powers of 1000) or
// Ki, Mi, Gi, Ti, Pi (of 1024). Throws usage Error that begins with `option` and says which part is wrong and what is
// possible.
void read_numbers(std::string_view option, std::string_view text, std::span<const NumberPart> parts);

// One such number.
double read_number(std::string_view option, std::string_view text, double least, double most);

}  // namespace loadline
