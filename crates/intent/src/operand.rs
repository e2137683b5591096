//! Order of the operands: "append A to B" against `cat B >> A`.

use crate::mismatch::Mismatch;
use crate::request::{Token, is_name};
use askline_syntax::{ParsedLine, SimpleCommand, Span};

/// Programs whose operands have an order that the words give.
const ORDERED: [&str; 6] = ["cp", "mv", "ln", "cat", "paste", "diff"];
/// Words that turn the order round: "make b a link to a", "b from a".
const TURNS: [&str; 17] = [
    "from", "with", "points", "pointing", "pointer", "of", "link", "symlink", "before", "reverse", "than",
    "onto", "over", "compared", "against", "versus", "vs",
];

/// Returns a mismatch if a command has the two files of the request in the other order.
pub(crate) fn compare(tokens: &[Token], line: &ParsedLine) -> Option<Mismatch> {
    let named: Vec<&Token> = tokens.iter().filter(|token| is_name(&token.text)).collect();
    let [first, second, ..] = named.as_slice() else { return None };
    if first.text == second.text
        || tokens
            .iter()
            .any(|token| TURNS.contains(&token.lower.as_str()) && is_between(token, first, second))
    {
        return None;
    }
    let commands = &line.parsed().commands;
    let is_ordered = |command: &&SimpleCommand| command.name().is_some_and(|name| ORDERED.contains(&name));
    let command = commands.iter().find(is_ordered)?;
    let (one, other) = (place(command, &first.text)?, place(command, &second.text)?);
    // "make p.patch out of a.txt and b.txt": the file that is written is no operand of `diff`.
    let is_target = |span: &Span| {
        command.redirections.iter().any(|it| it.span.end >= span.end && it.span.start <= span.start)
    };
    if command.name() == Some("diff") && (is_target(&one) || is_target(&other)) {
        return None;
    }
    // "a link b.txt to a.txt" and "combine b and a" have too many readings for an edit.
    let is_link = command.name() == Some("ln") && !tokens.iter().any(|token| token.lower == "as");
    (other.start < one.start && !is_link).then(|| {
        Mismatch::likely(
            command.span.clone(),
            format!(
                "you named `{}` before `{}`; the line has them the other way round",
                first.text, second.text
            ),
        )
        .about(first.span.start..second.span.end)
    })
}

fn is_between(token: &Token, first: &Token, second: &Token) -> bool {
    token.span.start < second.span.start && first.span.end <= token.span.start
}

/// Returns the place of a file among the words and redirections of a command.
fn place(command: &SimpleCommand, name: &str) -> Option<Span> {
    let targets = command.redirections.iter().filter_map(|it| it.target.as_ref());
    command
        .words
        .iter()
        .skip(1)
        .chain(targets)
        .find(|word| word.text.trim_end_matches('/') == name.trim_end_matches('/'))
        .map(|word| word.span.clone())
}
