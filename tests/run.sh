#!/usr/bin/env bash
# tests/run.sh [OPTION...]: builds and runs the tests; options go to ctest (-R loaders: those of one layer).
# Without options those of the release build, then under the address and undefined-behaviour sanitizers, and the threaded
# ones under the thread sanitizer; with options those of the preset dev. LOADLINE_TEST_PRESETS="release-tests asan tsan"
# chooses.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

case ${1:-} in
  -h | --help)
    sed -n '2,/^set /{s/^# //p}' "${BASH_SOURCE[0]}"
    exit 0 ;;
esac

if (($# > 0)); then presets=dev; else presets='release-tests asan tsan'; fi
presets=${LOADLINE_TEST_PRESETS:-$presets}

say() { echo "==> $*" >&2; }

say "dependencies"
"$root/cmake/dependencies.sh" tests

for preset in $presets; do
  targets=() selection=() prefix=()
  beside=$(nproc)
  case $preset in
    # Many of these wait, for trials to end, more than they work.
    dev | release-tests) beside=$((beside + (beside + 1) / 2)) ;;
    asan) targets=(--target unit_tests) ;;
    tsan)
      targets=(--target unit_tests)
      (($# > 0)) || selection=(-L '^threads$')
      # Older thread sanitizers give up where the kernel spreads addresses widely; not every container allows this.
      if setarch "$(uname -m)" -R true 2>/dev/null; then prefix=(setarch "$(uname -m)" -R); fi ;;
    *) echo "LOADLINE_TEST_PRESETS: want dev, release-tests, asan or tsan, got '$preset'" >&2; exit 2 ;;
  esac
  folder=$root/build/${preset%-tests}
  say "$preset: build (${folder#"$root"/})"
  cmake -S "$root" --preset "$preset" >/dev/null
  "${prefix[@]}" cmake --build "$folder" --parallel "$(nproc)" "${targets[@]}" >&2
  say "$preset: test"
  "${prefix[@]}" ctest --test-dir "$folder" --parallel "$beside" --no-tests=error \
    --output-on-failure "${selection[@]}" "$@"
done
