#!/usr/bin/env bash
# dependencies.sh [build|bench|photos|tests]: makes sure that what loadline needs is installed.
#   build  to compile the tool
#   bench  build, and the real images that bench/run.sh measures (default)
#   photos bench, and the photographs from which the workload photos is cut
#   tests  bench, and what the tests use
# On Debian and its descendants it installs what is missing through apt-get if it may: as root, or by sudo without a
# password. Otherwise it names what is missing and how to get it, and exits with 1.
set -euo pipefail

# The only package list. Probe: how to find the package where dpkg does not know it: c(ommand), h(eader), p(ython module)
# or f(ile); headers and files are below a prefix such as /usr. '-': not packaged there, and so optional.
# Group with a question mark: optional everywhere.
# Group | for                          | probe                   | Debian                | dnf (EPEL, CRB)        | conda-forge   | Spack
readonly PACKAGES='
build   | C++20 compiler               | c g++                   | g++                   | gcc-c++                | gxx           | gcc
build   | CMake 3.25 or newer          | c cmake                 | cmake                 | cmake                  | cmake         | cmake
build   | Ninja                        | c ninja                 | ninja-build           | ninja-build            | ninja         | ninja
build   | text formatting              | h fmt/format.h          | libfmt-dev            | fmt-devel              | fmt           | fmt
build   | option parsing               | h CLI/CLI.hpp           | libcli11-dev          | cli11-devel            | cli11         | cli11
build   | distributions of statistics  | h boost/math/distributions/students_t.hpp | libboost-dev | boost-devel | libboost-headers | boost+math
build   | JSON                         | h nlohmann/json.hpp     | nlohmann-json3-dev    | json-devel             | nlohmann_json | nlohmann-json
build   | reading .gz                  | h zlib.h                | zlib1g-dev            | zlib-devel             | zlib          | zlib
build   | HDF5 files                   | h hdf5.h                | libhdf5-dev           | hdf5-devel             | hdf5          | hdf5
build   | task graphs                  | h oneapi/tbb/version.h  | libtbb-dev            | tbb-devel              | tbb-devel     | intel-tbb
build   | checksums of datasets        | h xxhash.h              | libxxhash-dev         | xxhash-devel           | xxhash        | xxhash
build   | many reads at a time         | h liburing.h            | liburing-dev          | liburing-devel         | liburing      | liburing
build   | JPEG (libjpeg-turbo)         | h jpeglib.h             | libjpeg-dev           | libjpeg-turbo-devel    | libjpeg-turbo | libjpeg-turbo
build   | other image formats          | h opencv4/opencv2/imgcodecs.hpp | libopencv-imgcodecs-dev | opencv-devel | libopencv     | opencv+imgcodecs
build   | other image formats          | h opencv4/opencv2/imgproc.hpp | libopencv-imgproc-dev | opencv-devel     | libopencv     | opencv+imgcodecs
build   | other image formats          | h opencv4/opencv2/core.hpp | libopencv-core-dev | opencv-devel           | libopencv     | opencv+imgcodecs
build   | component benchmarks         | h benchmark/benchmark.h | libbenchmark-dev      | google-benchmark-devel | benchmark     | benchmark
build?  | training steps on the CPU    | h oneapi/dnnl/dnnl.hpp  | libdnnl-dev           | onednn-devel           | onednn        | onednn
build?  | tokens by SentencePiece     | h sentencepiece_processor.h | libsentencepiece-dev | sentencepiece-devel | libsentencepiece | sentencepiece
build?  | faster inflating             | h libdeflate.h          | libdeflate-dev        | libdeflate-devel       | libdeflate    | libdeflate
build?  | one run of many ranks        | h mpi.h                 | libopenmpi-dev        | openmpi-devel          | openmpi       | openmpi
build?  | forecasts by simulation      | h simgrid/s4u.hpp       | libsimgrid-dev        | -                      | -             | simgrid
build?  | event files for TensorBoard  | h google/protobuf/message_lite.h | libprotobuf-dev | protobuf-lite-devel   | libprotobuf   | protobuf
build?  | event files for TensorBoard  | c protoc                | protobuf-compiler     | protobuf-compiler      | libprotobuf   | protobuf
build?  | the Python package           | p numpy                 | python3-numpy         | python3-numpy          | numpy         | py-numpy
build?  | the Python package           | h pybind11/pybind11.h   | pybind11-dev          | pybind11-devel         | pybind11      | py-pybind11
build?  | the Python package           | h python3.11/Python.h   | python3-dev           | python3-devel          | python        | python
bench   | Fashion-MNIST images         | f share/datasets/fashion-mnist/train-images-idx3-ubyte.gz | dataset-fashion-mnist | - | - | -
photos  | photographs to cut            | f share/backgrounds/Bridge_by_Sander_Klootwijk.jpg | lomiri-wallpapers-16.04 | - | - | -
tests   | GoogleTest                   | h gtest/gtest.h         | libgtest-dev          | gtest-devel            | gtest         | googletest
tests   | GoogleMock                   | h gmock/gmock.h         | libgmock-dev          | gmock-devel            | gtest         | googletest
tests   | results against their schema | p jsonschema            | python3-jsonschema    | python3-jsonschema     | jsonschema    | py-jsonschema
tests   | compare.py on results        | f share/benchmark/compare.py | libbenchmark-tools | -                     | -             | -
tests   | compare.py on results        | p numpy                 | python3-numpy         | python3-numpy          | numpy         | py-numpy
tests   | compare.py on results        | p scipy                 | python3-scipy         | python3-scipy          | scipy         | py-scipy
tests   | results in pandas            | p pandas                | python3-pandas        | python3-pandas         | pandas        | py-pandas
tests?  | loaders of PyTorch           | p torch                 | python3-torch         | python3-torch          | pytorch       | py-torch
tests?  | wheels of the package        | p pip                   | python3-pip           | python3-pip            | pip           | py-pip
tests?  | wheels of the package        | p setuptools            | python3-setuptools    | python3-setuptools     | setuptools    | py-setuptools
tests?  | wheels of the package        | p wheel                 | python3-wheel         | python3-wheel          | wheel         | py-wheel
tests?  | configuration of benchy      | p yaml                  | python3-yaml          | python3-pyyaml         | pyyaml        | py-pyyaml
tests?  | batch scripts in a Slurm     | c slurmctld             | slurm-wlm             | slurm-slurmctld        | -             | slurm
tests?  | batch scripts in a Slurm     | c slurmd                | slurm-wlm             | slurm-slurmd           | -             | slurm
tests?  | batch scripts in a Slurm     | c munged                | munge                 | munge                  | -             | munge
tests?  | clang-tidy of what changed   | c clang-tidy            | clang-tidy            | clang-tools-extra      | clang-tools   | -
tests?  | quicker links with sanitizers | c ld.lld               | lld                   | lld                    | lld           | -
tests?  | one run of many ranks        | c mpirun                | openmpi-bin           | openmpi                | openmpi       | openmpi
tests?  | reports in a browser         | c chromium              | chromium              | chromium               | -             | -
tests?  | completion in zsh            | c zsh                   | zsh                   | zsh                    | zsh           | zsh
tests?  | completion in fish           | c fish                  | fish                  | fish                   | fish          | fish
'
readonly CMAKE_AT_LEAST=3.25

