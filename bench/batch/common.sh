# Shared by the batch scripts of bench/slurm and bench/lsf, which source it after setting `root`, the repository, and
# `name`, their own name. Settings, all from the environment:
#   LOADLINE   the tool; default: build/release/bench/loadline in the repository, else the one in PATH
#   DATA       the dataset's file or directory; default: the workload's own place
#   STAGE      yes: copy the data to node-local storage first; default: no
#   SCRATCH    where to copy it; default: the first of $SLURM_TMPDIR, $TMPDIR, /scratch/$USER, /local/$USER and /tmp that
#              exists and is writable. In /tmp on a node without a disk the copy uses the job's memory.
#   OPTIONS    options of `loadline run`, for bsub, which passes on none; quotes hold a word with blanks together
#   RESULTS    directory for results and reports; default: results, in the directory of submission
# shellcheck shell=bash

: "${root:?}" "${name:?}"
: "${DATA:=}"
: "${STAGE:=no}"
: "${RESULTS:=results}"
part=  # of an array: the number of its share

say() { echo "==> $*" >&2; }
fail() { echo "$name: $*" >&2; exit 1; }

# shellcheck source=SCRIPTDIR/words.sh
source "$root/bench/batch/words.sh"

# count_or OTHER VALUE: prints VALUE if it is a whole number from 1 on, and otherwise OTHER.
count_or() { if [[ $2 =~ ^[1-9][0-9]{0,8}$ ]]; then echo "$2"; else echo "$1"; fi; }

LOADLINE=${LOADLINE:-$root/build/release/bench/loadline}
[[ -x $LOADLINE ]] || LOADLINE=$(command -v loadline) ||
  fail "no loadline in $root/build/release/bench nor in PATH: build it first, or set LOADLINE"

# The command that submits the script again, quoted, to which `resubmit` adds the settings.
case $name in
  *.lsf) submit="bsub < $(quoted "$root/bench/lsf/$name")" ;;
  *) submit=$(quoted sbatch "$root/bench/slurm/$name" "$@") ;;
esac

# is_given SETTING: whether it comes from the environment. The scripts do not export their defaults.
is_given() { [[ $(declare -p "$1" 2>/dev/null) == 'declare -x '* ]]; }

# resubmit: prints the command with the settings in force. RESULTS is not needed where RESULT is set.
resubmit() {
  local setting settings
  settings=(RESULT PARTS RANKS SCALING LAUNCHER WORKLOAD LOADERS WORKERS DATA STAGE SCRATCH OPTIONS)
  for setting in MAX_REQUEUES LOADLINE LOADLINE_ROOT; do
    ! is_given "$setting" || settings+=("$setting")
  done
  for setting in "${settings[@]}"; do
    [[ -z ${!setting:-} ]] || printf '%s=%s ' "$setting" "$(quoted "${!setting}")"
  done
  echo "$submit"
}

# The options of `loadline run`: those given to the script, which no argument of `source` may hide, and otherwise the
# script's settings.
options=("$@")
split_words "${OPTIONS:-}" || fail "OPTIONS: a quote does not end in ${OPTIONS:-}"
options+=("${words[@]}")
for word in "${options[@]}"; do
  case $word in
    -o | --output | --output=*) fail "$word: the script names the result itself; RESULTS says in which directory" ;;
    -n | --dry-run) fail "$word: a job measures; for the plan run loadline itself with the same options" ;;
  esac
done

# default OPTION VALUE: adds an option unless the user gave one of that name.
default() {
  local given
  for given in "${options[@]}"; do
    [[ $given != "$1" && $given != "$1="* ]] || return 0
  done
  options+=("$1" "$2")
}

# sweep_options RESULT: adds those of WORKLOAD, LOADERS, WORKERS, DATA and STAGE. A task of an array that has nothing to
# measure ends here.
sweep_options() {
  default --workload "$WORKLOAD"
  default --loader "$LOADERS"
  [[ -z $DATA ]] || default --data "$DATA"
  if have_workers; then
    WORKERS=${WORKERS:-$(worker_counts)}
    default --workers "$WORKERS"
  else
    WORKERS=
  fi
  [[ -z $part ]] || end_if_empty "$1"
  case $STAGE in
    no) ;;
    yes)
      use_stage_directory
      default --stage "$stage_directory" ;;
    *) fail "STAGE: want yes or no, got '$STAGE'" ;;
  esac
}

