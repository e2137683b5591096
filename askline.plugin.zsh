# askline for plugin managers of zsh (zinit, antidote, oh-my-zsh). The program itself must be installed and on the PATH.
if (( ${+commands[askline]} )); then
  eval "$(askline init zsh)"
  fpath+=("${${(%):-%x}:A:h}/completions")
fi
