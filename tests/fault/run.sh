#!/usr/bin/env bash
# run.sh TOOL FAULTS [--all]: what goes wrong around a run, on purpose. Without --all a sample of it, in about a minute;
# with it every point of every scenario, which takes hours, the whole of it noted in results/faults.json, of which the
# table in results/faults.md is made. LOADLINE_FAULT_JOBS: how many runs at a time (2).
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tool=${1:?usage: run.sh TOOL FAULTS [--all]}
faults=${2:?usage: run.sh TOOL FAULTS [--all]}
python=${PYTHON:-python3}
jobs=${LOADLINE_FAULT_JOBS:-2}
status=0
if [[ ${3:-} != --all ]]; then
  "$python" -B "$here/walk.py" "$tool" "$faults" --points 60 --allocations 20 --jobs "$jobs" || status=1
  "$python" -B "$here/signals.py" "$tool" --moments 4 --kills 10 || status=1
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