# use_stage_directory: sets stage_directory to where this node has the copies of all scripts of this user, and locks it
# until this script ends. The last script that ends removes the copies, because others may still read them. The empty
# directory stays, because the command that `loadline run` recommends names it. All jobs use the same name, because a
# run cannot be continued with another `--stage`.
use_stage_directory() {
  local place scratch=${SCRATCH:-} user=${USER:-$UID}
  if [[ -z $scratch ]]; then
    for place in "${SLURM_TMPDIR:-}" "${TMPDIR:-}" "/scratch/$user" "/local/$user" /tmp; do
      if [[ -d $place && -w $place ]]; then scratch=$place; break; fi
    done
    [[ -n $scratch ]] || fail "no node-local directory can be written: set SCRATCH to one"
  fi
  [[ -d $scratch && -w $scratch ]] || fail "SCRATCH=$scratch is not a directory that can be written"
  stage_directory=$scratch/loadline-stage-$UID
  (umask 077; mkdir -p "$stage_directory")
  # In /tmp another user may have made it.
  [[ -O $stage_directory && ! -L $stage_directory ]] ||
    fail "$stage_directory is not a directory of yours: remove it, or set SCRATCH to another place"
  # Beside the directory, because shared file systems do not lock directories. In /tmp another user may have made it too.
  [[ ! -e $stage_directory.lock || (-O $stage_directory.lock && ! -L $stage_directory.lock) ]] ||
    fail "$stage_directory.lock is not a file of yours: remove it, or set SCRATCH to another place"
  exec {stage_lock}>>"$stage_directory.lock"
  flock --shared "$stage_lock" || fail "cannot lock $stage_directory: set SCRATCH to a place on this node's own storage"
  trap '! flock --exclusive --nonblock "$stage_lock" || find "$stage_directory" -mindepth 1 -delete || true' EXIT
}

# have_workers: whether any loader of the options has workers. loadline refuses --workers where none has.
have_workers() {
  local given=" ${options[*]}"
  # Known without asking.
  [[ $given == *" --mode"* || $given != *" --loader"[\ =]?(*([^ ]),)@(thread-pool|flow-graph|hdf5)* ]] || return 0
  [[ $("$LOADLINE" run "${options[@]}" --workers 1 --dry-run 2>&1 >/dev/null) != *"--workers: no cell"* ]]
}

# counts_to MOST: prints 1, 2, 4 and so on up to and including MOST.
counts_to() {
  local counts=1 count
  for ((count = 2; count < $1; count *= 2)); do counts+=,$count; done
  (($1 == 1)) || counts+=,$1
  echo "$counts"
}

# worker_counts: the same, up to the CPUs of the job.
worker_counts() {
  local cpus here
  here=$(nproc)
  cpus=$(count_or "$here" "${SLURM_CPUS_PER_TASK:-${LSB_DJOB_NUMPROC:-}}")
  # If LSF binds slots to CPUs, a slot may have several; the mask shows how many.
  [[ -z ${LSB_BIND_CPU_LIST:-} ]] && ((cpus < here)) || cpus=$here
  counts_to "$cpus"
}

# SIGUSR1 says that the time limit is near (sbatch --signal=B:USR1@SECONDS); SIGTERM and SIGINT end the job for good.
limit_is_near=false
trap 'limit_is_near=true' USR1

# tell_to_stop PID: what the handlers of `stoppable` do; a script whose command needs something else replaces it.
tell_to_stop() { kill -TERM "$1" 2>/dev/null || true; }

# stoppable COMMAND...: runs it, tells it to stop when a signal tells this script to, and returns its exit code when
# it has ended. Runs it in the background, because bash handles no signals while it waits for a foreground command.
stoppable() {
  local child signalled interrupted=false status
  "$@" &
  child=$!
  trap 'signalled=true limit_is_near=true; tell_to_stop "$child"' USR1
  trap 'signalled=true; tell_to_stop "$child"' TERM INT
  ! $limit_is_near || tell_to_stop "$child"
  while
    signalled=false status=0
    # Not what bash says of a child that a signal killed: how_it_ended says it.
    wait "$child" 2>/dev/null || status=$?
    $signalled
  do interrupted=true; done
  # Bash 5.2 sometimes loses the exit code of a command that ends just as a signal arrives, and says -1. The signal told
  # the command to stop; if it was complete nevertheless, the run that continues it measures nothing.
  ! $interrupted || ((status >= 0)) || status=143
  trap 'limit_is_near=true' USR1
  trap - TERM INT
  return "$status"
}

