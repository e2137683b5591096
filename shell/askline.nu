# askline in Nushell 0.107 and newer: a key turns the words on the prompt line into a command to edit, and runs nothing.
# Nushell can't evaluate text at start-up, so this is saved to a file that it loads by itself; `askline doctor` says
# when that file has grown old. Undo the rewriting with ctrl-z pressed twice: the editor counts it as two changes.

# -------------------------------------------------------------------------------------------------------------------
# The key
# -------------------------------------------------------------------------------------------------------------------

# Asks the helper, which owns the terminal meanwhile, and hands over {answer, message}: the line it wrote and what is to
# be said, both perhaps empty.
def __askline_help [draw: string, drop_keys: closure, options: list<string>] {
  # The line, then what the shell knows: names and values, with a NUL between them.
  let line = $in
  # Only where the last command is meant. What was typed in this terminal, and not for the history to forget: the history itself
  # may hold the commands of all terminals. What keys run stands there, too.
  let before = (if ($line | str trim | is-empty) {
    try {
      view files | where filename =~ '^repl_entry' | last 100 | each { |it| view span $it.start $it.end }
      | where { |it| $it !~ '^( |__askline|\s*$)' } | last 10 | str trim | reverse | each { |it| [history $it] } | flatten
    } catch { [] }
  } else { [] })
  let told = ([$line NU_VERSION $env.NU_VERSION? ...$before]
    | append (scope aliases | first 999 | each { |it| [$"alias.($it.name)" $it.expansion] } | flatten)
    | append [functions ($line | __askline_defined)]
    | str join (char --integer 0))
  let status = ($env.LAST_EXIT_CODE? | default 0)
  let reply = (try {
    $told | ^$__askline.program line --shell nu --draw $draw --status $status ...$options | complete
  } catch {
    {stdout: "", exit_code: 127}
  })
  do $drop_keys
  # Line and message, with a character between them that neither holds. A helper that died has not written it.
  let parts = ($reply.stdout | split row --number 2 (char --integer 31))
  if ($parts | length) == 2 and $reply.exit_code in [0 3 130] {
    {answer: $parts.0, message: $parts.1}
  } else {
    {answer: "", message: (__askline_repair $reply.exit_code)}
  }
}

# The commands that you defined, of those that the line names and of Nushell's own that are often defined anew. A list of all
# commands would take as long as a person notices.
def __askline_defined [] {
  let words = ($in | split row --regex '[\s|;(){}\[\]]+' | first 64)
  let names = ($words ++ ($words | window 2 | each { str join " " }) ++ ($words | window 3 | each { str join " " }))
  try {
    which ...($names ++ [cat cd cp du find get grep ls mv open ps rm select sort] | uniq)
    | where type == custom | get command | str join (char newline)
  } catch { "" }
}

# This Nushell as a number: 114 for 0.114.1, 1000 for 1.0.0.
def __askline_version [] {
  $env.NU_VERSION? | default "0.0" | split row "." | first 2 | into int | $in.0 * 1000 + $in.1
}

# Keys that arrived together with ours are with Nushell already, where the helper can't drop them. Without this an Enter
# among them would run a command that nobody has read. A second press in the very same moment is dropped, too; any later
# one cancels. Gives the text of a closure: Nushell before 0.114 would refuse to read a script that holds it.
def __askline_drop_keys [] {
  if (__askline_version) >= 114 {
    "{|| for _ in 1..1000 {
      if (try { input listen --types [key paste] --timeout 1ms | is-empty } catch { true }) { return }
    } }"
  } else {
    "{|| __askline_drop_keys_before_resize }"
  }
}

# The same where Nushell can only be asked for keys until one comes: the signal of a resized window ends the wait.
def __askline_drop_keys_before_resize [] {
  for _ in 1..1000 {
    # Anew for each key: a signal that comes together with one is forgotten.
    let is_told = (try { ^kill -WINCH $nu.pid | complete | get exit_code | $in == 0 } catch { false })
    if not $is_told or (try { input listen --types [key paste resize] | get type | $in == "resize" } catch { true }) {
      return
    }
  }
}

# After a helper that died: the terminal usable again. Gives what is to be said.
def __askline_repair [code: int] {
  # Nushell takes the terminal back a moment after a program's end. Earlier, stty would be stopped for touching it; for
  # the same reason nothing may run just before the helper, and the modes can't be saved there.
  sleep 50ms
  try { ^stty sane }
  match $code {
    130 => ""
    126 | 127 => $"askline: ($__askline.program) can't be run; install it again or put it on the PATH"
    0 | 2 | 3 => $"askline: ($__askline.program) and this script are of different versions; run `askline init nu` and do what it says"
    _ => $"askline: ($__askline.program) ended unexpectedly \(($code)\); run `askline doctor`"
  }
}

def __askline_line [drop_keys: closure] {
  let line = (commandline)
  let reply = (
    # Nushell paints its line at the row where it began; scrolling the screen would leave a copy behind.
    $line | __askline_help below-unscrolled $drop_keys [--cursor $"(commandline get-cursor)" --keymap $env.config.edit_mode]
  )
  if ($reply.answer | is-not-empty) {
    commandline edit --replace $reply.answer
  }
  if ($reply.message | is-not-empty) {
    # Low enough not to be painted over: the line may have had ghost text below it, which was this answer.
    let below = (if ($__askline_inline | is-not-empty) and ($line | str starts-with "# ") {
      1 + ($"($line)($reply.message)" | str length) // (term size).columns + ($reply.answer | str length) // (term size).columns
    } else { 0 })
    print -e $"\n\e[J($reply.message)('' | fill --character "\n" --width $below)"
  }
}

