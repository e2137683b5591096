//! Terms of the risk check: effect (action of a command), scope (extent of its target) and label (required care).

use serde::Deserialize;

/// Risk label of a command line, in ascending order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Label {
    /// Only reads this machine or prints.
    #[default]
    Safe,
    /// Has a bounded, additive or easily undone effect.
    Cautious,
    /// Removes, moves or overwrites named things, or changes running, system-wide or remote state in a bounded way.
    Confirm,
    /// Is hard to undo, has a wide effect, or gives control away.
    Dangerous,
}

impl Label {
    /// All labels, in ascending order.
    pub const ALL: [Self; 4] = [Self::Safe, Self::Cautious, Self::Confirm, Self::Dangerous];

    /// Returns the name shown to users and written to records.
    pub fn name(self) -> &'static str {
        match self {
            Self::Safe => "Safe",
            Self::Cautious => "Cautious",
            Self::Confirm => "Confirm",
            Self::Dangerous => "Dangerous",
        }
    }
}

/// Action of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Reads and prints.
    Read,
    /// Changes settings of this shell only.
    Session,
    /// Builds, tests or runs the project's own code.
    Project,
    /// Creates or appends to files.
    WriteNew,
    /// Replaces existing content, which is lost.
    Overwrite,
    /// Deletes.
    Delete,
    /// Runs the text of an argument.
    ExecArg,
    /// Runs text from a file, the network or another command.
    ExecData,
    /// Downloads from the network.
    NetRead,
    /// Sends data out.
    NetSend,
    /// Acts with more rights, or grants rights.
    Privilege,
    /// Schedules something to run later.
    Persistence,
    /// Switches a protection off.
    SecurityOff,
    /// Stops processes, services, the machine or its network.
    Stop,
    /// Changes a device or its content.
    Device,
    /// Rewrites commits, histories or logs.
    History,
    /// Changes remote state.
    RemoteChange,
    /// Changes the content of a database.
    DataDefinition,
    /// Installs or removes packages.
    Install,
}

impl Effect {
    /// Returns the name used in tables and records.
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

/// Extent of an effect's target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scope {
    /// Named files, processes or rows: bounded and the user's own.
    Own,
    /// A named directory with all its content.
    Tree,
    /// The working directory as a whole, or one above it.
    Cwd,
    /// A home directory as a whole.
    Home,
    /// Property of the system or shared by all its users.
    System,
    /// A disk or another device.
    Device,
    /// Another machine, a service or a cluster.
    Remote,
    /// The whole machine, all processes or a whole database.
    Everything,
    /// Unknown: cannot be read from the command line.
    Unreadable,
}

impl Scope {
    /// Returns the name used in tables and records.
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
