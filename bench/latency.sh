#!/usr/bin/env bash
# bench/latency.sh [MILLISECONDS [TAIL]]: how storage latency affects loading, and how much reads in flight help.
# Reads small photographs through a file system that takes MILLISECONDS to answer each read (default 20; with TAIL,
# one read in 100, at random, takes TAIL milliseconds). Shows how close each way of reading comes to the limit of its
# reads in flight, which is their number over the mean latency. It is emulated with FUSE, and the result says fuse.
# First it says what one file alone takes, with opening and closing. One worker decodes, unless the table says otherwise.
# Needs /dev/fuse, and the packages libfuse3-dev and fuse3.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=${LOADLINE_DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/loadline}/photos-96
from=${LOADLINE_PHOTOGRAPHS:-/usr/share/backgrounds}
if [[ ${1:-} == -h || ${1:-} == --help ]]; then
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"
  exit
fi
milliseconds=${1:-20}
tail=${2:-$milliseconds}
# One read in 100 of a trial is only about one in 100, and decides its rate: with a tail, trials have four times as many.
seconds=1
[[ $tail == "$milliseconds" ]] || seconds=4

for number in "$milliseconds" "$tail"; do
  [[ $number =~ ^[0-9]+$ ]] || { echo "latency.sh: want a number of milliseconds, got '$number'" >&2; exit 2; }
done
fail() { echo "latency.sh: $*" >&2; exit 1; }
[[ -w /dev/fuse ]] || fail "/dev/fuse cannot be used here"
if [[ -z ${LOADLINE_BUILD:-} ]]; then
  LOADLINE_BUILD=$root/build/release
  cmake -S "$root" --preset release >/dev/null
  cmake --build "$LOADLINE_BUILD" --parallel "$(nproc)" --target help | grep -q '^slow_files' ||
    fail "built without FUSE: install libfuse3-dev and fuse3, and remove build/release"
  cmake --build "$LOADLINE_BUILD" --parallel "$(nproc)" --target loadline slow_files >&2
fi
loadline=$LOADLINE_BUILD/bench/loadline
[[ -e $data ]] || "$loadline" data make photos "$data" --size 96 --from "$from" >&2

work=$(mktemp -d)
mkdir "$work/photos"
cleanup() {
  fusermount3 -uz "$work/photos" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
"$LOADLINE_BUILD/bench/slow_files" "$(realpath "$data")" "$work/photos" "$milliseconds" "$tail" &
for ((try = 0; try < 100; ++try)); do
  [[ ! -e $work/photos/train ]] || break
  sleep 0.1
done
[[ -e $work/photos/train ]] || fail "the slow file system did not start"

# measure READS WHAT OPTIONS...: one row, with READS in flight.
measure() {
  local reads=$1 what=$2
  shift 2
  "$loadline" run --workload photos --data "$work/photos" --mode io --image-size 32 --batch-size 16 --trials 3 \
    --trial-seconds "$seconds" --first-epoch-seconds 0 --ceilings off -o "$work/result.json" --overwrite "$@" \
    >"$work/text" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
  python3 - "$work/result.json" "$reads" "$milliseconds" "$tail" "$what" <<'PYTHON'
import json, sys
path, reads, usual, tail, what = sys.argv[1:]
cell = next(cell for cell in json.load(open(path))["cells"] if cell["mode"] == "IO")
trials = [trial for trial in cell["trials"] if not trial["pilot"]]
rate = sum(t["samples"] for t in trials) / sum(t["wall_seconds"] for t in trials)
spent = {}
for trial in trials:
    for stage, seconds in (trial.get("loader_stages") or {}).items():
        spent[stage] = spent.get(stage, 0) + sum(seconds)
most = max(spent, key=spent.get)
limit = int(reads) / (0.99 * int(usual) + 0.01 * int(tail)) * 1000
print(f"{what:<44} {reads:>5} {rate:>10.0f} {rate / limit:>9.2f}  {most} {100 * spent[most] / sum(spent.values()):.0f} %")
PYTHON
}

# What the file system in user space adds to each read, by opening and closing the file and by waking threads: the
# limit ignores it.
alone=$(python3 - "$work/photos/train" <<'PYTHON'
import pathlib, statistics, sys, time
spent = []
for path in sorted(pathlib.Path(sys.argv[1]).glob("*/*"))[:50]:
    begin = time.perf_counter()
    path.read_bytes()
    spent.append(time.perf_counter() - begin)
print(f"{1000 * statistics.median(spent):.1f}")
PYTHON
)
echo "each read takes $milliseconds ms$([[ $tail == "$milliseconds" ]] || echo ", one in 100 $tail ms"); to open, read" \
  "and close one file alone takes $alone ms"
printf '%-44s %5s %10s %9s  %s\n' "" reads samples/s "of limit" "workers' time, mostly"
measure 64 "uring, thread-pool" --read uring --loader thread-pool --workers 1
for reads in 4 16 64; do
  measure $reads "uring, flow-graph" --read uring --loader flow-graph --workers 1 --reads-in-flight $reads
done
if [[ $tail != "$milliseconds" ]]; then
  for reads in 16 64; do
    measure $reads "uring, flow-graph, in order of completion" --read uring --loader flow-graph --workers 1 \
      --reads-in-flight $reads --delivery completion
    measure $reads "uring, flow-graph, in order, prefetch 64" --read uring --loader flow-graph --workers 1 \
      --reads-in-flight $reads --prefetch 64
  done
fi
