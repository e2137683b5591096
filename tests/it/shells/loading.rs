//! Loading the script: silent, harmless in any shell set-up, and without taking a key that is in use.

use std::fs;
use std::process::{Command, Stdio};

use askline_host::find_on_path;
use askline_host::local::LocalHost;
use askline_syntax::shell::Shell;

use super::sh::{Setup, Sh};

const LS: &str = r#"{"reply": "ls -la"}"#;

in_every_shell! {
    the_script_is_well_formed
    it_loads_silently_where_mistakes_are_fatal
    it_works_whatever_the_aliases
    it_works_whatever_the_options
    loading_twice_changes_nothing
    loading_needs_no_other_program
    nothing_is_exported
    without_a_prompt_nothing_happens
    another_key
    a_function_key
    no_key
    a_key_of_yours_is_not_taken
    a_prefix_of_yours_is_not_taken
    a_function_on_the_key_is_not_taken
    a_key_of_yours_is_taken_by_force
    a_program_off_the_path_is_called_by_its_path
    a_plugin_that_makes_its_own_key_maps_leaves_ours
}

/// The shell's own parser accepts the printed script, and so do the installed linters.
fn the_script_is_well_formed(setup: Setup) {
    for options in [&[][..], &["--key", "f1", "--force"], &["--key", "none"]] {
        let setup = Setup::of(setup.shell).unwrap().init(options);
        let file = setup.home().join("script");
        // zsh gets its script as an argument.
        let inner = if setup.shell == Shell::Zsh { include_str!("../../../shell/askline.zsh") } else { "" };
        fs::write(&file, format!("{}\n{inner}", setup.script())).unwrap();
        let check = |program: &str, arguments: &[&str]| {
            let output = Command::new(program).args(arguments).arg(&file).output().unwrap();
            let text = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success() && !text.contains(r#""Error""#), "{program}: {text}");
        };
        match setup.shell {
            Shell::Zsh => check("zsh", &["-fn"]),
            Shell::Bash => {
                check("bash", &["-n"]);
                match find_on_path(&LocalHost, "shellcheck") {
                    Some(_) => check("shellcheck", &["--shell", "bash"]),
                    None => assert!(std::env::var_os("CI").is_none(), "shellcheck is not installed"),
                }
            }
            Shell::Fish => check("fish", &["--no-execute"]),
            Shell::Nu => check("nu", &["--no-config-file", "--no-std-lib", "--ide-check", "100"]),
        }
    }
}

pub(super) fn it_loads_silently_where_mistakes_are_fatal(setup: Setup) {
    let sh = setup
        .before(|shell| match shell {
            Shell::Zsh => "set -eu; setopt pipe_fail no_clobber warn_create_global; IFS=0aeiou",
            Shell::Bash => "set -euo pipefail -o noclobber; shopt -s inherit_errexit; IFS=0aeiou",
            Shell::Fish | Shell::Nu => "",
        })
        .model(LS)
        .start();
    sh.expect_whole("READY>");
    rewrites(&sh);
    sh.undo();
    sh.expect("list files");
    sh.model(r#"{"fail": "the server is gone"}"#);
    sh.presses_until(|| sh.pty.screen().contains("the server is gone"));
    sh.pty.send("k");
    sh.expect_line("list filesk");
    sh.is_well();
}

/// Every word that starts a command in the script is a user's alias or function in this test, and fatal.
fn it_works_whatever_the_aliases(setup: Setup) {
    let sh = setup
        .before(|shell| match shell {
            Shell::Zsh => {
                "for w in builtin command emulate setopt local print zle stty exit return bindkey exec typeset alias \
                 whence printf cat grep sed true false read noglob; alias $w='exit 9;'"
            }
            Shell::Bash => {
                "for w in builtin command local printf stty exit return bind read alias type cat grep sed true false \
                 unset : '['; do alias \"$w\"='exit 9;'; done"
            }
            Shell::Fish => {
                "for w in stty cat grep sed commandline type; \
                 function $w --inherit-variable w; builtin echo BROKEN $w; end; end"
            }
            Shell::Nu => "alias stty = exit 9; alias cat = exit 9; alias askline = exit 9",
        })
        .model(LS)
        .start();
    sh.expect_whole("READY>");
    rewrites(&sh);
    sh.undo();
    sh.expect("list files");
}

fn it_works_whatever_the_options(setup: Setup) {
    let sh = setup
        .before(|shell| match shell {
            Shell::Zsh => {
                "setopt ksh_arrays sh_word_split extended_glob null_glob glob_subst ksh_glob rc_quotes \
                 all_export err_return no_unset no_multios csh_null_glob magic_equal_subst noclobber \
                 posix_builtins rc_expand_param no_bare_glob_qual no_short_loops typeset_silent; IFS=a-"
            }
            Shell::Bash => "set -o posix -o nounset; shopt -s nullglob failglob extglob nocasematch; IFS=a-",
            Shell::Fish => "set -g IFS a",
            Shell::Nu => "$env.config.use_ansi_coloring = false; $env.config.edit_mode = 'vi'",
        })
        .model(LS)
        .start();
    sh.expect_whole("READY>");
    rewrites(&sh);
}

fn loading_twice_changes_nothing(setup: Setup) {
    let sh = setup
        .after(|shell| match shell {
            Shell::Zsh | Shell::Bash => "eval \"$(<\"$HOME/script\")\"; eval \"$(<\"$HOME/script\")\"",
            Shell::Fish => "source $HOME/script; source $HOME/script",
            Shell::Nu => "source ../../../data/nushell/vendor/autoload/askline.nu",
        })
        .model(LS)
        .start();
    sh.expect_whole("READY>");
    rewrites(&sh);
    sh.undo();
    sh.expect("list files");
}

fn loading_needs_no_other_program(setup: Setup) {
    let sh = setup
        .before(|shell| match shell {
            Shell::Zsh => "saved=$PATH; PATH=; faults() { REPLY=${${=\"$(</proc/$$/stat)\"}[11]} }; faults; first=$REPLY",
            Shell::Bash => {
                "saved=$PATH; PATH=; faults() { read -ra stat </proc/$$/stat; REPLY=${stat[10]}; }; faults; first=$REPLY"
            }
            Shell::Fish => "set -g saved $PATH; set -g PATH",
            Shell::Nu => "$env.saved = $env.PATH; $env.PATH = []",
        })
        .after(|shell| match shell {
            Shell::Zsh | Shell::Bash => "PATH=$saved; faults; [ $REPLY = $first ] || echo started a process",
            Shell::Fish => "set -g PATH $saved",
            Shell::Nu => "$env.PATH = $env.saved",
        })
        .model(LS)
        .start();
    sh.expect_whole("READY>");
    rewrites(&sh);
}

pub(super) fn nothing_is_exported(setup: Setup) {
    let sh = setup.start();
    sh.runs("sh -c 'env >out; touch done'");
    let environment = fs::read_to_string(sh.home().join("out")).unwrap();
    assert!(environment.contains("HOME="), "{environment}");
    assert!(!environment.contains("__askline"), "{environment}");
}

/// In a script, in a pipe or in an old bash the file does nothing and prints nothing.
fn without_a_prompt_nothing_happens(setup: Setup) {
    let file = setup.home().join("script");
    fs::write(&file, setup.script()).unwrap();
    let load = format!("source '{}'; echo loaded", file.display());
    let mut command = Command::new(setup.shell.name());
    match setup.shell {
        Shell::Zsh => command.args(["-f", "-eu", "-c", &load]),
        Shell::Bash => command.args(["--norc", "-eu", "-c", &load]),
        Shell::Fish => command.args(["--no-config", "-c", &load]),
        Shell::Nu => command.args(["--no-config-file", "-c", &load.replace("; echo", "; print")]),
    };
    let output = command.env("HOME", setup.home()).stdin(Stdio::null()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(String::from_utf8_lossy(&output.stdout), "loaded\n");
}

fn another_key(setup: Setup) {
    let sh = setup.init(&["--key", "alt-a"]).model(LS).start();
    sh.types("list files");
    sh.pty.send("\x1ba");
    sh.expect("ls -la");
}

fn a_function_key(setup: Setup) {
    let sh = setup.init(&["--key", "f4"]).model(LS).start();
    sh.types("list files");
    sh.pty.send("\x1bOS");
    sh.expect("ls -la");
}

fn no_key(setup: Setup) {
    let sh = setup.init(&["--key", "none"]).model(LS).start();
    sh.expect_whole("READY>");
    sh.types("ask list files");
    sh.pty.send("\r");
    sh.expect("ls -la");
}

fn widget_of_yours(shell: Shell) -> &'static str {
    match shell {
        Shell::Zsh => "mine() { BUFFER=mine }; zle -N mine; bindkey '^G' mine",
        Shell::Bash => "mine() { READLINE_LINE=mine; }; bind -x '\"\\C-g\": mine'",
        Shell::Fish => "function mine; commandline -r mine; end; bind \\cg mine",
        Shell::Nu => {
            "$env.config.keybindings ++= [{name: mine, modifier: control, keycode: char_g, mode: emacs, \
             event: {edit: insertstring, value: mine}}]"
        }
    }
}

pub(super) fn a_key_of_yours_is_not_taken(setup: Setup) {
    let shell = setup.shell;
    let sh = setup.before(widget_of_yours).model(LS).start();
    let screen = sh.pty.wait_for("or --force");
    let said = screen.replace('\n', "");
    assert!(said.contains("askline: ctrl-g is already bound to mine; choose another key"), "{screen}");
    assert!(said.contains(&format!("askline init {shell} --key alt-g")), "{screen}");
    sh.press();
    sh.expect("mine");
}

/// fzf-git and similar tools: the key is the first of two.
fn a_prefix_of_yours_is_not_taken(setup: Setup) {
    if setup.shell == Shell::Nu {
        return; // has no such keys
    }
    let sh = setup
        .before(|shell| match shell {
            Shell::Zsh => "mine() { BUFFER=mine }; zle -N mine; bindkey '^G^F' mine",
            Shell::Bash => "bind '\"\\C-g\\C-f\": \"mine\"'",
            Shell::Fish => "function mine; commandline -r mine; end; bind \\cg\\cf mine",
            Shell::Nu => "",
        })
        .model(LS)
        .start();
    sh.pty.wait_for("ctrl-g is already bound to");
    sh.pty.send("\x07\x06");
    sh.expect("mine");
}

/// Readline's own functions have no text to search for. The test covers each keymap, because users bind a key in one
/// and forget the others.
fn a_function_on_the_key_is_not_taken(setup: Setup) {
    if setup.shell != Shell::Bash {
        return;
    }
    for (bound, named) in [
        ("bind '\"\\C-g\": kill-word'", "another function, perhaps in your inputrc"),
        ("bind -m vi-command '\"\\C-g\": kill-word'", "another function, perhaps in your inputrc"),
        ("set -o vi; bind -m vi-insert '\"\\C-g\": kill-word'", "kill-word"),
        ("set -o vi", ""),
    ] {
        let Some(setup) = Setup::of(Shell::Bash) else { return };
        fs::write(setup.home().join("bound"), bound).unwrap();
        let sh = setup.before(|_| "source bound").launch();
        if named.is_empty() {
            sh.expect_whole("READY>");
        } else {
            let screen = sh.pty.wait_for("or --force");
            assert!(screen.replace('\n', "").contains(&format!("already bound to {named};")), "{screen}");
        }
    }
}

fn a_key_of_yours_is_taken_by_force(setup: Setup) {
    let sh = setup.before(widget_of_yours).init(&["--force"]).model(LS).start();
    sh.expect_whole("READY>");
    rewrites(&sh);
}

fn a_program_off_the_path_is_called_by_its_path(setup: Setup) {
    let directory = setup.home().join("it's \"$HOME\" \\ (1) #é");
    let program = directory.join("askline");
    fs::create_dir(&directory).unwrap();
    // Written by another process: a process that a parallel test starts meanwhile would inherit our open file and keep
    // it busy.
    assert!(
        Command::new("cp")
            .args([env!("CARGO_BIN_EXE_askline").as_ref(), program.as_os_str()])
            .status()
            .unwrap()
            .success()
    );
    let output = Command::new(&program)
        .args(["init", setup.shell.name()])
        .env("PATH", "")
        .env("HOME", setup.home())
        .output()
        .unwrap();
    let script = String::from_utf8(output.stdout).unwrap();
    fs::remove_file(setup.home().join("bin/askline")).unwrap();
    let sh = setup.model(LS).launch_with(&script);
    sh.expect("");
    rewrites(&sh);
}

/// zsh-vi-mode makes its own keymaps at the first prompt, and then calls registered functions; it may be loaded before
/// or after us.
fn a_plugin_that_makes_its_own_key_maps_leaves_ours(setup: Setup) {
    if setup.shell != Shell::Zsh {
        return;
    }
    let sh = setup
        .after(|_| {
            "remake() { precmd_functions=(${precmd_functions:#remake}); bindkey -d; bindkey -v; \
             for f in $zvm_after_init_commands; do eval $f; done }; precmd_functions+=(remake)"
        })
        .model(LS)
        .start();
    rewrites(&sh);
}

#[track_caller]
fn rewrites(sh: &Sh) {
    sh.asks("list files");
    sh.expect("ls -la");
}
