//! The integration with zsh.

use std::path::PathBuf;

use clap_complete::shells::Zsh;

use super::{
    Homes, Settings, ShellIntegration, directory, in_directory, mentions, posix_sequences, program_word,
};
use askline_syntax::shell::Grammar;

/// The setup of zsh.
pub(super) static INTEGRATION: ShellIntegration = ShellIntegration {
    script: include_str!("../../../shell/askline.zsh"),
    load,
    settings,
    how_to_load: r#"to load it in every zsh, add this line to ~/.zshrc: eval "$(askline init zsh)""#,
    worth_knowing: |_| {
        "undo takes the rewriting back; words with an apostrophe need quotes after `ask`".to_owned()
    },
    warning: |_| None,
    is_saved: false,
    is_inline: true,
    control: |letter| format!("^{}", letter.to_ascii_uppercase()),
    escape: "^[",
    completions: |command, script| clap_complete::generate(Zsh, command, "askline", script),
    startup: |homes| (in_directory(&home(homes), &[".zshrc", ".zprofile", ".zshenv"]), Vec::new()),
    place: |homes| home(homes).join(".zshrc"),
    row: |program| Some(format!("eval \"$({} init zsh)\"", program_word(program, Grammar::Posix))),
    binds_ctrl_g: |lines, n| {
        let spellings = ["^G", "^g", r"\C-g", r"\C-G", r"\x07", r"\a"];
        lines.get(n).is_some_and(|line| line.contains("bindkey") && mentions(line, &spellings))
    },
    too_old: None,
};

fn home(homes: &Homes<'_>) -> PathBuf {
    directory(homes.host, "ZDOTDIR").unwrap_or_else(|| homes.home.clone())
}

/// Returns the script as an argument: zsh parses a text as a whole, before options in it are set, and the script can't be
/// parsed with the options of `sh` or `ksh`.
fn load(script: &str) -> String {
    format!(
        "__askline_read() {{\n  \\builtin emulate -L zsh\n  \\builtin eval \"$1\"\n}}\n__askline_read {}\n",
        Grammar::Posix.quoted(script)
    )
}

fn settings(settings: &Settings<'_>) -> String {
    format!(
        "__askline_program={} __askline_key={} __askline_force={} __askline_inline={}\n\
         __askline_keys=({})\n__askline_explain_key={} __askline_explain_keys=({})\n\
         __askline_preview_key={} __askline_preview_keys=({})\n\
         __askline_menu_key={} __askline_menu_keys=({})",
        Grammar::Posix.quoted(settings.program),
        settings.key,
        u8::from(settings.force),
        u8::from(settings.inline),
        posix_sequences(settings.key, &INTEGRATION),
        settings.explain,
        posix_sequences(settings.explain, &INTEGRATION),
        settings.preview,
        posix_sequences(settings.preview, &INTEGRATION),
        settings.menu,
        posix_sequences(settings.menu, &INTEGRATION)
    )
}
