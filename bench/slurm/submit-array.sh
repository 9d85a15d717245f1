#!/usr/bin/env bash
# bench/slurm/submit-array.sh TASKS [OPTION...]: submits array.sbatch with TASKS tasks, and merge.sbatch to follow it,
# whether or not all tasks succeed. Options are passed to `loadline run`, settings are those of array.sbatch; sbatch's
# own options come from its variables: SBATCH_PARTITION=long SBATCH_TIMELIMIT=2:00:00 bench/slurm/submit-array.sh 8
set -euo pipefail

case ${1:-} in
  -h | --help) sed -n '2,/^set /{s/^# //p}' "$0"; exit 0 ;;
esac
if [[ ! ${1:-} =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: submit-array.sh TASKS [OPTION...]; want a number of tasks, got '${1:-}'" >&2
  exit 2
fi
tasks=$1
shift
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LOADLINE_ROOT=${LOADLINE_ROOT:-$(cd "$here/../.." && pwd)}

# With several clusters, sbatch prints "4711;cluster".
array=$(sbatch --parsable --array="1-$tasks" "$here/array.sbatch" "$@")
merge=$(sbatch --parsable --dependency="afterany:${array%%;*}" "$here/merge.sbatch" "${array%%;*}" "$tasks")
echo "array ${array%%;*} of $tasks tasks, and ${merge%%;*} to merge their results"
