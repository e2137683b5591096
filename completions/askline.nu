module completions {

  export extern askline [
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  def "nu-complete askline suggest shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Print a command for a request
  export extern "askline suggest" [
    --shell: string@"nu-complete askline suggest shell" # The shell to write for [default: the one you log in with]
    --json                    # Print one JSON object
    --lines: path             # Answer each line of FILE (- for stdin) on a line, empty where there is none; with --json one object per line
    --timing                  # Print the time of each stage to stderr
    --no-refine               # Ask the model once: what the checks find is mended or told, never asked about again
    --show-request            # Print the exact text a model would get, and ask none
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    ...words: string          # What you want, in your words; without them it is read from stdin
  ]

  def "nu-complete askline check shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Look a line up on this machine, without a model; exit 1 when something is wrong
  export extern "askline check" [
    --shell: string@"nu-complete askline check shell" # The shell that will read the line [default: the one this runs in]
    --json                    # Print one JSON object
    --lines: path             # Check each line of FILE (- for stdin); with --json one object per line
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    ...words: string          # The line, best quoted as one word
  ]

  def "nu-complete askline explain shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Say what each word of a line does, from this machine's manuals
  export extern "askline explain" [
    --shell: string@"nu-complete askline explain shell" # The shell that will read the line [default: the one this runs in]
    --json                    # Print one JSON object
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    ...words: string          # The line, best quoted as one word
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
    --force                   # Take the key even when something else is bound to it
    --menu-key: string        # The key that lists the suggestions, in Nushell alone; none binds no key [default: alt-g]
    --inline: string@"nu-complete askline init inline" # Complete words behind a # inline: fish with tab, zsh and Nushell (0.115 and newer) behind the cursor; in bash there is no such thing [default: on, in Nushell off]
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    shell: string@"nu-complete askline init shell" # The shell
  ]

  # List, fetch and choose the models that run on this machine
  export extern "askline model" [
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  # List the models: size, licence, memory, which is installed and in use
  export extern "askline model list" [
    --check                   # Read every byte of the installed ones; exit 1 when one is damaged
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  def "nu-complete askline model pull name" [] {
    [ "qwen2.5-coder-1.5b-instruct-q4_k_m" "qwen2.5-coder-0.5b-instruct-q4_k_m" ]
  }

  # Fetch a model, check it and make it ready
  export extern "askline model pull" [
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    name?: string@"nu-complete askline model pull name" # The model [default: the one in use]
  ]

  def "nu-complete askline model use name" [] {
    [ "qwen2.5-coder-1.5b-instruct-q4_k_m" "qwen2.5-coder-0.5b-instruct-q4_k_m" ]
  }

  # Use a model from now on
  export extern "askline model use" [
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    name: string@"nu-complete askline model use name" # The model
  ]

  def "nu-complete askline model path name" [] {
    [ "qwen2.5-coder-1.5b-instruct-q4_k_m" "qwen2.5-coder-0.5b-instruct-q4_k_m" ]
  }

  # Print the path of a model's file
  export extern "askline model path" [
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    name?: string@"nu-complete askline model path name" # The model [default: the one in use]
  ]

  def "nu-complete askline model rm name" [] {
    [ "qwen2.5-coder-1.5b-instruct-q4_k_m" "qwen2.5-coder-0.5b-instruct-q4_k_m" ]
  }

  # Remove a model's file
  export extern "askline model rm" [
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    name: string@"nu-complete askline model rm name" # The model
  ]

  def "nu-complete askline config command" [] {
    [ "show" "path" ]
  }

  # Show the configuration
  export extern "askline config" [
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    command?: string@"nu-complete askline config command" # What to print
  ]

  def "nu-complete askline daemon command" [] {
    [ "status" "stop" "run" ]
  }

  # Show or end the process that keeps the model at hand
  export extern "askline daemon" [
    --json                    # Print one JSON object
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    command?: string@"nu-complete askline daemon command" # What to do
  ]

  # Check shells, keys, model, manuals, terminal and directories; exit 1 on a fault
  export extern "askline doctor" [
    --json                    # Print one JSON array of {grade, subject, text, remedy}
    --online                  # Also ask the models on servers that the key would ask, one small request each
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  # Show what was asked, what it took, and how much of today's limits is used
  export extern "askline stats" [
    --json                    # Print one JSON object
    --days: string            # How many days to sum up, today's among them
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
  ]

  def "nu-complete askline forget what" [] {
    [ "stats" "cache" "all" ]
  }

  # Delete what was remembered: figures and caches, never models or configuration
  export extern "askline forget" [
    --yes                     # Don't ask
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help (see more with '--help')
    --version(-V)             # Print version
    what?: string@"nu-complete askline forget what" # What to forget
  ]

  def "nu-complete askline completions shell" [] {
    [ "nu" "zsh" "bash" "fish" ]
  }

  # Print the completions of this program for a shell
  export extern "askline completions" [
    --debug                   # Print what happens to stderr
    --help(-h)                # Print help
    --version(-V)             # Print version
    shell: string@"nu-complete askline completions shell" # The shell
  ]

}

export use completions *