# run_into RESULT: `loadline run` with the options, continuing an earlier run into RESULT.
run_into() {
  mkdir -p "$(dirname "$1")"
  options+=(--resume "$1")
  say "$(quoted loadline run "${options[@]}" -o "$1")"
  stoppable "$LOADLINE" run "${options[@]}" -o "$1"
}

# obeyed_a_signal STATUS: whether loadline ended because it was told to. was_stopped STATUS: the same, or a signal killed
# it. Its result is valid in both cases, and can be continued.
obeyed_a_signal() { (($1 == 129 || $1 == 130 || $1 == 143)); }
was_stopped() { (($1 > 128 && $1 <= 192)); }

# how_it_ended STATUS: prints "was killed by signal KILL".
how_it_ended() {
  if ! was_stopped "$1"; then echo "ended with exit code $1"
  elif (($1 == 137)); then echo "was killed by signal KILL, as where a job has too little memory"
  else echo "was killed by signal $(kill -l "$1")"
  fi
}

# end_unless_complete STATUS: ends the script with STATUS unless it is 0. A run stopped by the time limit is requeued if
# MAX_REQUEUES and Slurm allow it; otherwise a line says how another job can continue it.
end_unless_complete() {
  local status=$1
  ((status != 0)) || return 0
  if was_stopped "$status"; then
    obeyed_a_signal "$status" || say "loadline $(how_it_ended "$status")"
    if $limit_is_near && is_requeued; then
      say "the time limit came first: requeued to continue"
    else
      say "stopped before the end; to continue: $(resubmit)"
    fi
  fi
  exit "$status"
}

# is_requeued: requeues this job if it may be, and says whether Slurm accepted that.
is_requeued() {
  [[ -n ${SLURM_JOB_ID:-} ]] && ((${SLURM_RESTART_COUNT:-0} < ${MAX_REQUEUES:-0})) || return 1
  # Slurm ends this script as soon as the job is requeued, and the script has something to say before.
  trap '' TERM
  scontrol requeue "$SLURM_JOB_ID"
}

# measure RESULT: run_into, then end_unless_complete.
measure() {
  local status=0
  run_into "$1" || status=$?
  end_unless_complete "$status"
}

# scale_to RESULT MOST: a scaling study of RANKS, or without it of 1, 2, 4 and so on to MOST ranks, with its reports.
# Numbers of ranks that RESULT already covers are not measured again.
scale_to() {
  local status=0
  STAGE=no
  RANKS=${RANKS:-$(counts_to "$(count_or 1 "$2")")}
  sweep_options "$1"
  default --ranks "$RANKS"
  default --scaling "$SCALING"
  [[ -z ${LAUNCHER:-} ]] || default --launcher "$LAUNCHER"
  mkdir -p "$(dirname "$1")"
  say "$(quoted loadline scale "${options[@]}" -o "$1")"
  stoppable "$LOADLINE" scale "${options[@]}" -o "$1" || status=$?
  end_unless_complete "$status"
  write_reports "$1"
  "$LOADLINE" report "$1" --format csv -o "${1%.json}.csv" --overwrite
  say "report: ${1%.json}.csv"
}

# write_reports RESULT: writes its reports next to it, for a ticket and for a browser.
write_reports() {
  local format
  for format in markdown:md html:html; do
    "$LOADLINE" report "$1" --format "${format%:*}" -o "${1%.json}.${format#*:}" --overwrite
    say "report: ${1%.json}.${format#*:}"
  done
}

# part_of_array TASK HOW: makes this task measure its share of PARTS; its number must be TASK.
part_of_array() {
  part=$1
  ((part >= 1 && part <= ${PARTS:-0})) || fail "task $part of ${PARTS:-0}: submit it as $2"
  options+=(--part "$part/$PARTS")
}

