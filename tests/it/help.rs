//! The texts of `askline help TOPIC`: they fit a terminal, and what they name exists.

use askline::cli::args::Cli;
use askline::cli::topics::TOPICS;
use clap::Parser as _;

use crate::cli::Askline;

#[test]
fn each_topic_is_printed_and_fits_a_terminal() {
    for topic in &TOPICS {
        let ran = Askline::new(["help", topic.name]).run().stderr("").code(0);
        assert_eq!(ran.stdout, format!("{}{}", topic.text, topic.below));
        assert!(ran.stdout.starts_with("# askline: "), "{}", ran.stdout);
        let long: Vec<&str> = topic.text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(long.is_empty(), "{}: {long:#?}", topic.name);
    }
}

#[test]
fn the_configuration_has_all_defaults_below_it() {
    let ran = Askline::new(["help", "config"]).run().code(0);
    // The text and its defaults are a valid configuration: the text is one comment.
    let (text, defaults) = ran.stdout.split_once("\n\n# The settings of askline").unwrap();
    assert!(text.ends_with("with their defaults:"), "{text}");
    Askline::new(["config"]).config(&format!("# The settings{defaults}")).run().stderr("").code(0);
}

/// Every command in the texts is one that the program takes.
#[test]
fn each_command_in_a_text_parses() {
    for topic in &TOPICS {
        let commands = commands(topic.text);
        assert!(commands.len() >= 3, "{}: {commands:?}", topic.name);
        for command in commands {
            let words = shell_words::split(&command.replace("SHELL", "zsh")).unwrap();
            if let Err(error) = Cli::try_parse_from(words) {
                let help = error.kind() == clap::error::ErrorKind::DisplayHelp;
                assert!(help, "{}: `{command}`: {error}", topic.name);
            }
        }
    }
}

/// Every table and key in the texts is one of the configuration.
#[test]
fn each_setting_in_a_text_exists() {
    let defaults = TOPICS.iter().map(|topic| topic.below).collect::<String>();
    for topic in &TOPICS {
        for table in topic.text.split("`[").skip(1).filter_map(|tail| tail.split_once(['`', ']'])) {
            assert!(defaults.contains(&format!("[{}]", table.0)), "{}: [{}]", topic.name, table.0);
        }
        let rows = topic.text.lines().filter_map(|line| line.strip_prefix("    "));
        for (key, _) in rows.filter_map(|row| row.split_once(" = ")) {
            let named = defaults.lines().any(|line| line.trim_start_matches(['#', ' ']).starts_with(key));
            assert!(named, "{}: {key}", topic.name);
        }
    }
}

#[test]
fn a_subcommand_has_its_help_and_others_are_named() {
    let asked = Askline::new(["help", "model", "pull"]).run().stderr("").code(0).stdout;
    let same = Askline::new(["model", "pull", "--help"]).run().stderr("").code(0).stdout;
    assert_eq!(asked, same);
    Askline::new(["help", "frobnicate"])
        .run()
        .stdout("")
        .stderr(
            "askline: there is no help on `frobnicate`; the topics are config, keys, models, privacy, \
             the subcommands are in `askline --help`\n",
        )
        .code(2);
    let ran = Askline::new(["help", "keyz"]).run().stdout("").code(2);
    assert!(ran.stderr.contains("`keyz`; did you mean `keys`? the topics are"), "{}", ran.stderr);
}

/// Returns what stands in backticks, or at the start of an indented row before two blanks, and begins with `askline `.
fn commands(text: &str) -> Vec<String> {
    let quoted = text.split('`').skip(1).step_by(2).map(str::to_owned);
    let rows = text.lines().filter_map(|line| line.strip_prefix("    "));
    let rows = rows.flat_map(|row| row.split("  ").map(|part| part.trim().to_owned()));
    quoted.chain(rows).filter(|part| part.starts_with("askline ")).collect()
}
