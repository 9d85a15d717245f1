#!/usr/bin/env bash
# dependencies_test.sh ROOT: cmake/dependencies.sh against a package database, apt-get, sudo and id of our own, so that
# nothing is installed and the machine at hand does not matter.
set -euo pipefail
script=${1:?usage: dependencies_test.sh ROOT}/cmake/dependencies.sh
fakes=$(mktemp -d)
trap 'rm -rf "$fakes"' EXIT
mkdir "$fakes/commands"

fake() {
  printf '#!/usr/bin/env bash\n%s\n' "$2" >"$fakes/commands/$1"
  chmod +x "$fakes/commands/$1"
}
# Reports every package as installed except those in the file `missing`, which apt-get empties.
fake dpkg-query '
for package in "${@:4}"; do
  grep -qx "$package" "$FAKES/missing" || printf "%s=installed " "$package"
done'
fake apt-get '
echo "apt-get $*" >>"$FAKES/calls"
[[ $FAKE_APT == works || $* != *install* ]] || exit 100
[[ $* != *install* ]] || : >"$FAKES/missing"'
fake id 'echo "$FAKE_UID"'
fake sudo '[[ $FAKE_SUDO == yes ]] || exit 1; shift; "$@"'

failures=0
fail() {
  echo "$1; it said:" >&2
  sed 's/^/  | /' "$fakes/said" >&2
  failures=$((failures + 1))
}
# expect WHAT STATUS UID SUDO APT GROUP MISSING...
expect() {
  what=$1
  local status=$2 got=0
  : >"$fakes/calls"
  printf '%s\n' "${@:7}" >"$fakes/missing"
  env -u CONDA_PREFIX -u CMAKE_PREFIX_PATH PATH="$fakes/commands:/usr/bin:/bin" FAKES="$fakes" FAKE_UID="$3" \
    FAKE_SUDO="$4" FAKE_APT="$5" bash "$script" "$6" >"$fakes/said" 2>&1 </dev/null || got=$?
  ((got == status)) || fail "$what: exit code $got, want $status"
}
says() { grep -qF -- "$1" "$fakes/said" || fail "$what: does not say '$1'"; }
is_silent_on() { ! grep -qF -- "$1" "$fakes/said" || fail "$what: says '$1'"; }
calls() { grep -qxF -- "$1" "$fakes/calls" || fail "$what: does not call '$1', but '$(cat "$fakes/calls")'"; }
calls_nothing() { [[ ! -s $fakes/calls ]] || fail "$what: calls '$(cat "$fakes/calls")'"; }

expect "all there" 0 1000 no works tests
calls_nothing
[[ ! -s $fakes/said ]] || fail "$what: speaks"

expect "two missing, no privilege" 1 1000 no works tests libcli11-dev libgtest-dev
calls_nothing
says 'apt-get install --no-install-recommends libcli11-dev libgtest-dev'
says 'dnf install cli11-devel gtest-devel'
says 'conda install -c conda-forge cli11 gtest'
says 'spack install cli11 googletest'
is_silent_on libfmt-dev

expect "a test package missing for a benchmark" 0 1000 no works bench libgtest-dev
calls_nothing

expect "data missing, no privilege" 1 1000 no works bench dataset-fashion-mnist
says 'apt-get install --no-install-recommends dataset-fashion-mnist'
says 'bench/run.sh --data DIR'
is_silent_on 'dnf install'

expect "data missing for a build" 0 1000 no works build dataset-fashion-mnist

expect "one missing, root" 0 0 no works bench libcli11-dev
calls 'apt-get -qq -o DPkg::Lock::Timeout=120 update'
calls 'apt-get -qq -o DPkg::Lock::Timeout=120 install -y --no-install-recommends libcli11-dev'

expect "one missing, sudo without a password" 0 1000 yes works bench libcli11-dev
calls 'apt-get -qq -o DPkg::Lock::Timeout=120 install -y --no-install-recommends libcli11-dev'

expect "one missing, root, apt-get fails" 1 0 no fails bench libcli11-dev
says 'dnf install cli11-devel'

expect "an optional one missing, no privilege" 0 1000 no works build libdnnl-dev
calls_nothing
says 'without libdnnl-dev (training steps on the CPU): what needs it is left out'

expect "an optional one missing, root" 0 0 no works build libdnnl-dev
calls 'apt-get -qq -o DPkg::Lock::Timeout=120 install -y --no-install-recommends libdnnl-dev'

expect "an unknown group" 2 0 no works everything
calls_nothing

((failures == 0))
