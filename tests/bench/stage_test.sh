#!/usr/bin/env bash
# stage_test.sh ROOT: what bench/batch/stage.sh copies, what it refuses, and that it leaves nothing behind.
set -euo pipefail
stage=${1:?usage: stage_test.sh ROOT}/bench/batch/stage.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset SLURM_TMPDIR TMPDIR
mkdir -p "$work/data/train/cats" "$work/scratch" "$work/commands"
head -c 3000000 /dev/urandom >"$work/data/train/cats/1.jpg"
ln -s cats/1.jpg "$work/data/train/2.jpg"
ln "$work/data/train/cats/1.jpg" "$work/data/3.jpg"
touch "$work/data/none" "$work/data/-n a dash"

failures=0
fail() {
  echo "FAILED: $what: $1; it said:" >&2
  sed 's/^/  | /' "$work/said" >&2
  failures=$((failures + 1))
}
# expect WHAT STATUS ARGUMENT...: runs stage.sh, and leaves what it prints in $copy.
expect() {
  what=$1
  local status=$2 got=0
  copy=$(SCRATCH=${scratch:-$work/scratch} "$stage" "${@:3}" 2>"$work/said") || got=$?
  ((got == status)) || fail "exit code $got, want $status"
}
says() { grep -qF -- "$1" "$work/said" || fail "does not say '$1'"; }
leaves_nothing() { [[ -z $(ls -A "$work/scratch") ]] || fail "leaves $(ls -A "$work/scratch") behind"; }

expect "a directory" 0 "$work/data/"
[[ $copy == "$work"/scratch/loadline-stage.*/data ]] || fail "prints $copy"
diff -r "$work/data" "$copy" || fail "the copy differs"
[[ ! -L $copy/train/2.jpg ]] || fail "links are not followed"
says "staged $work/data in $work/scratch: 8 MiB copied in "
[[ -w $copy/none && -x $copy/train ]] || fail "the copy cannot be used"
expect "to remove it" 0 --remove "$copy"
leaves_nothing

expect "a file" 0 "$work/data/3.jpg"
cmp "$copy" "$work/data/3.jpg" || fail "the copy differs"
expect "to remove it" 0 --remove "$copy"
leaves_nothing

expect "a file, by key" 0 "$work/data/3.jpg" key
[[ $copy == "$work/scratch/loadline-stage.key/3.jpg" ]] || fail "prints $copy"
expect "another that takes its place" 0 "$work/data/none" key
[[ ! -e $work/scratch/loadline-stage.key/3.jpg ]] || fail "keeps the first"
expect "to remove it" 0 --remove "$copy"
leaves_nothing

expect "to remove what it has not made" 1 --remove "$work/data"
says "stage.sh: $work/data is not a copy made by this script, and is left alone"
[[ -e $work/data/3.jpg ]] || fail "removes it all the same"

expect "what is not there" 1 "$work/nowhere"
says "$work/nowhere"
scratch=$work/nowhere expect "a scratch that is not there" 1 "$work/data"
says "stage.sh: SCRATCH=$work/nowhere is not a directory that can be written"
expect "nothing" 2

fake() {
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$work/commands/$1"
  chmod +x "$work/commands/$1"
}
PATH=$work/commands:$PATH
fake df 'printf "Avail\n1000000\n"'
expect "no room" 1 "$work/data"
says "stage.sh: $work/data has 8 MiB and $work/scratch has room for 0 MiB: set SCRATCH to another place, or STAGE to no"
leaves_nothing
rm "$work/commands/df"

# shellcheck disable=SC2016
fake tar '
"$(PATH=${PATH#*:} command -v tar)" "$@" || exit
copy=${!#}
[[ " $* " != *" --extract "* ]] || echo more >>"${copy#*=}/data/3.jpg"'
expect "a copy that is not as it was read" 1 "$work/data"
says "differs from what was read from $work/data"
leaves_nothing

((failures == 0))
