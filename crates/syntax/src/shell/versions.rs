//! The Nushell versions that askline supports and is tested in. `scripts/test` reads this file, and a test compares the
//! texts in the tree with it.

/// Version that the plugin is compiled against, that the tables of commands and examples are made from, and that most
/// tests run.
pub const NU_BUILT_FOR: &str = "0.115.1";

/// Older versions in which the script is tested, oldest first, and the plugin where it supports them.
pub const NU_TESTED_OLDER: [&str; 3] = ["0.107.0", "0.109.1", "0.114.1"];

/// Minor versions that the plugin supports, oldest first.
pub const NU_PLUGIN_VERSIONS: [&str; 2] = ["0.114", "0.115"];

/// First minor version in which the script works.
pub const NU_SCRIPT_SINCE: &str = "0.107";

/// First minor version that draws ghost text as soon as it arrives.
pub const NU_GHOST_SINCE: &str = "0.115";

/// Reports whether the plugin supports a version such as `0.115.1`.
pub fn nu_plugin_supports(version: &str) -> bool {
    NU_PLUGIN_VERSIONS
        .iter()
        .any(|minor| version.strip_prefix(minor).is_some_and(|rest| rest.starts_with('.')))
}
