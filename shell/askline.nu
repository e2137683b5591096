# askline in Nushell 0.107 and newer: a key turns the words on the prompt line into a command to edit, and runs nothing.
# Nushell can't evaluate text at start-up, so this is saved to a file that it loads by itself; `askline doctor` says
# when that file has grown old. Undo the rewriting with ctrl-z pressed twice: the editor counts it as two changes.
# The message stays above the line then: Nushell runs nothing of ours on undo. A command bound to the key would run your
# hooks and draw a second prompt each time, and it could only guess how many rows of the screen to remove.

# -------------------------------------------------------------------------------------------------------------------
# The key
# -------------------------------------------------------------------------------------------------------------------

# Lines that are nobody's last command: hidden ones, those of our keys, empty ones.
const __askline_hidden = '^( |__askline|\s*$)'

# Asks the helper, which owns the terminal meanwhile. Returns {answer, message, place}: the new line, the message, and
# where the cursor goes, each possibly empty.
def __askline_help [draw: string, drop_keys: closure, options: list<string>] {
  # The line, then shell facts: names and values, with a NUL between them.
  let line = $in
  # Needed only if the last command is meant. Takes what was typed in this terminal and not hidden from the history; the
  # history itself may contain commands of all terminals. Commands run by keys are in there too, and lines that Nushell
  # could not parse are not: the last line is kept by a hook.
  let before = (if ($line | str trim | is-empty) {
    let entered = (try {
      view files | where filename =~ '^repl_entry' | last 100 | each { |it| view span $it.start $it.end }
      | where { |it| $it !~ $__askline_hidden } | last 10 | str trim | reverse
    } catch { [] })
    # A line that Nushell parsed is among those typed; if others came after it, a newer list of hooks lacks ours.
    let is_hooked = ($env.config.hooks.pre_execution? | default [] | is-not-empty)
    let last = (if $is_hooked { $env.__askline_last?.line? | default "" | str trim } else { "" })
    let all = (if $last == "" or $last in $entered { $entered } else { [$last ...$entered] })
    $all | each { |it| [history $it] } | flatten
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
  # Line and message, with a separator that neither contains. A helper that died has not written it.
  let parts = ($reply.stdout | split row (char --integer 31))
  if ($parts | length) in [2 3] and $reply.exit_code in [0 3 130] {
    {answer: $parts.0, message: $parts.1, place: ($parts.2? | default "")}
  } else {
    {answer: "", message: (__askline_repair $reply.exit_code), place: ""}
  }
}

# Returns your own commands among the names on the line and among those of Nushell that are often redefined. A list of
# all commands would take noticeably long.
def __askline_defined [] {
  let words = ($in | split row --regex '[\s|;(){}\[\]]+' | first 64)
  let names = ($words ++ ($words | window 2 | each { str join " " }) ++ ($words | window 3 | each { str join " " }))
  try {
    which ...($names ++ [cat cd cp du find get grep ls mv open ps rm select sort] | uniq)
    | where type == custom | get command | str join (char newline)
  } catch { "" }
}

# Returns the version of this Nushell as a number: 114 for 0.114.1, 1000 for 1.0.0.
def __askline_version [] {
  $env.NU_VERSION? | default "0.0" | split row "." | first 2 | into int | $in.0 * 1000 + $in.1
}

# Drops keys that arrived together with ours: Nushell has already read them, so the helper cannot drop them. Otherwise
# an Enter among them would run a command that you have not read. A second press at the same moment is dropped too; any
# later one cancels. Returns the text of a closure: Nushell before 0.114 refuses to parse a script that contains it.
def __askline_drop_keys [] {
  if (__askline_version) >= 114 {
    "{|| for _ in 1..1000 {
      if (try { input listen --types [key paste] --timeout 1ms | is-empty } catch { true }) { return }
    } }"
  } else {
    "{|| __askline_drop_keys_before_resize }"
  }
}

