//! The topics of `askline help` and their texts, files in `docs/help/`.

/// A topic that has a text of its own.
pub struct Topic {
    /// The word after `askline help`.
    pub name: &'static str,
    /// The text, for a terminal of 80 columns.
    pub text: &'static str,
    /// A file that is printed below it.
    pub below: &'static str,
}

/// The topics. One that is also a subcommand goes first: its text names `askline NAME --help`.
pub const TOPICS: [Topic; 4] = [
    Topic {
        name: "config",
        text: include_str!("../../docs/help/config.md"),
        below: include_str!("../config/default.toml"),
    },
    Topic { name: "keys", text: include_str!("../../docs/help/keys.md"), below: "" },
    Topic { name: "models", text: include_str!("../../docs/help/models.md"), below: "" },
    Topic { name: "privacy", text: include_str!("../../docs/help/privacy.md"), below: "" },
];
