#!/usr/bin/env bash
# bench/lsf/submit-array.sh TASKS [OPTION...]: submits array.lsf with TASKS tasks, and merge.lsf to follow it, whether
# or not all tasks succeed. Options are passed to `loadline run`, settings are those of array.lsf; bsub's own options
# come from BSUB_OPTIONS: BSUB_OPTIONS='-q long -W 2:00' bench/lsf/submit-array.sh 8
set -euo pipefail

case ${1:-} in
  -h | --help) sed -n '2,/^set /{s/^# //p}' "$0"; exit 0 ;;
esac
if [[ ! ${1:-} =~ ^[1-9][0-9]*$ ]]; then
  echo "usage: submit-array.sh TASKS [OPTION...]; want a number of tasks, got '${1:-}'" >&2
  exit 2
fi
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export LOADLINE_ROOT=${LOADLINE_ROOT:-$(cd "$here/../.." && pwd)}
# shellcheck source=SCRIPTDIR/../batch/words.sh
source "$LOADLINE_ROOT/bench/batch/words.sh"
PARTS=$1
shift
OPTIONS=$(quoted "$@")
export PARTS OPTIONS
split_words "${BSUB_OPTIONS:-}" ||
  { echo "submit-array.sh: BSUB_OPTIONS: a quote does not end in $BSUB_OPTIONS" >&2; exit 2; }
bsub_options=("${words[@]}")

# submit_script SCRIPT BSUB_OPTION...: sets `job` to the number in "Job <815> is submitted to queue <normal>."
submit_script() {
  local said
  said=$(bsub "${@:2}" <"$here/$1")
  [[ $said =~ \<([0-9]+)\> ]] || { echo "submit-array.sh: bsub did not name a job: $said" >&2; exit 1; }
  job=${BASH_REMATCH[1]}
}

submit_script array.lsf "${bsub_options[@]}" -J "loadline-array[1-$PARTS]"
export ARRAY=$job
submit_script merge.lsf -w "ended($ARRAY)"
echo "array $ARRAY of $PARTS tasks, and $job to merge their results"