# Does the same where Nushell can only wait for a key without a time limit: a window resize signal ends the wait.
def __askline_drop_keys_before_resize [] {
  for _ in 1..1000 {
    # Sent again for each key: a signal that comes together with a key is lost.
    let is_told = (try { ^kill -WINCH $nu.pid | complete | get exit_code | $in == 0 } catch { false })
    if not $is_told or (try { input listen --types [key paste resize] | get type | $in == "resize" } catch { true }) {
      return
    }
  }
}

# Restores the terminal after a helper that died. Returns the message.
def __askline_repair [code: int] {
  # Nushell takes the terminal back a moment after a program ends. An earlier stty would be stopped for touching it. For
  # the same reason nothing may run just before the helper, and the modes cannot be saved there.
  sleep 50ms
  try { ^stty sane }
  match $code {
    130 => ""
    126 | 127 => $"askline: ($__askline.program) can't be run; install it again or put it on the PATH"
    0 | 2 | 3 => $"askline: ($__askline.program) and this script are of different versions; run `askline init nu` and follow its instructions"
    _ => $"askline: ($__askline.program) ended unexpectedly \(($code)\); run `askline doctor`"
  }
}

# --explain says what the line does, instead, and --preview what it would change.
def __askline_line [drop_keys: closure, --explain, --preview] {
  let line = (commandline)
  let size = (term size)
  let reply = (
    # Nushell draws its line at the row where it began; scrolling the screen would leave a copy behind.
    $line | __askline_help below-unscrolled $drop_keys [
      --place --cursor $"(commandline get-cursor)" --keymap $env.config.edit_mode ...(if $explain { [--explain] } else if $preview { [--preview] } else { [] })
    ]
  )
  if ($reply.answer | is-not-empty) {
    commandline edit --replace $reply.answer
    if ($reply.place | is-not-empty) {
      commandline set-cursor ($reply.place | into int) # the first thing to fill in
    }
  }
  if ($reply.message | is-not-empty) {
    # Low enough not to be overwritten: Nushell draws its line where the old one was, if the cursor is still on one of
    # its rows. The line may have had this answer as ghost text below it, and a resize may have moved all rows; then
    # the message goes to the bottom of the screen.
    let is_resized = $size != (term size)
    let rows_of = { |text| ($text | str length) // (term size).columns }
    let below = (if $is_resized {
      2 + (do $rows_of $line)
    } else if ($__askline_inline | is-not-empty) and ($line | str starts-with "# ") {
      1 + (do $rows_of $"($line)($reply.message)") + (do $rows_of $reply.answer)
    } else { 0 })
    let below = ([$below ([((term size).rows - 5) 0] | math max)] | math min) # and the message stays on the screen
    let start = (if $is_resized { "\e[999;1H" } else { "" })
    print -e $"($start)\n\e[J($reply.message)('' | fill --character "\n" --width $below)"
  }
}

# -------------------------------------------------------------------------------------------------------------------
# The menu: the suggestions of the last press with their risk, and your own words
# -------------------------------------------------------------------------------------------------------------------

# Returns the entries of the menu that are known by now; none if the line has changed. The cursor is at the end.
#
# A job starts the helper. Otherwise Nushell would give it the terminal, take that back a moment too late, fail to read
# keys, and end.
def __askline_offers [line: string, bytes: int] {
  if $bytes == 0 {
    return []
  }
  let options = [--shell nu --bytes $bytes --columns (term size).columns]
  let tag = (random int 1..1_000_000_000) # to ignore late answers to earlier requests
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
  # Looks around first.
  let is_look = ($words.0 == "--look" and ($words | length) > 1)
  let options = (if $is_look { [--look] } else { [] })
  let reply = ($words | skip ($options | length) | str join " " | __askline_help here $drop_keys $options)
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

# Returns what you or a tool bound to a key, if anything. Redo, which is the default of Nushell, gives way.
def __askline_conflict [key: record] {
  $env.config.keybindings
  | where { |it|
      (($it.modifier? | default "") =~ $"\(?i\)^($key.modifier)$"
        and ($it.keycode? | default "") =~ $"\(?i\)^($key.keycode)$"
        and ($it.name? | default "") not-in [askline_line askline_menu askline_explain askline_preview]
        and ($it.event? | default {} | to nuon) != "{edit: redo}")
    }
  | each { |it| $it.name? | default ($it.event? | to nuon) }
}

# Returns the binding of a key as a list; empty if the key is taken, which is reported, or if no key is wanted.
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
  let explain = (__askline_bind $__askline.explain "--explain-key f8" {
    name: askline_explain, event: {send: executehostcommand, cmd: $"__askline_line --explain (__askline_drop_keys)"}
  })
  let preview = (__askline_bind $__askline.preview "--preview-key f10" {
    name: askline_preview, event: {send: executehostcommand, cmd: $"__askline_line --preview (__askline_drop_keys)"}
  })
  # The menu gets the line up to the cursor, so the cursor moves to the end first.
  let menu = (__askline_bind $__askline.menu "--menu-key alt-a" {
    name: askline_menu, event: [{edit: movetoend} {send: menu, name: askline_menu}]
  })
  # ctrl-g was the only key for Redo in emacs mode; alt-shift-z takes its place.
  let redo = {
    name: askline_redo, modifier: alt_shift, keycode: char_z, mode: emacs, event: {edit: redo}
  }
  $line | append $menu | append $explain | append $preview | append (if ($line | is-not-empty) and $__askline.key.name == "ctrl-g" { [$redo] } else { [] })
}

$env.config.keybindings = (
  $env.config.keybindings
  | where { |it| ($it.name? | default "") not-in [askline_line askline_menu askline_explain askline_preview askline_redo] }
  | append (__askline_keys)
)

# Keeps the last line of this terminal. Nushell passes no record on to programs.
if $nu.is-interactive and $env.__askline_last?.pid? != $nu.pid {
  $env.__askline_last = {pid: $nu.pid, line: ""}
  $env.config.hooks.pre_execution = ($env.config.hooks.pre_execution? | default [] | append {||
    let line = (commandline)
    if $line !~ $__askline_hidden {
      $env.__askline_last = {pid: $nu.pid, line: $line}
    }
  })
}

$env.config.menus = (
  $env.config.menus
  | where { |it| $it.name != askline_menu }
  | append {
      name: askline_menu, marker: "? ", type: {layout: list, page_size: 10}
      style: {text: default, selected_text: {attr: r}, description_text: yellow}
      # The last two are for 0.114 and newer, whose cursor stays on the last character in the normal mode of vi.
      only_buffer_difference: false, input_mode: full_buffer, output_mode: full_buffer
      source: {|line, position| __askline_offers $line $position }
    }
)

# A definition here would silently replace your own `ask`, so it is made at the first prompt, if there is none.
if $nu.is-interactive {
  let other = (which ask | get type?)
  if ($other | is-not-empty) {
    if "plugin" not-in $other { # a plugin's `ask` is ours
      print -e "askline: ask is already a command of yours; it is not replaced"
    }
  } else {
    $env.config.hooks.pre_prompt = ($env.config.hooks.pre_prompt? | default [] | append {
      condition: {|| which ask | is-empty }
      code: $"def --wrapped ask [...words: string] { __askline_ask $words (__askline_drop_keys) }"
    })
  }
}

# Ghost text behind words after a #, if you enabled it: loaded at the first prompt, by a Nushell that can redraw while
# you type.
if ($__askline_inline | is-not-empty) and $nu.is-interactive {
  if (__askline_version) >= 115 {
    $env.config.hooks.pre_prompt = ($env.config.hooks.pre_prompt? | default [] | append {
      condition: {|| which __askline_inline_hint | is-empty }
      code: $__askline_inline
    })
  }
}
