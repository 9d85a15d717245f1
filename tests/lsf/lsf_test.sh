#!/usr/bin/env bash
# lsf_test.sh TOOL ROOT: the scripts of bench/lsf with stand-ins for bsub and for the variables of a job, since tests
# have no LSF. No stand-in can show whether LSF reads the #BSUB lines as its documentation says. Also the help of all
# batch scripts.
set -euo pipefail
# shellcheck source=SCRIPTDIR/../support/batch.sh
source "${2:?usage: lsf_test.sh TOOL ROOT}/tests/support/batch.sh"
trap 'rm -rf "$work"' EXIT
mkdir "$work/state"
export PATH=$root/tests/lsf:$PATH FAKE_STATE=$work/state

# submit SCRIPT BSUB_OPTION...: sets job and log.
submit() {
  local said
  said=$(bsub "${@:2}" <"$root/bench/lsf/$1")
  job=${said#*<}
  job=${job%%>*}
  log=loadline-$job.out
}
# exits STATUS [INDEX]
exits() { [[ $(<"state/exit-$job-${2:-0}") == "$1" ]] || fail "exit code $(<"state/exit-$job-${2:-0}"), want $1"; }

what="help"
for script in "$root"/bench/{slurm,lsf}/*; do
  log=help
  "$script" --help >help || fail "${script##*/} --help fails"
  says "${script##*/}"
done

what="a sweep"
OPTIONS=$quick STAGE=yes DATA=$work/data/mnist SCRATCH=$work/scratch submit sweep.lsf
exits 0
says "staged: 447.0 KiB to $work/scratch/loadline-stage-$UID in "
[[ -z $(ls -A "scratch/loadline-stage-$UID") ]] || fail "leaves the copy behind"
says "job $job of lsf on n1, queue normal"
result=results/sweep-$job.json
is_complete "$result"
holds "$result" "r['job'] == {'scheduler': 'lsf', 'id': '$job', 'array_id': None, 'array_index': None,
  'name': 'loadline-sweep', 'partition': 'normal', 'nodes': 'n1', 'node_count': 1, 'cpus': 2, 'total_cpus': 2,
  'memory_bytes': None, 'ends': None, 'restarts': 0}"
holds "$result" "{c['workers'] for c in r['cells'] if c['mode'] == 'IO'} == set(range(1, 1 + min(2, $(nproc))))"
for report in md html; do [[ -s ${result%json}$report ]] || fail "leaves no ${result%json}$report"; done

what="a job with one slot, which nothing binds"
FAKE_HOSTS='n1 1' OPTIONS="$quick --loader thread-pool" submit sweep.lsf
exits 0
holds "results/sweep-$job.json" "r['machine']['threads_in_force'] == 1"

what="a run that is warned of its limit"
log=loadline-817.out
export STAGE=yes DATA=$work/data/mnist SCRATCH=$work/scratch
OPTIONS=$slow bsub <"$root/bench/lsf/sweep.lsf" >/dev/null &
waits_for "trial 2/"
kill -TERM -- "-$(<state/group-817-0)"
wait
job=817
exits 143
says "stopped before the end; to continue: RESULT=results/sweep-817.json WORKLOAD=mnist "
says " DATA=$DATA STAGE=yes SCRATCH=$SCRATCH "
says " bsub < $root/bench/lsf/sweep.lsf"
is_partial results/sweep-817.json

what="the same job when LSF runs it again"
FAKE_RUNS_AGAIN=817 OPTIONS=$slow submit sweep.lsf
exits 0
is_complete results/sweep-817.json
holds results/sweep-817.json "r['job']['restarts'] == 1"
holds results/sweep-817.json "all(len(c['trials']) == 40 for c in r['cells'])"
[[ $(grep -c 'trial 1/40 mnist/FULL' "$log") == 1 ]] || fail "begins again"
unset STAGE DATA SCRATCH

what="an array and its merge"
# shellcheck disable=SC2086
read -r _ array _ _ _ _ merge _ < <(LOADERS=serial,thread-pool,flow-graph WORKERS=1 \
  "$root/bench/lsf/submit-array.sh" 2 $quick --exclude 'loader=flow-graph batch_size>1')
job=$array
for task in 1 2; do
  log=loadline-$array-$task.out
  exits 0 "$task"
  holds "results/array-$array-$task.json" "r['job']['id'] == '${array}[$task]' and r['job']['array_index'] == $task"
done
job=$merge log=loadline-$merge.out
exits 0
holds "results/array-$array.json" "sorted(c['name'] for c in r['cells'] if c['mode'] == 'IO') ==
  ['mnist/IO/serial/batch:64', 'mnist/IO/thread-pool/workers:1/batch:64']"

what="a task without an array"
PARTS=2 submit array.lsf -J alone
log=loadline-$job-0.out
exits 1
says 'array.lsf: task 0 of 2: submit it as bsub -J "loadline[1-N]"'

what="a gate"
export BASELINE=test
SAVE=yes OPTIONS="$slow --trials 5" submit gate.lsf
exits 0
OPTIONS="$slow --trials 5" submit gate.lsf
gates "$(<"state/exit-$job-0")"
says "alpha 0.05"

if [[ -n $(find "$(dirname "$tool")/.." -name loadline_mpi.so -print -quit) ]] && command -v mpirun >/dev/null; then
  what="a scaling study"
  OPTIONS="$quick --mode full" LAUNCHER='mpirun --oversubscribe -n {ranks}' OMPI_ALLOW_RUN_AS_ROOT=1 \
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 submit scaling.lsf
  exits 0
  says "mnist, thread-pool x 1: weak scaling of FULL, batches of 64 per rank"
  holds "results/scaling-$job.json" "[p['ranks'] for p in r['curves'][0]['points']] == [1, 2]"
fi

what="a script that does not know the repository"
LOADLINE_ROOT=$work submit sweep.lsf
exits 1
says "sweep.lsf: $work is not loadline's repository: submit from there, or export LOADLINE_ROOT"

((failures == 0))
