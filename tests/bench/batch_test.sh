#!/usr/bin/env bash
# batch_test.sh ROOT: what bench/batch/common.sh does for the scripts of any scheduler, with stand-ins for the tool and
# for the commands of the schedulers.
set -euo pipefail
source=$(realpath "${1:?usage: batch_test.sh ROOT}")
for variable in $(compgen -e | grep -E '^(SLURM|SBATCH|LSB|LS|LOADLINE)_' || true); do unset "$variable"; done
unset LOADLINE SCRATCH TMPDIR STAGE DATA RESULTS RESULT WORKLOAD LOADERS WORKERS RANKS SCALING LAUNCHER PARTS \
  MAX_REQUEUES OPTIONS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/commands" "$work/scratch"
cd "$work"
# Without a build, so that the scripts find the stand-in.
root=$work/tree
mkdir -p "$root/bench"
cp -r "$source"/bench/{batch,slurm,lsf} "$root/bench"

failures=0
fail() {
  echo "FAILED: $what: $1; it said:" >&2
  sed 's/^/  | /' said >&2
  failures=$((failures + 1))
}
says() { grep -qF -- "$1" said || fail "does not say '$1'"; }
says_not() { ! grep -qF -- "$1" said || fail "says '$1'"; }

# fake COMMAND TEXT: a stand-in.
fake() {
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"commands/$1"
  chmod +x "commands/$1"
}
# The tool notes its arguments, does what FAKE_RUN says, and writes no report.
# shellcheck disable=SC2016
fake loadline '
[[ $* != *--dry-run* && $1 != report ]] || exit 0
printf "%s\n" "$@" >arguments
eval "${FAKE_RUN:-}"'
# shellcheck disable=SC2016
fake scontrol 'echo "$*" >>requeued; exit "${FAKE_SCONTROL:-0}"'
# What the printed command submits: its settings and its arguments, one a line.
# shellcheck disable=SC2016
for command in sbatch bsub; do
  fake "$command" '
for setting in RESULT PARTS RANKS SCALING LAUNCHER WORKLOAD LOADERS WORKERS DATA STAGE SCRATCH OPTIONS RESULTS \
  MAX_REQUEUES LOADLINE LOADLINE_ROOT; do
  [[ -z ${!setting+set} ]] || echo "$setting: ${!setting}"
done
printf "%s\n" "$@"'
done
export PATH=$work/commands:$PATH

