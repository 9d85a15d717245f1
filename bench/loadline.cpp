#include <cstdio>
#include <cstdlib>

#include "harness/cli/cli.h"
#include "harness/measure/apart.h"

int main(int argc, char** argv) {
  const int code = loadline::run_cli(argc, argv);
  if (!loadline::any_left_behind()) return code;
  std::fflush(nullptr);
  std::_Exit(code);
}
