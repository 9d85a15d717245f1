#!/usr/bin/env bash
# run.sh [--all] [TOOL FAULTS]: makes things go wrong around a run, on purpose. Without --all it tries a sample, in
# about a minute. With --all it tries every point of every scenario, which takes hours, and writes results/faults.json
# and results/faults.md. The default TOOL and FAULTS, the library of faults.cpp, are those of the release build.
# LOADLINE_FAULT_JOBS: how many runs at a time (2).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$here/../../build/release
all=false
if [[ ${1:-} == --all ]]; then
  all=true
  shift
fi
tool=${1:-$build/bench/loadline}
faults=${2:-$build/tests/fault/libloadline_faults.so}
python=${PYTHON:-python3}
jobs=${LOADLINE_FAULT_JOBS:-2}
status=0
if [[ $all == false ]]; then
  "$python" -B "$here/walk.py" "$tool" "$faults" --points 10 --allocations 3 --jobs "$jobs" || status=1
  "$python" -B "$here/signals.py" "$tool" --moments 1 --kills 3 || status=1
  "$python" -B "$here/order.py" "$tool" "$faults" || status=1
  exit "$status"
fi
notes=$(mktemp -d)
trap 'rm -rf "$notes"' EXIT
"$python" -B "$here/walk.py" "$tool" "$faults" --jobs "$jobs" --json "$notes/walk.json" || status=1
"$python" -B "$here/signals.py" "$tool" --moments 50 --kills 200 --json "$notes/signals.json" || status=1
"$python" -B "$here/order.py" "$tool" "$faults" --json "$notes/order.json" || status=1
"$python" -B "$here/table.py" "$notes"/*.json
exit "$status"
