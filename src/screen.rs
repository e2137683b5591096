//! Screen output of the last command, read from a multiplexer or terminal that can return its text.
//!
//! askline asks only if environment variables show that the shell runs inside such a program, only with fixed
//! arguments, and only if the program is in a directory that no other user can write to. The text was printed by
//! arbitrary programs, so it is untrusted.

use std::path::{Path, PathBuf};

use crate::environment::{Environment, Machine};
use askline_host::store;
use askline_host::{Probe, Screen};
use askline_model::request_control::{CANCEL_HINT, CONTENT_HINT};

/// Maximum number of bytes of a screen that are read, counted from its end.
const SCREEN_LIMIT: usize = 64 << 10;
/// Name prefix of the file in the cache directory, for programs that print their screen only to a file. The process
/// id follows, because other terminals may ask at the same time.
const SCREEN_FILE: &str = "screen-";

/// Returns the lines after the last place where `command` was typed, without the prompt below them. `None` if no
/// program can be asked or the command is no longer on the screen.
pub fn after(command: &str, machine: &Machine, environment: &Environment) -> Option<String> {
    // Readline clears the last row of its prompt before it calls a bound command.
    below(&text(machine, environment)?, command, environment.shell.dialect().keeps_prompt_row)
}

/// Returns the current text of the screen; `None` if no program can be asked.
pub fn text(machine: &Machine, environment: &Environment) -> Option<String> {
    let host = machine.host.as_ref();
    let is_set = |name: &str| host.env(name).is_some_and(|value| !value.is_empty());
    // Multiplexers come first: they run inside a terminal and pass on its variables.
    let screens = if is_set("TMUX") {
        vec![Screen::Tmux]
    } else if is_set("ZELLIJ") {
        let pane = host.env("ZELLIJ_PANE_ID").and_then(|pane| pane.to_str()?.parse().ok());
        let now = pane.map(|pane| Screen::Zellij { pane });
        let older = machine.cache.as_ref().map(|cache| Screen::OlderZellij { into: screen_file(cache) });
        now.into_iter().chain(older).collect()
    } else if is_set("KITTY_LISTEN_ON") {
        // Without a socket kitty would answer through the terminal, which askline uses itself.
        vec![Screen::Kitty]
    } else if is_set("WEZTERM_PANE") {
        vec![Screen::Wezterm]
    } else {
        Vec::new()
    };
    screens.into_iter().find_map(|screen| read(screen, machine, environment))
}

/// Asks a program for its screen; `None` if it gives none.
fn read(screen: Screen, machine: &Machine, environment: &Environment) -> Option<String> {
    let host = machine.host.as_ref();
    let program = environment.commands.find_trusted(screen.program())?;
    let into = match &screen {
        Screen::OlderZellij { into } => Some(into.clone()),
        _ => None,
    };
    // Any earlier content of the file is not an answer.
    into.iter().for_each(|file| discard(file));
    let output = host.probe(&program, &Probe::Screen(screen)).inspect_err(|error| {
        tracing::debug!("can't read the screen: {error:#}");
    });
    let printed = into.map(|file| {
        let read = host.read(&file, SCREEN_LIMIT as u64);
        discard(&file);
        read
    });
    let output = output.ok().filter(|output| output.success)?;
    let bytes = printed.map_or(Some(output.stdout), Result::ok)?;
    let end = bytes.get(bytes.len().saturating_sub(SCREEN_LIMIT)..).unwrap_or_default();
    Some(String::from_utf8_lossy(end).into_owned())
}

fn screen_file(cache: &Path) -> PathBuf {
    cache.join(format!("{SCREEN_FILE}{}", std::process::id()))
}

fn discard(file: &Path) {
    if let Err(error) = store::remove(file) {
        tracing::debug!("can't remove the file of a screen: {error:#}");
    }
}

