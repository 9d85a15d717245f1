#!/usr/bin/env bash
# shells_test.sh SHELL TOOL: zsh or fish itself completes command lines, with the script that the tool prints for it. bash
# does so in tool_test.sh.
set -euo pipefail
readonly SHELL_NAME=$1 TOOL=$2
command -v "$SHELL_NAME" >/dev/null || { echo "needs $SHELL_NAME: cmake/dependencies.sh tests" >&2; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
mkdir -p share/zsh/site-functions share/fish/vendor_completions.d bin home 'my data'
ln -s "$TOOL" bin/loadline
"$TOOL" completion zsh >share/zsh/site-functions/_loadline
"$TOOL" completion fish >share/fish/vendor_completions.d/loadline.fish
touch old.json old.json.lock "it's.json" 'we[i]rd.json' 10:30.json libmine.so home/kept.json 'my data/in.json'
export HOME=$work/home PATH=$work/bin:$PATH TERM=dumb XDG_DATA_DIRS=$work/share:/usr/local/share:/usr/share
unset ZDOTDIR XDG_CONFIG_HOME

# completes LINE WORD: after a tab the last word is this one.
lines=() words=() offered=()
completes() { lines+=("$1") words+=("$2") offered+=(''); }
# offers LINE TEXT: what the shell shows after a tab has this text, a word and its description.
offers() { lines+=("$1") words+=('') offered+=("$2"); }

completes 'loadline basel' baseline
completes 'bin/loadline basel' baseline
completes '~/../bin/loadline basel' baseline
completes 'LC_ALL=C loadline basel' baseline
completes 'loadline run --trial-s' --trial-seconds
completes 'loadline run -o old.json --trial-s' --trial-seconds
completes 'loadline run --data "my data" --trial-s' --trial-seconds
completes 'loadline run --data my\ data --trial-s' --trial-seconds
completes 'loadline run --mode sy' synthetic
completes 'loadline run --mode=sy' --mode=synthetic
completes 'loadline run --mode "sy' synthetic
completes 'loadline run "--mode=sy' --mode=synthetic
completes 'loadline run --mode="sy' --mode=synthetic
completes 'loadline run --loader thr' thread-pool
completes 'loadline run --loader serial,thr' serial,thread-pool
completes 'loadline run --loader=serial,thr' --loader=serial,thread-pool
completes 'loadline run --loader=serial,libm' --loader=serial,libmine.so
completes 'loadline data ve' verify
completes 'loadline data make mni' mnist
completes 'loadline data make nbody there --as n' npy
completes 'loadline help wide-s' wide-spread
completes 'loadline help data ma' make
completes 'loadline help diff --fail' --fail-on
completes 'loadline report old' old.json
completes 'loadline report it' "it's.json"
completes "loadline report it\\'" "it's.json"
completes 'loadline report "it' "it's.json"
completes 'loadline report we\[' 'we[i]rd.json'
completes 'loadline report 10:3' 10:30.json
completes 'loadline report ~/ke' '~/kept.json'
completes 'loadline report $HOME/ke' '$HOME/kept.json'
completes 'loadline report my\ data/i' 'my data/in.json'
completes 'loadline run --data=my\ d' '--data=my data/'
completes 'loadline run --data="my d' '--data=my data/'
completes 'loadline run --data=~/ke' '--data=~/kept.json'
offers 'loadline c' 'ceilings Measure the limits of this machine, which bound what `run` can reach'
offers 'loadline run --mo' '--mode trials: loader alone, compute alone, both: io, synthetic, full [io,synthetic,full]'
offers 'loadline run --la' "--layout order of the batch's axes: nchw, nhwc [nchw]"
offers 'loadline run --mode io,' io,synthetic
offers 'loadline run --loader=serial,' libmine.so
offers 'loadline completion ' fish
offers 'loadline report ' old.json

# Each prints two lines for a line on stdin: what the shell shows after a tab, and the last word.
in_zsh() {
  cat >driver <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
# BAUD=0: it shows the list even if more keys are waiting.
zpty -w shell 'PS1= BAUD=0; stty columns 300 rows 100; fpath=($PWD/share/zsh/site-functions $fpath)'
zpty -w shell "autoload -Uz compinit; compinit -D -u; zstyle ':completion:*' list-separator ''"
zpty -w shell 'finish() { print -r -- "<<${(Q)${(z)BUFFER}[-1]}>>"; BUFFER=; zle .accept-line }'
zpty -w shell "zle -N finish; bindkey '^O' finish; bindkey '^I' complete-word; print rea''dy"
zpty -r shell shown '*ready*'
while IFS= read -r line; do
  zpty -w -n shell "$line"$'\t\x0f'
  zpty -r shell shown '*<<*>>*'
  print -r -- ${=shown%<<*}
  print -r -- "${${shown##*<<}%%>>*}"
done
END
  zsh -f driver
}

in_fish() {
  fish -c '
    while read -l line
      set -l shown (complete -C $line)
      echo "$shown" | string replace -a \t " "
      printf "%s\n" (string split -f 1 \t -- "$shown[1]")
    end'
}

printf '%s\n' "${lines[@]}" | "in_$SHELL_NAME" >answers
mapfile -t answers <answers
((${#answers[@]} == 2 * ${#lines[@]})) || { echo "$SHELL_NAME answered ${#answers[@]} lines:"; cat answers; exit 1; }
failed=0
for i in "${!lines[@]}"; do
  shown=${answers[2 * i]} word=${answers[2 * i + 1]}
  if [[ $shown == *.lock* || $shown != *"${offered[i]}"* || -n ${words[i]} && $word != "${words[i]}" ]]; then
    echo "$SHELL_NAME completes '${lines[i]}' to '$word', and shows: $shown"
    echo "  want ${words[i]:-among these: ${offered[i]}}"
    failed=1
  fi
done
((failed == 0))
echo ok
