module completions {

  export extern askline [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  def "nu-complete askline suggest shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Print a command for a request
  export extern "askline suggest" [
    --shell: string@"nu-complete askline suggest shell" # The shell of the command [default: your login shell]
    --json                    # Print one JSON object
    --lines: path             # Answer each line of FILE (- for stdin) with one line, empty if there is no answer; with --json one object per line
    --timing                  # Print the time of each stage to stderr
    --no-refine               # Ask the model once: problems that the checks find are repaired or reported, without a second call
    --anyway                  # Ask the model even if no single command seems to do what you want
    --show-request            # Print the exact prompt for the model, without asking it
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    ...words: string          # What you want, in your words; read from stdin if there are none
  ]

  def "nu-complete askline investigate shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Look around with tools that only read, then print a command
  export extern "askline investigate" [
    --shell: string@"nu-complete askline investigate shell" # The shell of the command [default: your login shell]
    --json                    # Print one JSON object
    --agent: string           # Who looks: look, admin (takes more looks and sees the environment), or one of [agents] in the configuration
    --resume: string          # Go on from this session, with what it saw
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    ...words: string          # What you want, in your words; read from stdin if there are none
  ]

  def "nu-complete askline check shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Check a line on this machine, without a model; exit 1 if something is wrong
  export extern "askline check" [
    --shell: string@"nu-complete askline check shell" # The shell that will read the line [default: the shell that runs askline]
    --json                    # Print one JSON object
    --lines: path             # Check each line of FILE (- for stdin); with --json one object per line
    --diagnostics: path       # Check the script FILE (- for stdin) and print FILE:LINE:COLUMN: SEVERITY: MESSAGE for each finding
    --hook                    # Read the tool call of a coding agent (JSON) from stdin; exit 2, with the reason, if its line is Dangerous [shell: bash]
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    ...words: string          # The line, best quoted as one word
  ]

  def "nu-complete askline explain shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Explain each word of a line, from this machine's manuals
  export extern "askline explain" [
    --shell: string@"nu-complete askline explain shell" # The shell that will read the line [default: the shell that runs askline]
    --json                    # Print one JSON object
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    ...words: string          # The line, best quoted as one word
  ]

  def "nu-complete askline preview shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Tell what a line would change on the disk, without running it; exit 1 if that is not known
  export extern "askline preview" [
    --shell: string@"nu-complete askline preview shell" # The shell that will read the line [default: the shell that runs askline]
    --json                    # Print one JSON object
    --run                     # Run a line that only reads, in a sandbox that cannot write, and print its rows
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    ...words: string          # The line, best quoted as one word
  ]

  def "nu-complete askline setup shells" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Set everything up: shells, model, a first request; or take it out again
  export extern "askline setup" [
    --yes                     # Don't ask: agree to all of it, but fetch no second model
    --uninstall               # Take out what this command added to the start-up files
    --no-model                # Leave models alone, and try no request
    --shell: string@"nu-complete askline setup shells" # The shell, or several [default: your login shell, and those that have a start-up file of yours]
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  def "nu-complete askline init shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  def "nu-complete askline init inline" [] {
    [ "on" "off" ]
  }

  # Print the script that binds the key in a shell
  export extern "askline init" [
    --key: string             # The key that rewrites the line, such as ctrl-g, alt-a or f5; none binds no key
    --force                   # Bind the key even if something else is bound to it
    --menu-key: string        # The key that lists the suggestions with their risk; none binds no key [default: alt-g]
    --explain-key: string     # The key that says above the line what the line does; none binds no key [default: alt-e]
    --preview-key: string     # The key that says above the line what the line would change; none binds no key [default: alt-p]
    --inline: string@"nu-complete askline init inline" # Complete words behind a # inline: in fish with tab, in zsh and Nushell (0.115 and newer) behind the cursor; not available in bash [default: on, in Nushell off]
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    shell: string@"nu-complete askline init shell" # The shell
  ]

  # List, download and choose the models that run on this machine
  export extern "askline model" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  # List the models with size, licence, memory and state
  export extern "askline model list" [
    --check                   # Verify the checksums of the installed models; exit 1 if one is damaged
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  def "nu-complete askline model pull name" [] {
    [ "qwen2.5-coder-1.5b-instruct-q4_k_m" "qwen2.5-coder-0.5b-instruct-q4_k_m" ]
  }

  def "nu-complete askline model pull form" [] {
    [ "solved" "chat" ]
  }

  # Download a model, verify it and prepare it; also one from elsewhere
  export extern "askline model pull" [
    --form: string@"nu-complete askline model pull form" # Form of the prompts of a model from elsewhere [default: chat if its file has a chat template]
    --sha256: string          # SHA-256 that the file of a model from elsewhere must have
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    name?: string@"nu-complete askline model pull name" # The model [default: the one in use], or hf:OWNER/REPO/FILE, an address or a file of your own
  ]

  def "nu-complete askline model use name" [] {
    [ "qwen2.5-coder-1.5b-instruct-q4_k_m" "qwen2.5-coder-0.5b-instruct-q4_k_m" ]
  }

  # Choose the model to use
  export extern "askline model use" [
    --second                  # Ask it as well where the one in use is unsure
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    name: string@"nu-complete askline model use name" # The model; with --second also `none`
  ]

  def "nu-complete askline model path name" [] {
    [ "qwen2.5-coder-1.5b-instruct-q4_k_m" "qwen2.5-coder-0.5b-instruct-q4_k_m" ]
  }

  # Print the path of a model's file
  export extern "askline model path" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    name?: string@"nu-complete askline model path name" # The model [default: the one in use]
  ]

  def "nu-complete askline model rm name" [] {
    [ "qwen2.5-coder-1.5b-instruct-q4_k_m" "qwen2.5-coder-0.5b-instruct-q4_k_m" ]
  }

  # Remove a model's file
  export extern "askline model rm" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    name: string@"nu-complete askline model rm name" # The model
  ]

