#!/usr/bin/env bash
# kernels.sh OBJECT...: the objects compiled for AVX2 or AVX-512 share no function with the rest of the program. The
# linker keeps one copy of an inline function that several objects hold: if it kept theirs, the program would die of an
# illegal instruction on a CPU without that level. Skipped (77) without such objects.
set -euo pipefail
count=0
status=0
for object in "$@"; do
  [[ $object == */kernels_avx* ]] || continue
  count=$((count + 1))
  # Types V, W and u: symbols that may be defined in many objects. DW.ref.* are addresses, not instructions.
  shared=$(nm --demangle --defined-only "$object" | grep -E '^[0-9a-f]+ [VWu] ' | grep -vE ' DW\.ref\.' || true)
  [[ -z $shared ]] || { printf '%s defines for all:\n%s\n' "$object" "$shared" >&2; status=1; }
done
if ((count == 0)); then
  echo "skipped: this build has no kernels of a CPU level"
  exit 77
fi
exit "$status"
