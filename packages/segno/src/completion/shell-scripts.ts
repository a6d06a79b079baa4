// Completion scripts for shells. They contain no command names: they call `segno complete`, so new commands need no new script.
// Its output has one candidate a line, the word and its description with a tab between them. A line `:files` or `:folders`
// leaves further candidates to the shell.
//   S1. The scripts pass typed text on unchanged. They evaluate neither that text nor the candidates.

import type { Shell } from "./shell.ts";

/** `complete --line` gets the whole line, because readline splits words at `:` and `=` before it calls the script. */
const BASH = `# Completion for bash. To use it, in ~/.bashrc: source <(segno completions bash)
_segno() {
  local line="\${COMP_LINE:0:COMP_POINT}" before answer
  line="\${line#*"$1"}"
  # Of a word with a break in it only the end, $2, is replaced.
  before="\${line##*[[:space:]]}"
  before="\${before%"$2"}"
  COMPREPLY=()
  while IFS= read -r answer; do
    case "$answer" in
      :files) compopt -o default ;;
      :folders) compopt -o dirnames ;;
      *)
        answer="\${answer%%$'\\t'*}"
        COMPREPLY+=("\${answer#"$before"}")
        ;;
    esac
  done < <("$1" complete --line="$line" < /dev/null 2> /dev/null)
}
complete -F _segno segno
`;

const ZSH = `#compdef segno
# Completion for zsh. To use it, in ~/.zshrc behind compinit: source <(segno completions zsh)
_segno() {
  local answer word about
  local -a described
  for answer in "\${(@f)$("\${words[1]}" complete -- "\${(@Q)words[2,CURRENT]}" < /dev/null 2> /dev/null)}"; do
    case "$answer" in
      ("") ;;
      (:files) _files ;;
      (:folders) _files -/ ;;
      (*)
        word="\${answer%%$'\\t'*}"
        about="\${answer#*$'\\t'}"
        described+=("\${word//:/\\\\:}:$about")
        ;;
    esac
  done
  if (( \${#described} > 0 )); then _describe -t words segno described; fi
}
if [[ "\${funcstack[1]}" == _segno ]]; then _segno "$@"; else compdef _segno segno; fi
`;

const FISH = `# Completion for fish. To use it: segno completions fish > ~/.config/fish/completions/segno.fish
function __segno_answers
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    for answer in ($program complete -- $words "$current" < /dev/null 2> /dev/null)
        switch $answer
            case ':files'
                __fish_complete_path "$current"
            case ':folders'
                __fish_complete_directories "$current"
            case '*'
                printf '%s\\n' $answer
        end
    end
end
complete -c segno -f -a '(__segno_answers)'
`;

export const SHELL_SCRIPTS: Readonly<Record<Shell, string>> = { bash: BASH, zsh: ZSH, fish: FISH };
