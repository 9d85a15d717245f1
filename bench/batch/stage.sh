#!/usr/bin/env bash
# bench/batch/stage.sh SOURCE [KEY]: copies a dataset, a file or a directory, to the fastest local storage of this
# node, compares what was written with what was read, says on stderr how long that took, and prints the copy's path.
# The same KEY, of letters and digits, gives the same path on equal nodes, and overwrites what an earlier copy left
# there.
# bench/batch/stage.sh --remove COPY: removes the copy.
# SCRATCH names the place; otherwise it is the first of $SLURM_TMPDIR, $TMPDIR, /scratch/$USER, /local/$USER and /tmp
# that exists and is writable. In /tmp on a node without a disk the copy uses the job's memory.
set -euo pipefail

fail() { echo "stage.sh: $*" >&2; exit 1; }

case ${1:-} in
  -h | --help) sed -n '2,/^set /{s/^# //p}' "${BASH_SOURCE[0]}"; exit 0 ;;
  --remove)
    copy=${2:?usage: stage.sh --remove COPY}
    place=${copy%/*}
    [[ ${place##*/} == loadline-stage.* ]] || fail "$copy is not a copy made by this script, and is left alone"
    rm -rf "$place"
    exit 0 ;;
  '') echo "usage: stage.sh SOURCE [KEY] | --remove COPY" >&2; exit 2 ;;
esac

source=$(realpath -- "$1") || exit 1
[[ -r $source ]] || fail "cannot read $source"

scratch=''
user=${USER:-$(id -un)}
for candidate in "${SCRATCH:-}" "${SLURM_TMPDIR:-}" "${TMPDIR:-}" "/scratch/$user" "/local/$user" /tmp; do
  [[ -n $candidate ]] || continue
  if [[ -d $candidate && -w $candidate ]]; then
    scratch=$candidate
    break
  fi
  [[ $candidate != "${SCRATCH:-}" ]] || fail "SCRATCH=$SCRATCH is not a directory that can be written"
done
[[ -n $scratch ]] || fail "no node-local directory can be written: set SCRATCH to one"

# Counts what each name points to, as the copy will have it.
bytes=$(du --apparent-size --dereference --count-links --summarize --block-size=1 -- "$source" | cut -f 1)
free=$(df --output=avail --block-size=1 -- "$scratch" | tail -n 1)
((bytes < free)) ||
  fail "$source has $((bytes >> 20)) MiB and $scratch has room for $((free >> 20)) MiB: set SCRATCH to another place," \
    "or STAGE to no"

if [[ -n ${2:-} ]]; then
  place=$scratch/loadline-stage.$2
  rm -rf "$place"
  mkdir -m 700 "$place"
else
  place=$(mktemp -d "$scratch/loadline-stage.XXXXXX")
fi
trap 'rm -rf "$place"' EXIT
name=${source##*/}

# archive DIRECTORY: the dataset in it as a stream that depends only on names and contents, with links followed.
archive() {
  tar --create --file=- --directory="$1" --format=gnu --sort=name --dereference --hard-dereference \
    --numeric-owner --owner=0 --group=0 --mtime=@0 --mode=u=rwX,go=rX -- "$name"
}
milliseconds() { echo $(($(date +%s%N) / 1000000)); }
# rate MILLISECONDS: "1.2 s (122 MiB/s)". A time too short to show counts as one millisecond.
rate() { awk -v b="$bytes" -v ms="$1" 'BEGIN { printf "%.1f s (%.0f MiB/s)", ms / 1e3, b / 1048.576 / (ms < 1 ? 1 : ms) }'; }

# The source may be slow to read, and is read once.
mkfifo "$place/.stream"
began=$(milliseconds)
b2sum <"$place/.stream" >"$place/.read" &
archive "${source%/*}" | tee "$place/.stream" | tar --extract --file=- --directory="$place"
wait $!
copied=$(milliseconds)
archive "$place" | b2sum >"$place/.written"
verified=$(milliseconds)
cmp --silent "$place/.read" "$place/.written" || fail "what was written to $place differs from what was read from $source"
rm "$place/.stream" "$place/.read" "$place/.written"

trap - EXIT
echo "staged $source in $scratch: $((bytes >> 20)) MiB copied in $(rate $((copied - began)))," \
  "verified in $(rate $((verified - copied)))" >&2
echo "$place/$name"
