# askline in fish: a key turns the words on the command line into a command to edit, and runs nothing.
# Load it with: askline init fish | source
#
# `builtin` and `command` stand before whatever a function of yours could replace. Loading starts no process, and
# neither does a prompt.

# ---------------------------------------------------------------------------------------------------------------------
# The key
# ---------------------------------------------------------------------------------------------------------------------

# Asks the helper, which owns the terminal meanwhile, about the words on stdin. Prints its answer; a status of 0, 3 or
# 130 is its own, anything else is the end of a helper that died.
function __askline_help
    if not command --query $__askline_program
        return 127
    end
    set -l saved (command stty -g </dev/tty 2>/dev/null)
    command $__askline_program line --shell fish $argv 2>/dev/null
    set -l code $status
    if not contains -- $code 0 3 130
        set -q saved[1]; or set saved sane
        command stty $saved[1] </dev/tty 2>/dev/null
    end
    return $code
end

function __askline_line --description 'Turn the words on the command line into a command'
    set -l previous $status
    set -l cursor (builtin commandline --cursor)
    # The helper draws below the line, also when it has several rows.
    builtin commandline --cursor 99999999
    set -l answer (builtin commandline --current-buffer \
        | __askline_help --draw below --cursor $cursor --keymap "$fish_bind_mode" --status $previous \
        | string collect --no-trim-newlines --allow-empty)
    set -l code $pipestatus[2]
    builtin commandline --cursor $cursor
    switch $code
        case 0
            if test -n "$answer"
                builtin commandline --replace -- "$answer"
                set cursor (string length -- "$answer")
                if test "$fish_key_bindings $fish_bind_mode" = 'fish_vi_key_bindings default'
                    set cursor (builtin math $cursor - 1) # on the last character, where x and a expect it
                end
                builtin commandline --cursor $cursor
            end
        case 3 130 # the helper has said why
        case '*'
            __askline_say "askline: $__askline_program ended unexpectedly ($code); your line is kept"
            return
    end
    builtin commandline --function repaint
end

# Prints a message that stays, below the line, and draws the prompt again below that.
function __askline_say
    set -l row (builtin commandline --line)
    string repeat --no-newline --count=(builtin math (builtin count (builtin commandline)) - $row + 1) \n >&2
    builtin printf '\e[J%s\n' "$argv" >&2
    string repeat --no-newline --count=(builtin math (builtin count (fish_prompt)) - 1) \n >&2
    string repeat --no-newline --count=(builtin math $row - 1) \n >&2
    builtin commandline --function repaint
end

# ---------------------------------------------------------------------------------------------------------------------
# The word: `ask WORDS` puts the command on the next prompt
# ---------------------------------------------------------------------------------------------------------------------

function __askline_ask
    set -l previous $status
    if test (builtin count $argv) -eq 0
        builtin echo 'usage: ask WORDS, such as: ask files larger than ten megabytes' >&2
        return 2
    end
    set -l answer (builtin printf %s "$argv" | __askline_help --draw here --status $previous \
        | string collect --no-trim-newlines --allow-empty)
    set -l code $pipestatus[2]
    switch $code
        case 0
            builtin commandline --replace -- "$answer"
        case 3 130
        case '*'
            builtin printf '\r\e[K%s\n' "askline: $__askline_program ended unexpectedly ($code)" >&2
    end
    return $code
end

# ---------------------------------------------------------------------------------------------------------------------
# Loading
# ---------------------------------------------------------------------------------------------------------------------

# What you or a plugin bound to the key, or to longer sequences that begin with it. What fish itself binds gives way.
function __askline_conflict
    # fish 3 lists a key as \cg and \cg\cf, fish 4 as ctrl-g and ctrl-g,ctrl-f.
    set -l key (string escape -- $__askline_keys[-1] | string escape --style=regex)
    for mode in default insert visual
        builtin bind --user -M $mode 2>/dev/null | string match --invert '* __askline_line' \
            | string replace --filter --regex "^bind (-[Mm] \S+ |-k )*($key|$__askline_key)([\\\\,]\S*)? (.+)" '$4'
    end
end

if status is-interactive
    if test -n "$__askline_keys"
        set -g __askline_taken
        if test $__askline_force -eq 0
            set -g __askline_taken (__askline_conflict)
        end
        if test (builtin count $__askline_taken) -gt 0
            builtin echo "askline: $__askline_key is already bound to $__askline_taken[1];" \
                'choose another key: askline init fish --key alt-g (or --force)' >&2
        else
            for mode in default insert visual
                builtin bind -M $mode $__askline_keys __askline_line
            end
        end
        set -e __askline_taken
    end
    if set -q __askline_has_word; or not builtin type -q ask
        set -g __askline_has_word
        function ask --wraps __askline_ask --description 'Put the command for these words on the next prompt'
            __askline_ask $argv
        end
    else
        builtin echo 'askline: ask is already a command of yours and stays so' >&2
    end
end
