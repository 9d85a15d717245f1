#!/usr/bin/env bash
# bench/walk.sh [OPTION...]: the walk that docs/walk.md shows, from a slow loader to a faster step, in short trials:
# each step is a run whose result is kept, then all of them make one walk. Options are passed to every `loadline run`,
# such as --trial-seconds 1. Results, the walk (as text and Markdown) and the report go to $WALK (default:
# results/walk), which is emptied first. Generated data is kept in $LOADLINE_DATA (default: loadline/ in the user's
# cache directory).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export LOADLINE_DATA=${LOADLINE_DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/loadline}
loadline=${LOADLINE:-$root/build/release/bench/loadline}
walk=${WALK:-$root/results/walk}

say() { echo "==> $*" >&2; }

if [[ ! -x $loadline ]]; then
  echo "walk.sh: $loadline does not exist; build it with bench/run.sh, or name another with LOADLINE" >&2
  exit 1
fi
if [[ ! -e $LOADLINE_DATA/nbody.h5 ]]; then
  say "a volume like a cosmological simulation's ($LOADLINE_DATA/nbody.h5)"
  mkdir -p "$LOADLINE_DATA"
  "$loadline" data make nbody "$LOADLINE_DATA/nbody.h5" >&2
fi

# step NAME OPTION...: a run as the next step of the walk.
common=("$@")
step() {
  local file=$walk/$1.json
  shift
  say "$(basename "$file")"
  "$loadline" run --workload nbody --ceilings off --first-epoch-seconds 0 --trials 5 --trial-seconds 0.5 --quiet \
    "$@" "${common[@]}" -o "$file"
}

# finish NAME...: makes a walk and a report of these steps.
finish() {
  local name=$1 files=() text
  shift
  for text in "$@"; do files+=("$text.json"); done
  cd "$walk"
  # A step may be a regression; the walk then says so.
  "$loadline" diff "${files[@]}" --format markdown -o "$name.md" >/dev/null || [[ $? == 3 ]]
  "$loadline" report "${files[@]}" -o "$name.html"
  echo
  echo "    loadline diff ${files[*]}"
  echo
  "$loadline" diff "${files[@]}" || [[ $? == 3 ]]
  cd - >/dev/null
}

mkdir -p "$walk"
rm -f "$walk"/*.json "$walk"/*.md "$walk"/*.html

# An emulated accelerator, with the rates measured in the SC22 tutorial.
step s1 --loader hdf5 --workers 1 --compute device:profile=sc22-unet-v100
step s2 --loader hdf5 --workers 1 --compute device:profile=sc22-unet-v100-fp16
step s3 --loader hdf5 --workers 2 --compute device:profile=sc22-unet-v100-fp16
step s4 --loader hdf5-mmap --workers 1 --compute device:profile=sc22-unet-v100-fp16
step s5 --loader hdf5-mmap --workers 2 --compute device:profile=sc22-unet-a100-fp16
finish device s1 s2 s3 s4 s5

# A step computed on this machine, on crops that make the library work hard for little data.
computed() {
  local name=$1
  shift
  step "$name" --crop-edge 8 --crops 8192 --batch-size 128 --compute cnn "$@"
}
computed c1 --loader hdf5 --workers 1 --precision f32 --fusion off
computed c2 --loader hdf5 --workers 2 --precision f32 --fusion off
computed c3 --loader hdf5-mmap --workers 1 --precision f32 --fusion off
computed c4 --loader hdf5-mmap --workers 1 --precision bf16 --fusion off
computed c5 --loader hdf5-mmap --workers 1 --precision bf16 --fusion on
finish cnn c1 c2 c3 c4 c5
