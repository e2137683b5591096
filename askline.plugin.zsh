# askline for plugin managers of zsh (zinit, antidote, oh-my-zsh). The program itself must be installed and on the PATH.
if (( ${+commands[askline]} )); then
  eval "$(askline init zsh)"
  fpath+=("${${(%):-%x}:A:h}/completions")
  # Where completion is set up before plugins are read, as in oh-my-zsh, it doesn't look into new directories.
  if (( ${+functions[compdef]} )); then
    autoload -Uz _askline
    compdef _askline askline
  fi
fi
