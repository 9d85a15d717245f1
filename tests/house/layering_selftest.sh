#!/usr/bin/env bash
# layering_selftest.sh ROOT: plants one violation at a time in a copy of the sources; layering.sh must name each.
set -euo pipefail
root=${1:?usage: layering_selftest.sh ROOT}
check=$root/tests/house/layering.sh
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT

# The headers alone are enough of a tree, and keep the copy small.
(cd "$root" && find loaders synthetic harness bench tests -name '*.h' -print0 | xargs -0 cp --parents -t "$copy")
bash "$check" "$copy" >/dev/null 2>&1 || { echo "the copy without a planted violation does not pass" >&2; exit 1; }

failures=0
# planted FILE INCLUDE: with that one line as a file of its own, the check must fail and name the file.
planted() {
  local file=$1 include=$2 said status=0
  mkdir -p "$copy/$(dirname "$file")"
  printf '#include %s\n' "$include" >"$copy/$file"
  said=$(bash "$check" "$copy" "$file" 2>&1) || status=$?
  if ((status == 0)) || [[ $said != *"$file:1: "* ]]; then
    echo "not caught: $file with #include $include" >&2
    failures=$((failures + 1))
  fi
  rm "$copy/$file"
}
allowed() {
  local file=$1 include=$2 own=${1%.cpp}.h
  mkdir -p "$copy/$(dirname "$file")"
  if [[ $file != *.cpp || ! -e $copy/$own ]]; then own=$include; else own="\"$own\""; fi
  printf '#include %s\n' "$own" "$include" >"$copy/$file"
  if ! bash "$check" "$copy" "$file" >/dev/null 2>&1; then
    echo "refused, though allowed: $file with #include $include" >&2
    failures=$((failures + 1))
  fi
  rm "$copy/$file"
}

planted loaders/error.cpp '<string>'
planted loaders/planted.cpp '"synthetic/compute/compute.h"'
planted loaders/planted.cpp '"harness/plan/plan.h"'
planted synthetic/planted.cpp '"harness/plan/plan.h"'
planted harness/plan/planted.cpp '"bench/planted.h"'
planted bench/planted.cpp '"tests/support/planted.h"'
planted tests/planted.cpp '"bench/planted.h"'
planted loaders/planted.cpp '"error.h"'
planted loaders/planted.cpp '"../synthetic/compute/compute.h"'
planted loaders/planted.cpp '  "harness/plan/plan.h"  // spaced'
planted loaders/planted.cpp 'MACRO_INCLUDE'
planted loaders/planted.cpp '"build_info.h"'
planted synthetic/generate/planted.cpp '"loaders/datasets/idx.h"'
planted harness/measure/planted.cpp '"harness/cli/cli.h"'
planted harness/show/planted.cpp '<nlohmann/json.hpp>'
planted harness/result/planted.cpp '<nlohmann/json_fwd.hpp>'
planted harness/result/planted.cpp '"harness/judge/verdict.h"'
planted harness/judge/planted.cpp '"harness/measure/run.h"'
planted harness/ceilings/planted.cpp '"harness/result/result.h"'
planted harness/plan/planted.cpp '"harness/machine/machine.h"'
planted harness/attic/planted.cpp '"harness/plan/plan.h"'
planted harness/file/result_json.cpp '<nlohmann/json.hpp>'
planted harness/show/planted.cpp '"harness/file/json/record.h"'
planted bench/planted.cpp '<nlohmann/json.hpp>'
planted loaders/transforms/planted.cpp '<jpeglib.h>'
planted loaders/transforms/planted.cpp '<opencv2/core.hpp>'
planted harness/measure/planted.cpp '<opencv2/core.hpp>'
planted loaders/engines/planted.cpp '<oneapi/tbb/task_arena.h>'
planted harness/measure/planted.cpp '<tbb/task_arena.h>'
planted harness/measure/planted.cpp '<oneapi/dnnl/dnnl.hpp>'
planted synthetic/compute/planted.cpp '<omp.h>'
planted synthetic/compute/planted.cpp '"synthetic/compute/cnn/onednn.h"'
planted synthetic/compute/cnn/planted.h '<omp.h>'
planted synthetic/compute/planted.cpp '<cuda_runtime_api.h>'
planted synthetic/compute/planted.cu '<cublas_v2.h>'
planted synthetic/compute/cuda_planted.h '<cuda_runtime.h>'
planted tests/planted.cpp '<nvtx3/nvToolsExt.h>'
planted loaders/planted.h '<fmt/format.h>'
planted loaders/planted.h '<zlib.h>'
planted harness/plan/planted.h '<CLI/CLI.hpp>'
planted harness/plan/planted.h '<sys/stat.h>'
planted loaders/engines/planted.cpp '<sys/mman.h>'
planted loaders/system/planted.cpp '<fcntl.h>'
planted loaders/system/planted.cpp '"loaders/storage/file.h"'
planted loaders/engines/planted.cpp '<fcntl.h>'
planted loaders/planted.cpp '<unistd.h>'

allowed synthetic/planted.cpp '"loaders/error.h"'
allowed harness/planted.cpp '"synthetic/compute/compute.h"'
allowed bench/planted.cpp '"harness/cli/cli.h"'
allowed bench/planted.cpp '"bench/planted.h"'
allowed tests/planted.cpp '<nlohmann/json.hpp>'
allowed tests/planted.cpp '"tests/support/planted.h"'
allowed harness/file/json/planted.h '<nlohmann/json.hpp>'
allowed harness/file/planted.cpp '"harness/file/json/record.h"'
allowed harness/judge/planted.cpp '"harness/result/result.h"'
allowed harness/show/planted.cpp '"harness/measure/schedule.h"'
allowed harness/show/benchy.cpp '"harness/file/json/record.h"'
allowed loaders/transforms/jpeg.cpp '<jpeglib.h>'
allowed bench/planted.cpp '<opencv2/core.hpp>'
allowed tests/planted.cpp '<jpeglib.h>'
allowed synthetic/compute/gpt/planted.cpp '<omp.h>'
allowed synthetic/compute/gpt/planted.cpp '"synthetic/compute/cnn/onednn.h"'
allowed synthetic/compute/cuda_planted.cu '<cuda_bf16.h>'
allowed synthetic/compute/cuda_planted.cpp '<nvtx3/nvToolsExt.h>'
allowed harness/result/planted.cpp '<unistd.h>'
allowed loaders/storage/planted.cpp '<sys/mman.h>'
allowed loaders/storage/planted.cpp '<fcntl.h>'
allowed loaders/storage/planted.cpp '"loaders/system/memory.h"'
allowed loaders/system/planted.cpp '<sched.h>'
allowed loaders/planted.cpp '<fmt/format.h>'
allowed loaders/planted.h '<vector>'

((failures == 0))
