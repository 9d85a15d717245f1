#!/usr/bin/env bash
# bench/latency.sh [MILLISECONDS]: what latency of storage does to loading, and what reads in flight do about it. Shows
# the photographs of bench/run.sh --workload photos through a file system that takes so long to answer each read
# (default 20; FUSE, so it is an emulation, and the result says fuse), and measures one reader, 16 readers and io_uring.
# Needs /dev/fuse, and the packages libfuse3-dev and fuse3.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
data=${LOADLINE_DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/loadline}/photos
milliseconds=${1:-20}

[[ $milliseconds =~ ^[0-9]+$ ]] || { echo "latency.sh: want a number of milliseconds, got '$milliseconds'" >&2; exit 2; }
fail() { echo "latency.sh: $*" >&2; exit 1; }
[[ -e $data ]] || fail "no photographs in $data: run bench/run.sh --workload photos first"
[[ -w /dev/fuse ]] || fail "/dev/fuse cannot be used here"
cmake -S "$root" --preset release >/dev/null
cmake --build "$root/build/release" --parallel "$(nproc)" --target help | grep -q '^slow_files' ||
  fail "built without FUSE: install libfuse3-dev and fuse3, and remove build/release"
cmake --build "$root/build/release" --parallel "$(nproc)" --target loadline slow_files >&2

work=$(mktemp -d)
mkdir "$work/photos"
cleanup() {
  fusermount3 -u "$work/photos" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
"$root/build/release/bench/slow_files" "$(realpath "$data")" "$work/photos" "$milliseconds" &
for ((try = 0; try < 100; ++try)); do
  [[ ! -e $work/photos/train ]] || break
  sleep 0.1
done
[[ -e $work/photos/train ]] || fail "the slow file system does not come up"

measure() {
  echo "== $*" >&2
  "$root/build/release/bench/loadline" run --workload photos --data "$work/photos" --mode io --loader thread-pool \
    --image-size 32 --batch-size 16 --trials 3 --trial-seconds 1 --first-epoch-seconds 0 --ceilings off \
    -o "$work/result.json" --overwrite "$@" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
}
measure --read pread --workers 1,16
measure --read uring --workers 1
