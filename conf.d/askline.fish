# askline for fisher, which installs conf.d/ and completions/. The program itself must be installed and on the PATH.
if status is-interactive; and command --query askline
    askline init fish | source
end
