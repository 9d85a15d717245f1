#!/usr/bin/env bash
# bench/batch/rank.sh RESULT [OPTION...]: srun starts this on each node for ranks.sbatch: `loadline run` on this
# rank's share of the samples, into RESULT-<rank>.json. Settings are those of ranks.sbatch.
set -euo pipefail

name=rank.sh
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
result=$1-${SLURM_PROCID:?rank.sh is for srun}.json
shift
# shellcheck source=SCRIPTDIR/common.sh
source "$root/bench/batch/common.sh"

sweep_options "$result"
options+=(--rank "$SLURM_PROCID" --world-size "$SLURM_NTASKS")
status=0
run_into "$result" || status=$?
((status == 0)) || obeyed_a_signal "$status" ||
  say "rank $SLURM_PROCID of $SLURM_NTASKS on ${SLURMD_NODENAME:-$HOSTNAME} $(how_it_ended "$status"): $result lacks trials"
exit "$status"
