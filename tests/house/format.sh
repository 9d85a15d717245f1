#!/usr/bin/env bash
# format.sh [ROOT]: every source is formatted by clang-format. Skipped (77) without the version that the tree follows, as
# others break lines differently.
set -euo pipefail
cd "${1:-.}"
readonly MAJOR=14

formatter=
for candidate in "clang-format-$MAJOR" clang-format; do
  if command -v "$candidate" >/dev/null && [[ $("$candidate" --version) == *" version $MAJOR."* ]]; then
    formatter=$candidate
    break
  fi
done
if [[ -z $formatter ]]; then
  echo "skipped: clang-format $MAJOR is not installed, so the format of the sources is not checked"
  exit 77
fi

# Many files in each process: starting it takes longer than checking a file.
said=$(find loaders synthetic harness bench python tests \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' \) -print0 |
  xargs -0 -n 100 "$formatter" --dry-run --Werror 2>&1 || true)
if [[ -n $said ]]; then
  unformatted=$(sed -nE 's/^([^: ]+):[0-9]+:[0-9]+: error: .*/\1/p' <<<"$said" | sort -u | tr '\n' ' ')
  echo "not formatted; mend by: $formatter -i ${unformatted:-FILE: $said}" >&2
  exit 1
fi
