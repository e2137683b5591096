# shellcheck shell=bash
# askline in bash 4 and newer: a key turns the words on the prompt line into a command to edit, and runs nothing.
# Load it with: eval "$(askline init bash)"
#
# The first word of each command is quoted (\builtin, \command) so that no alias of yours is read into it.
# Loading starts no process, and neither does a prompt.

# ---------------------------------------------------------------------------------------------------------------------
# The key
# ---------------------------------------------------------------------------------------------------------------------

# Asks the helper about the words in $1; it owns the terminal meanwhile. The other arguments are its options. Sets
# `answer` (the new line) and `message` in the caller. Fails if there is no line.
__askline_help() {
  \builtin local words="$1" saved='' reply='' code=0
  \builtin shift
  saved=$(\command stty -g </dev/tty 2>/dev/null) || saved=''
  if reply=$(__askline_told "$words" | \command "$__askline_program" line --shell bash --draw here "$@" 2>/dev/null); then
    code=0
  else
    code=$?
  fi
  # Line and message, with a separator that neither contains. A helper that died has not written it.
  answer=${reply%%$'\x1f'*} message=${reply#*$'\x1f'}
  case $code-$reply in
    0-*$'\x1f'* | 3-*$'\x1f'* | 130-*$'\x1f'*) \builtin return "$code" ;;
  esac
  answer='' message=''
  if [[ $code == 130 ]]; then
    \builtin return 130
  fi
  \command stty "${saved:-sane}" </dev/tty 2>/dev/null || \builtin :
  \builtin printf '\r\e[K' >/dev/tty || \builtin :
  case $code in
    126 | 127) message="$__askline_program can't be run; install it again or put it on the PATH" ;;
    0 | 2 | 3) message="$__askline_program and this script are of different versions; start a new shell" ;;
    *) message="$__askline_program ended unexpectedly ($code); run \`askline doctor\`" ;;
  esac
  message="askline: $message"
  \builtin return "${code/#0/1}"
}

# Input of the helper: the line, then names and values, each followed by a NUL. The helper keeps 64 KiB of them.
__askline_told() {
  \builtin local names values facts at
  # Copied twice as a whole: bash rebuilds the list on each access.
  names=("${!BASH_ALIASES[@]}") values=("${BASH_ALIASES[@]}") facts=()
  for at in "${!names[@]}"; do
    facts+=("alias.${names[at]}" "${values[at]}")
  done
  \builtin printf '%s\0' "$1" BASH_VERSION "$BASH_VERSION"
  # Earlier commands as the builtin prints them; skipped if bash keeps no history, because they would be older ones.
  if [[ -o history ]]; then
    \builtin printf 'history.list\0'
    HISTTIMEFORMAT='' \builtin history 10
    \builtin printf '\0'
  fi
  \builtin printf '%s\0' "${facts[@]}" functions
  \builtin compgen -A function
}

