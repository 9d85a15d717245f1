#!/usr/bin/env bash
# slurm_test.sh TOOL ROOT: the scripts of bench/slurm in a real Slurm of their own, on one node and on two emulated ones.
# Exit code 77 where Slurm is not installed or the user is not root. LOADLINE_KEEP=1 leaves the files of a failure.
set -euo pipefail
# shellcheck source=SCRIPTDIR/cluster.sh
source "${2:?usage: slurm_test.sh TOOL ROOT}/tests/slurm/cluster.sh"
cluster_is_possible || exit 77
# shellcheck source=SCRIPTDIR/../support/batch.sh
source "$2/tests/support/batch.sh"

cluster=''
cleanup() {
  stop_cluster "$cluster"
  if [[ -n ${LOADLINE_KEEP:-} ]] && ((failures > 0)); then echo "kept: $work" >&2; else rm -rf "$work"; fi
}
trap cleanup EXIT

sweep=$root/bench/slurm/sweep.sbatch
read -r -a quick <<<"$quick"
read -r -d '' -a slow <<<"$slow" || true

# submit SBATCH_OPTION... SCRIPT [OPTION...]: sets job and log.
submitted=0
submit() {
  log=$work/log-$((++submitted))
  job=$(sbatch --parsable --output="$log" --mem=512M "$@")
}
state() { scontrol --oneliner show job "$1" | grep -oP '(?<= JobState=)\S+'; }
exit_code() { scontrol --oneliner show job "$1" | grep -oP '(?<= ExitCode=)\d+'; }
has_ended() { case $(state "$1") in PENDING | RUNNING | COMPLETING | REQUEUED | CONFIGURING) return 1 ;; esac }
# ends STATE [JOB]
ends() {
  wait_until 180 has_ended "${2:-$job}" || fail "does not end"
  [[ $(state "${2:-$job}") == "$1" ]] || fail "ends as $(state "${2:-$job}"), not as $1"
}
# fails EXIT_CODE [JOB]
fails() {
  ends FAILED "${2:-$job}"
  [[ $(exit_code "${2:-$job}") == "$1" ]] || fail "exit code $(exit_code "${2:-$job}"), want $1"
}

# Whether ranks can be one run: the module is beside the tool, and Slurm can start them.
mpi_is_built() {
  [[ -n $(find "$(dirname "$tool")/.." -name loadline_mpi.so -print -quit) ]] && srun --mpi=list 2>&1 | grep -q pmix
}

cluster=$work/one-node
start_cluster "$cluster" 1

what="a run whose time limit comes"
MAX_REQUEUES=0 submit --cpus-per-task=1 --time=1 --signal=B:USR1@50 "$sweep" "${slow[@]}" --trials 5000
limited=$job limited_log=$log

what="a sweep, submitted from the repository"
log=$work/log-sweep
job=$(cd "$root" && unset LOADLINE_ROOT && RESULTS=$work/results STAGE=yes DATA=$work/data/mnist SCRATCH=$work/scratch \
  sbatch --parsable --output="$log" --cpus-per-task=2 --mem=512M bench/slurm/sweep.sbatch "${quick[@]}")
ends COMPLETED
place=$work/scratch/loadline-stage-$UID
says "staged: 447.0 KiB to $place in "
[[ -d $place && -z $(ls -A "$place") ]] || fail "leaves the copy behind"
says "job $job of slurm on n1, partition main"
says "CPU efficiency  "
says " of the 512 MiB requested"
result=$work/results/sweep-$job.json
is_complete "$result"
holds "$result" "r['job'] == {'scheduler': 'slurm', 'id': '$job', 'array_id': None, 'array_index': None,
  'name': 'loadline-sweep', 'partition': 'main', 'nodes': 'n1', 'node_count': 1, 'cpus': 2, 'total_cpus': 2,
  'memory_bytes': 2**29, 'ends': r['job']['ends'], 'restarts': 0}"
holds "$result" "{c['workers'] for c in r['cells'] if c['mode'] == 'IO'} == set(range(1, 1 + min(2, $(nproc))))"
holds "$result" "r['datasets'][0]['path'].startswith('$work/scratch/')"
# The commands in its reports name the original, because the copy is gone.
holds "$result" "r['datasets'][0]['staged']['from'] == r['config']['data'] == '$work/data/mnist'"
for report in md html; do [[ -s ${result%json}$report ]] || fail "leaves no ${result%json}$report"; done

