// Any text as a result: an Error refuses it, or it is read. It can then be judged and written, and what is written
// reads back the same. To report, merge or compare it may throw an Error. Nothing else may happen.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "harness/file/result_json.h"
#include "harness/file/result_reader.h"
#include "harness/judge/diff.h"
#include "harness/judge/judgement.h"
#include "harness/result/merge.h"
#include "harness/show/figures_text.h"
#include "harness/show/report/report.h"
#include "loaders/error.h"

namespace loadline {
namespace {

void show(const Result& result, const Judgement& judgement) {
  try {
    const std::vector results{result};
    const std::vector judgements{judgement};
    figures_text(result, judgement);
    report_text(results, judgements);
    report_markdown(results, judgements);
    report_csv(results);
    report_html(results, judgements);
  } catch (const Error&) {
  }
}

void combine(const Result& result) {
  try {
    diff_results({"one", result}, {"other", result}, {});
  } catch (const Error&) {
  }
  Result other = result;
  other.run_id += "-2";
  try {
    merge_results({{"one", result}, {"other", std::move(other)}}, "merged", true);
  } catch (const Error&) {
  }
}

}  // namespace
}  // namespace loadline

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

// NOLINTNEXTLINE(readability-identifier-naming)
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace loadline;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Result result;
  try {
    result = parse_result(text, "fuzz");
  } catch (const Error&) {
    return -1;
  }
  const Judgement judgement = judge_run(result);
  const std::string written = result_json(result, judgement);
  const Result again = parse_result(written, "written");
  if (result_json(again, judge_run(again)) != written) std::abort();
  show(result, judgement);
  combine(result);
  return 0;
}
