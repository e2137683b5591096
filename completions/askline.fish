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

complete -c askline -n "__fish_askline_needs_command" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_needs_command" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_needs_command" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_needs_command" -f -a "suggest" -d 'Print a command for a request'
complete -c askline -n "__fish_askline_needs_command" -f -a "check" -d 'Look a line up on this machine, without a model; exit 1 when something is wrong'
complete -c askline -n "__fish_askline_needs_command" -f -a "explain" -d 'Say what each word of a line does, from this machine\'s manuals'
complete -c askline -n "__fish_askline_needs_command" -f -a "init" -d 'Print the script that binds the key in a shell'
complete -c askline -n "__fish_askline_needs_command" -f -a "model" -d 'List, fetch and choose the models that run on this machine'
complete -c askline -n "__fish_askline_needs_command" -f -a "config" -d 'Show the configuration'
complete -c askline -n "__fish_askline_needs_command" -f -a "daemon" -d 'Show or end the process that keeps the model at hand'
complete -c askline -n "__fish_askline_needs_command" -f -a "doctor" -d 'Check shells, keys, model, manuals, terminal and directories; exit 1 on a fault'
complete -c askline -n "__fish_askline_needs_command" -f -a "stats" -d 'Show what was asked, what it took, and how much of today\'s limits is used'
complete -c askline -n "__fish_askline_needs_command" -f -a "forget" -d 'Delete what was remembered: figures and caches, never models or configuration'
complete -c askline -n "__fish_askline_needs_command" -f -a "completions" -d 'Print the completions of this program for a shell'
complete -c askline -n "__fish_askline_using_subcommand suggest" -l shell -d 'The shell to write for [default: the one you log in with]' -r -f -a "nu\t''
zsh\t''
bash\t''
fish\t''"
complete -c askline -n "__fish_askline_using_subcommand suggest" -l lines -d 'Answer each line of FILE (- for stdin) on a line, empty where there is none; with --json one object per line' -r -F
complete -c askline -n "__fish_askline_using_subcommand suggest" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand suggest" -l timing -d 'Print the time of each stage to stderr'
complete -c askline -n "__fish_askline_using_subcommand suggest" -l no-refine -d 'Ask the model once: what the checks find is mended or told, never asked about again'
complete -c askline -n "__fish_askline_using_subcommand suggest" -l show-request -d 'Print the exact text a model would get, and ask none'
complete -c askline -n "__fish_askline_using_subcommand suggest" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand suggest" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand suggest" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand check" -l shell -d 'The shell that will read the line [default: the one this runs in]' -r -f -a "nu\t''
zsh\t''
bash\t''
fish\t''"
complete -c askline -n "__fish_askline_using_subcommand check" -l lines -d 'Check each line of FILE (- for stdin); with --json one object per line' -r -F
complete -c askline -n "__fish_askline_using_subcommand check" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand check" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand check" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand check" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand explain" -l shell -d 'The shell that will read the line [default: the one this runs in]' -r -f -a "nu\t''
zsh\t''
bash\t''
fish\t''"
complete -c askline -n "__fish_askline_using_subcommand explain" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand explain" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand explain" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand explain" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand init" -l key -d 'The key that rewrites the line, such as ctrl-g, alt-a or f5; none binds no key' -r
complete -c askline -n "__fish_askline_using_subcommand init" -l menu-key -d 'The key that lists the suggestions, in Nushell alone; none binds no key [default: alt-g]' -r
complete -c askline -n "__fish_askline_using_subcommand init" -l inline -d 'Complete words behind a # inline: fish with tab, zsh and Nushell (0.115 and newer) behind the cursor; in bash there is no such thing [default: on, in Nushell off]' -r -f -a "on\t'Yes'
off\t'No'"
complete -c askline -n "__fish_askline_using_subcommand init" -l force -d 'Take the key even when something else is bound to it'
complete -c askline -n "__fish_askline_using_subcommand init" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand init" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c askline -n "__fish_askline_using_subcommand init" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -f -a "list" -d 'List the models: size, licence, memory, which is installed and in use'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -f -a "pull" -d 'Fetch a model, check it and make it ready'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -f -a "use" -d 'Use a model from now on'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -f -a "path" -d 'Print the path of a model\'s file'
complete -c askline -n "__fish_askline_using_subcommand model; and not __fish_seen_subcommand_from list pull use path rm" -f -a "rm" -d 'Remove a model\'s file'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from list" -l check -d 'Read every byte of the installed ones; exit 1 when one is damaged'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from list" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from list" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from list" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from pull" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from pull" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from pull" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from use" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from use" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from use" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from path" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from path" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from rm" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from rm" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from rm" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand config" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand config" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c askline -n "__fish_askline_using_subcommand config" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand daemon" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand daemon" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand daemon" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c askline -n "__fish_askline_using_subcommand daemon" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand doctor" -l json -d 'Print one JSON array of {grade, subject, text, remedy}'
complete -c askline -n "__fish_askline_using_subcommand doctor" -l online -d 'Also ask the models on servers that the key would ask, one small request each'
complete -c askline -n "__fish_askline_using_subcommand doctor" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand doctor" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand doctor" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand stats" -l days -d 'How many days to sum up, today\'s among them' -r
complete -c askline -n "__fish_askline_using_subcommand stats" -l json -d 'Print one JSON object'
complete -c askline -n "__fish_askline_using_subcommand stats" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand stats" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand stats" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand forget" -l yes -d 'Don\'t ask'
complete -c askline -n "__fish_askline_using_subcommand forget" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand forget" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c askline -n "__fish_askline_using_subcommand forget" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand completions" -l debug -d 'Print what happens to stderr'
complete -c askline -n "__fish_askline_using_subcommand completions" -s h -l help -d 'Print help'
complete -c askline -n "__fish_askline_using_subcommand completions" -s V -l version -d 'Print version'
complete -c askline -n "__fish_askline_using_subcommand init" -f -a "nu zsh bash fish"
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from pull" -f -a "qwen2.5-coder-1.5b-instruct-q4_k_m qwen2.5-coder-0.5b-instruct-q4_k_m"
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from use" -f -a "qwen2.5-coder-1.5b-instruct-q4_k_m qwen2.5-coder-0.5b-instruct-q4_k_m"
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from path" -f -a "qwen2.5-coder-1.5b-instruct-q4_k_m qwen2.5-coder-0.5b-instruct-q4_k_m"
complete -c askline -n "__fish_askline_using_subcommand model; and __fish_seen_subcommand_from rm" -f -a "qwen2.5-coder-1.5b-instruct-q4_k_m qwen2.5-coder-0.5b-instruct-q4_k_m"
complete -c askline -n "__fish_askline_using_subcommand config" -f -a "show path"
complete -c askline -n "__fish_askline_using_subcommand daemon" -f -a "status stop"
complete -c askline -n "__fish_askline_using_subcommand forget" -f -a "stats cache all"
complete -c askline -n "__fish_askline_using_subcommand completions" -f -a "nu zsh bash fish"
