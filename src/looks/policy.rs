//! Permissions of paths, from the user's configuration: which directories an investigation may look into.

use std::path::{Path, PathBuf};

use askline_agent::tool::Permission;
use askline_host::Host;

use super::place::{expanded, normal};

/// Permissions of paths and of what is below them.
#[derive(Debug, Clone, Default)]
pub struct PathPolicy(Vec<(PathBuf, Permission)>);

impl PathPolicy {
    /// Creates the policy of these rules, with `~` and links resolved.
    pub fn of(host: &dyn Host, rules: &[(String, Permission)]) -> Self {
        let both = |(path, permission): &(String, Permission)| {
            let named = normal(&expanded(host, path));
            let real = host.real_path(&named).unwrap_or_else(|_| named.clone());
            [(named, *permission), (real, *permission)]
        };
        Self(rules.iter().flat_map(both).collect())
    }

    /// Returns the permission of a path as a call names it, seen from the working directory.
    pub fn named(&self, host: &dyn Host, path: &str) -> Permission {
        let here = host.current_dir().unwrap_or_default();
        let named = normal(&here.join(expanded(host, path)));
        let real = host.real_path(&named).unwrap_or_else(|_| named.clone());
        self.at(&named).max(self.at(&real))
    }

    /// Returns the strictest permission of a whole path and of what is below it, for a tool that reads all of it.
    pub(super) fn within(&self, host: &dyn Host, path: &Path) -> Permission {
        let real = host.real_path(path).unwrap_or_else(|_| path.to_owned());
        let below = self.0.iter().filter(|(rule, _)| rule.starts_with(path) || rule.starts_with(&real));
        let below = below.map(|(_, permission)| *permission).max().unwrap_or_default();
        below.max(self.at(path)).max(self.at(&real))
    }

    /// Returns the permission of a whole path: any rule that denies it is final, else the longest decides.
    pub(super) fn at(&self, path: &Path) -> Permission {
        let rules = || self.0.iter().filter(|(above, _)| path.starts_with(above));
        if rules().any(|(_, permission)| *permission == Permission::Deny) {
            return Permission::Deny;
        }
        let longest = rules().max_by_key(|(above, _)| above.as_os_str().len());
        longest.map_or(Permission::Allow, |(_, permission)| *permission)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_that_reads_all_below_a_path_obeys_every_rule_there() {
        let host = askline_host::local::LocalHost;
        let policy =
            PathPolicy(vec![("/a/.git/config".into(), Permission::Deny), ("/b".into(), Permission::Ask)]);
        assert_eq!(policy.within(&host, Path::new("/a/.git")), Permission::Deny);
        assert_eq!(policy.within(&host, Path::new("/b/.git")), Permission::Ask);
        assert_eq!(policy.within(&host, Path::new("/c/.git")), Permission::Allow);
    }

    #[test]
    fn a_denial_is_final_and_else_the_longest_path_decides() {
        let rules = [
            ("/a", Permission::Ask),
            ("/a/b", Permission::Allow),
            ("/a/b/secret", Permission::Deny),
            ("/a/b/secret/open", Permission::Allow),
        ];
        let policy = PathPolicy(rules.map(|(path, permission)| (path.into(), permission)).into());
        for (path, expected) in [
            ("/x", Permission::Allow),
            ("/a", Permission::Ask),
            ("/ab", Permission::Allow),
            ("/a/c", Permission::Ask),
            ("/a/b/c", Permission::Allow),
            ("/a/b/secret", Permission::Deny),
            ("/a/b/secret/open/x", Permission::Deny),
        ] {
            assert_eq!(policy.at(Path::new(path)), expected, "{path}");
        }
    }
}
