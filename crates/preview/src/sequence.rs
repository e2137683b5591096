//! The commands of a line, one after the other.

use std::path::PathBuf;

use askline_risk::{self as risk, Label};
use askline_syntax::shell::Shell;
use askline_syntax::{ParsedLine, Redirection, SimpleCommand, Word};

use super::arguments::{Arguments, not_evaluated};
use super::commands::{self, is_evaluated};
use super::effect::Effect;
use super::expand::{Argument, expand, single};
use super::find::{Action, Exec, Find};
use super::overlay::{Overlay, shown};
use super::redirect;
use super::tree::Tree;
use super::{Foreseen, unforeseen};

/// Commands that run the words behind them in the same place, if they have no options.
const TRANSPARENT: [&str; 6] = ["sudo", "doas", "command", "nice", "nohup", "time"];

/// Returns the effect of a line.
pub(crate) fn run(line: &ParsedLine, tree: &dyn Tree) -> Foreseen<Effect> {
    let parsed = line.typed();
    if parsed.incomplete || !parsed.errors.is_empty() {
        return unforeseen("the line is not complete");
    }
    if !parsed.loops.is_empty() {
        return unforeseen("what a loop changes is not evaluated");
    }
    let mut state = State { line, files: Overlay::new(tree)?, printed: None };
    let mut end = 0;
    let mut pipeline = None;
    // `None` if it is not known whether the commands so far succeed.
    let mut succeeds = Some(true);
    for command in &parsed.commands {
        if pipeline.is_some_and(|last| last != command.pipeline) {
            state.printed = None;
            if !continues(line.text().get(end..command.span.start).unwrap_or_default(), succeeds)? {
                break;
            }
        }
        pipeline = Some(command.pipeline);
        end = end.max(command.span.end);
        let is_alone = parsed.commands.iter().filter(|other| other.pipeline == command.pipeline).count() == 1;
        if command.name() == Some("cd") && !is_alone {
            return unforeseen("where `cd` goes in a pipeline is not evaluated");
        }
        succeeds = state.step(command)?;
        state.files.is_root = false;
    }
    Ok(state.files.effect())
}

/// Reports whether the commands after a separator run.
fn continues(between: &str, succeeds: Option<bool>) -> Foreseen<bool> {
    match (between.trim_matches([' ', '\t']), succeeds) {
        (";" | "\n", _) => Ok(true),
        ("&&", Some(succeeds)) => Ok(succeeds),
        ("||", Some(succeeds)) => Ok(!succeeds),
        ("&&" | "||", None) => unforeseen("whether the first command succeeds is not known"),
        _ => unforeseen("how the commands of the line follow each other is not evaluated"),
    }
}

/// Names that a command prints for the next one in the pipeline.
struct Printed {
    names: Vec<PathBuf>,
    /// `true` if they end with NUL instead of a line break.
    nul: bool,
}

struct State<'l, 't> {
    line: &'l ParsedLine,
    files: Overlay<'t>,
    printed: Option<Printed>,
}

impl State<'_, '_> {
    /// Evaluates one command. Returns whether it succeeds; `None` if that is not known.
    fn step(&mut self, command: &SimpleCommand) -> Foreseen<Option<bool>> {
        if !command.within.is_empty() {
            return unforeseen(
                "what loops, conditions, groups and commands inside a line change is not evaluated",
            );
        }
        let printed = self.printed.take();
        if command.words.is_empty() && !self.line.shell().is_posix() {
            return unforeseen("a command is missing before the redirection");
        }
        for redirection in &command.redirections {
            if !self.redirects(redirection)? {
                return Ok(Some(false));
            }
        }
        let is_own = self.line.shell().is_nushell() && !command.external;
        let mut words = command.words.as_slice();
        while let [first, rest @ ..] = words
            && !rest.is_empty()
            && !is_own
            && TRANSPARENT.contains(&first.text.as_str())
        {
            if rest.first().is_some_and(|next| next.text.starts_with('-')) {
                return unforeseen(not_evaluated(&first.text));
            }
            self.files.is_root |= matches!(first.text.as_str(), "sudo" | "doas");
            words = rest;
        }
        let Some(first) = words.first() else {
            return if command.assignments.is_empty() {
                Ok(Some(true))
            } else {
                unforeseen("assignments are not evaluated")
            };
        };
        if !first.literal {
            return unforeseen(format!("which command `{}` is is not known", first.text));
        }
        let name = first.text.as_str();
        match name {
            "cd" => self.enter(words).map(Some),
            "find" if !is_own => self.find(words),
            "xargs" if !is_own => self.xargs(words, printed).map(Some),
            "sed" if !self.edits_in_place(words)? => self.reads_only(command, words),
            _ if is_evaluated(name, is_own) => {
                let key = if is_own { format!("nu {name}") } else { name.to_owned() };
                let arguments = Arguments::read(&key, words, &|word| self.expand(word))?;
                commands::run(name, &arguments, is_own, &mut self.files)
            }
            _ => self.reads_only(command, words),
        }
    }

