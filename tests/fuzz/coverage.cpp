// Records the path of an input, for libFuzzer in a build by GCC. libFuzzer understands the counters of Clang, and GCC
// calls a function at every branch; extra counters join the two. Only the fuzzers link this.
#include <cstddef>
#include <cstdint>

namespace {

constexpr std::size_t kCounters = std::size_t{1} << 16;

[[gnu::section("__libfuzzer_extra_counters")]] std::uint8_t counters[kCounters];

}  // namespace

// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): GCC's names
extern "C" {

[[gnu::no_sanitize_coverage]] void __sanitizer_cov_trace_pc() {
  const auto place = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  ++counters[(place ^ place >> 16U) % kCounters];
}

// libFuzzer learns only from comparisons of whole numbers.
void __sanitizer_cov_trace_cmpf(float /*left*/, float /*right*/) {}
void __sanitizer_cov_trace_cmpd(double /*left*/, double /*right*/) {}

}  // extern "C"
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)