  def "nu-complete askline bench shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Measure in about a minute what the installed models take here
  export extern "askline bench" [
    --shell: string@"nu-complete askline bench shell" # Shell that the commands are for [default: the login shell]
    --json                    # Print one JSON object per model
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  def "nu-complete askline config command" [] {
    [ "show" "path" ]
  }

  # Show the configuration
  export extern "askline config" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    command?: string@"nu-complete askline config command" # What to print
  ]

  def "nu-complete askline daemon command" [] {
    [ "status" "stop" "run" ]
  }

  # Show or stop the process that keeps the model loaded
  export extern "askline daemon" [
    --json                    # Print one JSON object
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    command?: string@"nu-complete askline daemon command" # What to do
  ]

  # Check shells, keys, model, manuals, terminal and directories; exit 1 on a fault
  export extern "askline doctor" [
    --json                    # Print one JSON array of {grade, subject, text, remedy}
    --online                  # Also send one small request to each model on a server that the key may use
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  # Show usage statistics: requests, times, tokens and today's use of the limits
  export extern "askline stats" [
    --json                    # Print one JSON object
    --days: string            # Number of days to sum up, including today
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  # List, show and remove what investigations kept
  export extern "askline sessions" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  # List the sessions, the latest first
  export extern "askline sessions list" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  # Print the looks, requests and answers of a session
  export extern "askline sessions show" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    id: string                # The session
  ]

  # Print all of a session as one JSON object
  export extern "askline sessions export" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    id: string                # The session
  ]

  # Remove a session
  export extern "askline sessions rm" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    id: string                # The session
  ]

  def "nu-complete askline forget what" [] {
    [ "stats" "sessions" "cache" "all" ]
  }

  # Delete statistics, sessions and caches, never models or configuration
  export extern "askline forget" [
    --yes                     # Don't ask
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    what?: string@"nu-complete askline forget what" # What to forget
  ]

  # Serve check, explain, suggest and risk as tools on stdin and stdout (MCP), for agents
  export extern "askline mcp" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  def "nu-complete askline completions shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Print the completions of this program for a shell
  export extern "askline completions" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    shell: string@"nu-complete askline completions shell" # The shell
  ]

  def "nu-complete askline help words" [] {
    [ "config" "keys" "models" "privacy" ]
  }

  # Print this message, the help of a subcommand, or a text on config, keys, models or privacy
  export extern "askline help" [
    --debug                   # Print debug messages to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    ...words: string@"nu-complete askline help words" # A topic, or a subcommand
  ]

}

export use completions *
