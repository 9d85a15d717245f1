// result_outline: prints all fields that a result may have, for results/renew.py.
#include <cstdio>
#include <string>

#include "harness/file/result_json.h"

int main() {
  const std::string outline = loadline::result_outline();
  return std::fwrite(outline.data(), 1, outline.size(), stdout) == outline.size() ? 0 : 1;
}