what="a job with one of several CPUs, which nothing binds"
submit --cpus-per-task=1 "$sweep" "${quick[@]}" --loader thread-pool
ends COMPLETED
holds "results/sweep-$job.json" "r['machine']['threads_in_force'] == 1"
holds "results/sweep-$job.json" "{c['workers'] for c in r['cells'] if c['mode'] == 'IO'} == {1}"

what="a run that is requeued when its time limit is near"
MAX_REQUEUES=1 submit --cpus-per-task=1 "$sweep" "${slow[@]}"
requeued=$job requeued_log=$log
waits_for "trial 2/"
scancel --batch --signal=USR1 "$job"
waits_for "the time limit came first: requeued"

what="a run that is cancelled"
submit --cpus-per-task=1 "$sweep" "${slow[@]}" --trials 5000
waits_for "trial 2/"
scancel "$job"
ends CANCELLED
wait_until 60 log_says "stopped before the end" || fail "is not told how to go on"
says "stopped before the end; to continue: RESULT=results/sweep-$job.json WORKLOAD=mnist LOADERS="
says " STAGE=no LOADLINE=$tool LOADLINE_ROOT=$root sbatch $sweep --mode full --loader thread-pool --workers 1 "
is_partial "results/sweep-$job.json"

what="a run that is killed"
submit --cpus-per-task=1 "$sweep" "${slow[@]}" --trials 5000
waits_for "trial 2/"
# Another test may have a job of this number in another directory.
for process in $(pgrep -f -- "-o results/sweep-$job.json"); do
  [[ ! /proc/$process/cwd -ef $work ]] || kill -KILL "$process"
done
fails 137
says "loadline was killed by signal KILL, as where a job has too little memory"
says "stopped before the end; to continue: RESULT=results/sweep-$job.json WORKLOAD=mnist LOADERS="
holds "results/sweep-$job.json" "r['status'] == 'partial' and len(r['benchmarks']) > 0"

what="a run whose script alone is told to end"
submit --cpus-per-task=1 "$sweep" "${slow[@]}" --trials 5000
waits_for "trial 2/"
scancel --batch --signal=TERM "$job"
fails 143
is_partial "results/sweep-$job.json"

what="a script that does not know the repository"
LOADLINE_ROOT=$work submit "$sweep"
ends FAILED
says "sweep.sbatch: $work is not loadline's repository: submit from there, or export LOADLINE_ROOT"

what="a sweep of a loader without workers"
LOADERS=serial submit --cpus-per-task=2 "$sweep" "${quick[@]}"
ends COMPLETED
holds "results/sweep-$job.json" "[c['name'] for c in r['cells'] if c['mode'] == 'IO'] == ['mnist/IO/serial/batch:64']"

what="an array with a task too many, and its merge"
both=$(LOADERS=serial,thread-pool WORKERS=1 "$root/bench/slurm/submit-array.sh" 3 "${quick[@]}")
read -r _ array _ _ _ _ merge _ <<<"$both"
job=$merge
log=loadline-$merge.out
ends COMPLETED
for task in 1 2; do
  is_complete "results/array-$array-$task.json"
  holds "results/array-$array-$task.json" "(r['job']['array_id'], r['job']['array_index']) == ('$array', $task)"
done
[[ -e results/array-$array-3.json.empty && ! -e results/array-$array-3.json ]] || fail "does not notice the empty task"
holds "results/array-$array.json" "sorted(c['name'] for c in r['cells'] if c['mode'] == 'IO') ==
  ['mnist/IO/serial/batch:64', 'mnist/IO/thread-pool/workers:1/batch:64']"
# Nothing is missing, although the last share is empty.
is_complete "results/array-$array.json"
holds "results/array-$array.json" "all(len(c['trials']) == 2 for c in r['cells'] if c['mode'] == 'IO')"

what="a merge that lacks a task"
mv "results/array-$array-2.json" kept.json
submit "$root/bench/slurm/merge.sbatch" "$array" 3
ends FAILED
says "not merged because they do not exist: results/array-$array-2.json"

what="a merge of a task that was stopped"
python3 - kept.json "results/array-$array-2.json" <<'END'
import json, sys
result = json.load(open(sys.argv[1]))
result["status"] = "partial"
result["cells"][0]["trials"].pop()
json.dump(result, open(sys.argv[2], "w"))
END
submit "$root/bench/slurm/merge.sbatch" "$array" 3
fails 1
says "stopped before they had all trials: results/array-$array-2.json"
says "results/array-$array.json is not complete: continue these tasks"