/// Returns the part of a screen after the command, without askline's own row and without the prompt at which the key
/// was pressed, if it is visible.
fn below(screen: &str, command: &str, has_prompt: bool) -> Option<String> {
    let typed = command.trim().lines().last()?.trim();
    let mut rows: Vec<&str> = screen.lines().map(str::trim_end).collect();
    let trim = |rows: &mut Vec<&str>| {
        while rows.pop_if(|row| row.is_empty()).is_some() {}
    };
    trim(&mut rows);
    let had_row = rows.pop_if(|row| row.contains(CANCEL_HINT) || row.contains(CONTENT_HINT)).is_some();
    trim(&mut rows);
    let last = *rows.last()?;
    // First choice: a row with the same prompt before the command. Otherwise, for a prompt with a clock or one hidden
    // by our row, a row that ends with the command. "not found: x" is not a prompt.
    let is_same = |row: &&str| row.split_once(typed).is_some_and(|(before, _)| before.trim_end() == last);
    let ends = |row: &&str| row.strip_suffix(typed).is_some_and(|before| !before.trim_end().ends_with(':'));
    let place = rows.iter().rposition(is_same);
    if place.is_some() || has_prompt && !had_row {
        rows.pop();
    }
    let place = place.or_else(|| rows.iter().rposition(ends))?;
    let printed = rows.get(place + 1..)?.join("\n");
    (!printed.trim().is_empty()).then_some(printed)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::environment;
    use crate::shell_facts::ShellFacts;
    use askline_host::recorded::RecordedHost;
    use askline_syntax::shell::Shell;

    #[test]
    fn what_a_command_printed_stands_below_it() {
        for (screen, command, expected) in [
            ("$ ls x\nold\n$ ls x\nls: no x\n\n$\n\n\n", "ls x", Some("ls: no x\n")),
            ("ada $ gti\nbash: gti: command not found\nada $", "gti", Some("bash: gti: command not found")),
            ("ada % gti\nzsh: command not found: gti\nada %", "gti", Some("zsh: command not found: gti")),
            ("12:00 > make x\nno rule\n12:01 >", "make x", Some("no rule")),
            ("12:00 > gti\nzsh: command not found: gti\n12:01 >", "gti", Some("zsh: command not found: gti")),
            ("$ for x in 1\n> do y\n> done\nno y\n$", "for x in 1\ndo y\ndone", Some("no y")),
            ("$ ls x            right\nls: no x\n$", "ls x", Some("ls: no x")),
            ("$ true\n$", "true", None),
            ("$ ls x\nls: no x\n$\n⠋ thinking 0 s — Esc keeps your line", "ls x", Some("ls: no x")),
            ("$ ls x\nls: no x\n⠋ thinking 0 s — Esc keeps your line\n\n", "ls x", Some("ls: no x")),
            (
                "$ gti\nbash: gti: command not found\n- x - Esc keeps your line",
                "gti",
                Some("bash: gti: command not found"),
            ),
            ("$ clear", "make", None),
            ("", "make", None),
            ("$ make\n$", "", None),
        ] {
            assert_eq!(below(screen, command, true).as_deref(), expected, "{screen:?}");
        }
        for (screen, expected) in [
            ("$ ls x\nls: no x\nat all\n\n\n", "ls: no x\nat all"),
            ("$ ls x\nls: no x\n⠋ thinking 0 s — Esc keeps your line", "ls: no x"),
        ] {
            assert_eq!(below(screen, "ls x", false).as_deref(), Some(expected), "{screen:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
        #[test]
        fn no_screen_is_too_odd(screen in "(.|\\n|[$a ]){0,200}", command in "(.|\\n|[$a ]){0,9}") {
            if let Some(printed) = below(&screen, &command, true) {
                prop_assert!(printed.len() <= screen.len());
            }
        }
    }

    /// Stands for a Zellij that prints the screen of a pane, and knows no file.
    const PANES: &str = "panes";

    fn asked(env: &str, mode: u32, cache: Option<&Path>) -> Option<String> {
        asked_of(env, mode, cache, "")
    }

    fn asked_of(env: &str, mode: u32, cache: Option<&Path>, zellij: &str) -> Option<String> {
        let dump = cache.map(|cache| screen_file(cache).display().to_string()).unwrap_or_default();
        let printed = r#"stdout = "$ make x\nno rule\n$\n""#;
        let pane = if zellij == PANES { printed } else { "success = false" };
        let zellij = if zellij == PANES { "success = false" } else { zellij };
        let probe = |program: &str, arguments: &str, rest: &str| {
            format!("[[probes]]\nprogram = \"/usr/bin/{program}\"\narguments = [{arguments}]\n{rest}\n")
        };
        let text = format!(
            r#"
            programs = ["/usr/bin/tmux", "/usr/bin/kitty", "/usr/bin/wezterm", "/usr/bin/zellij"]
            [system]
            os = "linux"
            release = "6"
            machine = "x86_64"
            [env]
            PATH = "/usr/bin"
            {env} = "x"
            ZELLIJ_PANE_ID = "7"
            [modes]
            "/usr/bin" = {mode}
            [files]
            "/x{dump}" = "$ make x\nno rule\n$\n"
            {}{}{}{}"#,
            probe("tmux", r#""capture-pane", "-p", "-J""#, printed),
            probe("kitty", r#""@", "get-text", "--self""#, printed),
            probe("wezterm", r#""cli", "get-text""#, printed),
            probe("zellij", &format!(r#""action", "dump-screen", "{dump}""#), zellij)
                + &probe("zellij", r#""action", "dump-screen", "--pane-id", "7""#, pane),
        )
        .replace("/x/", "/");
        let host = RecordedHost::parse(Path::new("screen.toml"), &text).unwrap();
        let machine = Machine::new(Arc::new(host), cache.map(Path::to_owned));
        let environment = environment::gather(&machine, Shell::Zsh, &ShellFacts::default());
        after("make x", &machine, &environment)
    }

    #[test]
    fn what_another_terminal_left_is_no_screen() {
        let cache = tempfile::tempdir().unwrap();
        let file = screen_file(cache.path());
        std::fs::write(&file, "$ make x\nof another one\n$\n").unwrap();
        assert_eq!(asked_of("ZELLIJ", 0o755, Some(cache.path()), "success = false"), None);
        assert!(!file.exists());
    }

    #[test]
    fn whoever_shows_the_screen_is_asked() {
        for env in ["TMUX", "KITTY_LISTEN_ON", "WEZTERM_PANE"] {
            assert_eq!(asked(env, 0o755, None).as_deref(), Some("no rule"), "{env}");
            assert_eq!(asked(env, 0o777, None), None, "{env}: anybody could have put it there");
        }
        let cache = tempfile::tempdir().unwrap();
        assert_eq!(asked("ZELLIJ", 0o755, Some(cache.path())).as_deref(), Some("no rule"));
        assert_eq!(asked("ZELLIJ", 0o755, None), None);
        assert_eq!(asked_of("ZELLIJ", 0o755, None, PANES).as_deref(), Some("no rule"));
        assert_eq!(asked_of("ZELLIJ", 0o777, None, PANES), None);
        assert_eq!(
            asked_of("ZELLIJ", 0o755, Some(cache.path()), "success = false"),
            None,
            "it printed nothing"
        );
        assert_eq!(asked("OTHER", 0o755, None), None);
    }
}
