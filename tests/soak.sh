#!/usr/bin/env bash
# soak.sh [--minutes N] [--tool FILE] [--json FILE]: runs short sweeps, interruptions, resumes, conversions and reports
# again and again beside busy neighbours, and watches one long run meanwhile: memory, descriptors, threads, temporary
# files and shared memory must stay as they are.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
exec "${PYTHON:-python3}" -B "$root/tests/fault/soak.py" "$@"
