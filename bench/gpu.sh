#!/usr/bin/env bash
# bench/gpu.sh [--emulate] [OPTION...]: measures and checks the compute `cuda` with one command, on a machine with a
# GPU. Builds with CUDA, runs the CUDA tests, measures f32 and bf16, graphs on and off, batches pinned in place and
# copied, and FULL on small samples; if this loadline supports them, also a monitor with energy and a trace, and NVTX
# ranges if nsys is installed. Prints one line per check: pass, fail, or missing with what it needs. Writes
# results/example-gpu.json and its report results/example-gpu.html. Options are passed to every `loadline run`, such
# as --trial-seconds 2.
#   --emulate   tries the script itself, without CUDA and without a GPU: the compute `device` stands in for it, and nothing
#               is left in results/. Its figures say nothing of any GPU.
# Results of the steps go to $GPU (default: build/gpu-results), which is emptied first. Generated data is kept in
# $LOADLINE_DATA (default: loadline/ in the user's cache directory). $LOADLINE names a loadline that is already built,
# $LOADLINE_TESTS the synthetic_tests that were built with it.
# Exit codes: 0 no check failed, 1 one failed, or something needed is missing.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export LOADLINE_DATA=${LOADLINE_DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/loadline}
build=$root/build/gpu
results=${GPU:-$root/build/gpu-results}

say() { echo "==> $*" >&2; }
fail() { echo "gpu.sh: $*" >&2; exit 1; }

emulate=false
if [[ ${1:-} == --emulate ]]; then
  emulate=true
  shift
fi
common=("$@")

command -v python3 >/dev/null || fail "python3, which judges the results, is missing: install python3"
if ! $emulate; then
  command -v nvidia-smi >/dev/null || fail "nvidia-smi is missing, and so is NVIDIA's driver: run this on a machine with a GPU"
  gpu=$(nvidia-smi --query-gpu=name,driver_version --format=csv,noheader 2>/dev/null) && [[ -n $gpu ]] ||
    fail "nvidia-smi finds no GPU: run this on a machine with one"
  say "GPU: ${gpu//$'\n'/; }"
fi

loadline=${LOADLINE:-}
tests=${LOADLINE_TESTS:-}
if [[ -z $loadline ]]; then
  $emulate || command -v nvcc >/dev/null || [[ -x ${CUDA_HOME:-/usr/local/cuda}/bin/nvcc ]] ||
    fail "nvcc is missing: install the CUDA toolkit, 12 or newer, or set CUDA_HOME"
  say "dependencies"
  "$root/cmake/dependencies.sh" tests
  say "build ($build)"
  cuda=ON
  ! $emulate || cuda=AUTO
  cmake -S "$root" --preset release-tests -B "$build" -D LOADLINE_CUDA=$cuda >/dev/null
  cmake --build "$build" --parallel "$(nproc)" --target loadline synthetic_tests >&2
  loadline=$build/bench/loadline
  tests=$build/tests/synthetic_tests
fi
[[ -x $loadline ]] || fail "$loadline does not exist"

if [[ ! -e $LOADLINE_DATA/cifar10 ]]; then
  say "CIFAR-10-like data ($LOADLINE_DATA/cifar10)"
  mkdir -p "$LOADLINE_DATA"
  "$loadline" data make cifar10 "$LOADLINE_DATA/cifar10" --samples 50000 --seed 1 >&2
fi

mkdir -p "$results"
rm -f "$results"/*
"$loadline" list >"$results/list.txt"
"$loadline" run --help-all >"$results/help.txt"
if ! $emulate && ! grep -q '^  cuda ' "$results/list.txt"; then
  fail "$loadline has no compute cuda: $(sed -n 's/^  cuda  *left out: //p' "$results/list.txt")"
fi

# compute PARAMETERS: the compute on the GPU, or its stand-in.
compute() {
  if $emulate; then echo device:samples_per_second=200000
  elif [[ -n $1 ]]; then echo "cuda:$1"
  else echo cuda; fi
}

# measure NAME PARAMETERS OPTION...: a run whose result is judged at the end. A failed run leaves its reason.
measure() {
  local name=$1 parameters=$2
  shift 2
  say "$name"
  "$loadline" run --workload cifar10 --loader thread-pool --workers "$(nproc)" --compute "$(compute "$parameters")" \
    --ceilings off --first-epoch-seconds 0 --trials 5 --trial-seconds 0.5 --quiet "$@" "${common[@]}" \
    -o "$results/$name.json" 2>"$results/$name.txt" || say "$name failed: $(tail -n 1 "$results/$name.txt")"
}
has_option() { grep -q -- "^  $1\b" "$results/help.txt"; }

if [[ -n $tests ]] && ! $emulate; then
  say "tests of CUDA"
  "$tests" --gtest_filter='*Cuda*:*cuda*' >"$results/tests.log" 2>&1 || true
fi

measure f32 graph=off --mode synthetic,full --precision f32
measure bf16 graph=off --mode synthetic,full --precision bf16
measure graph graph=on --mode synthetic,full --precision f32
measure registered staging=registered --mode synthetic,full --precision f32 --dtype f32 --batch-size 2048
measure copied staging=copied --mode synthetic,full --precision f32 --dtype f32 --batch-size 2048
measure alone depth=0 --mode synthetic,full --precision f32 --dtype f32 --batch-size 2048
# Small samples, as stored: the rate of the loader against that of the step.
measure small graph=on --precision f32 --dtype u8 --crop-padding 0 --flip off

if has_option --monitor; then
  measure monitor graph=off --mode synthetic,full --monitor 200ms
fi
if has_option --trace; then
  measure trace graph=off --mode full --trace "$results/trace-events.json"
fi
if ! $emulate && command -v nsys >/dev/null; then
  say "NVTX ranges, by nsys"
  nsys profile --trace cuda,nvtx --force-overwrite true --output "$results/nvtx" \
    "$loadline" run --workload cifar10 --loader thread-pool --workers 2 --mode full --compute cuda --trials 1 \
    --trial-batches 20 --ceilings off --first-epoch-seconds 0 --quiet -o "$results/nvtx-run.out" >"$results/nvtx.log" 2>&1 &&
    nsys stats --report nvtx_sum --format csv "$results/nvtx.nsys-rep" >"$results/nvtx.csv" 2>>"$results/nvtx.log" ||
    say "nsys failed: $(tail -n 1 "$results/nvtx.log")"
fi

# The example: all modes with ceilings and first epoch, and with a monitor if possible.
example=$results/example-gpu.json
monitor=()
! has_option --monitor || monitor=(--monitor 200ms)
say "the example"
"$loadline" run --workload cifar10 --loader thread-pool --workers "1,$(nproc)" --compute "$(compute graph=on)" --trials 5 \
  --trial-seconds 0.5 --quiet "${monitor[@]}" "${common[@]}" -o "$example" 2>"$results/example-gpu.txt" ||
  say "the example failed: $(tail -n 1 "$results/example-gpu.txt")"
if [[ -e $example ]]; then
  "$loadline" report "$example" -o "$results/example-gpu.html"
  if ! $emulate; then
    cp "$example" "$results/example-gpu.html" "$root/results/"
    say "wrote results/example-gpu.json and results/example-gpu.html"
  fi
fi

emulated=()
! $emulate || emulated=(--emulated)
exec python3 -B "$root/bench/gpu_checks.py" "${emulated[@]}" "$results"
