# askline in fish: a key turns the words on the command line into a command to edit, and runs nothing.
# Load it with: askline init fish | source
#
# `builtin` and `command` precede names that a function of yours could replace. Loading starts no process, and neither
# does a prompt.

# ---------------------------------------------------------------------------------------------------------------------
# The key
# ---------------------------------------------------------------------------------------------------------------------

# Asks the helper about the words in $argv[1]; it owns the terminal meanwhile. The other arguments are its options. Sets
# __askline_answer (the new line), __askline_message and __askline_place (of the cursor). Fails if there is no line.
function __askline_help
    set -g __askline_answer
    set -g __askline_message
    set -g __askline_place
    set -l code 127
    if command --query $__askline_program
        set -l saved (command stty -g </dev/tty 2>/dev/null)
        # After the line it sends shell facts: names and values, each followed by a NUL. The latest command comes first.
        set -l before
        for line in $history[1..10]
            set -a before history $line
        end
        set -l reply (string join0 -- $argv[1] FISH_VERSION $version $before functions \
            (builtin functions --names | string collect --allow-empty) \
            | command $__askline_program line --shell fish $argv[2..] 2>/dev/null \
            | string collect --no-trim-newlines --allow-empty)
        set code $pipestatus[2]
        # Line and message, with a separator that neither contains. A helper that died has not written it.
        if contains -- $code 0 3 130
            and string match --quiet --regex '(?s)^(?<__askline_answer>[^\x1f]*)\x1f(?<__askline_message>[^\x1f]*)(?:\x1f(?<__askline_place>\d*))?' -- "$reply"
            return $code
        end
        if test $code -eq 130
            return 130
        end
        set -q saved[1]; or set saved sane
        command stty $saved[1] </dev/tty 2>/dev/null
    end
    switch $code
        case 126 127
            set __askline_message "$__askline_program can't be run; install it again or put it on the PATH"
        case 0 2 3
            set __askline_message "$__askline_program and this script are of different versions; start a new shell"
        case '*'
            set __askline_message "$__askline_program ended unexpectedly ($code); run `askline doctor`"
    end
    set __askline_message "askline: $__askline_message"
    return (builtin math "max($code, 1)")
end

# The arguments are options of the helper.
function __askline_line --description 'Turn the words on the command line into a command'
    set -l previous $status
    set -l cursor (builtin commandline --cursor)
    # The helper draws below the line, even if the line has several rows.
    builtin commandline --cursor 99999999
    __askline_remember (builtin commandline --current-buffer | string collect --allow-empty)
    __askline_help (builtin commandline --current-buffer | string collect --no-trim-newlines --allow-empty) \
        --draw below --place --cursor $cursor --keymap "$fish_bind_mode" --status $previous $argv
    builtin commandline --cursor $cursor
    if test -n "$__askline_answer"
        # fish draws the line before it asks for a prompt, and a label must not come later than its line.
        builtin printf '\eD\eM\e7\e[1E\e[K%s\e8' (string split --max 1 \n -- "$__askline_message")[1] >/dev/tty
        __askline_say "$__askline_message"
        builtin commandline --replace -- "$__askline_answer"
        set cursor (string length -- "$__askline_answer")
        if test "$fish_key_bindings $fish_bind_mode" = 'fish_vi_key_bindings default'
            set cursor (builtin math $cursor - 1) # x and a expect the cursor on the last character
        end
        if test -n "$__askline_place"
            set cursor $__askline_place # the first thing to fill in
        end
        builtin commandline --cursor $cursor
    else if test -n "$__askline_message"
        # The line stays, and so does the label that came with it.
        set -l label
        if not string match --quiet -- "--*" "$argv"; and string match --quiet --regex '[:;] !!? ' -- "$__askline_said[1]"
            set label $__askline_said[1]
        end
        __askline_say $label "$__askline_message"
    end
    __askline_remember (builtin commandline --current-buffer | string collect --allow-empty)
    builtin commandline --function repaint
end

# Turns words after a # or after our `ask` into the command, if the line has nothing else; otherwise Tab is Tab.
function __askline_tab
    set -l rows (builtin commandline --current-buffer)
    set -l begin '#'
    if builtin functions ask 2>/dev/null | string match --quiet '*__askline_ask $argv*'
        set begin '(#|ask\s)'
    end
    if not builtin commandline --paging-mode
        and test (builtin count $rows) -eq 1
        and string match --quiet --regex "^\s*$begin\s*\S" -- $rows
        __askline_line
    else
        builtin commandline --function complete
    end
end

