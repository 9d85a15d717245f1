#!/usr/bin/env bash
# tool_test.sh CMAKE BUILD SOURCE TOOL: the tool as `cmake --install` puts it into a prefix, with its pages for man(1) and its
# completions for shells.
set -euo pipefail
readonly CMAKE=$1 BUILD=$2 TOOL=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

"$CMAKE" --install "$BUILD" --prefix "$work/prefix" --component tool >install.log 2>&1
! grep -i warning install.log
share=prefix/share
[[ $(prefix/bin/loadline --version) == "$("$TOOL" --version)" ]]

# A page for the tool, for each verb and for each verb below one, and nothing else.
pages=$(cd "$share/man/man1" && echo loadline*.1)
for page in loadline loadline-run loadline-diff loadline-doctor loadline-data-make loadline-baseline-list; do
  [[ " $pages " == *" $page.1 "* ]] || { echo "no $page.1 in $pages"; exit 1; }
done
for page in $pages; do
  [[ $(head -c 4 "$share/man/man1/$page") == .TH\  ]] || { echo "$page is no page"; exit 1; }
done
if command -v groff >/dev/null; then
  groff -man -Tascii -ww "$share/man/man1/loadline-run.1" >run.txt 2>groff.log
  [[ ! -s groff.log ]] || { cat groff.log; exit 1; }
  sed 's/.\x08//g' run.txt | grep -e '--trial-seconds' >/dev/null
fi

# The pages link only to what is installed with them.
pages=$share/doc/loadline
while IFS=: read -r page link; do
  link=${link#"]("} link=${link%")"}
  [[ $link == *://* || -e $(dirname "$page")/${link%%#*} ]] || { echo "$page links to $link, which is missing"; exit 1; }
done < <(find "$pages" -name '*.md' -exec grep -Ho ']([^)# ][^) ]*)' {} +)

# bash completes with what was installed.
# shellcheck source=/dev/null
source "$share/bash-completion/completions/loadline"
mkdir "my data"
touch old.json old.json.lock
completes() {
  COMP_LINE="$work/prefix/bin/loadline $1" COMP_POINT=${#COMP_LINE} COMPREPLY=()
  _loadline 2>/dev/null || true  # outside a completion bash has no options of one
  [[ ${COMPREPLY[*]} == "$2" ]] || { echo "bash completes '$1' as: ${COMPREPLY[*]}"; exit 1; }
}
completes 'run --trial-s' --trial-seconds
completes 'run --mode=sy' synthetic
completes 'run --loader=serial,pre' serial,prefix
completes 'run --data my\ d' 'my data'
completes 'run --data "my d' 'my data'
completes 'report old' old.json
# The scripts that zsh and fish run in shells_test.sh.
cmp "$share/zsh/site-functions/_loadline" <("$TOOL" completion zsh)
cmp "$share/fish/vendor_completions.d/loadline.fish" <("$TOOL" completion fish)
echo ok
