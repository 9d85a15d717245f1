#!/usr/bin/env bash
# run.sh [--hours N | --runs N] [--jobs N] [--json FILE] [NAME...]: fuzzes every reader, or the named ones, with
# coverage, using libFuzzer (apt-get install clang): each for its share of the time, or for N executions. It continues
# with what it found before, in build/fuzz/corpus/. It leaves an input that ends the program in build/fuzz/found/, to be
# kept in tests/fuzz/corpus/NAME/, and then exits with 1.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
hours=1 runs=-1 json='' jobs=2
names=()
while (($# > 0)); do
  case $1 in
    --hours) hours=${2:?}; runs=-1; shift 2 ;;
    --runs) runs=${2:?}; hours=0; shift 2 ;;
    --jobs) jobs=${2:?}; shift 2 ;;
    --json) json=${2:?}; shift 2 ;;
    -*) echo "usage: run.sh [--hours N | --runs N] [--jobs N] [--json FILE] [NAME...]" >&2; exit 2 ;;
    *) names+=("$1"); shift ;;
  esac
done
if ((${#names[@]} == 0)); then
  for target in "$root"/tests/fuzz/*_fuzz.cpp; do names+=("$(basename "$target" _fuzz.cpp)"); done
fi
build=$root/build/fuzz
targets=()
for name in "${names[@]}"; do targets+=("${name}_fuzz" "${name}_fuzz_replay"); done
nice cmake -S "$root" --preset release-tests -B "$build" -D LOADLINE_FUZZ=ON -D CMAKE_CXX_FLAGS_RELEASE=-O1 >/dev/null
nice cmake --build "$build" --parallel "$jobs" --target "${targets[@]}"
mkdir -p "$build/found"
seconds=$(awk -v hours="$hours" -v count="${#names[@]}" 'BEGIN { printf "%d", hours * 3600 / count }')
status=0
rows=()
for name in "${names[@]}"; do
  corpus=$build/corpus/$name
  mkdir -p "$corpus"
  "$build/tests/fuzz/${name}_fuzz_replay" --seeds "$corpus" >/dev/null
  kept=("$corpus")
  [[ -d $root/tests/fuzz/corpus/$name ]] && kept+=("$root/tests/fuzz/corpus/$name")
  log=$build/found/$name.log
  code=0
  nice "$build/tests/fuzz/${name}_fuzz" -max_len=65536 -timeout=20 -rss_limit_mb=4096 -runs="$runs" \
    -max_total_time="$seconds" -print_final_stats=1 -artifact_prefix="$build/found/$name-" "${kept[@]}" >"$log" 2>&1 ||
    code=$?
  executions=$(awk '/^stat::number_of_executed_units/ { print $2 }' "$log")
  features=$(grep -o 'ft: [0-9]*' "$log" | tail -1 | cut -c5- || true)
  echo "$name: ${executions:-0} executions, ${features:-0} features, exit code $code, see $log"
  ((code == 0)) || status=1
  rows+=("{\"reader\": \"$name\", \"executions\": ${executions:-0}, \"features\": ${features:-0}, \"found\": $((code != 0))}")
done
if [[ $json ]]; then
  (IFS=,; echo "[${rows[*]}]") >"$json"
fi
exit "$status"