# end_if_empty RESULT: ends a task that has nothing to measure because there are more tasks than configurations. Leaves
# RESULT.empty, which tells merge_parts that no result is missing.
end_if_empty() {
  local why
  rm -f -- "$1.empty"
  ! why=$("$LOADLINE" run "${options[@]}" --dry-run 2>&1 >/dev/null) || return 0
  # Anything else stops the run itself, which says so.
  [[ $why == *"--part $part/$PARTS: it is empty"* ]] || return 0
  say "nothing to measure: ${why#loadline: }"
  mkdir -p "$(dirname "$1")"
  : >"$1.empty"
  exit 0
}

# gate RESULT: measures, and saves the result as BASELINE if SAVE is yes, or otherwise compares it with BASELINE. It
# is never resumed: a stopped gate measures everything again, under the same conditions. An existing result is kept as
# RESULT~.
gate() {
  local status=0
  case $SAVE in
    yes) ;;
    # Before anything is measured.
    no) "$LOADLINE" baseline show "$BASELINE" >/dev/null ;;
    *) fail "SAVE: want yes or no, got '$SAVE'" ;;
  esac
  case $FAIL_ON in
    regression | inconclusive) ;;
    *) fail "FAIL_ON: want regression or inconclusive, got '$FAIL_ON'" ;;
  esac
  sweep_options "$1"
  [[ $SAVE != yes ]] || options+=(--save-baseline "$BASELINE" --overwrite)
  mkdir -p "$(dirname "$1")"
  [[ ! -e $1 ]] || mv -- "$1" "$1~"
  say "$(quoted loadline run "${options[@]}" -o "$1")"
  # As the child of a program that says itself how to continue: loadline would name --resume.
  LOADLINE_IS_CHILD=1 stoppable "$LOADLINE" run "${options[@]}" -o "$1" || status=$?
  if was_stopped "$status"; then
    obeyed_a_signal "$status" || say "loadline $(how_it_ended "$status")"
    say "stopped before the end; submit it again: a gate is not resumed, because it measures everything under the" \
      "same conditions"
  fi
  ((status == 0)) || exit "$status"
  [[ $SAVE == yes ]] || "$LOADLINE" diff --baseline "$BASELINE" "$1" --fail-on "$FAIL_ON"
}

# is_complete RESULT: by the first member of that name, which is the result's own.
is_complete() { [[ $(grep -m 1 -o '"status": *"[a-z]*"' "$1") == *'"complete"' ]]; }

# merge_parts STEM COUNT [FIRST]: STEM-1.json to STEM-COUNT.json (or from FIRST on) as STEM.json, with its reports.
# Merges the existing ones, and then fails if one is missing that end_if_empty did not find to be empty, or if a stopped
# one leaves the merged result incomplete.
merge_parts() {
  local stem=$1 count=$2 first=${3:-1} part parts=() missing=() stopped=()
  for ((part = first; part < first + count; ++part)); do
    if [[ -e $stem-$part.json ]]; then
      parts+=("$stem-$part.json")
      is_complete "$stem-$part.json" || stopped+=("$stem-$part.json")
    elif [[ ! -e $stem-$part.json.empty ]]; then missing+=("$stem-$part.json")
    fi
  done
  ((${#parts[@]} > 0)) || fail "nothing to merge: neither $stem-$first.json nor any later one exists"
  # A single one needs no merging.
  if ((${#parts[@]} == 1)); then
    cp "${parts[0]}" "$stem.json"
  else
    "$LOADLINE" merge "${parts[@]}" -o "$stem.json" --overwrite
  fi
  say "result: $stem.json"
  write_reports "$stem.json"
  ((${#missing[@]} == 0)) || say "not merged because they do not exist: ${missing[*]}"
  # The trials of all parts together may be those that were requested.
  if is_complete "$stem.json"; then stopped=(); fi
  ((${#stopped[@]} == 0)) || say "stopped before they had all trials: ${stopped[*]}"
  ((${#missing[@]} + ${#stopped[@]} == 0)) ||
    fail "$stem.json is not complete: continue these tasks, as the last line of each one's output says, then merge again"
}
