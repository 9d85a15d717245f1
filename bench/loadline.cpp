#include "harness/cli/cli.h"

int main(int argc, char** argv) {
  return loadline::run_cli(argc, argv);
}
