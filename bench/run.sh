#!/usr/bin/env bash
# bench/run.sh [OPTION...]: builds loadline and measures this machine on real images. Options are passed to `loadline
# run`; by default it measures Fashion-MNIST and CIFAR-10-like data with thread-pool, flow-graph and hdf5-mmap, into
# results/.
# Generated data is kept in $LOADLINE_DATA (default: loadline/ in the user's cache directory).
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
export LOADLINE_DATA=${LOADLINE_DATA:-${XDG_CACHE_HOME:-$HOME/.cache}/loadline}

say() { echo "==> $*" >&2; }
# given NAME...: whether one of these options is among the arguments of the script.
given() {
  local argument name
  for argument in "${arguments[@]}"; do
    for name in "$@"; do
      [[ $argument != "$name" && $argument != "$name="* ]] || return 0
    done
  done
  return 1
}
arguments=("$@")

for argument in "${arguments[@]}"; do
  [[ $argument != -h && $argument != --help ]] || help=true
done

# wants WORKLOAD: whether it is among those named and no --data is given.
wants() {
  ! given --data && [[ " ${arguments[*]} " =~ [\ =,]$1[,\ ] ]]
}

say "dependencies"
# With the user's own data no packaged images are needed.
if given --data; then "$root/cmake/dependencies.sh" build
elif wants photos; then "$root/cmake/dependencies.sh" photos
else "$root/cmake/dependencies.sh" bench; fi

say "build (build/release)"
cmake -S "$root" --preset release >/dev/null
cmake --build "$root/build/release" --parallel "$(nproc)" --target loadline >&2
loadline=$root/build/release/bench/loadline

if [[ -n ${help:-} ]]; then exec "$loadline" run --help; fi
if ! given --data && [[ ! -e $LOADLINE_DATA/cifar10 ]]; then
  say "CIFAR-10-like data ($LOADLINE_DATA/cifar10)"
  mkdir -p "$LOADLINE_DATA"
  "$loadline" data make cifar10 "$LOADLINE_DATA/cifar10" --samples 50000 --seed 1 >&2
fi

if wants photos && [[ ! -e $LOADLINE_DATA/photos ]]; then
  say "photographs ($LOADLINE_DATA/photos)"
  "$loadline" data make photos "$LOADLINE_DATA/photos" --from /usr/share/backgrounds >&2
fi

if wants nbody && [[ ! -e $LOADLINE_DATA/nbody.h5 ]]; then
  say "a volume like a cosmological simulation's ($LOADLINE_DATA/nbody.h5)"
  mkdir -p "$LOADLINE_DATA"
  "$loadline" data make nbody "$LOADLINE_DATA/nbody.h5" >&2
fi

# in_hdf5 WORKLOAD ORIGINAL: makes the copy that hdf5-mmap reads.
in_hdf5() {
  local copy=$LOADLINE_DATA/$1.h5
  [[ ! -e $copy && -e $2 ]] || return 0
  say "$1 in HDF5 ($copy)"
  "$loadline" data convert "$2" "$copy" >&2
}

defaults=()
# A configuration has its own workloads and loaders, and one path is the data of one workload.
if given --data; then given --workload || defaults+=(--workload fashion-mnist)
elif ! given --workload --config; then
  defaults+=(--workload fashion-mnist,cifar10)
  if ! given --loader; then
    defaults+=(--loader thread-pool,flow-graph,hdf5-mmap)
    original=$LOADLINE_DATA/fashion-mnist
    [[ -e $original ]] || original=/usr/share/datasets/fashion-mnist
    in_hdf5 fashion-mnist "$original"
    in_hdf5 cifar10 "$LOADLINE_DATA/cifar10"
  fi
  # Keeps the whole run to little more than a minute.
  given --trial-seconds --trial-batches || defaults+=(--trial-seconds 0.3)
fi
given --output -o || defaults+=(--output "$root/results/run-$(date -u +%Y%m%dT%H%M%SZ).json")
say "loadline run" "${defaults[@]}" "$@"
exec "$loadline" run "${defaults[@]}" "$@"