# Shows messages above the prompt, as its first rows; empty ones are none. fish draws them whenever it draws the prompt,
# so they stay as long as the line, in a window of any size. Until a command is run, `fish_prompt` is a function of ours
# around yours.
function __askline_say
    set -g __askline_said
    for message in $argv
        test -n "$message"; and set -a __askline_said $message
    end
    if set -q __askline_said[1]; and not builtin functions --query __askline_your_prompt
        builtin functions --copy fish_prompt __askline_your_prompt
        function fish_prompt
            set -l prompt (__askline_your_prompt $argv) # comes first, because it may show the last status
            __askline_recall
            set -q prompt[1]; or set prompt ''
            # Clears what a higher prompt left below.
            builtin printf '\e[J'
            builtin printf '%s\n' (__askline_rows (builtin count $prompt)) $prompt
        end
        __askline_take_keys
    end
end

# Remembers the messages that are shown now as those of the line $argv[1].
function __askline_remember
    if not set -l at (builtin contains --index -- "$argv[1]" $__askline_lines)
        set -a __askline_lines "$argv[1]"
        set at (builtin count $__askline_lines)
    end
    # One string without line ends, which a substitution would split.
    set -l text (string join \x1f -- $__askline_said | string collect)
    test -n "$text"; and set text (string replace --all \n \x1e -- $text)
    set __askline_line_messages[$at] "$text"
end

# Takes the messages of a line that undo or redo brought back. A line that no press had or gave keeps what is shown.
function __askline_recall
    set -l line (builtin commandline --current-buffer | string collect --allow-empty)
    if set -l at (builtin contains --index -- "$line" $__askline_lines)
        set -g __askline_said
        for message in (string split --no-empty \x1f -- $__askline_line_messages[$at])
            set -a __askline_said (string replace --all \x1e \n -- $message | string collect)
        end
    end
end

