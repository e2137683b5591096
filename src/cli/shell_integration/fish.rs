//! The integration with fish.

use clap::Command;
use clap_complete::shells::Fish;

use super::super::key::BoundKey;
use super::{Settings, ShellIntegration, mentions, program_word};
use askline_syntax::shell::Grammar;

/// The setup of fish.
pub(super) static INTEGRATION: ShellIntegration = ShellIntegration {
    script: include_str!("../../../shell/askline.fish"),
    load: str::to_owned,
    settings,
    how_to_load: "to load it in every fish, add this line to ~/.config/fish/config.fish: askline init fish | source",
    worth_knowing: |_| {
        let worth = concat!(
            "fish itself expands ? and * after `ask` and rejects patterns without a match, ",
            "so quote the words, or press the key instead"
        );
        worth.to_owned()
    },
    warning: |_| None,
    is_saved: false,
    is_inline: true,
    control: |letter| format!(r"\c{letter}"),
    escape: r"\e",
    completions: |command, script| {
        clap_complete::generate(Fish, command, "askline", script);
        script.extend(values(command).bytes());
    },
    startup: |homes| (vec![homes.config.join("fish/config.fish")], vec![homes.config.join("fish/conf.d")]),
    place: |homes| homes.config.join("fish/config.fish"),
    row: |program| Some(format!("{} init fish | source", program_word(program, Grammar::Fish))),
    binds_ctrl_g: |lines, n| {
        let binds = |line: &&str| line.contains("bind") && mentions(line, &[r"\cg", r"\cG", "ctrl-g"]);
        lines.get(n).is_some_and(binds)
    },
    too_old: None,
};

fn settings(settings: &Settings<'_>) -> String {
    let spelling = |key: BoundKey| match key {
        // fish 4 identifies function keys by name alone, fish 3 by name after -k.
        BoundKey::Function(_) => format!("(string match -q '3.*' -- $version; and echo -- -k; echo {key})"),
        _ => INTEGRATION.sequences(key).concat(),
    };
    let Settings { key, explain, preview, menu, .. } = *settings;
    format!(
        "set -g __askline_program {}\nset -g __askline_key {key}\n\
         set -g __askline_force {}\nset -g __askline_inline {}\nset -g __askline_keys {}\n\
         set -g __askline_explain_key {explain}\nset -g __askline_explain_keys {}\n\
         set -g __askline_preview_key {preview}\nset -g __askline_preview_keys {}\n\
         set -g __askline_menu_key {menu}\nset -g __askline_menu_keys {}",
        Grammar::Fish.quoted(settings.program),
        u8::from(settings.force),
        u8::from(settings.inline),
        spelling(key),
        spelling(explain),
        spelling(preview),
        spelling(menu)
    )
}

/// Returns the parts that fish's generator leaves out: the words that may follow a subcommand, such as the names of
/// shells and models.
fn values(command: &Command) -> String {
    let mut lines = String::new();
    for subcommand in command.get_subcommands() {
        let condition = format!("__fish_askline_using_subcommand {}", subcommand.get_name());
        lines.push_str(&values_of(subcommand, &condition));
        for below in subcommand.get_subcommands() {
            let condition = format!("{condition}; and __fish_seen_subcommand_from {}", below.get_name());
            lines.push_str(&values_of(below, &condition));
        }
    }
    lines
}

fn values_of(command: &Command, condition: &str) -> String {
    let names = command.get_positionals().flat_map(|positional| positional.get_possible_values());
    let names: Vec<String> =
        names.filter(|value| !value.is_hide_set()).map(|value| value.get_name().to_owned()).collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("complete -c askline -n \"{condition}\" -f -a \"{}\"\n", names.join(" ")),
    }
}
