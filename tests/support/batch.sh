# What the tests of the batch scripts share. Sourced, with the arguments TOOL ROOT of the test. Changes to $work, a new
# directory, which the test removes by `rm -rf "$work"`. Sets $tool and $root, makes small data, and unsets the variables
# of a batch job in which the test itself may run.
# shellcheck shell=bash

tool=$(realpath "${1:?usage: ${0##*/} TOOL ROOT}")
root=$(realpath "${2:?usage: ${0##*/} TOOL ROOT}")
for variable in $(compgen -e | grep -E '^(SLURM|SBATCH|SRUN|LSB|LS)_' || true); do unset "$variable"; done
unset SCRATCH STAGE DATA RESULTS RESULT WORKLOAD LOADERS WORKERS PARTS MAX_REQUEUES OPTIONS BASELINE SAVE FAIL_ON

work=$(mktemp -d -t loadline-batch.XXXXXX)
chmod 755 "$work"
mkdir "$work/scratch"
cd "$work" || exit
export LOADLINE=$tool LOADLINE_ROOT=$root LOADLINE_DATA=$work/data WORKLOAD=mnist
export LOADLINE_BASELINES=$work/baselines
"$tool" data make mnist "$work/data/mnist" --samples 500 --quiet

# Options of a small sweep, which takes a moment.
export quick='--mode io --trials 2 --trial-seconds 0.01 --batch-size 64 --first-epoch-seconds 0.1 --ceilings off'
# Options of two cells of 40 trials: some seconds of steps that take no CPU.
export slow='--mode full --loader thread-pool --workers 1 --compute device:samples_per_second=100000 --batch-size 64
  --trials 40 --trial-seconds 0.1 --first-epoch-seconds 0 --ceilings off'

# $what is being tested; $log is its output.
failures=0
fail() {
  echo "FAILED: ${what:-?}: $1" >&2
  [[ ! -e ${log:-} ]] || sed 's/^/  | /' "$log" >&2
  failures=$((failures + 1))
}

# wait_until SECONDS COMMAND...: whether the command succeeds within that time.
wait_until() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    ((SECONDS < end)) || return 1
    sleep 0.1
  done
}

log_says() { grep -qsF -- "$1" "$log"; }
says() { log_says "$1" || fail "does not say '$1'"; }
waits_for() { wait_until 120 log_says "$1" || fail "never says '$1'"; }

# holds FILE EXPRESSION: checks an expression of Python, in which `r` is the result.
holds() {
  python3 - "$1" "$2" <<'END' || fail "$1: not so: $2"
import json, sys
r = json.load(open(sys.argv[1]))
sys.exit(not eval(f"({sys.argv[2]})"))
END
}

# gates EXIT_CODE: checks that the exit code of the gate fits what it says. Neighbours can slow the second of two equal
# runs, and then 3 is right.
gates() {
  local want=0
  ! log_says "regression: mnist/" || want=3
  [[ $1 == "$want" ]] || fail "exit code $1, want $want"
}

# is_complete RESULT, is_partial RESULT
is_complete() { holds "$1" "r['status'] == 'complete'"; }
is_partial() { holds "$1" "r['status'] == 'partial' and r['finished'] and len(r['benchmarks']) > 0"; }
