#!/usr/bin/env bash
# layering.sh [ROOT [FILE...]]: holds every #include under ROOT, or in these files below it, to the layers of the house.
# Prints each violation, fails if any.
set -euo pipefail
cd "${1:-.}"
(($# == 0)) || shift

violations=0
violation() {
  echo "$file:$line: $1" >&2
  violations=$((violations + 1))
}

# The first #include of a source is its own header, which proves that the header compiles alone.
check_first() {
  case $layer in loaders | synthetic | harness) ;; *) return ;; esac
  local own=${file%.cpp}.h
  [[ $file != *.cpp || ! -e $own || $path == "$own" ]] || violation "$own comes first, to prove that it compiles alone"
}

# The rooms of harness/, from the ground up: a file may include headers of its own room and of the rooms before it.
rooms=(plan machine ceilings result judge forecast file monitor ranks measure show cli)
floor_of() {
  local i
  for i in "${!rooms[@]}"; do
    [[ ${rooms[i]} != "$1" ]] || { echo "$i"; return; }
  done
}

check_room() {
  [[ $layer == harness && $path == harness/*/* ]] || return 0
  local from=${file#harness/} to=${path#harness/}
  from=${from%%/*} to=${to%%/*}
  [[ $from != "$to" ]] || return 0
  local above below
  above=$(floor_of "$from") below=$(floor_of "$to")
  if [[ -z $above || -z $below ]]; then
    violation "harness/$from/ or harness/$to/ has no floor: name it in tests/house/layering.sh"
  elif ((below > above)); then
    violation "harness/$from/ lies below harness/$to/ and must not include \"$path\""
  fi
}

# `#include "path"`: ours, always from the repository's root, so that the first folder names the layer.
check_ours() {
  case $path in
    build_info.h) [[ $file == harness/machine/* ]] || violation "build_info.h is for harness/machine/ alone"; return ;;
    *..*) violation "\"$path\": name it from the repository's root"; return ;;
  esac
  case $layer:${path%%/*} in
    loaders:loaders | synthetic:loaders | synthetic:synthetic) ;;
    harness:loaders | harness:synthetic | harness:harness) ;;
    bench:loaders | bench:synthetic | bench:harness | bench:bench) ;;
    tests:loaders | tests:synthetic | tests:harness | tests:tests) ;;
    tests:bench) [[ $path == bench/truth/* ]] || violation "tests/ includes of bench/ the truth machine alone, not \"$path\"" ;;
    *:loaders | *:synthetic | *:harness | *:bench | *:tests) violation "$layer/ must not include \"$path\"" ;;
    *) violation "\"$path\": name it from the repository's root" ;;
  esac
  case $file:$path in
    synthetic/generate/*:loaders/datasets/*)
      violation "a generator shares no code with the readers, or one mistake would hide in both: \"$path\"" ;;
    loaders/system/*:loaders/storage/*)
      violation "loaders/system/ lies below loaders/storage/ and must not include \"$path\"" ;;
    synthetic/compute/cnn/*:synthetic/compute/cnn/* | synthetic/compute/gpt/*:synthetic/compute/cnn/onednn.h) ;;
    *:synthetic/compute/cnn/onednn.h | *:synthetic/compute/cnn/lowering.h)
      violation "private to the files of synthetic/compute/cnn/ and gpt/: \"$path\"" ;;
    harness/file/*:harness/file/json/* | harness/show/benchy.cpp:harness/file/json/*) ;;
    *:harness/file/json/*) violation "private to harness/file/ and harness/show/benchy.cpp: \"$path\"" ;;
    harness/cli/*:harness/cli/* | bench/*:harness/cli/* | tests/*:harness/cli/*) ;;
    *:harness/cli/*) violation "harness/cli/ is used by bench/ alone: \"$path\"" ;;
  esac
}

# `#include <path>`: the standard library, the system, third parties.
check_theirs() {
  case $path in
    nlohmann/*)
      [[ $file == harness/file/json/* || $file == loaders/json/*.cpp || $layer == tests ]] ||
        violation "<$path>: only loaders/json/ and harness/file/json/ see the JSON library" ;;
    boost/*)
      [[ $file == harness/judge/student_t.cpp ]] ||
        violation "<$path>: only harness/judge/student_t.cpp sees Boost, which takes seconds to compile" ;;
    google/protobuf/* | tensorboard/*)
      [[ $file == harness/show/tensorboard/events.cpp || $file == tests/harness/show/tensorboard/* ]] ||
        violation "<$path>: only harness/show/tensorboard/events.cpp sees protobuf" ;;
    jpeglib.h | jerror.h)
      [[ $layer != loaders || $file == loaders/transforms/jpeg.cpp ]] ||
        violation "<$path>: only loaders/transforms/jpeg.cpp sees libjpeg" ;;
    opencv2/*)
      [[ $file == loaders/transforms/opencv_module.cpp || $layer == bench || $layer == tests ]] ||
        violation "<$path>: only loaders/transforms/opencv_module.cpp sees OpenCV" ;;
    oneapi/dnnl/* | omp.h)
      [[ $file == synthetic/compute/cnn/* || $file == synthetic/compute/gpt/* || $layer == bench || $layer == tests ]] ||
        violation "<$path>: only synthetic/compute/cnn/ and gpt/ see oneDNN and OpenMP" ;;
    oneapi/* | tbb/*)
      [[ $file == loaders/engines/flow_graph.cpp || $layer == tests ]] ||
        violation "<$path>: only loaders/engines/flow_graph.cpp sees oneTBB" ;;
    simgrid/*)
      [[ $file == harness/forecast/simgrid_module.cpp ]] ||
        violation "<$path>: only harness/forecast/simgrid_module.cpp sees SimGrid" ;;
    cublas* | cuda* | cudnn* | driver_types.h | nvtx3/*)
      [[ $file == synthetic/compute/cuda*.cpp || $file == synthetic/compute/cuda*.cu ]] ||
        violation "<$path>: only synthetic/compute/cuda*.cpp and .cu see CUDA" ;;
    dirent.h | fcntl.h)
      [[ $layer != loaders || $file == loaders/storage/* ]] ||
        violation "<$path>: in loaders/, system calls on files are made in storage/ alone" ;;
    sys/* | linux/* | poll.h | sched.h | spawn.h | unistd.h)
      [[ $layer != loaders || $file == loaders/storage/* || $file == loaders/system/* ]] ||
        violation "<$path>: in loaders/, system calls are made in storage/ and system/ alone" ;;
  esac
  # The header of plug-ins is C, and has C's headers.
  if [[ $file == *.h && $layer != bench && $layer != tests && $file != synthetic/compute/cnn/onednn.h &&
    $file != harness/file/json/* && $file != loaders/plugin/include/* ]]; then
    case $path in
      arm_neon.h | immintrin.h) ;;
      */* | *.*) violation "<$path>: a public header includes only ours and C++ standard headers" ;;
    esac
  fi
}

last=
if (($# > 0)); then
  places=("$@")
else
  places=()
  for layer in loaders synthetic harness bench tests; do
    [[ ! -d $layer ]] || places+=("$layer")
  done
fi
includes=0
include='^[[:space:]]*#[[:space:]]*include[[:space:]]*([<"])([^">]+)'
while IFS=: read -r file line text; do
  [[ $text =~ $include ]] || { violation "cannot read '$text': include a plain path"; continue; }
  path=${BASH_REMATCH[2]} layer=${file%%/*} includes=$((includes + 1))
  if [[ $file != "$last" ]]; then last=$file; check_first; fi
  if [[ ${BASH_REMATCH[1]} == '"' ]]; then check_ours; check_room; else check_theirs; fi
done < <(grep -rHnE '^[[:space:]]*#[[:space:]]*include([^_[:alnum:]]|$)' \
  --include='*.h' --include='*.cpp' --include='*.cu' --include='*.in' "${places[@]}")

# A check that looked at nothing has not passed.
if ((includes == 0)); then
  echo "no #include found under $PWD" >&2
  exit 1
fi
echo "$includes includes, $violations violations"
((violations == 0))
