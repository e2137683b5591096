//! What is known of git's subcommands.

/// Subcommands that fail outside of a repository, whatever follows them; `diff` and `grep` also compare other files.
const INSIDE: [&str; 30] = [
    "add",
    "am",
    "bisect",
    "blame",
    "branch",
    "checkout",
    "cherry-pick",
    "clean",
    "commit",
    "describe",
    "fetch",
    "log",
    "ls-files",
    "merge",
    "mv",
    "pull",
    "push",
    "rebase",
    "reflog",
    "remote",
    "reset",
    "restore",
    "revert",
    "rm",
    "show",
    "stash",
    "status",
    "switch",
    "tag",
    "worktree",
];

/// Reports whether a subcommand of git works only in a repository.
pub fn needs_repository(subcommand: &str) -> bool {
    INSIDE.contains(&subcommand)
}
