# askline, ghost text in Nushell 0.115 and newer: below words after a # stands the command that the key would make of them;
# the right arrow takes it, and so does the key. The main script has this read at the first prompt.
#
# Nushell asks for ghost text on every redraw, and typing waits for it. A background job can cause a redraw. So each
# state of the words gets a job: it waits for a pause in the typing, asks, and stores the answer as its description. No
# job remains while the line has other text: `exit` would warn about it.

def __askline_inline_jobs [] {
  job list | where { |it| $it.description? | default "" | str starts-with $"askline(char us)" }
}

def __askline_inline_end [] {
  for it in (__askline_inline_jobs) {
    try { job kill $it.id }
  }
}

def __askline_inline_ask [words: string] {
  job spawn --description $"askline(char us)($words)" {
    sleep 250ms
    # Words, command and note, with a separator that none of them contains; empty if there is no answer.
    let reply = (try {
      $words | ^$__askline.program inline --shell nu --once --keep | complete | get stdout | str trim --right --char "\n"
    } catch {
      ""
    })
    if ($reply | is-not-empty) {
      job describe (job id) $"askline(char us)($reply)"
      # The indicator of an unused mode: nothing changes, but the line is redrawn.
      if $env.config.edit_mode == vi { commandline set-prompt --indicator "" } else { commandline set-prompt --vi-normal "" }
    }
    # Ended when the line changes.
    sleep 1hr
  } | ignore
}

# For words after a #: the note, which becomes part of the comment when taken, and the command on its own row.
def __askline_inline_hint [words: string] {
  let known = (__askline_inline_jobs | get description | each { split row (char us) } | where { |it| $it.1? == $words })
  if ($known | is-empty) {
    __askline_inline_end
    __askline_inline_ask $words
    return null
  }
  let answer = ($known | first)
  if ($answer | length) == 4 {
    let note = (if ($answer.3 | is-empty) { "" } else { $"  ($answer.3)" })
    $"($note)\n($answer.2)"
  }
}

# For other lines: the last command with the same beginning, as Nushell itself shows without a custom hinter. Reads only
# the end of the history, which takes a millisecond for any length.
def __askline_inline_past [line: string] {
  if ($line | str trim | is-empty) {
    return null
  }
  let entry = (if $env.config.history.file_format == sqlite {
    open $nu.history-path | query db --params [$line $line $env.PWD] (
      "select command_line from (select * from history order by id desc limit 5000)"
      + " where substr(command_line, 1, length(?)) = ? order by cwd = ? desc, id desc limit 1"
    ) | get 0?.command_line?
  } else {
    let from = ([((ls $nu.history-path | get 0.size | into int) - 200_000) 0] | math max)
    let text = (open --raw $nu.history-path | bytes at $from.. | decode utf-8)
    # The file has a marker between the rows of an entry.
    let sought = ($line | str replace --all "\n" "<\\n>")
    let at = ($"\n($text)" | str index-of --end $"\n($sought)")
    if 0 <= $at {
      $text | str substring $at.. | lines | first | str replace --all "<\\n>" "\n"
    }
  })
  $entry | default $line | str substring ($line | str length --utf-8-bytes)..
}

let __askline_hinter = ($env.config.hinter.closure?)
$env.config.hinter = {closure: { |it|
  if ($it.line starts-with "# ") and ($it.line !~ '^#\s*$') and ($it.line !~ "\n") {
    __askline_inline_hint $it.line
  } else {
    __askline_inline_end
    if $__askline_hinter == null { try { __askline_inline_past $it.line } } else { do $__askline_hinter $it }
  }
}}

# A job can redraw the line only if a job existed when the prompt was made. So one starts with the last text that
# Nushell requests before that, after anything that could count jobs, and ends when the line is first drawn.
let __askline_indicator = ($env.TRANSIENT_PROMPT_MULTILINE_INDICATOR?)
$env.TRANSIENT_PROMPT_MULTILINE_INDICATOR = {||
  if $env.config.show_hints and (config use-colors) {
    job spawn --description $"askline(char us)" { sleep 10sec } | ignore
  }
  let indicator = ($__askline_indicator | default $env.PROMPT_MULTILINE_INDICATOR? | default "::: ")
  if ($indicator | describe) == closure { do $indicator } else { $indicator }
}

# Runs before your prompt can count the job, and covers an `exit` that comes before the line is drawn.
for hook in [pre_prompt pre_execution] {
  let before = ($env.config.hooks | get --optional $hook | default [])
  $env.config.hooks = ($env.config.hooks | upsert $hook ($before | append {|| __askline_inline_end }))
}