# expect WHAT STATUS SETTING... SCRIPT ARGUMENT...: runs a script of bench/ as a job of its scheduler.
expect() {
  what=$1
  local status=$2 got=0 settings=()
  shift 2
  while [[ $1 == *=* ]]; do settings+=("$1"); shift; done
  rm -f arguments requeued
  case $1 in
    slurm/*) settings=(SLURM_JOB_ID=7 SLURM_SUBMIT_DIR="$root" "${settings[@]}") ;;
    lsf/*) settings=(LSB_JOBID=7 LS_SUBCWD="$root" "${settings[@]}") ;;
  esac
  env "${settings[@]}" bash "$root/bench/$1" "${@:2}" >said 2>&1 || got=$?
  ((got == status)) || fail "exit code $got, want $status"
  # So bash begins a complaint about a script.
  says_not ": line "
}
# pastes: runs the command that says how to continue; leaves what it submits in `said`.
pastes() {
  local command
  command=$(sed -n 's/^==> stopped before the end; to continue: //p' said)
  (unset SLURM_JOB_ID && eval "$command") >said 2>&1 || fail "cannot run '$command'"
}
# has WORD...: checks that each is a whole line of what it said or submitted.
has() {
  local word
  for word; do grep -qxF -- "$word" said || fail "has no line '$word'"; done
}
# given OPTION VALUE: checks that the tool is given this option.
given() {
  [[ " $(paste -sd ' ' arguments) " == *" $1 $2 "* ]] || fail "the tool is not given $1 $2, but $(paste -sd ' ' arguments)"
}

stopped='FAKE_RUN=exit 143'
# shellcheck disable=SC2016
limited='FAKE_RUN=kill -USR1 $PPID; exit 143'

# Several times, because bash may lose the exit code of a command that ends just as a signal arrives.
for _ in {1..10}; do expect "a job that is requeued at its limit" 143 "$limited" slurm/sweep.sbatch; done
says "the time limit came first: requeued to continue"
says_not "to continue: RESULT="
grep -qsxF 'requeue 7' requeued || fail "does not requeue job 7"

expect "a job that may not be requeued" 143 "$limited" FAKE_SCONTROL=1 slurm/sweep.sbatch
says_not "requeued to continue"
says "stopped before the end; to continue: RESULT=results/sweep-7.json WORKLOAD=cifar10 "

# shellcheck disable=SC2016
fake scontrol 'kill -TERM $PPID'
expect "a job that Slurm ends as soon as it is requeued" 143 "$limited" slurm/sweep.sbatch
says "the time limit came first: requeued to continue"

# What a job of too little memory does. Bash used to have the last word.
# shellcheck disable=SC2016
killed='FAKE_RUN=[[ $1 == baseline ]] || kill -KILL $$'
for script in slurm/sweep.sbatch lsf/sweep.lsf; do
  expect "a run that is killed" 137 "$killed" "$script"
  says "==> loadline was killed by signal KILL, as where a job has too little memory"
  [[ $(tail -n 1 said) == "==> stopped before the end; to continue: RESULT=results/sweep-7.json "* ]] ||
    fail "does not end by saying how to continue"
done
expect "a gate that is killed" 137 "$killed" BASELINE=main slurm/gate.sbatch
says "==> loadline was killed by signal KILL, as where a job has too little memory"
says "stopped before the end; submit it again: a gate is not resumed"
# shellcheck disable=SC2016
expect "a run that crashes" 139 'FAKE_RUN=kill -SEGV $$' slurm/sweep.sbatch
says "==> loadline was killed by signal SEGV"
says "stopped before the end; to continue: RESULT=results/sweep-7.json "
expect "a run that fails" 1 'FAKE_RUN=exit 1' slurm/sweep.sbatch
says_not "to continue"

# shellcheck disable=SC2016
fake srun '
while [[ $1 == --* ]]; do shift; done
for SLURM_PROCID in 0 1; do
  export SLURM_PROCID
  "$@" || status=$?
done
exit "${status:-0}"'
ranks=(SLURM_NTASKS=2 SLURMD_NODENAME=n2 SLURM_CPUS_PER_TASK=1 slurm/ranks.sbatch)
# shellcheck disable=SC2016
expect "ranks of which one is killed" 137 'FAKE_RUN=[[ $SLURM_PROCID == 0 ]] || kill -KILL $$' "${ranks[@]}"
says "==> rank 1 of 2 on n2 was killed by signal KILL, as where a job has too little memory: results/ranks-7-1.json lacks trials"
says_not "rank 0 of 2"
says "stopped before the end; to continue: RESULT=results/ranks-7 WORKLOAD=cifar10 "
expect "ranks that are told to stop" 143 "$stopped" "${ranks[@]}"
says_not "rank 1 of 2"

# task NUMBER STATUS: its result. merge_of STATUS: a merge that writes a result with that status.
mkdir -p results
task() { printf '{\n "run_id": "%s",\n "status": "%s"\n}\n' "$1" "$2" >"results/array-6-$1.json"; }
merge_of() { echo "FAKE_RUN=[[ \$1 != merge ]] || printf '{ \"status\": \"$1\" }' >results/array-6.json"; }
task 1 complete
task 2 complete
expect "a merge of complete tasks" 0 "$(merge_of complete)" slurm/merge.sbatch 6 2
says_not "not complete"
task 2 partial
for script in "slurm/merge.sbatch 6 2" lsf/merge.lsf; do
  # shellcheck disable=SC2086
  expect "a merge of a stopped task" 1 "$(merge_of partial)" ARRAY=6 PARTS=2 $script
  says "==> stopped before they had all trials: results/array-6-2.json"
  says "results/array-6.json is not complete: continue these tasks, as the last line of each one's output says, then merge again"
done
expect "a merge of a stopped task and of the trials that it lacks" 0 "$(merge_of complete)" slurm/merge.sbatch 6 2
rm results/array-6-2.json
task 3 complete
expect "a merge that lacks a task" 1 "$(merge_of partial)" slurm/merge.sbatch 6 3
says "==> not merged because they do not exist: results/array-6-2.json"
says_not "stopped before they had all trials"

# It is not resumed, so the tool must not name --resume.
stops='FAKE_RUN=[[ -n ${LOADLINE_IS_CHILD:-} ]] || echo "continue with loadline run --resume"; [[ $1 == baseline ]] || exit 143'
for script in slurm/gate.sbatch lsf/gate.lsf; do
  expect "a gate that is stopped" 143 "$stops" BASELINE=main "$script"
  says "stopped before the end; submit it again: a gate is not resumed"
  says_not "--resume"
done

expect "options that a shell would take apart" 143 "$stopped" \
  slurm/sweep.sbatch --exclude 'loader=flow-graph workers>1' --data "it's here" --context ''
says "==> loadline run --exclude 'loader=flow-graph workers>1' --data 'it'\\''s here' --context '' --workload cifar10 --loader "
pastes
has "$root/bench/slurm/sweep.sbatch" --exclude 'loader=flow-graph workers>1' --data "it's here" ''
[[ ! -e 1 ]] || fail "writes a file '1'"

expect "settings of a sweep" 143 "$stopped" RESULT="my results/1.json" DATA='/data/of me' STAGE=yes SCRATCH=scratch \
  MAX_REQUEUES=5 LOADLINE="$work/commands/loadline" LOADLINE_ROOT="$root" LOADERS=thread-pool WORKERS=2 \
  slurm/sweep.sbatch --trials 3
pastes
has "RESULT: my results/1.json" "DATA: /data/of me" "STAGE: yes" "SCRATCH: scratch" "MAX_REQUEUES: 5" \
  "LOADLINE_ROOT: $root" "LOADLINE: $work/commands/loadline" "LOADERS: thread-pool" "WORKERS: 2" --trials 3

expect "settings of a scaling study" 143 "$stopped" LAUNCHER='mpirun -n {ranks}' SLURM_NTASKS=4 slurm/scaling.sbatch
says "==> loadline scale --workload cifar10 --loader thread-pool --workers 1 --ranks 1,2,4 --scaling weak --launcher 'mpirun -n {ranks}' -o "
pastes
has "RESULT: results/scaling-7.json" "LAUNCHER: mpirun -n {ranks}" "RANKS: 1,2,4" "SCALING: weak"

expect "settings of a task of an array" 143 "$stopped" SLURM_ARRAY_JOB_ID=6 SLURM_ARRAY_TASK_ID=2 \
  SLURM_ARRAY_TASK_COUNT=3 slurm/array.sbatch
pastes
has "RESULT: results/array-6-2.json" "PARTS: 3" --array=2

expect "settings and options of a task under LSF" 143 "$stopped" LSB_JOBINDEX=2 PARTS=3 \
  OPTIONS='--trials 3 --batch-size 64' lsf/array.lsf
says " bsub -J 'loadline-array[2]' < $root/bench/lsf/array.lsf"
pastes
has "RESULT: results/array-7-2.json" "PARTS: 3" "OPTIONS: --trials 3 --batch-size 64" -J 'loadline-array[2]'

expect "words of OPTIONS that quotes hold together" 0 OPTIONS="--exclude 'loader=serial batch_size>64' --title \"it's\"" \
  lsf/sweep.lsf
grep -qxF -- 'loader=serial batch_size>64' arguments || fail "splits a quoted word"
given --title "it's"
expect "a quote of OPTIONS that does not end" 1 OPTIONS="--title 'one" lsf/sweep.lsf
says "sweep.lsf: OPTIONS: a quote does not end in --title 'one"

expect "settings that the script found by itself" 143 "$stopped" slurm/sweep.sbatch
for setting in LOADLINE LOADLINE_ROOT SCRATCH RESULTS MAX_REQUEUES LAUNCHER PARTS; do says_not " $setting="; done

expect "the CPUs of the machine" 0 slurm/sweep.sbatch
machine=$(grep -A 1 -x -- --workers arguments | tail -n 1)
for cpus in abc '2(x3)' 0 -1 1.5 99999999999999999999; do
  expect "'$cpus' CPUs of Slurm" 0 SLURM_CPUS_PER_TASK="$cpus" slurm/sweep.sbatch
  given --workers "$machine"
  expect "'$cpus' slots of LSF" 0 LSB_DJOB_NUMPROC="$cpus" lsf/scaling.lsf
  given --ranks 1
done
expect "one of several CPUs" 0 SLURM_CPUS_PER_TASK=1 slurm/sweep.sbatch
given --workers 1

# The tool copies the data, and so it recommends the original.
place=$work/scratch/loadline-stage-$UID
# shellcheck disable=SC2016
copies='FAKE_RUN=while [[ $1 != --stage ]]; do shift; done; mkdir -p "$2/loadline-mnist-1"; touch "$2/loadline-mnist-1/copy"'
expect "staged data" 0 "$copies" STAGE=yes SCRATCH="$work/scratch" DATA=/data/mnist slurm/sweep.sbatch
given --data /data/mnist
given --stage "$place"
[[ -d $place && -z $(ls -A "$place") ]] || fail "leaves $(ls -A "$place") behind"

expect "staged data of a run that fails" 143 "$copies; exit 143" STAGE=yes SCRATCH="$work/scratch" slurm/sweep.sbatch
[[ -z $(ls -A "$place") ]] || fail "leaves $(ls -A "$place") behind"

# A second script on this node runs while the first one reads the copy.
first=(STAGE=yes SCRATCH="$work/scratch" slurm/sweep.sbatch)
second="env FAKE_RUN= bash '$root/bench/slurm/sweep.sbatch' --trials 2 && cp -r '$place' after-the-second"
expect "a copy that two scripts read" 0 "$copies; $second" "${first[@]}"
[[ -e after-the-second/loadline-mnist-1/copy ]] || fail "the one that ends first removes it"
[[ -z $(ls -A "$place") ]] || fail "the one that ends last leaves $(ls -A "$place") behind"

expect "no place for staged data" 1 STAGE=yes SCRATCH="$work/nowhere" slurm/sweep.sbatch
says "sweep.sbatch: SCRATCH=$work/nowhere is not a directory that can be written"

rmdir "$place"
mkdir elsewhere
ln -s "$work/elsewhere" "$place"
touch elsewhere/mine
expect "a link in the place for staged data" 1 STAGE=yes SCRATCH="$work/scratch" slurm/sweep.sbatch
says "sweep.sbatch: $place is not a directory of yours: remove it, or set SCRATCH to another place"
[[ -e elsewhere/mine ]] || fail "empties what the link leads to"

((failures == 0))
