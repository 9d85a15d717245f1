#!/usr/bin/env bash
# soak.sh [--minutes N] [--tool FILE] [--json FILE]: short sweeps, interruptions, resumes, conversions and reports again and
# again beside busy neighbours, and one long run that is looked at while it goes on: memory, descriptors, threads,
# temporary files and shared memory have to stay as they are.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
exec "${PYTHON:-python3}" -B "$root/tests/fault/soak.py" "$@"
