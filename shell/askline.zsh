# askline in zsh: a key turns the words on the prompt line into a command to edit, and runs nothing.
# Load it with: eval "$(askline init zsh)"
#
# The first word of each command is quoted (\builtin, \command) so that no alias of yours is read into it.
# Loading starts no process, and neither does a prompt.

# ---------------------------------------------------------------------------------------------------------------------
# The key
# ---------------------------------------------------------------------------------------------------------------------

# Runs before each prompt. Keeps the status of your last command: in a widget wrapped by another plugin, $? is already
# different. The line before may have been left with ctrl-c, for which zsh calls no hook.
__askline_precmd() {
  __askline_status=$?
  if [[ $__askline_inline_comment == 1 ]]; then
    \builtin unsetopt local_options interactive_comments # the first is restored at the end of each function
    __askline_inline_comment=0
  fi
  __askline_rows=$'\n'
  if [[ -o single_line_zle || $TERM == dumb ]]; then
    __askline_rows='' # the line has one row, and a message needs to share it
  fi
  # Some plugins call this while a line is being edited.
  if ! \builtin zle; then
    __askline_begin
  fi
}

__askline_begin() {
  \builtin emulate -L zsh
  \builtin setopt no_err_exit no_err_return
  __askline_message='' __askline_messages=() __askline_entry=''
  if (( __askline_inline )); then
    __askline_inline_hidden
    __askline_inline_stop
    __askline_inline_over=0
  fi
  __askline_hooks
}

# Runs before each redraw of the line. Nearly always this is two comparisons.
__askline_redraw() {
  if [[ -n $__askline_entry ]]; then
    __askline_message_draw
  fi
  if [[ $__askline_inline == 1 ]]; then
    __askline_inline_draw
  fi
  \builtin return 0 # otherwise zsh skips the hooks of others
}

# Runs when a line ends. Words after a # count as a comment, not an error; in other lines a # keeps your meaning.
__askline_finish() {
  if [[ $__askline_inline == 1 && $BUFFER == '# '* && $BUFFER != *$'\n'* && $CONTEXT == start ]] &&
    [[ ! -o interactive_comments ]]; then
    \builtin setopt no_local_options interactive_comments
    __askline_inline_comment=1
  fi
  __askline_end
  \builtin return 0
}

__askline_end() {
  \builtin emulate -L zsh
  \builtin setopt no_err_exit no_err_return
  if [[ -n $__askline_message && ${PREDISPLAY-} == "$__askline_message" ]]; then
    PREDISPLAY=''
  fi
  __askline_message='' __askline_messages=() __askline_entry=''
  if (( __askline_inline )); then
    POSTDISPLAY=''
    __askline_inline_hidden
    __askline_inline_stop
  fi
}