    fn expand(&self, word: &Word) -> Foreseen<Vec<Argument>> {
        expand(word, self.line.text(), self.line.shell(), &self.files)
    }

    /// Evaluates a redirection. Returns `false` if it fails.
    fn redirects(&mut self, redirection: &Redirection) -> Foreseen<bool> {
        let operator = redirection.operator.as_str();
        let Some(target) = &redirection.target else { return Ok(true) };
        let is_descriptor =
            operator.ends_with('&') && (target.text == "-" || target.text.parse::<u32>().is_ok());
        if is_descriptor || !operator.contains('>') {
            return Ok(true);
        }
        if operator == "<>" {
            return unforeseen(format!("what `{operator}` changes is not evaluated"));
        }
        let name = single(target, self.line.text(), self.line.shell(), &self.files)?;
        redirect::write(&name, operator, &mut self.files)
    }

    /// Evaluates `cd`.
    fn enter(&mut self, words: &[Word]) -> Foreseen<bool> {
        let name = match words {
            [_] => self.files.home()?,
            [_, word] if word.text != "-" => single(word, self.line.text(), self.line.shell(), &self.files)?,
            _ => return unforeseen("where `cd` goes is not known"),
        };
        let path = self.files.target(&name)?;
        let is_directory = self.files.node(&path).is_some_and(|node| node.is_directory());
        if is_directory {
            self.files.enter(path);
        } else {
            self.files.fail(&name, "there is no such directory");
        }
        Ok(is_directory)
    }

    /// Evaluates `find`.
    fn find(&mut self, words: &[Word]) -> Foreseen<Option<bool>> {
        let mut texts = Vec::new();
        for word in words.get(1..).unwrap_or_default() {
            texts.extend(self.expand(word)?.iter().map(|argument| shown(&argument.name)));
        }
        let find = Find::read(&texts, &self.files)?;
        let actions = find.actions(&self.files)?;
        let nul = texts.iter().any(|word| word == "-print0");
        let printed = actions.iter().filter(|(action, _)| *action == Action::Print);
        self.printed = Some(Printed { names: printed.map(|(_, name)| name.clone()).collect(), nul });
        for (action, name) in &actions {
            match action {
                Action::Print => {}
                Action::Delete => commands::delete(name, &mut self.files)?,
                Action::Exec(index) => {
                    let command = &find.commands[*index];
                    if !command.at_once {
                        self.execute(command, std::slice::from_ref(name))?;
                    }
                }
            }
        }
        for (index, command) in find.commands.iter().enumerate().filter(|(_, command)| command.at_once) {
            let names = actions.iter().filter(|(action, _)| *action == Action::Exec(index));
            let names: Vec<PathBuf> = names.map(|(_, name)| name.clone()).collect();
            if !names.is_empty() {
                self.execute(command, &names)?;
            }
        }
        Ok(None)
    }

    /// Runs a command of `find` or `xargs` with these names for its `{}`.
    fn execute(&mut self, command: &Exec, names: &[PathBuf]) -> Foreseen<bool> {
        let word = |text: String| Word { span: 0..0, text, literal: true, quoted: true, glob: false };
        let mut words = Vec::new();
        for text in &command.words {
            if text == "{}" {
                words.extend(names.iter().map(|name| word(shown(name))));
            } else if text.contains("{}") {
                let [name] = names else { return unforeseen("`{}` is a part of a word") };
                words.push(word(text.replace("{}", &shown(name))));
            } else {
                words.push(word(text.clone()));
            }
        }
        let name = command.words.first().map_or("", String::as_str);
        if !is_evaluated(name, false) || name == "sed" && !self.edits_in_place(&words)? {
            return unforeseen(not_evaluated(name));
        }
        let as_written = |word: &Word| Ok(vec![Argument { name: word.text.clone().into(), found: false }]);
        let arguments = Arguments::read(name, &words, &as_written)?;
        Ok(commands::run(name, &arguments, false, &mut self.files)? == Some(true))
    }

