# Shared by the batch scripts of bench/slurm and bench/lsf, which source it after setting `root`, the repository, and
# `name`, their own name. Settings, all from the environment:
#   LOADLINE   the tool; default: build/release/bench/loadline in the repository, else the one in PATH
#   DATA       the dataset's file or directory; default: the workload's own place
#   STAGE      yes: copy DATA to node-local storage first (bench/batch/stage.sh); default: no
#   SCRATCH    where to copy it; default: what stage.sh finds
#   OPTIONS    options of `loadline run`, for bsub, which passes on none
#   RESULTS    directory for results and reports; default: results, in the directory of submission
# shellcheck shell=bash

: "${root:?}" "${name:?}"
: "${DATA:=}"
: "${STAGE:=no}"
: "${RESULTS:=results}"
part=  # of an array: the number of its share

say() { echo "==> $*" >&2; }
fail() { echo "$name: $*" >&2; exit 1; }

LOADLINE=${LOADLINE:-$root/build/release/bench/loadline}
[[ -x $LOADLINE ]] || LOADLINE=$(command -v loadline) ||
  fail "no loadline in $root/build/release/bench nor in PATH: build it first, or set LOADLINE"

# The command that submits the script again, to which `resubmit` adds the settings.
case $name in
  *.lsf) submit=(bsub '<' "$root/bench/lsf/$name") ;;
  *) submit=(sbatch "$root/bench/slurm/$name" "$@") ;;
esac

# resubmit SETTING...: prints the command with these settings and those in force.
resubmit() {
  local setting value
  printf '%s ' "$@"
  for setting in RANKS SCALING WORKLOAD LOADERS WORKERS DATA STAGE OPTIONS; do
    value=${!setting:-}
    [[ $value =~ ^[A-Za-z0-9_./,:-]*$ ]] || value=${value@Q}
    [[ -z $value ]] || printf '%s=%s ' "$setting" "$value"
  done
  echo "${submit[*]}"
}

# The options of `loadline run`: those given to the script, which no argument of `source` may hide, and otherwise the
# script's settings.
options=("$@")
read -r -d '' -a words <<<"${OPTIONS:-}" || true
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

# sweep_options RESULT: adds those of WORKLOAD, LOADERS, WORKERS and DATA. A task of an array that has nothing to measure
# ends here. With STAGE=yes the data is a copy on this node until the script ends. The copy is in the same place for the
# same RESULT, because otherwise another run could not continue that.
sweep_options() {
  local data=$DATA
  default --workload "$WORKLOAD"
  default --loader "$LOADERS"
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
      [[ -n $DATA ]] || fail "STAGE=yes needs DATA to say what to copy"
      staged=$("$root/bench/batch/stage.sh" "$DATA" "$(realpath -m "$1" | b2sum | head -c 12)")
      trap '"$root/bench/batch/stage.sh" --remove "$staged"' EXIT
      data=$staged ;;
    *) fail "STAGE: want yes or no, got '$STAGE'" ;;
  esac
  [[ -z $data ]] || default --data "$data"
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
  cpus=${SLURM_CPUS_PER_TASK:-${LSB_DJOB_NUMPROC:-$here}}
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
  local child signalled status
  "$@" &
  child=$!
  trap 'signalled=true limit_is_near=true; tell_to_stop "$child"' USR1
  trap 'signalled=true; tell_to_stop "$child"' TERM INT
  ! $limit_is_near || tell_to_stop "$child"
  while
    signalled=false status=0
    wait "$child" || status=$?
    $signalled
  do :; done
  trap 'limit_is_near=true' USR1
  trap - TERM INT
  return "$status"
}

# run_into RESULT: `loadline run` with the options, continuing an earlier run into RESULT.
run_into() {
  mkdir -p "$(dirname "$1")"
  options+=(--resume "$1")
  say "loadline run ${options[*]} -o $1"
  stoppable "$LOADLINE" run "${options[@]}" -o "$1"
}

# end_unless_complete STATUS SETTING...: ends the script with STATUS unless it is 0. A run stopped by the time limit
# is requeued if MAX_REQUEUES allows it; otherwise a line says how another job can continue it, with SETTING.
end_unless_complete() {
  local status=$1
  ((status != 0)) || return 0
  if ((status == 129 || status == 130 || status == 143)); then
    if $limit_is_near && [[ -n ${SLURM_JOB_ID:-} ]] && ((${SLURM_RESTART_COUNT:-0} < ${MAX_REQUEUES:-0})); then
      say "the time limit came first: requeued to continue"
      scontrol requeue "$SLURM_JOB_ID" || true
    else
      say "stopped before the end; to continue: $(resubmit "${@:2}")"
    fi
  fi
  exit "$status"
}

# measure RESULT [SETTING...]: run_into, then end_unless_complete.
measure() {
  local status=0
  run_into "$1" || status=$?
  end_unless_complete "$status" "RESULT=$1" "${@:2}"
}

# scale_to RESULT MOST: a scaling study of RANKS, or without it of 1, 2, 4 and so on to MOST ranks, with its reports.
# Numbers of ranks that RESULT already covers are not measured again.
scale_to() {
  local status=0
  STAGE=no
  RANKS=${RANKS:-$(counts_to "$2")}
  sweep_options "$1"
  default --ranks "$RANKS"
  default --scaling "$SCALING"
  [[ -z ${LAUNCHER:-} ]] || default --launcher "$LAUNCHER"
  mkdir -p "$(dirname "$1")"
  say "loadline scale ${options[*]} -o $1"
  stoppable "$LOADLINE" scale "${options[@]}" -o "$1" || status=$?
  end_unless_complete "$status" "RESULT=$1"
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
  say "loadline run ${options[*]} -o $1"
  stoppable "$LOADLINE" run "${options[@]}" -o "$1" || status=$?
  if ((status == 129 || status == 130 || status == 143)); then
    say "stopped before the end; a gate measures all of it under the same conditions, so submit it again and do not" \
      "resume it"
  fi
  ((status == 0)) || exit "$status"
  [[ $SAVE == yes ]] || "$LOADLINE" diff --baseline "$BASELINE" "$1" --fail-on "$FAIL_ON"
}

# merge_parts STEM COUNT [FIRST]: STEM-1.json to STEM-COUNT.json (or from FIRST on) as STEM.json, with its reports.
# Merges the existing ones, and then fails if one is missing that end_if_empty did not find to be empty.
merge_parts() {
  local stem=$1 count=$2 first=${3:-1} part parts=() missing=()
  for ((part = first; part < first + count; ++part)); do
    if [[ -e $stem-$part.json ]]; then parts+=("$stem-$part.json")
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
  ((${#missing[@]} == 0)) || fail "not merged because they do not exist: ${missing[*]}"
}
