#!/usr/bin/env bash
# plugin_test.sh CMAKE BUILD SOURCE TOOL: builds the example plug-in against an installed header, by CMake and by a
# compiler alone, checks it and measures it.
set -euo pipefail
readonly CMAKE=$1 BUILD=$2 SOURCE=$3 TOOL=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$CMAKE" --install "$BUILD" --prefix "$work/prefix" --component plugin >install.log
cp -r "$SOURCE/bench/examples/plugin" example
"$CMAKE" -S example -B by-cmake -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$work/prefix" >configure.log
"$CMAKE" --build by-cmake >build.log
c++ -std=c++17 -O2 -shared -fPIC -I prefix/include example/cifar10.cpp -o by-hand.so -pthread

"$TOOL" data make cifar10 data --samples 200 -q
for plugin in by-cmake/libcifar10.so ./by-hand.so; do
  "$TOOL" check "$plugin" --workload cifar10 --data data --batch-size 16 --workers 1,2 >check.txt
  grep -q '^ok: each sample comes once per epoch' check.txt
done
"$TOOL" run --workload cifar10 --data data --dtype u8 --batch-size 16 --loader thread-pool,by-cmake/libcifar10.so \
  --workers 1,2 --mode io --trials 1 --trial-batches 20 --first-epoch-seconds 0 --ceilings off \
  -q -o result.json
grep -q '"loader": "by-cmake/libcifar10.so"' result.json
echo ok