    /// Evaluates `xargs` behind `find`.
    fn xargs(&mut self, words: &[Word], printed: Option<Printed>) -> Foreseen<bool> {
        let Some(printed) = printed else { return unforeseen("what `xargs` reads is not known") };
        let arguments = Arguments::read("xargs", words, &|word| self.expand(word))?;
        let replaced = arguments.value("replaced");
        let is_split = |name: &PathBuf| {
            let text = shown(name);
            text.contains(['\'', '"', '\\', '\n']) || replaced.is_none() && text.contains([' ', '\t'])
        };
        if arguments.has("nul") != printed.nul {
            return unforeseen("`-print0` and `-0` belong together");
        }
        if !printed.nul && printed.names.iter().any(is_split) {
            return unforeseen("xargs splits names at blanks and quotes (`find -print0 | xargs -0`)");
        }
        let counts = arguments.value("count").is_some();
        let inner = arguments.operands.first().map(|operand| shown(&operand.name));
        if counts && inner.is_some_and(|inner| matches!(inner.as_str(), "mv" | "cp" | "ln")) {
            return unforeseen("how `xargs` divides the names is not evaluated");
        }
        let mut command = Exec { words: Vec::new(), at_once: replaced.is_none() };
        command.words.extend(arguments.operands.iter().map(|operand| shown(&operand.name)));
        for word in &arguments.rest {
            command.words.extend(self.expand(word)?.iter().map(|argument| shown(&argument.name)));
        }
        if printed.names.is_empty() {
            return Ok(true);
        }
        match replaced {
            None => {
                command.words.push("{}".to_owned());
                self.execute(&command, &printed.names)
            }
            Some(mark) => {
                for word in &mut command.words {
                    *word = word.replace(mark, "{}");
                }
                printed.names.iter().try_fold(true, |well, name| {
                    Ok(self.execute(&command, std::slice::from_ref(name))? && well)
                })
            }
        }
    }

    /// Reports whether `sed` changes files in place, and nothing else. Its script must only edit.
    fn edits_in_place(&self, words: &[Word]) -> Foreseen<bool> {
        let as_written = |word: &Word| Ok(vec![Argument { name: word.text.clone().into(), found: false }]);
        let arguments = Arguments::read("sed", words, &as_written)?;
        if !arguments.has("in_place") {
            return Ok(false);
        }
        let scripts = words.iter().skip(1).filter(|word| !word.text.starts_with('-'));
        let quoted = |word: &Word| format!("sed '{}'", word.text.replace('\'', ""));
        let is_safe = |word: &Word| judge(&quoted(word), Shell::SH) == Label::Safe;
        match scripts.take(1).all(is_safe)
            && arguments.values_of("script").iter().all(|text| !text.contains(['w', 'e']))
        {
            true => Ok(true),
            false => unforeseen(not_evaluated("sed")),
        }
    }

    /// Accepts a command that only reads. Whether it succeeds is known of few.
    fn reads_only(&self, command: &SimpleCommand, words: &[Word]) -> Foreseen<Option<bool>> {
        let (Some(first), Some(last)) = (words.first(), words.last()) else { return Ok(None) };
        let text = self.line.text().get(first.span.start..last.span.end).unwrap_or_default();
        if !command.assignments.is_empty() || judge(text, self.line.shell()) != Label::Safe {
            return unforeseen(not_evaluated(&first.text));
        }
        let always = ["echo", "printf", "true", ":", "pwd"];
        Ok((always.contains(&first.text.as_str()) && !self.line.shell().is_nushell()).then_some(true))
    }
}

fn judge(text: &str, shell: Shell) -> Label {
    risk::judge_line(text, shell, &risk::Around::nothing()).label
}