say() { echo "==> $*" >&2; }

case ${1:-bench} in
  build) groups=' build ' ;;
  bench) groups=' build bench ' ;;
  photos) groups=' build bench photos ' ;;
  tests) groups=' build bench tests ' ;;
  *) echo "usage: ${0##*/} [build|bench|photos|tests]" >&2; exit 2 ;;
esac

# The table, with an array for each column, and only the rows of the requested groups.
optional=() purposes=() probes=() debian=() dnf=() conda=() spack=()
shopt -s extglob
while IFS='|' read -r group purpose probe name_debian name_dnf name_conda name_spack; do
  trimmed=()
  for field in "$group" "$purpose" "$probe" "$name_debian" "$name_dnf" "$name_conda" "$name_spack"; do
    field=${field##+( )}
    trimmed+=("${field%%+( )}")
  done
  [[ -n ${trimmed[0]} && $groups == *" ${trimmed[0]%\?} "* ]] || continue
  [[ ${trimmed[0]} == *\? ]] && optional+=(true) || optional+=(false)
  purposes+=("${trimmed[1]}") probes+=("${trimmed[2]}") debian+=("${trimmed[3]}")
  dnf+=("${trimmed[4]}") conda+=("${trimmed[5]}") spack+=("${trimmed[6]}")
done <<<"$PACKAGES"

apt=false
if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then apt=true; fi

# Prefixes in which CMake looks too: Conda, Spack and environment modules put their packages there.
prefixes=()
IFS=':;' read -r -a candidates <<<"${CMAKE_PREFIX_PATH:-}:${CONDA_PREFIX:-}:/usr/local"
IFS=':' read -r -a directories <<<"$PATH"
for directory in "${directories[@]}"; do
  case $directory in */bin | */sbin) candidates+=("${directory%/*}") ;; esac
