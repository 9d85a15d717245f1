#!/usr/bin/env bash
# bench/run.sh [OPTION...]: builds loadline and measures this machine on real images. Options go to `loadline run`;
# without --workload and --output it measures Fashion-MNIST and CIFAR-10-like data, into results/.
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

# wants WORKLOAD: whether it is among those named, with no data of their own.
wants() {
  ! given --data && [[ " ${arguments[*]} " =~ [\ =,]$1[,\ ] ]]
}

say "dependencies"
# Who brings data needs no packaged images.
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

defaults=()
# A configuration brings its own workloads, and one path is the data of one of them.
if given --data; then given --workload || defaults+=(--workload fashion-mnist)
elif ! given --workload --config; then defaults+=(--workload fashion-mnist,cifar10); fi
given --output -o || defaults+=(--output "$root/results/run-$(date -u +%Y%m%dT%H%M%SZ).json")
say "loadline run" "${defaults[@]}" "$@"
exec "$loadline" run "${defaults[@]}" "$@"
