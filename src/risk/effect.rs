//! The words of the judgement: what a command does (effect), to what (scope), and how careful one should be (label).

use serde::Deserialize;

/// How careful one should be with a line, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// Only reads this machine or prints.
    #[default]
    Safe,
    /// Bounded, additive or easily taken back.
    Cautious,
    /// Removes, moves or overwrites named things, or changes running, system-wide or remote state in a bounded way.
    Confirm,
    /// Hard to take back, wide, or gives control away.
    Dangerous,
}

impl Label {
    /// All of them, in ascending order.
    pub const ALL: [Self; 4] = [Self::Safe, Self::Cautious, Self::Confirm, Self::Dangerous];

    /// The name for people and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "Safe",
            Self::Cautious => "Cautious",
            Self::Confirm => "Confirm",
            Self::Dangerous => "Dangerous",
        }
    }
}

/// What a command does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Reads and prints.
    Read,
    /// Changes settings of this shell only.
    Session,
    /// Builds, tests or runs the project's own code.
    Project,
    /// Creates or appends.
    WriteNew,
    /// What was there is lost.
    Overwrite,
    /// Removes.
    Delete,
    /// Runs what stands in an argument.
    ExecArg,
    /// Runs text from a file, the network or another command.
    ExecData,
    /// Fetches from the network.
    NetRead,
    /// Sends data out.
    NetSend,
    /// Acts with more rights, or gives rights away.
    Privilege,
    /// Arranges for something to run later.
    Persistence,
    /// Switches a protection off.
    SecurityOff,
    /// Ends processes, services, the machine or its network.
    Stop,
    /// Changes a device or its content.
    Device,
    /// Rewrites commits, histories or logs.
    History,
    /// Changes remote state.
    RemoteChange,
    /// Changes what a database holds.
    DataDefinition,
    /// Installs or removes packages.
    Install,
}

impl Effect {
    /// The name in tables and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Session => "session",
            Self::Project => "project",
            Self::WriteNew => "write-new",
            Self::Overwrite => "overwrite",
            Self::Delete => "delete",
            Self::ExecArg => "exec-arg",
            Self::ExecData => "exec-data",
            Self::NetRead => "net-read",
            Self::NetSend => "net-send",
            Self::Privilege => "privilege",
            Self::Persistence => "persistence",
            Self::SecurityOff => "security-off",
            Self::Stop => "stop",
            Self::Device => "device",
            Self::History => "history",
            Self::RemoteChange => "remote-change",
            Self::DataDefinition => "data-definition",
            Self::Install => "install",
        }
    }
}

/// What an effect hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Named files, processes, rows: one's own and bounded.
    Own,
    /// A named directory with all that is in it.
    Tree,
    /// The working directory as a whole, or one above it.
    Cwd,
    /// A home directory as a whole.
    Home,
    /// What belongs to the system or to everybody on it.
    System,
    /// A disk or another device.
    Device,
    /// Another machine, a service, a cluster.
    Remote,
    /// The whole machine, all processes, a whole database.
    Everything,
    /// Can't be read from the line.
    Unreadable,
}

impl Scope {
    /// The name in tables and records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Tree => "tree",
            Self::Cwd => "cwd",
            Self::Home => "home",
            Self::System => "system",
            Self::Device => "device",
            Self::Remote => "remote",
            Self::Everything => "everything",
            Self::Unreadable => "unreadable",
        }
    }
}