# Asks the helper about the words in $1; it owns the terminal meanwhile. The other arguments are its options. Sets
# `answer` (the new line), `message` and `place` (of the cursor) in the caller. Fails if there is no line.
__askline_help() {
  \builtin local words=$1 erase=$2 saved='' reply='' code=0
  \builtin shift 2
  saved=$(\command stty -g </dev/tty 2>/dev/null)
  reply=$(__askline_told "$words" | \command "$__askline_program" line --shell zsh "$@" 2>/dev/null)
  code=$?
  # Line and message, with a separator that neither contains. A helper that died has not written it.
  answer=${reply%%$'\x1f'*} message=${reply#*$'\x1f'} place=''
  if [[ $message == *$'\x1f'* ]]; then
    place=${message#*$'\x1f'} message=${message%%$'\x1f'*}
  fi
  if [[ $reply == *$'\x1f'* && $code == (0|3|130) ]]; then
    \builtin return $code
  fi
  answer='' message='' place=''
  if [[ $code == 130 ]]; then
    \builtin return 130
  fi
  \command stty "${saved:-sane}" </dev/tty 2>/dev/null
  \builtin print -n -- "$erase" >/dev/tty
  case $code in
    (126|127) message="$__askline_program can't be run; install it again or put it on the PATH" ;;
    (0|2|3) message="$__askline_program and this script are of different versions; start a new shell" ;;
    (*) message="$__askline_program ended unexpectedly ($code); run \`askline doctor\`" ;;
  esac
  message="askline: $message"
  # It may have left the cursor anywhere on its row.
  if \builtin zle; then
    \builtin zle .reset-prompt
  fi
  \builtin return "${code/#%0/1}"
}

# Input of the helper: the line, then names and values, each followed by a NUL. The helper keeps 64 KiB of them.
__askline_told() {
  \builtin local name value number
  \builtin print -rN -- "$1" ZSH_VERSION "$ZSH_VERSION"
  # Earlier commands, the latest first.
  for number in {1..10}; do
    value=${history[$((HISTCMD - number))]-}
    if [[ -n $value ]]; then
      \builtin print -rN -- history "$value"
    fi
  done
  for name value in "${(@kv)aliases}"; do
    \builtin print -rN -- "alias.$name" "$value"
  done
  for name value in "${(@kv)galiases}"; do
    \builtin print -rN -- "galias.$name" "$value"
  done
  \builtin print -rN -- functions "${(@kF)functions}"
}

__askline_widget() {
  \builtin emulate -L zsh
  # No notice of a finished job inside the row that the helper draws.
  \builtin setopt no_err_exit no_err_return no_notify
  \builtin local answer='' message='' place='' cursor=$CURSOR words=$BUFFER label='' mode=${(M)WIDGET:#askline-(explain|list|preview)}
  if [[ -n $PREBUFFER ]]; then
    # Replacing the last line of a continued command would splice two commands.
    __askline_says 'askline: works on a fresh prompt, not inside a continued command' ''
    \builtin return 0
  fi
  if [[ $PREDISPLAY == "$__askline_message" ]]; then
    __askline_messages+=("x$BUFFER" "$__askline_message")
    # Where there is little room, the label has no name before it.
    if [[ $__askline_message == ('askline: '|)'!'* ]]; then
      label="askline: ${${${${__askline_message%%;*}%$'\n'}%: }#askline: }"
    fi
  fi
  # The helper draws below the line, so the whole line must be on the screen, without ghost text of another plugin and
  # without other text around it.
  PREDISPLAY='' POSTDISPLAY='' CURSOR=$#BUFFER
  \builtin zle -R -c
  __askline_help "$BUFFER" '\e7\e[1E\e[J\e8' --draw below --cursor "$cursor" --keymap "$KEYMAP" \
    --place --status "$__askline_status" ${mode:+--${mode#askline-}}
  CURSOR=$cursor
  # A line that fills the screen was moved up by the row below it, unknown to zsh.
  if (( LINES <= BUFFERLINES + 1 )); then
    \builtin zle .clear-screen
  fi
  __askline_finished_jobs
  if [[ -n $answer ]]; then
    \builtin zle .split-undo # in vi mode, u undoes this change only
    BUFFER=$answer CURSOR=$#answer
    if [[ $KEYMAP == vicmd ]]; then
      CURSOR=$#answer-1
    fi
    if [[ $place == <-> ]]; then
      CURSOR=$place # the first thing to fill in
    fi
  fi
  if [[ -z $answer && -n $message && -n $label && -z $mode ]]; then
    message="$label; ${message#askline: }" # the line stays, and so does its label
  fi
  if [[ -n $answer$message ]]; then
    __askline_says "$message" "$words"
  else
    __askline_message_draw
  fi
  \builtin zle -R
  \builtin return 0
}

# Prints the notices that were held back, above the line: `jobs` does that before it lists anything.
__askline_finished_jobs() {
  if [[ -n ${(M)jobstates:#done*} ]]; then
    \builtin zle -I
    \builtin jobs >/dev/null
  fi
}

# Shows a message about the line, which was $2 before. It is text in front of the line that zsh draws itself: below the
# line a resize, a prompt that is drawn again, or the list of another plugin would erase it.
__askline_says() {
  \builtin local row=${1//$'\n'/ } height
  # A table keeps its rows.
  if [[ $1 == 'askline: '*', read-only preview'$'\n'* ]]; then
    row=$1
  fi
  height=${row//[^$'\n']/}
  height=$(( ($#row + $#BUFFER) / COLUMNS + $#height + 3 ))
  __askline_message='' __askline_entry=$HISTNO
  if (( ! ${+__askline_messages[x$2]} )); then
    __askline_messages+=("x$2" '')
  fi
  if [[ -n $row ]]; then
    # Of a message that leaves no room for the line, the label remains.
    if [[ $row == 'askline: !'* && ( -z $__askline_rows || LINES -lt $height ) ]]; then
      row=${${row#askline: }%%[:;]*}
    fi
    # Of a line that fills the screen, zsh shows the part around the cursor.
    if (( LINES < height )); then
      CURSOR=0
    fi
    __askline_message=$row${__askline_rows:-: }
  fi
  __askline_messages+=("x$BUFFER" "$__askline_message")
  __askline_message_draw
}

# Shows the message as long as the line, changed or not, is what it is about: not after undo, which shows the message that
# the older line had, not on an empty line or on one of the history, and again when the line comes back.
__askline_message_draw() {
  if [[ -z $__askline_entry || -n ${PREDISPLAY-} && $PREDISPLAY != "$__askline_message" ]]; then
    \builtin return 0
  fi
  if (( ${+__askline_messages[x$BUFFER]} )); then
    __askline_message=${__askline_messages[x$BUFFER]} PREDISPLAY=$__askline_message
  elif [[ -z $BUFFER || $HISTNO != "$__askline_entry" ]]; then
    PREDISPLAY=''
  fi
}

# ---------------------------------------------------------------------------------------------------------------------
# The word: `ask WORDS` puts the command on the next prompt
# ---------------------------------------------------------------------------------------------------------------------

__askline_ask() {
  \builtin emulate -L zsh
  \builtin setopt no_err_exit no_err_return
  \builtin local answer='' message='' place='' look='' code=0 previous=$__askline_status
  if (( $# == 0 )); then
    \builtin print -ru2 -- 'usage: ask WORDS, such as: ask files larger than ten megabytes'
    \builtin return 2
  fi
  # Looks around first.
  if [[ $1 == --look && $# -gt 1 ]]; then
    look=--look
    \builtin shift
  fi
  __askline_help "$*" '\r\e[K' --draw here --status "$previous" $look
  code=$?
  if [[ -n $message ]]; then
    \builtin print -ru2 -- "$message"
  fi
  # In a pipeline or a substitution there is no next prompt.
  if [[ -n $answer ]]; then
    if (( ZSH_SUBSHELL )) || [[ ! -t 1 ]]; then
      \builtin print -r -- "$answer"
    else
      \builtin print -rz -- "$answer"
    fi
  fi
  \builtin return $code
}

# ---------------------------------------------------------------------------------------------------------------------
# Inline: shows the suggestion behind words after a #; tab and the right arrow take it
# ---------------------------------------------------------------------------------------------------------------------

# Runs before each redraw. Without such words it costs one comparison.
__askline_inline_draw() {
  [[ $BUFFER == '# '* || -n $__askline_inline_sent$__askline_inline_mark ]] || \builtin return 0
  \builtin emulate -L zsh
  \builtin setopt no_err_exit no_err_return
  if [[ -n $__askline_inline_mark && $BUFFER == "$__askline_inline_words  $__askline_inline_sign"* ]]; then
    # Another plugin has put ghost text of ours on the line, with a key of its own: all of it or a word.
    if [[ $BUFFER == "$__askline_inline_words$__askline_inline_ghost" ]]; then
      __askline_inline_put
      \builtin return 0
    fi
    BUFFER=$__askline_inline_words CURSOR=$#BUFFER
  fi
  if [[ -n $__askline_inline_command && $BUFFER == "$__askline_inline_words" ]]; then
    __askline_inline_show
    \builtin return 0
  fi
  if [[ -n $__askline_inline_mark ]]; then
    region_highlight=("${(@)region_highlight:#$__askline_inline_mark}")
    POSTDISPLAY=''
    __askline_inline_hidden
  fi
  if [[ $BUFFER == "$__askline_inline_sent" ]] || (( PENDING || KEYS_QUEUED_COUNT )); then
    \builtin return 0
  fi
  __askline_inline_sent='' __askline_inline_command=''
  if [[ $BUFFER == '# '*[^[:space:]]* && $BUFFER != *$'\n'* && $CONTEXT == start ]]; then
    # A helper that has just ended takes no words; its output reveals that.
    __askline_inline_start && \builtin print -ru$__askline_inline_in -- "$BUFFER" 2>/dev/null &&
      __askline_inline_sent=$BUFFER
  elif (( __askline_inline_in )); then
    \builtin print -u$__askline_inline_in 2>/dev/null # cancels the request
  fi
  \builtin return 0 # otherwise zsh skips the hooks of others
}

# A risk is named in front of the command, before you take it.
__askline_inline_show() {
  \builtin local label=''
  if [[ $__askline_inline_note == '!'* ]]; then
    label="${__askline_inline_note%%[:;]*}: "
  fi
  __askline_inline_keys
  __askline_inline_ghost="  $__askline_inline_sign $label$__askline_inline_command"
  POSTDISPLAY=$__askline_inline_ghost
  if [[ -n $__askline_inline_mark ]]; then
    region_highlight=("${(@)region_highlight:#$__askline_inline_mark}")
  fi
  __askline_inline_mark="$#BUFFER $(( $#BUFFER + $#POSTDISPLAY )) fg=8 memo=askline"
  region_highlight+=("$__askline_inline_mark")
}

# We bind the keys that take a suggestion only while one is shown. Their other bindings stay as they are.
__askline_inline_keys() {
  \builtin local REPLY='' key entry
  (( ! $#__askline_inline_before )) || \builtin return 0
  __askline_capture __askline_inline_bindings
  for entry in "${(@f)REPLY}"; do
    key=${(Q)${entry%% *}} entry=${entry#* }
    # A key that types a text is left alone.
    if [[ $entry != \"* ]]; then
      __askline_inline_before[$key]=$entry
      \builtin bindkey -M main -- "$key" _askline_inline_take
    fi
  done
}

__askline_inline_bindings() {
  \builtin local key
  for key in '^I' '^[[C' '^[OC'; do
    \builtin bindkey -M main -- "$key"
  done
}

__askline_inline_hidden() {
  \builtin local key widget
  for key widget in "${(@kv)__askline_inline_before}"; do
    if [[ $widget == undefined-key ]]; then
      \builtin bindkey -M main -r -- "$key"
    else
      \builtin bindkey -M main -- "$key" "$widget"
    fi
  done
  __askline_inline_before=() __askline_inline_mark=''
}

# Starts the helper, once per line; it waits for pauses in the typing by itself. After it ends, the next start is with
# the next line. A coprocess of yours is left alone.
__askline_inline_start() {
  if (( __askline_inline_in )); then
    \builtin return 0
  fi
  \builtin local REPLY=''
  # No lower priority: the resident process, which the helper may start, serves all shells.
  \builtin setopt no_monitor no_notify no_bg_nice
  if (( __askline_inline_over )) || { __askline_inline_coprocess && [[ $REPLY != "$__askline_inline_dummy" ]] }; then
    \builtin return 1
  fi
  # zsh-autosuggestions closes the file of its last request before the next one, by a number that would be ours by then.
  if [[ -n ${_ZSH_AUTOSUGGEST_ASYNC_FD-} ]] && ! { \builtin true <&$_ZSH_AUTOSUGGEST_ASYNC_FD } 2>/dev/null; then
    _ZSH_AUTOSUGGEST_ASYNC_FD=''
  fi
  coproc \command "$__askline_program" inline --shell zsh 2>/dev/null
  \builtin exec {__askline_inline_in}>&p {__askline_inline_out}<&p
  \builtin disown 2>/dev/null
  coproc : # closes the other ends of the pipe
  \builtin disown 2>/dev/null
  __askline_inline_coprocess && __askline_inline_dummy=$REPLY
  \builtin zle -F $__askline_inline_out __askline_inline_answer
}

# Sets REPLY to the pipe of the coprocess, which zsh keeps after its end; fails if there is none.
__askline_inline_coprocess() {
  \builtin local fd pipe
  pipe=() REPLY=unknown
  { \builtin exec {fd}>&p } 2>/dev/null || \builtin return 1
  \builtin zmodload -F zsh/stat b:zstat 2>/dev/null && \builtin zstat -A pipe -f $fd +inode 2>/dev/null && REPLY=$pipe[1]
  \builtin exec {fd}>&-
}

__askline_inline_stop() {
  if (( __askline_inline_in )); then
    {
      \builtin zle -F $__askline_inline_out
      \builtin exec {__askline_inline_in}>&- {__askline_inline_out}<&-
    } 2>/dev/null
  fi
  __askline_inline_in=0 __askline_inline_out=0 __askline_inline_sent='' __askline_inline_command=''
}

# Runs when an answer came or the helper ended: $1 is its output, $2 the error, if any.
__askline_inline_answer() {
  \builtin emulate -L zsh
  \builtin setopt no_err_exit no_err_return
  \builtin local row='' field=$'\x1f' IFS=''
  if [[ -n $2 ]] || ! \builtin read -ru$1 row; then
    __askline_inline_stop
    __askline_inline_over=1
    \builtin return 0
  fi
  __askline_inline_words=${row%%$field*}
  row=${row#*$field}
  __askline_inline_command=${row%%$field*} __askline_inline_note=${row#*$field}
  \builtin zle _askline_inline_show
}

__askline_inline_shown() {
  __askline_inline_draw
  \builtin zle -R
}

# Takes the suggestion; otherwise the key does what it did before.
__askline_inline_take() {
  \builtin emulate -L zsh
  \builtin setopt no_err_exit no_err_return
  if [[ -n $__askline_inline_command && $BUFFER == "$__askline_inline_words" && $CURSOR == $#BUFFER ]]; then
    \builtin zle .split-undo
    __askline_inline_put
  else
    \builtin local widget=${__askline_inline_before[${(V)KEYS}]:-redisplay}
    __askline_inline_hidden
    \builtin zle "$widget"
  fi
}

__askline_inline_put() {
  BUFFER=$__askline_inline_command CURSOR=$#__askline_inline_command POSTDISPLAY=''
  __askline_says "${__askline_inline_note:+askline: $__askline_inline_note}" "$__askline_inline_words"
}

# ---------------------------------------------------------------------------------------------------------------------
# Loading
# ---------------------------------------------------------------------------------------------------------------------

# Prints the bindings of the key in all keymaps, as `bindkey` does: itself and longer sequences that begin with it.
__askline_bindings() {
  \builtin local keymap key
  for keymap in emacs viins vicmd; do
    for key in "${__askline_keys[@]}"; do
      \builtin bindkey -M $keymap -- "$key"
      \builtin bindkey -M $keymap -p -- "$key"
    done
  done
}

# Puts the output of a function into REPLY without a process: an empty here-document is a deleted file, which Linux lets
# us open again for writing. Elsewhere a subshell does it. In memory it is ten times as quick as on a disk.
__askline_capture() {
  \builtin local fd
  REPLY=''
  if [[ -w /dev/shm ]]; then
    \builtin local TMPPREFIX=/dev/shm/zsh
  fi
  {
    \builtin exec {fd}<<<'' && "$@" >/dev/fd/$fd && REPLY=$(</dev/fd/$fd)
    \builtin exec {fd}<&-
  } 2>/dev/null
  if [[ -z $REPLY ]]; then
    REPLY=$("$@")
  fi
}

# Sets REPLY to what you or a plugin bound to the key, if anything. The bindings of zsh itself give way.
__askline_conflict() {
  \builtin local listing entry widget
  __askline_capture __askline_bindings
  listing=$REPLY REPLY=''
  for entry in "${(@f)listing}"; do
    widget=${entry#*\" }
    case $widget in
      (undefined-key|send-break|list-expand|askline-line|askline-explain|askline-list|askline-preview) ;;
      (*)
        # ctrl-g has just those meanings in zsh; under another key any own widget of zsh gives way.
        if [[ $__askline_key == ctrl-g || -z ${widgets[.$widget]-} ]]; then
          REPLY=$widget
        fi
        ;;
    esac
  done
}

# Binds the key, and those that explain, preview and list. These are bound in vi's keymaps only where they are no escape
# sequence: there they would take a letter that is typed soon after Esc.
__askline_bind() {
  \builtin emulate -L zsh
  \builtin setopt no_err_exit no_err_return
  if (( $#__askline_keys )); then
    __askline_bind_key askline-line '--key alt-g' emacs viins vicmd
  fi
  if (( $#__askline_explain_keys )); then
    __askline_bind_other askline-explain '--explain-key f8' $__askline_explain_key "${__askline_explain_keys[@]}"
  fi
  if (( $#__askline_preview_keys )); then
    __askline_bind_other askline-preview '--preview-key f10' $__askline_preview_key "${__askline_preview_keys[@]}"
  fi
  if (( $#__askline_menu_keys )); then
    __askline_bind_other askline-list '--menu-key f9' $__askline_menu_key "${__askline_menu_keys[@]}"
  fi
}

# Binds the key named $3, with the sequences after it, to the widget $1; $2 is the option for another key.
__askline_bind_other() {
  \builtin local __askline_key=$3 widget=$1 option=$2
  \builtin local -a __askline_keys
  \builtin shift 3
  __askline_keys=("$@")
  if [[ $__askline_key == alt-* ]]; then
    __askline_bind_key $widget $option emacs
  else
    __askline_bind_key $widget $option emacs viins vicmd
  fi
}

# Binds a key to the widget $1 in the keymaps after $2, which is an option for another key.
__askline_bind_key() {
  \builtin local REPLY='' widget=$1 option=$2 keymap key entry
  \builtin shift 2
  if (( ! __askline_force )); then
    __askline_conflict
  fi
  if [[ -n $REPLY ]]; then
    \builtin print -ru2 -- "askline: $__askline_key is already bound to $REPLY;" \
      "choose another key: askline init zsh $option (or --force)"
    \builtin return 0
  fi
  for keymap in "$@"; do
    for key in "${__askline_keys[@]}"; do
      \builtin bindkey -M $keymap -- "$key" $widget
    done
  done
  # In vi's keymaps ctrl-_ types itself or nothing, and the insert mode has no other key that undoes.
  __askline_capture __askline_undo_keys
  for entry in "${(@f)REPLY}"; do
    case $entry in
      (viins*self-insert|vicmd*undefined-key) \builtin bindkey -M ${entry%% *} '^_' undo ;;
    esac
  done
}

# Prints the bindings of ctrl-_ in vi's keymaps.
__askline_undo_keys() {
  \builtin local keymap
  for keymap in viins vicmd; do
    \builtin print -rn -- "$keymap "
    \builtin bindkey -M $keymap '^_'
  done
}

# Has zsh call our functions. Again before each prompt: a plugin loaded later may have replaced them.
__askline_hooks() {
  \builtin local hook ours
  \builtin local -a added
  for hook ours in line-pre-redraw __askline_redraw line-finish __askline_finish; do
    case ${widgets[zle-$hook]-} in
      ('') \builtin zle -N zle-$hook $ours ;;
      (user:$ours) ;;
      (*)
        \builtin zstyle -a zle-$hook widgets added
        if [[ $widgets[zle-$hook] != user:azhw:* || -z ${(M)added:#*$ours} ]]; then
          \builtin autoload -Uz add-zle-hook-widget
          add-zle-hook-widget $hook $ours
        fi
        ;;
    esac
  done
}

__askline_inline_load() {
  \builtin typeset -g __askline_inline_words='' __askline_inline_command='' __askline_inline_note=''
  \builtin typeset -g __askline_inline_sent='' __askline_inline_mark='' __askline_inline_sign='=>'
  \builtin typeset -g __askline_inline_dummy='' __askline_inline_ghost=''
  \builtin typeset -gi __askline_inline_in=0 __askline_inline_out=0 __askline_inline_over=0
  \builtin typeset -gA __askline_inline_before
  if [[ ${LC_ALL:-${LC_CTYPE:-$LANG}} == *[Uu][Tt][Ff]* ]]; then
    __askline_inline_sign='⇥'
  fi
  \builtin zle -N _askline_inline_show __askline_inline_shown
  \builtin zle -N _askline_inline_take __askline_inline_take
}

__askline_load() {
  \builtin emulate -L zsh
  \builtin setopt no_err_exit no_err_return
  \builtin typeset -g __askline_status=0 __askline_message='' __askline_entry=''
  \builtin typeset -gA __askline_messages
  \builtin typeset -g __askline_rows='' __askline_inline_comment=0
  \builtin typeset -ga precmd_functions zvm_after_init_commands
  if (( ! ${precmd_functions[(Ie)__askline_precmd]} )); then
    precmd_functions+=(__askline_precmd)
  fi
  # zsh-vi-mode makes its own keymaps at the first prompt and calls these afterwards.
  if (( ! ${zvm_after_init_commands[(Ie)__askline_bind]} )); then
    zvm_after_init_commands+=(__askline_bind)
  fi
  \builtin zle -N askline-line __askline_widget
  \builtin zle -N askline-explain __askline_widget
  \builtin zle -N askline-preview __askline_widget
  \builtin zle -N askline-list __askline_widget
  __askline_hooks
  __askline_bind
  # noglob permits ? and * in the words.
  if [[ ${aliases[ask]-} == 'noglob __askline_ask' ]] || ! \builtin whence ask >/dev/null; then
    \builtin alias ask='noglob __askline_ask'
  else
    \builtin print -ru2 -- 'askline: ask is already a command of yours; it is not replaced'
  fi
}

if [[ -o interactive && -o zle ]]; then
  __askline_load
  if (( __askline_inline )); then
    __askline_inline_load
  fi
fi