# -------------------------------------------------------------------------------------------------------------------
# The menu: what the last press offered, how careful to be with each, and your own words
# -------------------------------------------------------------------------------------------------------------------

# Its entries, from what is known by now: none where the line has become another one. The cursor is at the end.
#
# The helper is started by a job. Otherwise Nushell would give it the terminal, take that back a moment too late, find
# itself unable to read keys, and end.
def __askline_offers [line: string, bytes: int] {
  if $bytes == 0 {
    return []
  }
  let options = [--shell nu --bytes $bytes --columns (term size).columns]
  let tag = (random int 1..1_000_000_000) # so that no late answer is taken for another one
  job spawn {
    let reply = (try { $line | ^$__askline.program offers ...$options | complete | get stdout } catch { "" })
    $reply | job send 0 --tag $tag
  } | ignore
  try { job recv --tag $tag --timeout 500ms | from json | default [] } catch { [] }
}

# -------------------------------------------------------------------------------------------------------------------
# The word: `ask WORDS` puts the command on the next prompt
# -------------------------------------------------------------------------------------------------------------------

def __askline_ask [words: list<string>, drop_keys: closure] {
  if ($words | is-empty) {
    print -e "usage: ask WORDS, such as: ask files larger than ten megabytes"
    return
  }
  let reply = ($words | str join " " | __askline_help here $drop_keys [])
  if ($reply.message | is-not-empty) {
    print -e $reply.message
  }
  if ($reply.answer | is-not-empty) {
    commandline edit --replace $reply.answer
  }
}

# -------------------------------------------------------------------------------------------------------------------
# Loading
# -------------------------------------------------------------------------------------------------------------------

# What you or a tool bound to a key, if anything. Redo, which is Nushell's own, gives way.
def __askline_conflict [key: record] {
  $env.config.keybindings
  | where { |it|
      (($it.modifier? | default "") =~ $"\(?i\)^($key.modifier)$"
        and ($it.keycode? | default "") =~ $"\(?i\)^($key.keycode)$"
        and ($it.name? | default "") not-in [askline_line askline_menu]
        and ($it.event? | default {} | to nuon) != "{edit: redo}")
    }
  | each { |it| $it.name? | default ($it.event? | to nuon) }
}

# The binding of a key as a list, empty where the key is taken, which is said, or none is wanted.
def __askline_bind [key: record, option: string, binding: record] {
  if $key.name == none {
    return []
  }
  let taken = (if $__askline.force { [] } else { __askline_conflict $key })
  if ($taken | is-not-empty) {
    print -e ($"askline: ($key.name) is already bound to ($taken | first); "
      + $"choose another key: askline init nu ($option) \(or --force)")
    return []
  }
  [{modifier: $key.modifier, keycode: $key.keycode, mode: [emacs vi_insert vi_normal], ...$binding}]
}

def __askline_keys [] {
  let line = (__askline_bind $__askline.key "--key alt-g" {
    name: askline_line, event: {send: executehostcommand, cmd: $"__askline_line (__askline_drop_keys)"}
  })
  # The menu is given the line up to the cursor, so that goes to the end first.
  let menu = (__askline_bind $__askline.menu "--menu-key alt-a" {
    name: askline_menu, event: [{edit: movetoend} {send: menu, name: askline_menu}]
  })
  # ctrl-g was the only key for Redo in emacs mode; alt-shift-z takes its place.
  let redo = {
    name: askline_redo, modifier: alt_shift, keycode: char_z, mode: emacs, event: {edit: redo}
  }
  $line | append $menu | append (if ($line | is-not-empty) and $__askline.key.name == "ctrl-g" { [$redo] } else { [] })
}

$env.config.keybindings = (
  $env.config.keybindings
  | where { |it| ($it.name? | default "") not-in [askline_line askline_menu askline_redo] }
  | append (__askline_keys)
)

$env.config.menus = (
  $env.config.menus
  | where { |it| $it.name != askline_menu }
  | append {
      name: askline_menu, marker: "? ", type: {layout: list, page_size: 10}
      style: {text: default, selected_text: {attr: r}, description_text: yellow}
      # The last two are for 0.114 and newer, whose cursor stays on the last character in vi's normal mode.
      only_buffer_difference: false, input_mode: full_buffer, output_mode: full_buffer
      source: {|line, position| __askline_offers $line $position }
    }
)

# A definition here would silently replace an `ask` of yours, so it is made at the first prompt, where there is none.
if $nu.is-interactive {
  let other = (which ask | get type?)
  if ($other | is-not-empty) {
    if "plugin" not-in $other { # which is ours
      print -e "askline: ask is already a command of yours and stays so"
    }
  } else {
    $env.config.hooks.pre_prompt = ($env.config.hooks.pre_prompt? | default [] | append {
      condition: {|| which ask | is-empty }
      code: $"def --wrapped ask [...words: string] { __askline_ask $words (__askline_drop_keys) }"
    })
  }
}

# What stands behind the cursor on words after a #, where you asked for that: read at the first prompt, and by a Nushell
# that can draw what comes while you type.
if ($__askline_inline | is-not-empty) and $nu.is-interactive {
  if (__askline_version) >= 115 {
    $env.config.hooks.pre_prompt = ($env.config.hooks.pre_prompt? | default [] | append {
      condition: {|| which __askline_inline_hint | is-empty }
      code: $__askline_inline
    })
  }
}
