//! The integration with bash.

use clap_complete::shells::Bash;

use super::{Settings, ShellIntegration, in_directory, mentions, posix_sequences, program_word};
use askline_syntax::shell::Grammar;

/// The setup of bash.
pub(super) static INTEGRATION: ShellIntegration = ShellIntegration {
    script: include_str!("../../../shell/askline.bash"),
    load: str::to_owned,
    settings,
    how_to_load: r#"to load it in every bash, add this line to ~/.bashrc: eval "$(askline init bash)""#,
    worth_knowing: |_| {
        "bash itself expands ? and * after `ask`, so quote the words, or press the key instead".to_owned()
    },
    warning: |_| None,
    is_saved: false,
    is_inline: true,
    control: |letter| format!(r"\C-{letter}"),
    escape: r"\e",
    completions: |command, script| clap_complete::generate(Bash, command, "askline", script),
    startup: |homes| {
        let names = [".bashrc", ".bash_profile", ".bash_login", ".profile", ".bash_aliases"];
        (in_directory(&homes.home, &names), Vec::new())
    },
    place: |homes| homes.home.join(".bashrc"),
    row: |program| Some(format!("eval \"$({} init bash)\"", program_word(program, Grammar::Posix))),
    binds_ctrl_g: |lines, n| {
        let binds =
            |line: &&str| line.contains("bind") && mentions(line, &[r"\C-g", r"\C-G", "^G", "Control-g"]);
        lines.get(n).is_some_and(binds)
    },
    too_old: Some((&["1.", "2.", "3."], "use bash 4 or later")),
};

fn settings(settings: &Settings<'_>) -> String {
    format!(
        "__askline_program={} __askline_key={} __askline_force={}\n__askline_keys=({})\n\
         __askline_explain_key={} __askline_explain_keys=({})\n\
         __askline_preview_key={} __askline_preview_keys=({})\n\
         __askline_menu_key={} __askline_menu_keys=({})",
        Grammar::Posix.quoted(settings.program),
        settings.key,
        u8::from(settings.force),
        posix_sequences(settings.key, &INTEGRATION),
        settings.explain,
        posix_sequences(settings.explain, &INTEGRATION),
        settings.preview,
        posix_sequences(settings.preview, &INTEGRATION),
        settings.menu,
        posix_sequences(settings.menu, &INTEGRATION)
    )
}
