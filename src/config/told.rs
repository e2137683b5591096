//! What a model may be told of the machine besides the request, and which models.

/// A kind of fact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Item {
    /// The working directory.
    Cwd,
    /// The names in it.
    Listing,
    /// The columns and keys of a file that an answer opens, where it named another.
    Columns,
    /// The branch of the git repository around it.
    Git,
    /// The shell's aliases.
    Aliases,
    /// The last command and how it ended; told when it is to be put right, and only then.
    Last,
    /// What it left on the screen; told with it.
    Output,
    /// The commands before this one.
    History,
}

impl Item {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::Cwd,
        Self::Listing,
        Self::Columns,
        Self::Git,
        Self::Aliases,
        Self::Last,
        Self::Output,
        Self::History,
    ];

    /// The key in the table `[context]`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cwd => "cwd",
            Self::Listing => "listing",
            Self::Columns => "columns",
            Self::Git => "git",
            Self::Aliases => "aliases",
            Self::Last => "last",
            Self::Output => "output",
            Self::History => "history",
        }
    }
}

/// How far a fact goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Reach {
    /// To nobody; it is not even gathered.
    #[default]
    Off,
    /// To models that run in this program or beside it.
    Local,
    /// To servers too.
    All,
}

impl Reach {
    /// The words of the configuration.
    pub(super) const WORDS: [&'static str; 3] = ["off", "local", "all"];

    pub(super) fn of_word(word: &str) -> Self {
        match word {
            "all" => Self::All,
            "local" => Self::Local,
            _ => Self::Off,
        }
    }
}

/// Who reads a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// A model of ours, on this machine.
    Machine,
    /// A server, though it may stand on this machine: what it passes on is not for us to know.
    Server,
}

/// How far each kind of fact goes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Telling([Reach; Item::ALL.len()]);

impl Telling {
    /// With the reach that `of` gives each item.
    pub fn new(of: impl Fn(Item) -> Reach) -> Self {
        Self(Item::ALL.map(of))
    }

    /// How far an item goes.
    pub fn reach(&self, item: Item) -> Reach {
        // The items stand in the order in which they are declared.
        self.0.get(item as usize).copied().unwrap_or_default()
    }

    /// Somebody may be told.
    pub fn is_on(&self, item: Item) -> bool {
        self.reach(item) != Reach::Off
    }

    /// These may be told.
    pub fn tells(&self, item: Item, audience: Audience) -> bool {
        match self.reach(item) {
            Reach::Off => false,
            Reach::Local => audience == Audience::Machine,
            Reach::All => true,
        }
    }
}
