# shellcheck shell=bash
# askline in bash 4 and newer: a key turns the words on the prompt line into a command to edit, and runs nothing.
# Load it with: eval "$(askline init bash)"
#
# The first word of each command is quoted (\builtin, \command) so that no alias of yours is read into it.
# Loading starts no process, and neither does a prompt, except one after `ask`. A hook in PROMPT_COMMAND and a mark in
# PS2, which takes no room, tell a fresh prompt from the rest of a command.

# ---------------------------------------------------------------------------------------------------------------------
# The key
# ---------------------------------------------------------------------------------------------------------------------

# Asks the helper about the words in $1; it owns the terminal meanwhile. The other arguments are its options. Sets
# `answer` (the new line), `message` and `place` (of the cursor) in the caller. Fails if there is no line.
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
  answer=${reply%%$'\x1f'*} message=${reply#*$'\x1f'} place=''
  if [[ $message == *$'\x1f'* ]]; then
    place=${message#*$'\x1f'} message=${message%%$'\x1f'*}
  fi
  case $code-$reply in
    0-*$'\x1f'* | 3-*$'\x1f'* | 130-*$'\x1f'*) \builtin return "$code" ;;
  esac
  answer='' message='' place=''
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

# Readline has cleared the line and the last row of the prompt, and draws them again afterwards; after status 124 it
# draws the whole prompt. So we show the words ourselves during the wait, and a message takes the place of the prompt,
# which comes again below it. The arguments are options of the helper.
__askline_line() {
  \builtin local previous="$?" answer='' message='' place='' keymap='emacs' size='' lines columns head=0 is_sure=1 is_kept=0
  \builtin local IFS=' '
  # Replacing the last row of a continued command would splice two commands. Our hook may have been removed.
  if [[ -n $__askline_continued && "${PROMPT_COMMAND[*]-}" == *__askline_prompt* ]]; then
    \builtin printf 'askline: works on a fresh prompt, not inside a continued command\n' >/dev/tty
    \builtin return 124
  fi
  [[ ! -o vi ]] || keymap='vi'
  size=$(\command stty size </dev/tty 2>/dev/null) || size=''
  lines=${size% *} columns=${size#* }
  ((lines > 0 && columns > 0)) || lines=24 columns=80
  __askline_show_words "$previous"
  __askline_remember
  __askline_help "$READLINE_LINE" "$@" --place --cursor "$READLINE_POINT" --keymap "$keymap" --status "$previous" ||
    \builtin :
  if [[ $size == "$(\command stty size </dev/tty 2>/dev/null)" ]]; then
    \builtin printf '\e8\e[J' >/dev/tty
  else
    # The terminal may have moved all rows.
    is_sure=0
    \builtin printf '\r\e[J' >/dev/tty
  fi
  if [[ -z $answer$message ]]; then
    \builtin return 0
  fi
  if [[ -n $answer ]]; then
    READLINE_LINE=$answer
    READLINE_POINT=${place:-${#answer}} # the first thing to fill in
  else
    is_kept=1
  fi
  __askline_head=$head __askline_size=$size
  ((is_sure)) || __askline_size=''
  __askline_say >/dev/tty
  __askline_remember
  \builtin return 124
}

# Shows the words behind the last row of the prompt, keeps the place of that row with ESC 7, and leaves a free row
# below. Sets `head` to the number of rows of the prompt above, and `is_sure` to 0 if the terminal may have wrapped one
# of them. $1 is the last status, which a prompt may show.
__askline_show_words() {
  \builtin local prompt='' plain='' rest words below gap
  # bash 4.4 is the first that tells the prompt.
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
    __askline_status "$1"
    prompt=${PS1@P}
  fi
  prompt=${prompt//$'\r'/}
  # Text between these two marks takes no room.
  rest=$prompt
  while [[ $rest == *$'\001'* ]]; do
    plain+=${rest%%$'\001'*}
    rest=${rest#*$'\001'}
    rest=${rest#*$'\002'}
  done
  plain+=$rest
  while [[ $plain == *$'\n'* ]]; do
    __askline_fits "${plain%%$'\n'*}" || is_sure=0
    plain=${plain#*$'\n'}
    ((++head))
  done
  if [[ ${_ble_attached-} && ${_ble_prompt_ps1_data[4]-} == [0-9]* ]]; then
    head=${_ble_prompt_ps1_data[4]} is_sure=1
  fi
  # No character is wider than two columns.
  words=${READLINE_LINE//[^[:print:]$'\n']/?}
  rest=${words//[^$'\n']/}
  below=$((2 * (${#plain} + ${#words}) / columns + ${#rest} + 1))
  if ((below >= lines)); then
    below=$((lines - 1)) rest=$(((lines - 2) * columns / 2 - ${#plain}))
    words=${words//$'\n'/ }
    words=${words:0:rest > 0 ? rest : 0}
  fi
  \builtin printf -v gap '%*s' "$below" ''
  prompt=${prompt//[$'\001\002']/}
  \builtin printf '%s\e[%dA\r\e7%s\r\n' "${gap// /$'\n'}" "$below" \
    "${prompt##*$'\n'}${words//$'\n'/$'\r\n'}" >/dev/tty
}

__askline_status() {
  \builtin return "$1"
}

# Reports whether a row without marks is certainly narrower than the terminal.
__askline_fits() {
  [[ $1 != *[[:cntrl:]]* ]] || \builtin return 1
  if [[ $1 == *[^[:ascii:]]* ]]; then
    ((2 * ${#1} < columns))
  else
    ((${#1} < columns))
  fi
}

# Prints the message in the place of the prompt. The message before it goes if `is_kept` is 0.
__askline_say() {
  \builtin local kept=$__askline_above room rows
  if [[ $is_sure == 0 ]]; then
    kept=0
  else
    ((is_kept)) || kept=0
    rows=$((head + __askline_above - kept))
    ((rows == 0)) || \builtin printf '\e[%dA\e[J' "$rows"
  fi
  __askline_above=0
  if [[ -n $message ]]; then
    rows=${message//[^$'\n']/} room=$((lines - head - 2 - ${#READLINE_LINE} / columns))
    if ((${#rows} >= room)); then
      # A label must be seen even if nothing else fits.
      message=${message//$'\n'/ }
      message=${message#askline: }
      message=${message:0:(room > 1 ? room : 1) * (columns - 1)} rows=''
      while ((${#message} >= columns)); do
        rows+=${message:0:columns-1}$'\n'
        message=${message:columns-1}
      done
      message=$rows$message rows=${rows//[^$'\n']/}
    fi
    \builtin printf '%s\n' "$message"
    [[ $is_sure == 0 ]] || __askline_above=$((kept + ${#rows} + 1))
    [[ $is_kept == 1 && -n $__askline_shown ]] && message=$__askline_shown$'\n'$message
  fi
  __askline_shown=$message
  __askline_take_keys
  # ble.sh draws the whole prompt so many rows further up.
  if [[ ${_ble_attached-} ]] && ((head > 0)); then
    \builtin printf -v rows '%*s' "$head" ''
    \builtin printf '%s' "${rows// /$'\n'}"
  fi
}

# Remembers the message that is shown now as the one of this line.
__askline_remember() {
  \builtin local at
  for at in "${!__askline_lines[@]}"; do
    if [[ ${__askline_lines[at]} == "$READLINE_LINE" ]]; then
      __askline_messages[at]=$__askline_shown
      \builtin return 0
    fi
  done
  __askline_lines+=("$READLINE_LINE") __askline_messages+=("$__askline_shown")
}

# Shows the message of the line that undo brought back, in the place of the message that is shown now.
__askline_undone() {
  \builtin local message="$__askline_shown" at size lines columns head="$__askline_head" is_sure=1 is_kept=0 IFS=' '
  [[ -n $READLINE_LINE ]] || message=''
  for at in "${!__askline_lines[@]}"; do
    [[ ${__askline_lines[at]} != "$READLINE_LINE" ]] || message=${__askline_messages[at]}
  done
  if [[ $message == "$__askline_shown" ]]; then
    \builtin return 0
  fi
  size=$(\command stty size </dev/tty 2>/dev/null) || size=''
  if [[ -z $size || $size != "$__askline_size" ]]; then
    # The terminal may have moved all rows, and none can be removed.
    [[ -n $message ]] || \builtin return 0
    size=${size:-24 80} is_sure=0
  fi
  lines=${size% *} columns=${size#* }
  ((lines > 0 && columns > 0)) || lines=24 columns=80
  __askline_say >/dev/tty
  \builtin return 124
}

# Takes the keys that clear the screen or undo until the next prompt: a cleared screen keeps the message, and undo
# removes it. Keys on other functions stay.
__askline_take_keys() {
  \builtin local keymap name keys key
  if [[ -z $__askline_shown || ${#__askline_taken[@]} -gt 0 || ${_ble_attached-} ]]; then
    \builtin return 0
  fi
  while \builtin read -r keymap name keys; do
    # A list of quoted keys, in a sentence of your language.
    while [[ $keys =~ \"(([^\"\\]|\\.)+)\"(.*) ]]; do
      key=${BASH_REMATCH[1]} keys=${BASH_REMATCH[3]}
      [[ $key != *'[?askline:'* ]] || \builtin continue
      \builtin bind -m "$keymap" -r "$key"
      if [[ $name == clear-screen ]]; then
        \builtin bind -m "$keymap" -x "\"$key\": __askline_clear && :"
      else
        # Two private sequences, because a key can't have a function and a command.
        \builtin bind -m "$keymap" "\"\\e[?askline:$name~\": $name"
        \builtin bind -m "$keymap" -r '\e[?askline:undone~'
        \builtin bind -m "$keymap" -x '"\e[?askline:undone~": __askline_undone && :'
        \builtin bind -m "$keymap" "\"$key\": \"\\e[?askline:$name~\\e[?askline:undone~\""
      fi
      __askline_taken+=("$keymap $name $key")
    done
  done 2>/dev/null <<<"$(__askline_functions)"
}

# Prints the keys of these functions of readline. Before bash 4.4 we don't know the rows of the prompt, so undo leaves the
# message there; in vi mode before 5.2, too, because readline has no name for vi's undo.
__askline_functions() {
  \builtin local keymap name
  for keymap in emacs-standard vi-insert vi-command; do
    for name in clear-screen undo vi-undo; do
      if [[ $name == clear-screen ]] || ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404)); then
        \builtin printf '%s %s ' "$keymap" "$name"
        \builtin bind -m "$keymap" -q "$name" 2>/dev/null || \builtin printf '\n'
      fi
    done
  done
}

# Gives the keys back before the next prompt, but for those that were bound to something else meanwhile.
__askline_give_keys_back() {
  \builtin local at keymap name key
  for at in "${!__askline_taken[@]}"; do
    key=${__askline_taken[at]}
    keymap=${key%% *} key=${key#* }
    name=${key%% *} key=${key#* }
    if __askline_is_taken; then
      \builtin bind -m "$keymap" -r "$key"
      \builtin bind -m "$keymap" "\"$key\": $name"
    fi
    if [[ $name != clear-screen ]]; then
      \builtin bind -m "$keymap" -r "\\e[?askline:$name~"
      \builtin bind -m "$keymap" -r '\e[?askline:undone~'
    fi
  done
  __askline_taken=()
}

# Reports whether `key` has our macro or command in `keymap`.
__askline_is_taken() {
  \builtin local entry
  while \builtin read -r entry; do
    [[ $entry != "\"$key\""*askline* ]] || \builtin return 0
  done 2>/dev/null <<<"$(
    \builtin bind -m "$keymap" -s
    \builtin bind -m "$keymap" -X
  )"
  \builtin return 1
}

__askline_clear() {
  \builtin printf '\e[H\e[2J%s' "${__askline_shown:+$__askline_shown$'\n'}" >/dev/tty
  \builtin return 124
}

# ---------------------------------------------------------------------------------------------------------------------
# The word: `ask WORDS` puts the command on the next prompt
# ---------------------------------------------------------------------------------------------------------------------

__askline_ask() {
  \builtin local previous="$?" answer='' message='' place='' code=0 keymap look='' IFS=' '
  if [[ $# -eq 0 ]]; then
    \builtin printf '%s\n' "usage: ask 'WORDS', such as: ask 'files larger than ten megabytes'" >&2
    \builtin return 2
  fi
  # Looks around first.
  if [[ $1 == --look && $# -gt 1 ]]; then
    look=--look
    \builtin shift
  fi
  __askline_help "$*" --status "$previous" ${look:+"$look"} || code=$?
  if [[ -n $message ]]; then
    \builtin printf '%s\n' "$message" >&2
  fi
  if [[ -z $answer ]]; then
    \builtin return "$code"
  fi
  __askline_due=$message
  # In a pipeline or a substitution there is no next prompt, and the key would reach another reader of the terminal.
  if [[ $BASH_SUBSHELL -gt 0 || ! -t 1 ]]; then
    \builtin printf '%s\n' "$answer"
    \builtin return 0
  fi
  if [[ ${_ble_attached-} ]] && \builtin declare -F ble-edit/content/reset >/dev/null; then
    ble-edit/content/reset "$answer" edit
    _ble_edit_ind=${#answer}
    \builtin return 0
  fi
  # bash cannot fill the next line, but a key can. The terminal presses it: it answers the query ESC[5n with ESC[0n.
  # Bound only now, because other tools use the same answer.
  __askline_next=$answer
  for keymap in emacs-standard vi-insert; do
    \builtin bind -m "$keymap" -r '\e[0n'
    \builtin bind -m "$keymap" -x '"\e[0n": __askline_fill'
  done
  (__askline_press_next </dev/tty &>/dev/null &)
}

# Asks the terminal as soon as readline reads keys: before, the answer would be echoed.
__askline_press_next() {
  \builtin local tries stat fields IFS=' '
  \builtin trap '' TTOU
  for ((tries = 0; tries < 1000; tries++)); do
    \builtin kill -0 $$ || \builtin return 0
    stat=''
    if [[ -r /proc/$$/stat ]]; then
      \builtin read -r stat </proc/$$/stat || \builtin :
    fi
    \builtin read -ra fields <<<"${stat##*) }" || \builtin :
    # In the foreground must be the shell, not a program that reads keys, too. Only Linux tells.
    if [[ ${fields[2]-} == "${fields[5]-}" && $(\command stty -a) == *-icanon* ]]; then
      \builtin printf '\e[5n' >/dev/tty
      \builtin return 0
    fi
    \command sleep 0.02 || \builtin return 0
  done
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
          REPLY=${entry#\"*\"}
          # bash 5.3 prints commands without the colon.
          REPLY=${REPLY#:}
          REPLY=${REPLY# }
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

# Binds the key, and those that explain, preview and list. These are bound in vi's keymaps only where they are no escape
# sequence: there they would take a letter that is typed soon after Esc.
__askline_bind() {
  \builtin local keymaps
  keymaps=(emacs-standard vi-insert vi-command)
  if [[ ${#__askline_keys[@]} -gt 0 ]]; then
    __askline_bind_key __askline_line '--key alt-g'
  fi
  if [[ ${#__askline_explain_keys[@]} -gt 0 ]]; then
    __askline_bind_other '__askline_line --explain' '--explain-key f8' "$__askline_explain_key" \
      "${__askline_explain_keys[@]}"
  fi
  if [[ ${#__askline_preview_keys[@]} -gt 0 ]]; then
    __askline_bind_other '__askline_line --preview' '--preview-key f10' "$__askline_preview_key" \
      "${__askline_preview_keys[@]}"
  fi
  if [[ ${#__askline_menu_keys[@]} -gt 0 ]]; then
    __askline_bind_other '__askline_line --list' '--menu-key f9' "$__askline_menu_key" "${__askline_menu_keys[@]}"
  fi
}

# Binds the key named $3, with the sequences after it, to the command $1; $2 is the option for another key.
__askline_bind_other() {
  \builtin local command="$1" option="$2" __askline_key="$3" __askline_keys keymaps
  \builtin shift 3
  __askline_keys=("$@") keymaps=(emacs-standard vi-insert vi-command)
  [[ $__askline_key != alt-* ]] || keymaps=(emacs-standard)
  __askline_bind_key "$command" "$option"
}

# Binds a key to the command $1; $2 is the option for another key.
__askline_bind_key() {
  \builtin local REPLY='' keymap key
  if [[ $__askline_force == 0 ]]; then
    __askline_conflict
  fi
  if [[ -n $REPLY ]]; then
    \builtin printf 'askline: %s is already bound to %s; %s\n' "$__askline_key" "$REPLY" \
      "choose another key: askline init bash $2 (or --force)" >&2
    \builtin return 0
  fi
  for keymap in "${keymaps[@]}"; do
    for key in "${__askline_keys[@]}"; do
      # bash 5.1 fails when one command is bound over another, so the key is cleared first.
      \builtin bind -m "$keymap" -r "$key"
      # The list keeps status 124, and `set -e` accepts it.
      \builtin bind -m "$keymap" -x "\"$key\": $1 && :"
    done
  done
}

# Runs before each prompt, and keeps the status that a prompt may show.
__askline_prompt() {
  \builtin local previous="$?" IFS=' '
  __askline_continued='' __askline_above=0 __askline_shown=$__askline_due __askline_due=''
  __askline_lines=() __askline_messages=()
  __askline_give_keys_back
  __askline_take_keys
  # bash does not tell that it reads the rest of a command; but it draws PS2, and that can set a variable.
  if [[ ${PS2-} != *__askline_continued=* && ! ${_ble_attached-} ]] && \builtin shopt -q promptvars; then
    PS2="\${PS2:__askline_continued=1:0}${PS2-}"
  fi
  \builtin return "$previous"
}

# Adds it to your hooks: not as the first, which is often assigned anew, and before those of bash-preexec, which must
# stay the last.
__askline_hook() {
  \builtin local at
  for at in "${!PROMPT_COMMAND[@]}"; do
    case ${PROMPT_COMMAND[at]} in
      *__askline_prompt*) \builtin return 0 ;;
      *__bp_interactive_mode)
        PROMPT_COMMAND[at]=${PROMPT_COMMAND[at]%__bp_interactive_mode}$'__askline_prompt\n__bp_interactive_mode'
        \builtin return 0
        ;;
      *__bp_install*)
        PROMPT_COMMAND[at]=$'__askline_prompt\n'${PROMPT_COMMAND[at]}
        \builtin return 0
        ;;
    esac
  done
  if ((BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] > 500)); then
    PROMPT_COMMAND=("${PROMPT_COMMAND[@]:-}" __askline_prompt)
  else
    # shellcheck disable=SC2128,SC2178
    PROMPT_COMMAND=${PROMPT_COMMAND:+$PROMPT_COMMAND$'\n'}__askline_prompt
  fi
}

if [[ $- == *i* && ${BASH_VERSINFO[0]} -ge 4 ]] && [[ -o emacs || -o vi ]]; then
  # Loaded again, perhaps while a message is shown.
  [[ -z ${__askline_taken-} ]] || __askline_give_keys_back
  __askline_continued='' __askline_above=0 __askline_shown='' __askline_due=''
  __askline_head=0 __askline_size='' __askline_lines=() __askline_messages=() __askline_taken=()
  __askline_hook
  __askline_bind
  if [[ ${BASH_ALIASES[ask]-} == __askline_ask ]] || ! \builtin type ask &>/dev/null; then
    \builtin alias ask=__askline_ask
  else
    \builtin printf '%s\n' 'askline: ask is already a command of yours; it is not replaced' >&2
  fi
fi
