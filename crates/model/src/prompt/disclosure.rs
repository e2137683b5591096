//! Disclosure policy: facts about the machine that a model may get besides the request, by model location.

/// Kind of fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FactKind {
    /// The working directory.
    Cwd,
    /// Names of the files in the working directory.
    Listing,
    /// Columns and keys of a file that an answer opens, after the answer named a wrong one.
    Columns,
    /// The beginnings of files that the request names.
    Contents,
    /// Branch of the surrounding git repository.
    Git,
    /// The shell's aliases.
    Aliases,
    /// The last command and its exit status; sent only in a request to repair that command.
    Last,
    /// Screen output of the last command; sent together with it.
    Output,
    /// Earlier commands.
    History,
    /// What an investigation has seen for the request.
    Looks,
    /// What the user prefers, from `[prefer]`.
    Preferences,
}

impl FactKind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::Cwd,
        Self::Listing,
        Self::Columns,
        Self::Contents,
        Self::Git,
        Self::Aliases,
        Self::Last,
        Self::Output,
        Self::History,
        Self::Looks,
        Self::Preferences,
    ];

    /// Returns the key in the table `[context]`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cwd => "cwd",
            Self::Listing => "listing",
            Self::Columns => "columns",
            Self::Contents => "contents",
            Self::Git => "git",
            Self::Aliases => "aliases",
            Self::Last => "last",
            Self::Output => "output",
            Self::History => "history",
            Self::Looks => "looks",
            Self::Preferences => "preferences",
        }
    }
}

/// Visibility of a fact: hidden, local models only, or servers too.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Visibility {
    /// Hidden: askline does not read the fact.
    #[default]
    Off,
    /// Visible to models that run in this process or in the resident process.
    Local,
    /// Visible to servers too.
    All,
}

impl Visibility {
    /// Words of the configuration.
    pub const WORDS: [&'static str; 3] = ["off", "local", "all"];

    /// Parses a word of the configuration; unknown words are [`Self::Off`].
    pub fn of_word(word: &str) -> Self {
        match word {
            "all" => Self::All,
            "local" => Self::Local,
            _ => Self::Off,
        }
    }
}

/// Reader of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A model run by askline on this machine.
    Machine,
    /// A server. It counts as one even on this machine, because it may forward the prompt.
    Server,
}

/// Visibility of each kind of fact.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DisclosurePolicy([Visibility; FactKind::ALL.len()]);

impl DisclosurePolicy {
    /// Returns a policy with the visibility that `of` gives for each kind.
    pub fn new(of: impl Fn(FactKind) -> Visibility) -> Self {
        Self(FactKind::ALL.map(of))
    }

    /// Returns the visibility of a kind.
    pub fn reach(&self, item: FactKind) -> Visibility {
        // The array has the same order as the enum.
        self.0.get(item as usize).copied().unwrap_or_default()
    }

    /// Reports whether any model may get the fact.
    pub fn is_on(&self, item: FactKind) -> bool {
        self.reach(item) != Visibility::Off
    }

    /// Reports whether this audience may get the fact.
    pub fn allows(&self, item: FactKind, audience: Audience) -> bool {
        match self.reach(item) {
            Visibility::Off => false,
            Visibility::Local => audience == Audience::Machine,
            Visibility::All => true,
        }
    }
}
