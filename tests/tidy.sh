#!/usr/bin/env bash
# tests/tidy.sh [--all | COMMIT]: runs clang-tidy, configured by .clang-tidy, on the sources that differ from COMMIT
# (default: where this branch left origin's main, or else the commit before this one), committed or not; with --all, on
# every source. Each changed header is checked through one source that includes it.
# It checks at most $LOADLINE_TIDY_FILES sources (default 12, the largest changes first), and starts none after
# $LOADLINE_TIDY_SECONDS (default 60), so that it ends in bounded time; it says what it leaves out. It uses build/tidy,
# where nothing is built: other builds compile several files by one command.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$root"
say() { echo "==> $*" >&2; }

tidy=
for name in clang-tidy-19 clang-tidy-16 clang-tidy-14 clang-tidy; do
  if command -v "$name" >/dev/null; then tidy=$name; break; fi
done
[[ -n $tidy ]] || { say "without clang-tidy: nothing is looked at"; exit 77; }
build=build/tidy
cmake -S . --preset dev -B "$build" >/dev/null
cmake --build "$build" --target loadline_build_info >/dev/null
is_compiled() { grep -qF "\"file\": \"$root/$1\"" "$build/compile_commands.json"; }

default_base() {
  local left
  if left=$(git merge-base HEAD origin/main 2>/dev/null) && [[ $left != $(git rev-parse HEAD) ]]; then echo "$left"
  else git rev-parse --verify -q HEAD~1 || git rev-parse HEAD; fi
}

files=()
if [[ ${1:-} == --all ]]; then
  mapfile -t files < <(git ls-files 'loaders/*.cpp' 'synthetic/*.cpp' 'harness/*.cpp' 'bench/*.cpp' 'tests/*.cpp')
  most=${#files[@]} seconds=${LOADLINE_TIDY_SECONDS:-86400}
else
  base=${1:-$(default_base)}
  most=${LOADLINE_TIDY_FILES:-12} seconds=${LOADLINE_TIDY_SECONDS:-60}
  mapfile -t changed < <(git diff --numstat --diff-filter=d "$base" -- '*.cpp' '*.h' | sort -rn | cut -f 3)
  for file in "${changed[@]}"; do
    # A header's own source, or else the first that includes it.
    if [[ $file == *.h ]]; then
      if [[ -e ${file%.h}.cpp ]]; then file=${file%.h}.cpp
      else file=$(git grep -lF "#include \"$file\"" -- '*.cpp' | sed -n 1p || true); fi
    fi
    [[ -z $file || " ${files[*]} " == *" $file "* ]] || files+=("$file")
  done
fi
compiled=()
for file in "${files[@]}"; do
  if is_compiled "$file"; then compiled+=("$file"); fi
done
((${#compiled[@]} <= most)) || say "of ${#compiled[@]} sources the $most with the largest changes"
compiled=("${compiled[@]:0:most}")
if ((${#compiled[@]} == 0)); then say "no source has changed"; exit 0; fi
say "$tidy: ${#compiled[@]} sources"
# look FILE: fails if clang-tidy finds something. It leaves out a file that this clang cannot compile: GCC builds the
# tree, and clang 14 does not know the ranges of its library. -Wno-...: flags and warnings of the compiler that wrote
# compile_commands, which need not be clang.
look() {
  local said
  if (($(date +%s) >= end)); then echo "==> left out, its turn came after $seconds s: $1" >&2; return 0; fi
  if said=$("$tidy" -quiet -p "$build" -extra-arg=-Wno-unknown-warning-option -extra-arg=-Wno-error "$1" 2>&1); then return 0; fi
  if grep -q '\[clang-diagnostic-error\]' <<<"$said"; then echo "==> left out, $tidy cannot compile it: $1" >&2; return 0; fi
  echo "$said"
  return 1
}
export -f look
end=$(($(date +%s) + seconds))
export tidy build end seconds
printf '%s\0' "${compiled[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c 'look "$1"' look
