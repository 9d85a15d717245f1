#!/usr/bin/env bash
# components_test.sh PROGRAM: the exit codes of bench/components, and the sentence that goes with each.
set -euo pipefail
program=${1:?usage: components_test.sh PROGRAM}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/empty"

failures=0
fail() {
  echo "$1; it said:" >&2
  sed 's/^/  | /' "$work/said" >&2
  failures=$((failures + 1))
}
# expect WHAT STATUS OPTION...
expect() {
  what=$1
  local status=$2 got=0
  "$program" --benchmark_repetitions=1 --benchmark_min_time=0.001 "${@:3}" >"$work/said" 2>&1 </dev/null || got=$?
  ((got == status)) || fail "$what: exit code $got, want $status"
}
says() { grep -qF -- "$1" "$work/said" || fail "$what: does not say '$1'"; }
is_silent_on() { ! grep -qF -- "$1" "$work/said" || fail "$what: says '$1'"; }

expect "a row that runs" 0 '--benchmark_filter=^permutation/shuffled/50000'
says permutation/shuffled/50000
says 'loadline_build_type: '
says 'loadline_kernels: '

expect "a list" 0 --benchmark_list_tests --threads 1,3
says gather/u8/batch:64/threads:3
says gather_drain/bf16/batch:512/threads:1
says convert/f32/nhwc/scalar
says convert/augmented/u8/nchw/scalar
says convert/channels-last/f32/nchw/scalar
says handoff/thread-pool
says jpeg/photo/part
says jpeg/beside/u8/nhwc
says resize/365x270/f32/nchw/scalar
says permutation/page-shuffled/1000000
is_silent_on threads:2

expect "a filter that matches nothing" 1 --benchmark_filter=no_such_row
expect "a filter that is no regular expression" 1 '--benchmark_filter=('

# Two samples of IDX, fewer than a batch.
mkdir "$work/tiny"
printf '\0\0\10\3\0\0\0\2\0\0\0\2\0\0\0\2abcdefgh' >"$work/tiny/train-images-idx3-ubyte"
printf '\0\0\10\1\0\0\0\2\1\2' >"$work/tiny/train-labels-idx1-ubyte"
expect "a row that fails" 1 --data "$work/tiny" '--benchmark_filter=^gather/u8/batch:64/threads:1/'
says 'batch 64: the dataset has only 2 samples'
expect "a row that fails in every repetition" 1 --data "$work/tiny" --benchmark_repetitions=2 \
  '--benchmark_filter=^gather/u8/batch:64/threads:1/'
expect "a row that fails beside one that runs" 1 --data "$work/tiny" \
  '--benchmark_filter=^gather/u8/batch:64/threads:1/|^permutation/shuffled/50000'

expect "data that cannot be opened" 1 --data "$work/empty" --benchmark_filter=permutation/shuffled/50000
says "components: cannot open $work/empty: the directory is empty"
expect "data that is not there" 2 --data "$work/nowhere"
says "$work/nowhere"

expect "no compressed images" 0 --fashion-mnist "$work/empty" --benchmark_filter=^permutation/shuffled/50000
says "inflate/idx is left out: $work/empty/train-images-idx3-ubyte.gz does not exist (--fashion-mnist DIR)"

expect "an unknown option" 2 --bogus
says "components: unknown option '--bogus': see --help"
expect "an unknown option of Google Benchmark" 2 --benchmark_bogus=1
expect "a word that is no option" 2 gather
expect "no thread" 2 --threads 0
expect "a thread that is no number" 2 --threads two

expect "help" 0 --help
says --fashion-mnist
says --benchmark_filter

((failures == 0))
