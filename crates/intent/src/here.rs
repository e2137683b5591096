//! A line held against the directory in which it would run: patterns that match nothing, folders taken for files, columns that
//! are not the named ones. The facts are values; the names and texts in them are anyone's.

mod call;
mod columns;
mod dates;
mod files;
mod jq;
mod names;
mod path;
mod patterns;
mod working_dirs;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use self::call::Call;
pub use self::names::{NameKind, Names};
use self::working_dirs::WorkingDirs;
use crate::find_expression::HARMFUL;
use crate::mismatch::{Certainty, Edit, Mismatch};
use crate::request::{self, Token};
use crate::tool::{Tool, is_awk};
use askline_syntax::{ParsedLine, SimpleCommand, Span, Word, program_name};

/// Maximum number of edits of one line.
const EDITS_MAX: usize = 4;
/// Maximum number of directories in which commands of a line run.
const BASES_MAX: usize = 4;
/// Maximum number of files of a line whose first bytes are looked at.
pub const HEADS_MAX: usize = 4;
/// Maximum number of whole paths of a line that are looked up.
const WHOLE_PATHS_MAX: usize = 8;
/// Places whose names come and go.
const KERNELS: [&str; 4] = ["/dev/", "/proc/", "/sys/", "/run/"];
/// Maximum number of bytes of a file that are looked at.
pub const HEAD_BYTES_MAX: usize = 8 << 10;

/// Facts about the directory in which a line would run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Here {
    /// Name of the directory; empty if unknown.
    pub name: String,
    /// Names below the directory.
    pub names: Arc<Names>,
    /// First bytes of the files of [`files_read`], as text.
    pub heads: BTreeMap<String, Head>,
    /// `false` if neither the directory nor one above belongs to git; `None` if unknown.
    pub is_repository: Option<bool>,
    /// Words of the line that are whole paths (`/var/log/syslog`, `~/.ssh/id_rsa`) and name nothing.
    pub missing: BTreeSet<String>,
    /// The date on which the line would run.
    pub today: Option<Date>,
}

/// A date.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Date {
    /// Year.
    pub year: u16,
    /// Month, 1 to 12.
    pub month: u8,
    /// Day, 1 to 31.
    pub day: u8,
}

/// The first bytes of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The text.
    pub text: String,
    /// `true` if the text is the whole file.
    pub is_whole: bool,
}

/// A difference between a line and the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contradiction {
    /// The difference. Its text has only names of the request and the line, its edit may have others.
    pub mismatch: Mismatch,
    /// Names from the directory or a file that exist instead; may be empty.
    pub facts: String,
    /// Origin of the facts.
    pub subject: Subject,
    /// `true` if the edit lets `cp` copy a folder to a place where nothing has its name.
    pub copies_folder: bool,
}

/// Origin of facts about a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// Names in the directory.
    Names,
    /// The first lines of a file.
    Columns,
    /// The date of today.
    Calendar,
    /// Nothing of the kind is there, and another line would not find it either: to be told, but no reason to ask again.
    Absence,
}

/// A line that was made to agree with the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapted {
    /// The new line.
    pub line: String,
    /// Each edit with its reason.
    pub changes: Vec<String>,
    /// Origins of what the edits inserted.
    pub subjects: Vec<Subject>,
    /// `true` if an edit lets `cp` copy a folder to a place where nothing has its name.
    pub copies_folder: bool,
}

/// A line with the request that it answers and the facts.
struct Case<'a> {
    request: &'a str,
    tokens: Vec<Token>,
    line: &'a ParsedLine,
    here: &'a Here,
    dirs: WorkingDirs<'a>,
    calls: Vec<Call<'a>>,
    /// Names below the directories that the line enters, relative to them.
    views: BTreeMap<String, Names>,
    /// `true` if the line deletes, moves, overwrites, runs or sends something: nothing in it may be guessed.
    destroys: bool,
}

/// Returns the files whose first lines say if the line names the right columns; relative paths.
pub fn files_read(line: &ParsedLine) -> Vec<String> {
    if line.shell().is_nushell() {
        return Vec::new();
    }
    let calls = Call::all(&WorkingDirs::of(line));
    let mut files: Vec<String> = calls.iter().filter_map(|call| Some(call.path(call.only_file()?))).collect();
    files.sort_unstable();
    files.dedup();
    files.truncate(HEADS_MAX);
    files
}

/// Returns the words of a line that are whole paths, as they are written.
pub fn whole_paths(line: &ParsedLine) -> Vec<&str> {
    let words = line.own().commands.iter().flat_map(|command| command.words.iter().skip(1));
    let words = words.filter_map(|word| line.text().get(word.span.clone()));
    let is_whole = |word: &&str| {
        let rest = word.strip_prefix('/').or_else(|| word.strip_prefix("~/"));
        let is_plain = |c: char| c.is_alphanumeric() || "._-/+".contains(c);
        rest.is_some_and(|rest| !rest.is_empty() && rest.chars().all(is_plain))
            && !KERNELS.iter().any(|place| word.starts_with(place))
    };
    words.filter(is_whole).take(WHOLE_PATHS_MAX).collect()
}

