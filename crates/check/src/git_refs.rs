//! Names that a git repository knows: branches, tags and remotes.

use std::collections::BTreeSet;

/// The names in a git repository. They are complete.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitRefs {
    /// Branches: `main`, `feature/login`.
    pub branches: BTreeSet<String>,
    /// Branches of remotes, as last fetched: `origin/main`.
    pub remote_branches: BTreeSet<String>,
    /// Tags: `v1.0`.
    pub tags: BTreeSet<String>,
    /// Remotes: `origin`.
    pub remotes: BTreeSet<String>,
    /// Branch that is checked out; `None` before its first commit.
    pub current: Option<String>,
    /// `true` if a commit is checked out, and no branch.
    pub is_detached: bool,
    /// What is begun and not finished: `merge`, `rebase`, `am`, `cherry-pick`, `revert`.
    pub unfinished: Option<&'static str>,
    /// Branches with an upstream branch, so that `git push` and `git pull` need no names.
    pub following: BTreeSet<String>,
    /// `true` if settings may let `git push` do without an upstream branch, or choose another remote.
    pub has_push_settings: bool,
    /// Other references, without `refs/`: `pull/12/head`.
    pub others: BTreeSet<String>,
}

impl GitRefs {
    /// Reports whether nothing is committed yet: the branch that is checked out is the only one, and has no commit.
    pub fn is_unborn(&self) -> bool {
        self.current.is_none()
            && !self.is_detached
            && self.branches.len() <= 1
            && self.remote_branches.is_empty()
    }

    /// Adds a reference by its full name: `refs/heads/main`.
    pub fn add(&mut self, name: &str) {
        let places = [
            ("refs/heads/", &mut self.branches),
            ("refs/remotes/", &mut self.remote_branches),
            ("refs/tags/", &mut self.tags),
        ];
        for (place, names) in places {
            if let Some(name) = name.strip_prefix(place) {
                names.insert(name.to_owned());
                return;
            }
        }
        self.others.extend(name.strip_prefix("refs/").map(str::to_owned));
    }

    /// Reports whether a remote has a branch of this name, so that `git switch` makes one that follows it.
    pub fn has_elsewhere(&self, name: &str) -> bool {
        self.elsewhere().any(|other| other == name)
    }

    /// Returns the names of the remotes' branches without their remote.
    pub fn elsewhere(&self) -> impl Iterator<Item = &str> {
        self.remote_branches.iter().filter_map(|name| {
            let remotes = self.remotes.iter();
            remotes.filter_map(|remote| name.strip_prefix(remote.as_str())?.strip_prefix('/')).next()
        })
    }
}
