#![doc = include_str!("../README.md")]

mod additions;
mod agreement;
mod alternative;
mod bounds;
mod capitals;
mod column;
mod counts;
mod demand;
mod difference;
mod effect;
mod excepted;
mod extension;
mod feature;
mod find_demands;
mod find_expression;
mod glob;
pub mod here;
mod input;
mod invented;
mod kept;
mod literal;
mod mark;
mod message;
mod mismatch;
mod number;
mod operand;
mod operation;
mod parts;
mod phrase;
mod place;
mod quantity;
mod range;
mod request;
mod rule;
mod sample;
mod scope;
mod selection;
mod separator;
mod slips;
mod text_demands;
mod threshold;
mod tool;
mod two_ends;
mod unit;
mod unread;
mod unset;

use askline_syntax::{ParsedLine, SimpleCommand, Span};

pub use self::additions::deletes_unasked;
pub use self::agreement::{Agreement, agree, mend_slips};
use self::demand::Demands;
use self::find_demands::Comparison;
use self::find_expression::FindExpression;
pub use self::mismatch::{Certainty, Edit, Mismatch, distinct};
use self::request::Token;
pub use self::rule::{FollowUp, follow_up};
pub use self::scope::exceeds_command;

/// Compares a line with the request that it answers. Returns the conditions that the line drops, inverts or bends, and
/// slips that are wrong whatever was asked, ordered by their place in the line.
pub fn mismatches(request: &str, line: &ParsedLine) -> Vec<Mismatch> {
    mismatches_of(request, 0, line)
}

/// The same for a request whose own words begin at byte `own_from`, behind those that it goes on from. A number in those may have been
/// replaced: "the 5 biggest files, only the top 3".
pub fn mismatches_of(request: &str, own_from: usize, line: &ParsedLine) -> Vec<Mismatch> {
    let tokens = request::tokens(request);
    let demands = Demands::of(&tokens);
    let mut found = slips(line);
    found.retain(|slip| !slips::is_intended(&tokens, &slip.text));
    if !line.shell().is_nushell() {
        let finds: Vec<FindExpression<'_>> = finds(line).collect();
        // `[ -z "$(find …)" ]` asks that there be none.
        if let [find] = finds.as_slice()
            && !line.text().contains("-z \"$(find ")
        {
            let of =
                Comparison { request, line: line.text(), demands: &demands, destroys: here::destroys(line) };
            found.extend(find_demands::compare(&of, find));
        }
        found.extend(extension::dropped(request, &tokens, line, &finds));
        found.extend(extension::further(request, &tokens, line));
        found.extend(text_demands::compare(request, &tokens, line, &finds));
        found.extend(counts::compare(request, &tokens, line));
        found.extend(selection::compare(request, &tokens, line));
        found.extend(bounds::compare(request, &tokens, line));
        found.extend(two_ends::compare(request, &tokens, line));
        found.extend(column::compare(request, &tokens, line));
        found.extend(place::missing(request, &tokens, line));
        found.extend(place::missing_word(request, &tokens, line));
        found.extend(invented::compare(&tokens, line));
        found.extend(capitals::compare(request, &tokens, line));
        found.extend(operand::compare(&tokens, line));
        found.extend(alternative::missing(&tokens, line));
        found.extend(unit::compare(request, &tokens, line));
        found.extend(kept::compare(request, &tokens, line));
        found.extend(kept::deleted(&tokens, line));
        found.extend(excepted::taken(request, &tokens, line));
        found.extend(unlimited(request, &demands, line));
        found.extend(additions::unasked(&tokens, line, &finds));
        found.extend(rule::broken(request, &tokens, line));
        if let Some(effects) = effect::Effects::of(line) {
            found.extend(feature::dropped(request, &tokens, line));
            found.extend(operation::compare(request, &tokens, line, &effects));
        }
        found.extend(threshold::compare(request, &demands, line));
        found.extend(difference::compare(request, &tokens, line));
        found.extend(separator::compare(&tokens, line));
        found.extend(separator::beyond_names(line));
        found.extend(unread::compare(&tokens, line));
        found.extend(unset::compare(&tokens, line));
        found.extend(input::compare(&tokens, line));
        found.extend(message::compare(request, line));
    }
    found.extend(literal::missing(request, &tokens, line));
    let own: Vec<Token> = tokens.iter().filter(|token| own_from <= token.span.start).cloned().collect();
    found.extend(number::missing(request, &own, &demands, line));
    // "files with sizes, only the odd ones" says nothing about "sizes, only".
    let crosses = |said: &Span| said.start < own_from && own_from < said.end;
    found.retain(|it| it.edit.is_some() || !it.said.as_ref().is_some_and(crosses));
    found.iter_mut().filter(|mismatch| is_aside(request, mismatch)).for_each(|mismatch| {
        (mismatch.certainty, mismatch.edit) = (Certainty::Likely, None);
    });
    found.sort_by_key(|mismatch| mismatch.span.start);
    found.dedup_by(|one, other| one.edit.is_some() && one.edit == other.edit);
    found
}

/// Reports whether a mismatch rests on "(no header)", "(no quotes in it)": more often that describes the file than asks for something,
/// so it is too unsure for an edit.
fn is_aside(request: &str, mismatch: &Mismatch) -> bool {
    let Some(said) = &mismatch.said else { return false };
    let (before, words) =
        (request.get(..said.start).unwrap_or_default(), request.get(said.clone()).unwrap_or_default());
    before.trim_end().ends_with('(') && words.to_lowercase().starts_with("no ")
}

/// Returns the slips of a line that are wrong whatever was asked.
pub fn slips(line: &ParsedLine) -> Vec<Mismatch> {
    slips::slips(line)
}

/// Returns a mismatch for an age or size that nothing in a line without `find` can test.
fn unlimited(request: &str, demands: &Demands, line: &ParsedLine) -> Option<Mismatch> {
    const FILE_PROGRAMS: [&str; 7] = ["rm", "ls", "cp", "mv", "du", "tar", "gzip"];
    let said = demands.ages.first().map(|age| &age.said).or(demands.sizes.first().map(|size| &size.said))?;
    let commands = &line.parsed().commands;
    let is_plain = |command: &SimpleCommand| command.name().is_some_and(|name| FILE_PROGRAMS.contains(&name));
    let has_limit =
        ["-size", "-mtime", "-mmin", "threshold", "-newer", "-t", "date", "$(", "head", "--newer", "-N"];
    let text = line.text();
    if !commands.iter().all(is_plain)
        || has_limit.iter().any(|hint| text.contains(hint))
        || text.contains("-S")
    {
        return None;
    }
    Some(Mismatch {
        span: 0..text.len(),
        said: Some(said.clone()),
        certainty: mismatch::Certainty::Likely,
        text: format!("you said \"{}\"; nothing here tests that", request.get(said.clone())?),
        edit: None,
    })
}

fn finds(line: &ParsedLine) -> impl Iterator<Item = FindExpression<'_>> {
    line.parsed().commands.iter().filter_map(FindExpression::of)
}
