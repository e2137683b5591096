# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_askline_global_optspecs
    string join \n debug h/help V/version
end

function __fish_askline_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_askline_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_askline_using_subcommand
    set -l cmd (__fish_askline_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c askline -n "__fish_askline_needs_command" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_needs_command" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_needs_command" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_needs_command" -f -a "suggest" -d 'Print a command for a request'
complete -c askline -n "__fish_askline_needs_command" -f -a "investigate" -d 'Look around with tools that only read, then print a command'
complete -c askline -n "__fish_askline_needs_command" -f -a "check" -d 'Check a line on this machine, without a model; exit 1 if something is wrong'
complete -c askline -n "__fish_askline_needs_command" -f -a "explain" -d 'Explain each word of a line, from this machine\'s manuals'
complete -c askline -n "__fish_askline_needs_command" -f -a "preview" -d 'Tell what a line would change on the disk, without running it; exit 1 if that is not known'
complete -c askline -n "__fish_askline_needs_command" -f -a "setup" -d 'Set everything up: shells, model, a first request; or take it out again'
complete -c askline -n "__fish_askline_needs_command" -f -a "init" -d 'Print the script that binds the key in a shell'
complete -c askline -n "__fish_askline_needs_command" -f -a "model" -d 'List, download and choose the models that run on this machine'
complete -c askline -n "__fish_askline_needs_command" -f -a "bench" -d 'Measure in about a minute what the installed models take here'
complete -c askline -n "__fish_askline_needs_command" -f -a "config" -d 'Show the configuration'
complete -c askline -n "__fish_askline_needs_command" -f -a "daemon" -d 'Show or stop the process that keeps the model loaded'
complete -c askline -n "__fish_askline_needs_command" -f -a "doctor" -d 'Check shells, keys, model, manuals, terminal and directories; exit 1 on a fault'
complete -c askline -n "__fish_askline_needs_command" -f -a "stats" -d 'Show usage statistics: requests, times, tokens and today\'s use of the limits'
complete -c askline -n "__fish_askline_needs_command" -f -a "sessions" -d 'List, show and remove what investigations kept'
complete -c askline -n "__fish_askline_needs_command" -f -a "forget" -d 'Delete statistics, sessions and caches, never models or configuration'
complete -c askline -n "__fish_askline_needs_command" -f -a "mcp" -d 'Serve check, explain, suggest and risk as tools on stdin and stdout (MCP), for agents'
complete -c askline -n "__fish_askline_needs_command" -f -a "completions" -d 'Print the completions of this program for a shell'
complete -c askline -n "__fish_askline_needs_command" -f -a "help" -d 'Print this message, the help of a subcommand, or a text on config, keys, models or privacy'
complete -c askline -n "__fish_askline_using_subcommand suggest" -l shell -d 'The shell of the command [default: your login shell]' -r -f -a "nu\t''
zsh\t''
bash\t''
fish\t''"
complete -c askline -n "__fish_askline_using_subcommand suggest" -l lines -d 'Answer each line of FILE (- for stdin) with one line, empty if there is no answer; with --json one object per line' -r -F
complete -c askline -n "__fish_askline_using_subcommand suggest" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand suggest" -l timing -d 'Print the time of each stage to stderr'
complete -c askline -n "__fish_askline_using_subcommand suggest" -l no-refine -d 'Ask the model once: problems that the checks find are repaired or reported, without a second call'
complete -c askline -n "__fish_askline_using_subcommand suggest" -l anyway -d 'Ask the model even if no single command seems to do what you want'
complete -c askline -n "__fish_askline_using_subcommand suggest" -l show-request -d 'Print the exact prompt for the model, without asking it'
complete -c askline -n "__fish_askline_using_subcommand suggest" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand suggest" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand suggest" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand investigate" -l shell -d 'The shell of the command [default: your login shell]' -r -f -a "nu\t''
zsh\t''
bash\t''
fish\t''"
complete -c askline -n "__fish_askline_using_subcommand investigate" -l agent -d 'Who looks: look, admin (takes more looks and sees the environment), or one of [agents] in the configuration' -r
complete -c askline -n "__fish_askline_using_subcommand investigate" -l resume -d 'Go on from this session, with what it saw' -r
complete -c askline -n "__fish_askline_using_subcommand investigate" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand investigate" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand investigate" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand investigate" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand check" -l shell -d 'The shell that will read the line [default: the shell that runs askline]' -r -f -a "nu\t''
zsh\t''
bash\t''
fish\t''"
complete -c askline -n "__fish_askline_using_subcommand check" -l lines -d 'Check each line of FILE (- for stdin); with --json one object per line' -r -F
complete -c askline -n "__fish_askline_using_subcommand check" -l diagnostics -d 'Check the script FILE (- for stdin) and print FILE:LINE:COLUMN: SEVERITY: MESSAGE for each finding' -r -F
complete -c askline -n "__fish_askline_using_subcommand check" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand check" -l hook -d 'Read the tool call of a coding agent (JSON) from stdin; exit 2, with the reason, if its line is Dangerous [shell: bash]'
complete -c askline -n "__fish_askline_using_subcommand check" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand check" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand check" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand explain" -l shell -d 'The shell that will read the line [default: the shell that runs askline]' -r -f -a "nu\t''
zsh\t''
bash\t''
fish\t''"
complete -c askline -n "__fish_askline_using_subcommand explain" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand explain" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand explain" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand explain" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand preview" -l shell -d 'The shell that will read the line [default: the shell that runs askline]' -r -f -a "nu\t''
zsh\t''
bash\t''
fish\t''"
complete -c askline -n "__fish_askline_using_subcommand preview" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand preview" -l run -d 'Run a line that only reads, in a sandbox that cannot write, and print its rows'
complete -c askline -n "__fish_askline_using_subcommand preview" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand preview" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand preview" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand setup" -l shell -d 'The shell, or several [default: your login shell, and those that have a start-up file of yours]' -r -f -a "nu\t''
zsh\t''
bash\t''
fish\t''"
complete -c askline -n "__fish_askline_using_subcommand setup" -l yes -d 'Don\'t ask: agree to all of it, but fetch no second model'
complete -c askline -n "__fish_askline_using_subcommand setup" -l uninstall -d 'Take out what this command added to the start-up files'
complete -c askline -n "__fish_askline_using_subcommand setup" -l no-model -d 'Leave models alone, and try no request'
complete -c askline -n "__fish_askline_using_subcommand setup" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand setup" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand setup" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand init" -l key -d 'The key that rewrites the line, such as ctrl-g, alt-a or f5; none binds no key' -r
complete -c askline -n "__fish_askline_using_subcommand init" -l menu-key -d 'The key that lists the suggestions with their risk; none binds no key [default: alt-g]' -r
complete -c askline -n "__fish_askline_using_subcommand init" -l explain-key -d 'The key that says above the line what the line does; none binds no key [default: alt-e]' -r
complete -c askline -n "__fish_askline_using_subcommand init" -l preview-key -d 'The key that says above the line what the line would change; none binds no key [default: alt-p]' -r
complete -c askline -n "__fish_askline_using_subcommand init" -l inline -d 'Complete words behind a # inline: in fish with tab, in zsh and Nushell (0.115 and newer) behind the cursor; not available in bash [default: on, in Nushell off]' -r -f -a "on\t'Yes'
off\t'No'"
complete -c askline -n "__fish_askline_using_subcommand init" -l force -d 'Bind the key even if something else is bound to it'
complete -c askline -n "__fish_askline_using_subcommand init" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c askline -n "__fish_askline_using_subcommand init" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -f -a "list" -d 'List the models with size, licence, memory and state'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -f -a "pull" -d 'Download a model, verify it and prepare it; also one from elsewhere'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -f -a "use" -d 'Choose the model to use'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -f -a "path" -d 'Print the path of a model\'s file'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -f -a "rm" -d 'Remove a model\'s file'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from list" -l check -d 'Verify the checksums of the installed models; exit 1 if one is damaged'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from list" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from list" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from pull" -l form -d 'Form of the prompts of a model from elsewhere [default: chat if its file has a chat template]' -r -f -a "solved\t'The model continues a list of solved requests'
chat\t'The model answers a message'"
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from pull" -l sha256 -d 'SHA-256 that the file of a model from elsewhere must have' -r
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from pull" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from pull" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from pull" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from use" -l second -d 'Ask it as well where the one in use is unsure'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from use" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from use" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from use" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from path" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from path" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from rm" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from rm" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand bench" -l shell -d 'Shell that the commands are for [default: the login shell]' -r -f -a "nu\t''
zsh\t''
bash\t''
fish\t''"
complete -c askline -n "__fish_askline_using_subcommand bench" -l json -d 'Print one JSON object per model'
complete -c askline -n "__fish_askline_using_subcommand bench" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand bench" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand bench" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand config" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand config" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c askline -n "__fish_askline_using_subcommand config" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand daemon" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand daemon" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand daemon" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c askline -n "__fish_askline_using_subcommand daemon" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand doctor" -l json -d 'Print one JSON array of {grade, subject, text, remedy}'
complete -c askline -n "__fish_askline_using_subcommand doctor" -l online -d 'Also send one small request to each model on a server that the key may use'
complete -c askline -n "__fish_askline_using_subcommand doctor" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand doctor" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand stats" -l days -d 'Number of days to sum up, including today' -r
complete -c askline -n "__fish_askline_using_subcommand stats" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand stats" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand stats" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand stats" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand sessions; and not __fish_seen_subcommand_from list show export rm" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand sessions; and not __fish_seen_subcommand_from list show export rm" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand sessions; and not __fish_seen_subcommand_from list show export rm" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand sessions; and not __fish_seen_subcommand_from list show export rm" -f -a "list" -d 'List the sessions, the latest first'
complete -c askline -n "__fish_askline_using_subcommand sessions; and not __fish_seen_subcommand_from list show export rm" -f -a "show" -d 'Print the looks, requests and answers of a session'
complete -c askline -n "__fish_askline_using_subcommand sessions; and not __fish_seen_subcommand_from list show export rm" -f -a "export" -d 'Print all of a session as one JSON object'
complete -c askline -n "__fish_askline_using_subcommand sessions; and not __fish_seen_subcommand_from list show export rm" -f -a "rm" -d 'Remove a session'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from list" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from list" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from show" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from show" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from export" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from export" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from export" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from rm" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand sessions; and __fish_seen_subcommand_from rm" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand forget" -l yes -d 'Don\'t ask'
complete -c askline -n "__fish_askline_using_subcommand forget" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand forget" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c askline -n "__fish_askline_using_subcommand forget" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand mcp" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand mcp" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand mcp" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand completions" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand completions" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand completions" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand help" -l debug -d 'Print debug messages to stderr'
complete -c askline -n "__fish_askline_using_subcommand help" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand help" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand init" -f -a "nu zsh bash fish"
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from pull" -f -a "qwen2.5-coder-1.5b-instruct-q4_k_m qwen2.5-coder-0.5b-instruct-q4_k_m"
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from use" -f -a "qwen2.5-coder-1.5b-instruct-q4_k_m qwen2.5-coder-0.5b-instruct-q4_k_m"
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from path" -f -a "qwen2.5-coder-1.5b-instruct-q4_k_m qwen2.5-coder-0.5b-instruct-q4_k_m"
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from rm" -f -a "qwen2.5-coder-1.5b-instruct-q4_k_m qwen2.5-coder-0.5b-instruct-q4_k_m"
complete -c askline -n "__fish_askline_using_subcommand config" -f -a "show path"
complete -c askline -n "__fish_askline_using_subcommand daemon" -f -a "status stop"
complete -c askline -n "__fish_askline_using_subcommand forget" -f -a "stats sessions cache all"
complete -c askline -n "__fish_askline_using_subcommand completions" -f -a "nu zsh bash fish"
complete -c askline -n "__fish_askline_using_subcommand help" -f -a "config keys models privacy"
