#!/usr/bin/env bash
# bench/formats.sh [OPTION...]: how fast each format loads, warm and cold. Makes a small dataset in each, measures IO of
# thread-pool from the page cache and from storage, in the same rounds, and prints a Markdown table:
#   samples/s   mean ± standard deviation of the trials
#   MB/s        the same samples as bytes of the format: of its files, or, of volumes, of their crops
#   of ceiling  samples/s over the lowest limit of this machine, ± half of the 95 % interval, and the limit's name
# Cold columns say "not cold" where loadline warns that trials were not, or may not have been; stderr then has why.
# Progress goes to stderr. It takes some 7 minutes on two CPUs, and 1.5 GB in --work.
#   --only NAME,...  these rows, of those that --list prints
#   --list           print the names of all rows, and stop
#   --workers N      worker threads (default: one per CPU)
#   --work DIR       where to make the data, in a folder that is removed at the end (default: $LOADLINE_DATA, or
#                    loadline/ in the user's cache directory): DIR is on the storage that cold trials measure
#   --from DIR       photographs for the rows of JPEG (default: /usr/share/backgrounds); without any, these are left out
#   --quick          very small data and short trials, to try the script: the figures mean nothing
#   -h, --help       print this, and stop
# $LOADLINE names the loadline to measure (default: build/release/bench/loadline, or an installed one).
# Exit codes: 0 every row is measured, 1 one failed, 2 usage, 130 and 143 interrupted.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# Row | format, as `loadline list` names it, and its variant | content | workload and further options of the run
readonly ROWS='
idx             | idx                      | digits, 1 x 28 x 28           | mnist
cifar10         | cifar10                  | pictures, 3 x 32 x 32         | cifar10
cifar100        | cifar100                 | pictures, 3 x 32 x 32         | cifar100
npy             | npy                      | pictures, 3 x 32 x 32         | cifar10
hdf5            | hdf5, contiguous         | pictures, 3 x 32 x 32         | cifar10
hdf5-gzip       | hdf5, gzip chunks of 64  | pictures, 3 x 32 x 32         | cifar10 --order page-shuffled --page-samples 64 --window-samples 512
png-folder      | image-folder             | PNG, 32 x 32                  | photos --image-size 32
png-webdataset  | webdataset               | PNG, 32 x 32                  | photos --image-size 32
png-tfrecord    | tfrecord                 | PNG, 32 x 32                  | photos --image-size 32
png-hdf5        | hdf5, packed             | PNG, 32 x 32                  | photos --image-size 32
jpeg-folder     | image-folder             | JPEG, 500 x 375, to 224 x 224 | photos
jpeg-webdataset | webdataset               | JPEG, 500 x 375, to 224 x 224 | photos
jpeg-tfrecord   | tfrecord                 | JPEG, 500 x 375, to 224 x 224 | photos
jpeg-hdf5       | hdf5, packed             | JPEG, 500 x 375, to 224 x 224 | photos
volume-hdf5     | volume, hdf5             | f32 crops, 9 x 32 x 32 x 32   | nbody --crop-edge 32 --crops 64
volume-npy      | volume, npy              | f32 crops, 9 x 32 x 32 x 32   | nbody --crop-edge 32 --crops 64
tokens          | tokens                   | 257 tokens, u16               | tokens
text-lines      | text, lines              | documents                     | text
text-json-lines | text, json-lines         | documents                     | text
text-files      | text, files              | documents                     | text
'

say() { echo "==> $*" >&2; }
fail() { echo "formats.sh: $*" >&2; exit 1; }
usage() { echo "formats.sh: $*; see --help" >&2; exit 2; }
names() { sed -n 's/^\([a-z0-9-]\{1,\}\) *|.*/\1/p' <<<"$ROWS"; }

only=$(names)
workers=$(nproc)
work=${LOADLINE_DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/loadline}
from=/usr/share/backgrounds
quick=false
while (($# > 0)); do
  case $1 in
    -h | --help) sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//p}' "${BASH_SOURCE[0]}"; exit ;;
    --list) names; exit ;;
    --quick) quick=true ;;
    --only | --workers | --work | --from)
      (($# > 1)) || usage "$1 needs a value"
      case $1 in
        --only) only=${2//,/$'\n'} ;;
        --workers) workers=$2 ;;
        --work) work=$2 ;;
        --from) from=$2 ;;
      esac
      shift ;;
    *) usage "unknown option '$1'" ;;
  esac
  shift
done
[[ $workers =~ ^[1-9][0-9]*$ ]] || usage "--workers: want a positive number, got '$workers'"
while IFS= read -r name; do
  names | grep -qxF -- "$name" || usage "--only: unknown name '$name'"
done <<<"$only"

built=$root/build/release/bench/loadline
if [[ -z ${LOADLINE:-} && -x $built ]]; then
  loadline=$built
else
  loadline=$(type -P -- "${LOADLINE:-loadline}") ||
    fail "${LOADLINE:-$built} does not exist; build it with bench/run.sh, or name another with LOADLINE"
fi
command -v python3 >/dev/null || fail "python3, which reads the results, is missing: install python3"

if ! compgen -G "$from/*" >/dev/null && grep -q '^jpeg-' <<<"$only"; then
  say "the rows of JPEG are left out: $from has no photographs (cmake/dependencies.sh photos installs some," \
    "--from DIR names others)"
  only=$(grep -v '^jpeg-' <<<"$only") || fail "no row is left"
fi