what="a gate"
export BASELINE=test
gate=("$root/bench/slurm/gate.sbatch" "${slow[@]}" --trials 5)
SAVE=yes submit "${gate[@]}"
ends COMPLETED
submit "${gate[@]}"
wait_until 180 has_ended "$job" || fail "does not end"
gates "$(exit_code "$job")"
says "alpha 0.05"

if mpi_is_built; then
  what="a scaling study of one and two ranks"
  submit --ntasks=2 --cpus-per-task=1 "$root/bench/slurm/scaling.sbatch" "${quick[@]}" --mode full
  ends COMPLETED
  says "mnist, thread-pool x 1: weak scaling of FULL, batches of 64 per rank"
  study=results/scaling-$job
  holds "$study.json" "r['complete'] and [p['ranks'] for p in r['curves'][0]['points']] == [1, 2]"
  holds "$study-2.json" "(r['ranks']['launcher'], len(r['ranks']['places'])) == ('srun', 2)"
  for report in md html csv; do [[ -s $study.$report ]] || fail "leaves no $study.$report"; done

  what="the same job again, which measures nothing"
  before=$(<"$study-2.json")
  RESULT=$study.json submit --ntasks=2 --cpus-per-task=1 "$root/bench/slurm/scaling.sbatch" "${quick[@]}" --mode full
  ends COMPLETED
  says "2 ranks: $study-2.json is complete"
  [[ $(<"$study-2.json") == "$before" ]] || fail "measures again"

  what="a scaling study that is cancelled"
  submit --ntasks=2 --cpus-per-task=1 "$root/bench/slurm/scaling.sbatch" "${slow[@]}" --trials 5000
  waits_for "1 rank: srun"
  scancel --batch --signal=TERM "$job"
  fails 143
  says "loadline: interrupted; 0 of 2 numbers of ranks are measured; the same command continues"
  says "stopped before the end; to continue: RESULT=results/scaling-$job.json RANKS=1,2 SCALING=weak WORKLOAD=mnist "
fi

what="the run that was requeued"
log=$requeued_log
ends COMPLETED "$requeued"
is_complete "results/sweep-$requeued.json"
holds "results/sweep-$requeued.json" "r['job']['restarts'] == 1"
holds "results/sweep-$requeued.json" "all(len(c['trials']) == 40 for c in r['cells'])"
[[ $(grep -c 'trial 1/40 mnist/FULL' "$log") == 1 ]] || fail "begins again"

what="the run whose time limit came"
log=$limited_log
fails 143 "$limited"
says "stopped before the end; to continue: RESULT=results/sweep-$limited.json WORKLOAD=mnist "
is_partial "results/sweep-$limited.json"

stop_cluster "$cluster"
cluster=$work/two-nodes
start_cluster "$cluster" 2

what="two ranks on two nodes"
submit "$root/bench/slurm/ranks.sbatch" "${quick[@]}" --workers 1
ends COMPLETED
for rank in 0 1; do
  is_complete "results/ranks-$job-$rank.json"
  holds "results/ranks-$job-$rank.json" "(r['job']['nodes'], r['job']['node_count']) == ('n[1-2]', 2)"
  # Each rank has half of the samples, and its result names the rank. Tests of the sampler check which half.
  holds "results/ranks-$job-$rank.json" "[(c['rank'], c['world_size'], c['first_epoch']['complete'],
    c['first_epoch']['samples']) for c in r['cells'] if c['mode'] == 'IO'] == [($rank, 2, True, 250)]"
done

if mpi_is_built; then
  what="a scaling study over two nodes"
  submit --nodes=2 --ntasks=2 --ntasks-per-node=1 --cpus-per-task=1 "$root/bench/slurm/scaling.sbatch" "${quick[@]}" --mode full
  ends COMPLETED
  holds "results/scaling-$job.json" "r['complete'] and [p['ranks'] for p in r['curves'][0]['points']] == [1, 2]"
  # Both processes run on one machine, which emulates the nodes.
  holds "results/scaling-$job-2.json" "(r['job']['nodes'], r['ranks']['launcher']) == ('n[1-2]', 'srun')"
fi

what="two ranks that are stopped"
MAX_REQUEUES=0 submit "$root/bench/slurm/ranks.sbatch" "${slow[@]}" --trials 5000
waits_for "trial 2/"
scancel --batch --signal=USR1 "$job"
ends FAILED
says "stopped before the end; to continue: RESULT=results/ranks-$job WORKLOAD=mnist "
for rank in 0 1; do
  is_partial "results/ranks-$job-$rank.json"
done

((failures == 0))