/// Compares a line with the directory. Returns what matches nothing, takes one kind of file for another, or reads another
/// column than the named one, ordered by the place in the line.
pub fn contradictions(request: &str, line: &ParsedLine, here: &Here) -> Vec<Contradiction> {
    let with_made = with_made(line, here);
    let case = Case::new(request, line, with_made.as_ref().unwrap_or(here));
    let is_posix = !line.shell().is_nushell();
    let mut found = files::find(&case);
    if is_posix {
        found.extend(dates::find(&case));
        found.extend(columns::find(&case));
        found.extend(patterns::find(&case));
        found.extend(jq::find(&case));
    }
    found.sort_by_key(|it: &Contradiction| it.mismatch.span.start);
    if is_posix {
        found.extend(columns::find_quoted(&case));
    }
    found.dedup_by(|one, other| one.mismatch.edit.is_some() && one.mismatch.edit == other.mismatch.edit);
    found
}

/// Returns the directory with the folders that the line makes; `None` if it makes none.
fn with_made(line: &ParsedLine, here: &Here) -> Option<Here> {
    let made = working_dirs::made(line);
    if made.is_empty() {
        return None;
    }
    let is_below = |path: &str| {
        made.iter().any(|folder| {
            path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    };
    let missing = here.missing.iter().filter(|path| !is_below(path)).cloned().collect();
    let mut names = Names::clone(&here.names);
    for folder in made.iter().filter_map(|folder| path::relative_path(folder)) {
        let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
        for path in ends.filter_map(|end| folder.get(..end)).filter(|path| !path.is_empty()) {
            names.add_made(path);
        }
    }
    Some(Here { names: Arc::new(names), missing, ..here.clone() })
}

/// Applies the edits of sure contradictions, one after the other. One edit may uncover another contradiction (a column behind a
/// wrong separator), but must not leave more than before. `None` if there is nothing to edit.
pub fn adapt(request: &str, line: &ParsedLine, here: &Here) -> Option<Adapted> {
    let mut current = line.clone();
    let mut open = contradictions(request, &current, here);
    let mut seen: Vec<String> = vec![line.text().to_owned()];
    let mut adapted =
        Adapted { line: String::new(), changes: Vec::new(), subjects: Vec::new(), copies_folder: false };
    for _ in 0..EDITS_MAX {
        let is_sure = |it: &&Contradiction| it.mismatch.certainty == Certainty::Sure;
        let better = open.iter().filter(is_sure).find_map(|it| {
            // Two edits that undo each other help nobody.
            let text = it.mismatch.applied_to(current.text()).filter(|text| !seen.contains(text))?;
            let edited = ParsedLine::new(text, current.shell());
            let left = contradictions(request, &edited, here);
            let has_errors = current.own().errors.len() < edited.own().errors.len();
            let is_gone = !left.iter().any(|other| other.mismatch.text == it.mismatch.text);
            (is_gone && left.len() <= open.len() && !has_errors).then(|| (it.clone(), edited, left))
        });
        let Some((done, edited, left)) = better else { break };
        let change = done.mismatch.edit.as_ref().map_or("", |edit| edit.change.as_str());
        adapted.changes.push(format!("{change}: {}", done.told()));
        adapted.subjects.push(done.subject);
        adapted.copies_folder |= done.copies_folder;
        seen.push(edited.text().to_owned());
        (current, open) = (edited, left);
    }
    adapted.line = current.text().to_owned();
    (!adapted.changes.is_empty()).then_some(adapted)
}

impl Date {
    /// Reads a date such as `2026-11-20`.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('-');
        let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
        let has_digits =
            |part: &str, length| part.len() == length && part.bytes().all(|byte| byte.is_ascii_digit());
        if parts.next().is_some() || !has_digits(year, 4) || !has_digits(month, 2) || !has_digits(day, 2) {
            return None;
        }
        let date = Self { year: year.parse().ok()?, month: month.parse().ok()?, day: day.parse().ok()? };
        ((1..=12).contains(&date.month) && (1..=31).contains(&date.day)).then_some(date)
    }
}

impl Contradiction {
    /// Returns the whole message, for the user.
    pub fn told(&self) -> String {
        match self.facts.as_str() {
            "" => self.mismatch.text.clone(),
            facts => format!("{}; {facts}", self.mismatch.text),
        }
    }
}

/// No names.
static NOTHING: Names = Names::nothing();

impl<'a> Case<'a> {
    fn new(request: &'a str, line: &'a ParsedLine, here: &'a Here) -> Self {
        let dirs = WorkingDirs::of(line);
        let calls = Call::all(&dirs);
        let mut views = BTreeMap::new();
        for base in calls.iter().map(|call| call.base.as_str()).filter(|base| !base.is_empty()) {
            if !views.contains_key(base) && views.len() < BASES_MAX {
                views.insert(base.to_owned(), here.names.below(base));
            }
        }
        let tokens = request::tokens(request);
        Self { request, tokens, line, here, dirs, calls, views, destroys: destroys(line) }
    }

    /// Returns the names below a directory that the line enters.
    fn names(&self, base: &str) -> &Names {
        if base.is_empty() { &self.here.names } else { self.views.get(base).unwrap_or(&NOTHING) }
    }

    /// Returns a contradiction. Without an edit, or in a line that destroys something, it is only likely.
    fn contradiction(
        &self,
        subject: Subject,
        span: Span,
        (text, facts): (String, String),
        edit: Option<(Span, String)>,
    ) -> Contradiction {
        self.contradiction_if(!self.destroys, subject, span, (text, facts), edit)
    }

    /// Returns a contradiction of a part of the line that names nothing, with the edit that names what is meant. That may be done
    /// in a line that leaves every file where it is, too.
    fn retarget(
        &self,
        subject: Subject,
        span: Span,
        told: (String, String),
        edit: Option<(Span, String)>,
    ) -> Contradiction {
        self.contradiction_if(!self.destroys || keeps_files(self.line), subject, span, told, edit)
    }

    fn contradiction_if(
        &self,
        may_edit: bool,
        subject: Subject,
        span: Span,
        (text, facts): (String, String),
        edit: Option<(Span, String)>,
    ) -> Contradiction {
        let edit = edit.filter(|_| may_edit);
        let edit = edit.map(|(span, new)| Edit::replace(self.line.text(), span, new));
        Contradiction {
            mismatch: Mismatch {
                span,
                said: None,
                certainty: if edit.is_some() { Certainty::Sure } else { Certainty::Likely },
                text,
                edit,
            },
            facts,
            subject,
            copies_folder: false,
        }
    }

    /// Gives a contradiction its edit, also in a line that destroys something.
    fn mend(&self, found: &mut Contradiction, span: Span, new: String) {
        found.mismatch.certainty = Certainty::Sure;
        found.mismatch.edit = Some(Edit::replace(self.line.text(), span, new));
    }

    /// Returns edits of places that do not overlap as one edit, which covers what is between them. `None` without edits.
    fn joined(&self, mut edits: Vec<(Span, String)>) -> Option<(Span, String)> {
        edits.sort_by_key(|(span, _)| span.start);
        let whole = edits.first()?.0.start..edits.last()?.0.end;
        let (mut new, mut at) = (String::new(), whole.start);
        for (span, text) in edits {
            new.push_str(self.line.text().get(at..span.start)?);
            new.push_str(&text);
            at = span.end;
        }
        Some((whole, new))
    }

    /// Reports whether the request has one of these words.
    fn has_word(&self, words: &[&str]) -> bool {
        self.tokens.iter().any(|token| words.contains(&token.lower.as_str()))
    }
}

/// Reports whether a line may delete, move or overwrite something, or run or send what it reads.
pub(crate) fn destroys(line: &ParsedLine) -> bool {
    line.own().commands.iter().any(is_harmful)
}

fn is_harmful(command: &SimpleCommand) -> bool {
    let Some(name) = command.name().map(program_name) else { return !command.words.is_empty() };
    let pipes = |text: &str| text.replace("||", "").contains('|');
    let is_cluster = |text: &str| text.starts_with('-') && !text.starts_with("--");
    let runs = |text: &str| text.contains("system") || pipes(text) || text.contains("getline");
    Tool::of(command).is_none_or(|tool| tool.destroys)
        || command.words.iter().skip(1).any(|word| {
            let text = word.text.as_str();
            HARMFUL.contains(&text)
                || text.starts_with("--in-place")
                || name == "sed" && is_cluster(text) && text.contains('i')
                || is_awk(name) && text == "inplace"
                || name == "sort" && (is_cluster(text) && text.contains('o') || text.starts_with("--output"))
                || is_awk(name) && runs(text) && text != "-F|"
        })
}

/// Reports whether a line leaves every file where it is: it may copy files, edit them in place, or change their permissions.
fn keeps_files(line: &ParsedLine) -> bool {
    /// Commands that change files where they are.
    const KEEPING: [&str; 2] = ["sed", "chmod"];
    let keeps = |name: &str| KEEPING.contains(&program_name(name));
    let is_kept = |command: &SimpleCommand| match command.name() {
        // What it runs is a command of the line, too.
        Some("find") => {
            let runs = |text: &str| matches!(text, "-exec" | "-execdir");
            let changes = |word: &Word| HARMFUL.contains(&&*word.text) && !runs(&word.text);
            !command.words.iter().any(changes)
        }
        Some(name) => keeps(name) || !is_harmful(command),
        None => false,
    };
    line.own().commands.iter().all(is_kept)
}
