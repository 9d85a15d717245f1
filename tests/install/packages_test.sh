#!/usr/bin/env bash
# packages_test.sh CMAKE BUILD SOURCE TOOL: the Debian packages that cpack makes: what they depend on, and that the tool
# in them runs.
set -euo pipefail
readonly CMAKE=$1 BUILD=$2 SOURCE=$3 TOOL=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
command -v dpkg-shlibdeps >/dev/null || { echo "no dpkg-shlibdeps: no packages are made"; exit 0; }

# To compress them would take most of the time.
"$(dirname "$CMAKE")/cpack" --config "$BUILD/CPackConfig.cmake" -B "$work/packages" \
  -D CPACK_DEBIAN_COMPRESSION_TYPE=none >cpack.log 2>&1 || { cat cpack.log; exit 1; }

# holds PACKAGE FIELD PATTERN
holds() {
  local file=(packages/"$1"_*.deb) value
  value=$(dpkg-deb -f "${file[0]}" "$2")
  [[ $value == *$3* ]] || { echo "$1: $2 is '$value', want '$3' in it"; exit 1; }
}
holds loadline Depends libhdf5
holds loadline Description "how fast a training step"
holds loadline-dev Depends nlohmann-json3-dev
holds loadline-dev Depends "loadline (= $(dpkg-deb -f packages/loadline_*.deb Version))"

# Two packages that own the same file cannot be installed together.
for package in packages/*.deb; do dpkg-deb -c "$package" | awk '!/^d/ {print $6}'; done | sort | uniq -d >shared.txt
[[ ! -s shared.txt ]] || { echo "more than one package has:"; cat shared.txt; exit 1; }
for package in loadline loadline-dev; do dpkg-deb -x packages/"$package"_*.deb root; done

[[ $(root/usr/bin/loadline --version) == "$("$TOOL" --version)" ]]
cmp root/usr/share/doc/loadline/README.md "$SOURCE/README.md"
[[ -s root/usr/share/man/man1/loadline-run.1 && -s root/usr/share/bash-completion/completions/loadline ]]
[[ -s root/usr/share/zsh/vendor-completions/_loadline && -s root/usr/share/fish/vendor_completions.d/loadline.fish ]]
[[ -s root/usr/lib/loadline/loadline_opencv.so ]]
[[ -s root/usr/include/loadline/plugin.h && -n $(find root/usr/lib -name loadlineConfig.cmake) ]]

# The batch scripts find each other wherever a job runs a copy of one.
script=root/usr/share/loadline/bench/slurm/sweep.sbatch
grep -qx 'root=${LOADLINE_ROOT:-/usr/share/loadline}' "$script"
PATH=$work/root/usr/bin:$PATH LOADLINE_ROOT=$work/root/usr/share/loadline bash "$script" --help | grep -q sbatch
echo ok