# A cold trial is an epoch at the most, so there is enough of each for a tenth of a second.
pixels=50000 encoded=5000 photographs=1000 edge=128 tokens=33554432 text=67108864 files=1048576
trials=(--trials 5 --trial-seconds 0.5)
if $quick; then
  pixels=2000 encoded=400 photographs=200 edge=64 tokens=262144 text=1048576 files=65536
  trials=(--trials 2 --trial-seconds 0.05)
fi

mkdir -p "$work"
work=$(mktemp -d "$work/formats.XXXXXX")
trap 'rm -rf "$work"' EXIT
# loadline handles these itself, so its end would not end the script.
trap 'exit 130' INT
trap 'exit 143' TERM

# path NAME: where the data of a row is.
path() {
  case $1 in
    hdf5* | *-hdf5) echo "$work/$1.h5" ;;
    *) echo "$work/$1" ;;
  esac
}

# make KIND NAME OPTION...
make() { "$loadline" data make "$1" "$(path "$2")" "${@:3}" --quiet; }

# convert FROM NAME OPTION...: both are names.
convert() { need "$1" && "$loadline" data convert "$(path "$1")" "$(path "$2")" "${@:3}" --quiet; }

# need NAME: makes the data of a row, and what it is converted from, unless it is there.
need() {
  [[ ! -e $(path "$1") ]] || return 0
  case $1 in
    idx) make mnist "$1" --samples "$pixels" ;;
    cifar10 | cifar100) make "$1" "$1" --samples "$pixels" ;;
    npy) convert cifar10 "$1" --format npy ;;
    hdf5) convert cifar10 "$1" ;;
    hdf5-gzip) convert cifar10 "$1" --chunk 64 --gzip 1 ;;
    png-folder) make cifar10 "$1" --samples "$encoded" --as jpeg ;;  # a folder of PNG: PNG keeps the pixels
    jpeg-folder) make photos "$1" --samples "$photographs" --from "$from" ;;
    png-hdf5 | jpeg-hdf5) convert "${1%-hdf5}-folder" "$1" ;;
    png-* | jpeg-*) convert "${1%%-*}-folder" "$1" --format "${1#*-}" ;;
    volume-hdf5) make nbody "$1" --size "$edge" ;;
    volume-npy) convert volume-hdf5 "$1" --format npy ;;
    tokens) make tokens "$1" --size "$tokens" ;;
    text-files) make text "$1" --size "$files" --as files ;;
    text-*) make text "$1" --size "$text" --as "${1#text-}" ;;
  esac
}

# measure NAME WORKLOAD OPTION...: makes the result of a row.
measure() {
  "$loadline" run --workload "${@:2}" --data "$(path "$1")" --mode io --loader thread-pool --workers "$workers" \
    --cache warm,cold --first-epoch-seconds 0 "${trials[@]}" --quiet -o "$work/result.json" --overwrite >&2
}

# row FORMAT CONTENT: the row of the last result.
row() {
  python3 - "$work/result.json" "$@" <<'PYTHON'
import json, math, sys
path, *names = sys.argv[1:]
result = json.load(open(path))
data = result["datasets"][0]
not_cold = [warning["message"] for warning in result["warnings"] if warning["id"] == "not-cold"]
for message in not_cold:
    print(message, file=sys.stderr)

def rate(mean, stddev):
    scale, unit = next(((scale, unit) for scale, unit in ((1e6, " M"), (1e3, " k")) if mean >= scale), (1, ""))
    digits = max(0, 2 - int(math.log10(max(1, mean / scale))))
    return f"{mean / scale:.{digits}f} ± {stddev / scale:.{digits}f}{unit}"

for cache in ("warm", "cold"):
    if cache == "cold" and not_cold:
        names += ["not cold"] * 3
        continue
    cell = next((cell for cell in result["cells"] if cell["mode"] == "IO" and cell["cache"] == cache), None)
    if cell is None or cell["ceiling"] is None:
        sys.exit(f"the result has no {'cell' if cell is None else 'ceiling'} of IO with a {cache} cache")
    measured = cell["samples_per_second"]
    # Crops overlap, or leave some of the volume out.
    sample = cell["slot_bytes"] / cell["batch_size"] if data["volume"] else data["stored_bytes"] / data["samples"]
    names += [rate(measured["mean"], measured["stddev"]), f"{measured['mean'] * sample / 1e6:,.0f}"]
    share, (low, high) = cell["ceiling"]["efficiency"]["value"], cell["ceiling"]["efficiency"]["ci95"]
    # loadline does not state a share with a wider interval either.
    words = "noisy" if high - low > 0.5 else f"{100 * share:.0f} ± {50 * (high - low):.0f} %"
    names.append(f"{words} {cell['ceiling']['binding'].split('/')[0]}")
print("|", " | ".join(names), "|")
PYTHON
}

echo "| format | content | warm, samples/s | MB/s | of ceiling | cold, samples/s | MB/s | of ceiling |"
echo "|---|---|---|---|---|---|---|---|"
failed=false
while IFS='|' read -r name format content options; do
  read -r name <<<"$name"
  if [[ -z $name ]] || ! grep -qxF -- "$name" <<<"$only"; then continue; fi
  read -r format <<<"$format"
  read -r content <<<"$content"
  read -ra options <<<"$options"
  say "$name"
  if ! need "$name" || ! measure "$name" "${options[@]}" || ! row "$format" "$content"; then
    say "$name failed"
    failed=true
  fi
done <<<"$ROWS"
! $failed
