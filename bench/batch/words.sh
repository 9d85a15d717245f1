# Words that a shell reads, in one line, and back. Sourced by common.sh and by scripts that run where there is no job.
# shellcheck shell=bash

# quoted WORD...: prints the words as a shell reads them, in quotes where they need it.
quoted() {
  local word words=()
  for word; do
    [[ $word =~ ^[A-Za-z0-9_./,:=+@%-]+$ ]] || word=${word@Q}
    words+=("$word")
  done
  printf '%s\n' "${words[*]}"
}

# split_words TEXT: sets `words` to the words of the text, which quotes may hold together. False if one does not end.
split_words() {
  local lines
  # No word holds a line feed: a quote ends within its line. The last line keeps the empty words before it.
  lines=$(xargs -r printf '%s\n' <<<"$1" 2>/dev/null && echo end) || return
  mapfile -t words <<<"$lines"
  unset 'words[-1]'
}
