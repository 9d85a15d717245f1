#!/usr/bin/env bash
# tests/run.sh [OPTION...]: builds and runs the tests; options go to ctest (-R loaders: tests of one layer).
# Without options it runs the tests of the release build, then those under the address and undefined-behaviour
# sanitizers, and the threaded ones under the thread sanitizer. With options it runs the tests of the preset dev.
# LOADLINE_TEST_PRESETS="release-tests asan tsan tidy" chooses presets; tidy is tests/tidy.sh. While the tests of one
# preset run, which mostly wait, it builds the next one with the CPU time that they leave.
# At the end it prints how long each part took.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

case ${1:-} in
  -h | --help)
    sed -n '2,/^set /{s/^# //p}' "${BASH_SOURCE[0]}"
    exit 0 ;;
esac

if (($# > 0)); then presets=dev; else presets='release-tests asan tsan'; fi
read -ra presets <<<"${LOADLINE_TEST_PRESETS:-$presets}"
for preset in "${presets[@]}"; do
  case $preset in
    dev | release-tests | asan | tsan | tidy) ;;
    *) echo "LOADLINE_TEST_PRESETS: want dev, release-tests, asan, tsan or tidy, got '$preset'" >&2; exit 2 ;;
  esac
done

work=$(mktemp -d)
times=$work/times
builder=
end() {
  [[ -z $builder ]] || kill -- "-$builder" 2>/dev/null || true
  [[ ! -e $times ]] || cat "$times" >&2
  rm -rf "$work"
}
trap end EXIT

say() { echo "==> $*" >&2; }

# timed WHAT COMMAND...: notes in $times how long the command took, and the CPU time of it and its children.
timed() {
  local what=$1 TIMEFORMAT="%R %U %S" status=0
  shift
  { time "$@" 2>&3 || status=$?; } 3>&2 2>"$times.last"
  awk -v what="$what" '{ printf "==> %5.0f s, %5.0f s of CPU: %s\n", $1, $2 + $3, what }' "$times.last" >>"$times"
  return "$status"
}

folder_of() { echo "build/${1%-tests}"; }

# Older thread sanitizers fail if the kernel randomises addresses widely; not every container can switch that off.
prefix_of() {
  if [[ $1 == tsan ]] && setarch "$(uname -m)" -R true 2>/dev/null; then echo setarch "$(uname -m)" -R; fi
}

build() {
  local preset=$1 settings=() targets=() prefix status=0
  if [[ $preset == tidy ]]; then
    "$root/tests/tidy.sh" >&2 || status=$?
    ((status != 77)) || status=0  # there is no clang-tidy
    return "$status"
  fi
  read -ra prefix <<<"$(prefix_of "$preset")"
  case $preset in asan | tsan) targets=(--target unit_tests) ;; esac
  if [[ $preset == asan ]]; then
    # The tests as the build before has compiled them.
    settings=(-DLOADLINE_TEST_OBJECTS=)
    [[ " ${presets[*]} " != *" release-tests asan "* ]] || settings[0]+=$root/$(folder_of release-tests)
  fi
  cmake -S "$root" --preset "$preset" "${settings[@]}" >/dev/null &&
    "${prefix[@]}" cmake --build "$root/$(folder_of "$preset")" --parallel "$(nproc)" "${targets[@]}" >&2
}

# build_beside PRESET...: builds one after the other; leaves the output, the times and the exit code of each in $work.
build_beside() {
  local preset status
  for preset in "$@"; do
    times=$work/$preset.times status=0
    timed "$preset: build, in the background" build "$preset" >"$work/$preset.log" 2>&1 || status=$?
    echo "$status" >"$work/status"
    mv "$work/status" "$work/$preset.status"
    ((status == 0)) || return 0
  done
}

# await_build PRESET: shows that output as it comes, until the build has ended.
await_build() {
  local preset=$1 log
  : >>"$work/$preset.log"
  exec {log}<"$work/$preset.log"
  while [[ ! -e $work/$preset.status ]] && kill -0 "$builder" 2>/dev/null; do
    sleep 0.5
    cat <&"$log" >&2
  done
  cat <&"$log" >&2
  exec {log}<&-
  cat "$work/$preset.times" >>"$times"
  [[ $(<"$work/$preset.status") == 0 ]]
}

# The tests run with the signals of a terminal, because some send SIGINT, which background jobs ignore.
run_tests() {
  local preset=$1 beside selection=() prefix
  shift
  read -ra prefix <<<"$(prefix_of "$preset")"
  beside=$(nproc)
  # Many of these tests wait for trials to end more than they work.
  case $preset in dev | release-tests) beside=$((beside + (beside + 1) / 2)) ;; esac
  [[ $preset != tsan || $# -gt 0 ]] || selection=(-L '^threads$')
  if env --default-signal=INT true 2>/dev/null; then prefix+=(env "--default-signal=INT,QUIT,HUP"); fi
  "${prefix[@]}" ctest --test-dir "$root/$(folder_of "$preset")" \
    --parallel "$beside" --no-tests=error --output-on-failure "${selection[@]}" "$@"
}

say "dependencies"
timed "dependencies: to build" "$root/cmake/dependencies.sh" bench
# On a fresh checkout the tool is built while the packages that only tests use are installed.
if [[ ${presets[0]} == release-tests && ! -d $root/build/release ]]; then
  set -m  # a process group of its own
  build_beside release &
  builder=$!
  set +m
fi
timed "dependencies: to test" "$root/cmake/dependencies.sh" tests
if [[ -n $builder ]]; then
  await_build release
  builder=
fi

for preset in "${presets[@]}"; do
  say "$preset: build ($(folder_of "$preset"))"
  if [[ -z $builder ]]; then timed "$preset: build" build "$preset"
  else timed "$preset: wait for the build" await_build "$preset"; fi
  if [[ -z $builder ]] && ((${#presets[@]} > 1)); then
    set -m  # a process group of its own
    build_beside "${presets[@]:1}" &
    builder=$!
    set +m
    renice -n 19 -g "$builder" >/dev/null || true
  fi
  [[ $preset != tidy ]] || continue
  say "$preset: test"
  timed "$preset: test" run_tests "$preset" "$@"
done
builder=