# Readline has cleared the last row of the prompt and prints it again afterwards, so the helper draws here and a message
# stays above. A continued command looks like a fresh prompt: there the key rewrites the current row only.
__askline_line() {
  \builtin local previous="$?" answer='' message='' keymap='emacs'
  [[ ! -o vi ]] || keymap='vi'
  __askline_help "$READLINE_LINE" --cursor "$READLINE_POINT" --keymap "$keymap" --status "$previous" || \builtin :
  if [[ -n $answer ]]; then
    READLINE_LINE=$answer
    READLINE_POINT=${#answer}
  fi
  if [[ -n $message ]]; then
    \builtin printf '%s\n' "$message" >/dev/tty
  fi
}

# ---------------------------------------------------------------------------------------------------------------------
# The word: `ask WORDS` puts the command on the next prompt
# ---------------------------------------------------------------------------------------------------------------------

__askline_ask() {
  \builtin local previous="$?" answer='' message='' code=0 keymap IFS=' '
  if [[ $# -eq 0 ]]; then
    \builtin printf '%s\n' "usage: ask 'WORDS', such as: ask 'files larger than ten megabytes'" >&2
    \builtin return 2
  fi
  __askline_help "$*" --status "$previous" || code=$?
  if [[ -n $message ]]; then
    \builtin printf '%s\n' "$message" >&2
  fi
  if [[ -z $answer ]]; then
    \builtin return "$code"
  fi
  # In a pipeline or a substitution there is no next prompt, and the key would reach another reader of the terminal.
  if [[ $BASH_SUBSHELL -gt 0 || ! -t 1 ]]; then
    \builtin printf '%s\n' "$answer"
    \builtin return 0
  fi
  # bash cannot fill the next line, but a key can. The terminal presses it: it answers the query ESC[5n with ESC[0n,
  # which arrives at the next prompt. Bound only now, because other tools use the same answer.
  __askline_next=$answer
  for keymap in emacs-standard vi-insert; do
    \builtin bind -m "$keymap" -r '\e[0n'
    \builtin bind -m "$keymap" -x '"\e[0n": __askline_fill'
  done
  \builtin printf '\e[5n' >/dev/tty
}

__askline_fill() {
  if [[ -n ${__askline_next-} ]]; then
    READLINE_LINE=$__askline_next
    READLINE_POINT=${#READLINE_LINE}
    __askline_next=''
  fi
}

# ---------------------------------------------------------------------------------------------------------------------
# Loading
# ---------------------------------------------------------------------------------------------------------------------

# Prints the bound macros and commands; for ctrl-g also the keys of its default function.
__askline_bindings() {
  \builtin local keymap
  for keymap in emacs-standard vi-insert vi-command; do
    \builtin bind -m "$keymap" -s
    \builtin bind -m "$keymap" -X
  done
  if [[ $__askline_key == ctrl-g ]]; then
    \builtin bind -m emacs-standard -q abort
    \builtin bind -m vi-command -q abort
    # There it has none. Checked only if needed, because the list is long.
    [[ ! -o vi ]] || \builtin bind -m vi-insert -p
  fi
}

# Sets REPLY to what you or a tool bound to the key, if anything. The bindings of readline itself give way.
__askline_conflict() {
  \builtin local entries entry key ours='' own=0
  entries=() REPLY=''
  # Reads the output of a builtin without a process: a here-document is a deleted file, which Linux lets us open again
  # for writing. Elsewhere a subshell does it. Since bash 5.1 a short one is a pipe, which could fill up and hang,
  # except in compatibility mode 5.0. In memory it is ten times as quick as on a disk.
  if [[ -w /dev/shm ]]; then
    \builtin local TMPDIR=/dev/shm
  fi
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 500)); then
    \builtin local BASH_COMPAT=50
  fi
  {
    __askline_bindings >/dev/fd/9 || \builtin :
    \builtin mapfile -t entries </dev/fd/9 || \builtin :
  } 2>/dev/null 9<<<'' || \builtin :
  if [[ -z "${entries[*]:0:2}" ]]; then
    \builtin mapfile -t entries <<<"$(__askline_bindings 2>/dev/null)"
  fi
  for entry in "${entries[@]}"; do
    case $entry in
      'abort can be invoked via'*'"\C-g"'[,.]*) ((own += 1)) ;;
    esac
    for key in "${__askline_keys[@]}"; do
      case $entry in
        "\"$key\""*__askline_line*) ours=1 ;;
        "\"$key\": self-insert" | "\"$key\": abort") ;;
        "\"$key"*)
          REPLY=${entry#*\": }
          REPLY=${REPLY#\"}
          REPLY=${REPLY%\"}
          ;;
      esac
    done
  done
  # Readline functions are not listed: one of them has replaced abort.
  if [[ -z $REPLY$ours && $__askline_key == ctrl-g && $own -lt 2 ]]; then
    REPLY='another function, perhaps in your inputrc'
  fi
}

__askline_bind() {
  \builtin local REPLY='' keymap key
  if [[ $__askline_force == 0 ]]; then
    __askline_conflict
  fi
  if [[ -n $REPLY ]]; then
    \builtin printf 'askline: %s is already bound to %s; %s\n' "$__askline_key" "$REPLY" \
      'choose another key: askline init bash --key alt-g (or --force)' >&2
    \builtin return 0
  fi
  for keymap in emacs-standard vi-insert vi-command; do
    for key in "${__askline_keys[@]}"; do
      # bash 5.1 fails when one command is bound over another, so the key is cleared first.
      \builtin bind -m "$keymap" -r "$key"
      \builtin bind -m "$keymap" -x "\"$key\": __askline_line"
    done
  done
}

if [[ $- == *i* && ${BASH_VERSINFO[0]} -ge 4 ]] && [[ -o emacs || -o vi ]]; then
  if [[ ${#__askline_keys[@]} -gt 0 ]]; then
    __askline_bind
  fi
  if [[ ${BASH_ALIASES[ask]-} == __askline_ask ]] || ! \builtin type ask &>/dev/null; then
    \builtin alias ask=__askline_ask
  else
    \builtin printf '%s\n' 'askline: ask is already a command of yours; it is not replaced' >&2
  fi
fi
