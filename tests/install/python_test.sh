#!/usr/bin/env bash
# python_test.sh CMAKE BUILD SOURCE TOOL PYTHON: the Python package as `cmake --install` puts it into a prefix, and the
# wheel that pip makes of it.
set -euo pipefail
readonly CMAKE=$1 BUILD=$2 SOURCE=$3 PYTHON=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset PYTHONPATH

# try_package FOLDER: measures a list with the package in that folder.
try_package() {
  PYTHONPATH=$1 "$PYTHON" - "$1" <<'END'
import sys

import loadline

assert loadline.__file__.startswith(sys.argv[1]), loadline.__file__


def make_loader():
    return [[0] * 4] * 8


result = loadline.measure(make_loader, quiet=True, trials=1, trial_batches=4, first_epoch_seconds=0)
assert len(result.document["cells"][0]["trials"]) == 1
END
}

"$CMAKE" --install "$BUILD" --prefix "$work/prefix" --component python >install.log
folder=$(dirname "$(find "$work/prefix" -path '*/loadline/__init__.py')")
try_package "${folder%/loadline}"

"$PYTHON" -c 'import setuptools, wheel, pip' 2>/dev/null || { echo "no pip, setuptools or wheel: no wheel is made"; exit 0; }
mkdir source
(cd "$SOURCE" && cp -R CMakeLists.txt pyproject.toml setup.py docs python "$work/source/")
LOADLINE_BUILD=$BUILD "$PYTHON" -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir wheels ./source
"$PYTHON" -m pip install --quiet --no-deps --target "$work/site" wheels/loadline-*.whl
try_package "$work/site"
echo ok