done
$apt || candidates+=(/usr)
for candidate in "${candidates[@]}"; do
  # Below /usr, dpkg knows better than a probe.
  [[ -n $candidate && ! ($apt == true && $candidate == /usr) ]] || continue
  prefixes+=("$candidate")
done

present() {
  local kind=${1%% *} name=${1#* } prefix
  case $kind in
    c) command -v "$name" >/dev/null ;;
    p) python3 -c 'import importlib.util, sys; sys.exit(importlib.util.find_spec(sys.argv[1]) is None)' "$name" \
         2>/dev/null ;;
    *)
      [[ $kind != h ]] || name=include/$name
      for prefix in "${prefixes[@]}"; do
        [[ ! -e $prefix/$name ]] || return 0
      done
      return 1 ;;
  esac
}

# Sets `missing` to the rows that are neither installed by dpkg nor found by their probe.
find_missing() {
  local installed=' ' row
  if $apt; then
    installed=" $(dpkg-query -W -f '${Package}=${db:Status-Status} ' "${debian[@]}" 2>/dev/null || true)"
  fi
  missing=()
  for row in "${!debian[@]}"; do
    [[ $installed == *" ${debian[row]}=installed "* ]] || present "${probes[row]}" || missing+=("$row")
  done
}

# names COLUMN...: the names of the missing rows in one column, each once.
names() {
  local -n column=$1
  local row listed=' '
  for row in "${missing[@]}"; do
    [[ ${column[row]} == - || $listed == *" ${column[row]} "* ]] || listed+="${column[row]} "
  done
  listed=${listed# }
  echo "${listed% }"
}

install() {
  local privilege=()
  if [[ $(id -u) != 0 ]]; then
    command -v sudo >/dev/null && sudo -n true 2>/dev/null || return 0
    privilege=(sudo -n)
  fi
  local packages
  read -r -a packages <<<"$(names debian)"
  local get=("${privilege[@]}" env DEBIAN_FRONTEND=noninteractive
    apt-get -qq -o DPkg::Lock::Timeout=120)
  say "installing ${packages[*]}"
  # Out-of-date lists may still serve; if not, the install fails and says so.
  "${get[@]}" update >&2 </dev/null || true
  "${get[@]}" install -y --no-install-recommends "${packages[@]}" >&2 </dev/null || say "apt-get failed"
}

explain_data() {
  cat >&2 <<'END'
The Fashion-MNIST images are packaged for Debian and Ubuntu only (dataset-fashion-mnist). Elsewhere fetch the four
files {train,t10k}-{images-idx3,labels-idx1}-ubyte.gz of the project zalandoresearch/fashion-mnist into a directory,
without inflating them, and name it: bench/run.sh --data DIR
END
}

explain() {
  local row
  echo "Missing:" >&2
  for row in "${missing[@]}"; do
    printf '  %-22s %s\n' "${debian[row]}" "${purposes[row]}" >&2
  done
  echo "Get them by one of" >&2
  echo "  Debian, Ubuntu      apt-get install --no-install-recommends $(names debian)" >&2
  [[ -z $(names dnf) ]] || cat >&2 <<END
  Fedora, RHEL+EPEL   dnf install $(names dnf)
  conda-forge         conda install -c conda-forge $(names conda)
  Spack               spack install $(names spack) && spack load $(names spack)
END
}

find_missing
if ((${#missing[@]} > 0)) && $apt; then
  install
  find_missing
fi

# A missing package is only reported if it is optional, or if there is no dpkg and other systems do not package it.
required=()
data_missing=false
for row in "${missing[@]}"; do
  [[ ${debian[row]} != dataset-fashion-mnist ]] || data_missing=true
  if ! ${optional[row]} && { $apt || [[ ${dnf[row]} != - ]]; }; then
    required+=("$row")
  else
    say "without ${debian[row]} (${purposes[row]}): what needs it is left out"
  fi
done
missing=("${required[@]}")
if ((${#missing[@]} > 0)); then explain; fi
if $data_missing; then explain_data; fi
((${#missing[@]} == 0)) || exit 1

read -r _ _ version <<<"$(cmake --version)"
if [[ $(printf '%s\n' "$CMAKE_AT_LEAST" "$version" | sort -V | head -n 1) != "$CMAKE_AT_LEAST" ]]; then
  echo "CMake $version is too old, $CMAKE_AT_LEAST or newer is needed: conda install -c conda-forge cmake," \
    "or spack install cmake" >&2
  exit 1
fi
