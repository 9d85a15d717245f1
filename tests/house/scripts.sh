#!/usr/bin/env bash
# scripts.sh ROOT: every shell script parses, is executable and stops at the first error.
set -euo pipefail
cd "${1:?usage: scripts.sh ROOT}"
status=0
count=0
while IFS= read -r -d '' script; do
  read -r first <"$script" || continue
  [[ $first == '#!'*sh ]] || continue
  count=$((count + 1))
  bash -n "$script" || status=1
  grep -q '^set -euo pipefail$' "$script" || { echo "$script: no 'set -euo pipefail'" >&2; status=1; }
  [[ -x $script ]] || { echo "$script: not executable" >&2; status=1; }
done < <(find . \( -name .git -o -path ./build \) -prune -o -type f \( -name '*.sh' -o -name '*.sbatch' -o -name '*.lsf' -o -path ./tests/lsf/bsub -o -path './.ci/*' \) -print0)
echo "$count scripts"
((count > 0 && status == 0))
