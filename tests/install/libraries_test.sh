#!/usr/bin/env bash
# libraries_test.sh CMAKE BUILD SOURCE TOOL: builds a program against the installed libraries, and runs it.
set -euo pipefail
readonly CMAKE=$1 BUILD=$2 SOURCE=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for component in plugin libraries; do
  "$CMAKE" --install "$BUILD" --prefix "$work/prefix" --component "$component" >install.log
done
"$CMAKE" -S "$SOURCE/tests/install/consumer" -B build -DCMAKE_PREFIX_PATH="$work/prefix" >configure.log
"$CMAKE" --build build >build.log || { cat build.log; exit 1; }
[[ $(build/consumer) == "thread-pool with 2 workers: 3 batches of 10 samples" ]]
echo ok
