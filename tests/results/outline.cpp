// result_outline: prints, for results/renew.py, all fields that a result and a training run may have.
// result_outline RESULT: prints this result as this version writes it.
#include <cstdio>
#include <exception>
#include <nlohmann/json.hpp>
#include <string>

#include "harness/file/result_json.h"
#include "harness/file/result_reader.h"
#include "harness/file/training_json.h"
#include "harness/judge/judgement.h"

namespace loadline {
namespace {

std::string outlines() {
  using Json = nlohmann::ordered_json;
  const Json both{{"result", Json::parse(result_outline())}, {"training", Json::parse(training_outline())}};
  return both.dump(1) + '\n';
}

std::string rewritten(const char* path) {
  const Result result = load_result(path);
  return result_json(result, judge_run(result));
}

}  // namespace
}  // namespace loadline

int main(int argc, char** argv) try {
  const std::string text = argc > 1 ? loadline::rewritten(argv[1]) : loadline::outlines();
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() ? 0 : 1;
} catch (const std::exception& error) {
  std::fprintf(stderr, "result_outline: %s\n", error.what());
  return 1;
}