# Until the next prompt, the keys of undo and redo draw it again, which fish doesn't do by itself. Keys of yours on other
# functions stay.
function __askline_take_keys
    set -l form '^bind( --preset|)( -M \S+|)( -m \S+|)( -k|) (\S+) '
    for mode in (builtin bind --list-modes)
        set -l entries (builtin bind --user -M $mode; builtin bind --preset -M $mode)
        set -l yours (string match --invert 'bind --preset *' -- $entries | string replace --regex "$form.*" '$4 $5')
        for entry in (string match --regex '.* (?:undo|redo)$' -- $entries)
            set -l parts (string match --regex "$form(undo|redo)\$" -- $entry); or continue
            set -l key "$parts[5] $parts[6]"
            if test -z "$parts[2]"
                set -a __askline_keys_before "builtin $entry"
            else if builtin contains -- "$key" $yours
                continue
            else
                set -a __askline_keys_before "builtin bind --erase -M $mode$key"
            end
            set -l then "$parts[7] repaint"
            if string match --quiet '3.*' $version
                set then "'__askline_undo $parts[7]'"
            end
            builtin eval "builtin bind -M $mode$parts[4]$key $then"
        end
        # It stays, because an answer may come late. A binding of yours stays, too.
        if string match --quiet '3.*' $version; and not builtin bind --user -M $mode \e\[0n &>/dev/null
            builtin bind -M $mode \e\[0n 'builtin commandline --function repaint'
        end
    end
end

# Does the same in fish 3, which hides the changed line from its prompt until a key runs a command. The terminal presses
# one: it answers the query ESC[5n with ESC[0n.
function __askline_undo
    builtin commandline --function $argv[1]
    builtin printf '\e[5n' >/dev/tty
end

# Gives your prompt back, and shows the message about the line of a new prompt.
function __askline_prompt --on-event fish_preexec --on-event fish_prompt
    if builtin functions --query __askline_your_prompt
        builtin functions --erase fish_prompt
        builtin functions --copy __askline_your_prompt fish_prompt
        builtin functions --erase __askline_your_prompt
    end
    for command in $__askline_keys_before
        builtin eval $command
    end
    set -g __askline_keys_before
    set -g __askline_lines
    set -g __askline_line_messages
    __askline_say $__askline_due
    if set -q __askline_due[1]
        __askline_remember (string collect --allow-empty -- "$__askline_answer")
    end
    set -g __askline_due
end

# Takes the messages of a line that was cancelled off the next prompt, which fish draws before this event.
function __askline_cancel --on-event fish_cancel
    if set -q __askline_said[1]
        set -g __askline_said
        set -g __askline_lines
        set -g __askline_line_messages
        builtin commandline --function repaint
    end
end

# Prints the rows of the messages above a prompt of $argv[1] rows. fish would cut the beginning of a row that is wider
# than the window, and the top of a prompt that is too high; here the end is cut.
function __askline_rows
    set -q __askline_said[1]; or return
    set -l mode
    if builtin functions --query fish_mode_prompt
        set mode (fish_mode_prompt | string join '')
    end
    set -l width (builtin math "max(1, $COLUMNS - 1 - $(string length --visible -- "$mode"))")
    set -l height (builtin math "max(1, $LINES - $argv[1] - $(__askline_height))")
    set -l rows (__askline_wrapped $width $__askline_said)
    if test (builtin count $rows) -gt $height
        # A label must be seen even if nothing else fits.
        set -l texts (string replace --all \n ' ' -- $__askline_said | string replace 'askline: ' '')
        set rows (__askline_wrapped $width $texts)
    end
    builtin printf '%s\n' $rows[1..$height]
end

# Prints the number of rows that the line takes at least.
function __askline_height
    set -l rows 0
    for row in (builtin commandline --current-buffer)
        set rows (builtin math "$rows + max(1, ceil($(string length --visible -- "$row") / $COLUMNS))")
    end
    builtin echo $rows
end

# Prints texts in rows of at most $argv[1] columns, broken at spaces if possible. Rows that fit stay as they are.
function __askline_wrapped
    for row in (string split \n -- $argv[2..])
        if test (string length --visible -- "$row") -le $argv[1]
            builtin echo -- $row
            continue
        end
        set -l rows
        for word in (string split ' ' -- $row)
            if set -q rows[1]; and test (string length --visible -- "$rows[-1] $word") -le $argv[1]
                set rows[-1] "$rows[-1] $word"
            else if test (string length --visible -- "$word") -le $argv[1]
                set -a rows "$word"
            else
                # Half as many characters fit, however wide they are.
                set -a rows (string match --all --regex ".{1,$(builtin math "max(1, floor($argv[1] / 2))")}" -- "$word")
            end
        end
        builtin printf '%s\n' $rows
    end
end

# ---------------------------------------------------------------------------------------------------------------------
# The word: `ask WORDS` puts the command on the next prompt
# ---------------------------------------------------------------------------------------------------------------------

function __askline_ask
    set -l previous $status
    if test (builtin count $argv) -eq 0
        builtin echo "usage: ask 'WORDS', such as: ask 'files larger than ten megabytes'" >&2
        return 2
    end
    # Looks around first.
    set -l look
    if test "$argv[1]" = --look; and test (builtin count $argv) -gt 1
        set look --look
        set --erase argv[1]
    end
    __askline_help "$argv" --draw here --status $previous $look
    set -l code $status
    if test -n "$__askline_answer"
        set -g __askline_due "$__askline_message"
        builtin commandline --replace -- "$__askline_answer"
    else if test -n "$__askline_message"
        builtin printf '%s\n' $__askline_message >&2
    end
    return $code
end

# ---------------------------------------------------------------------------------------------------------------------
# Loading
# ---------------------------------------------------------------------------------------------------------------------

# Returns what you or a plugin bound to the key named $argv[1], spelled $argv[2], or to longer sequences that begin with
# it. The bindings of fish give way.
function __askline_conflict
    # fish 3 lists a key as \cg and \cg\cf, fish 4 as ctrl-g and ctrl-g,ctrl-f.
    set -l key (string escape -- $argv[2] | string escape --style=regex)
    for mode in default insert visual
        builtin bind --user -M $mode 2>/dev/null | string match --invert --regex " '?__askline_line( --explain| --list| --preview)?'?\$" \
            | string replace --filter --regex "^bind (-[Mm] \S+ |-k )*($key|$argv[1])([\\\\,]\S*)? (.+)" '$4'
    end
end

# Binds the key named $argv[1], spelled $argv[4..], to the command $argv[2]; $argv[3] is the option for another key.
function __askline_bind
    set -l taken
    if test $__askline_force -eq 0
        set taken (__askline_conflict $argv[1] $argv[-1])
    end
    if test (builtin count $taken) -gt 0
        builtin echo "askline: $argv[1] is already bound to $taken[1];" \
            "choose another key: askline init fish $argv[3] (or --force)" >&2
    else
        for mode in default insert visual
            builtin bind -M $mode $argv[4..] $argv[2]
        end
    end
end

if status is-interactive
    if test -n "$__askline_keys"
        __askline_bind $__askline_key __askline_line '--key alt-g' $__askline_keys
    end
    if test -n "$__askline_explain_keys"
        __askline_bind $__askline_explain_key '__askline_line --explain' '--explain-key f8' $__askline_explain_keys
    end
    if test -n "$__askline_preview_keys"
        __askline_bind $__askline_preview_key '__askline_line --preview' '--preview-key f10' $__askline_preview_keys
    end
    if test -n "$__askline_menu_keys"
        __askline_bind $__askline_menu_key '__askline_line --list' '--menu-key f9' $__askline_menu_keys
    end
    # A Tab binding of yours, or of a plugin, stays.
    if test $__askline_inline -eq 1; and not builtin bind --user \t &>/dev/null
        for mode in default insert
            builtin bind -M $mode \t __askline_tab
        end
    end
    if set -q __askline_has_word; or not builtin type -q ask
        set -g __askline_has_word
        function ask --wraps __askline_ask --description 'Put the command for these words on the next prompt'
            __askline_ask $argv
        end
    else
        builtin echo 'askline: ask is already a command of yours; it is not replaced' >&2
    end
end
