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
mod operand;
mod operation;
mod parts;
mod phrase;
mod place;
mod quantity;
mod range;
mod request;
mod rule;
mod selection;
mod separator;
mod slips;
mod text_demands;
mod threshold;
mod unit;
mod unread;
mod unset;

use askline_syntax::{ParsedLine, SimpleCommand};

pub use self::agreement::{Agreement, agree};
use self::demand::Demands;
use self::find_demands::Comparison;
use self::find_expression::FindExpression;
pub use self::mismatch::{Certainty, Edit, Mismatch, distinct};

/// The slip of `sort | uniq -i`, as `slips/forms.toml` words it, and the rule about cases that were not asked for.
const APART: &str = "without -f, `sort` does not bring names that differ in capitals together for `uniq -i`";
const UNASKED_CASES: &str = "this takes other cases as equal, and you did not ask for that";
/// The slip of `usermod -G`, as `slips/forms.toml` words it, and words of requests that mean it. A recipe of the cookbook holds
/// both together.
const OTHER_GROUPS: &str = "without -a, `-G` takes the user out of all other groups";
const EXCLUSIVE: [&str; 4] = ["exactly", "just", "no", "only"];
/// Phrases of requests that mean `uniq` without `sort`.
const ADJACENT: [&str; 2] =
    ["adjacent|consecutive|consecutively|neighbouring", "directly|immediately repeat*|after|following"];

/// Compares a line with the request that it answers. Returns the conditions that the line drops, inverts or bends, and
/// slips that are wrong whatever was asked, ordered by their place in the line.
pub fn mismatches(request: &str, line: &ParsedLine) -> Vec<Mismatch> {
    let tokens = request::tokens(request);
    let demands = Demands::of(&tokens);
    let mut found = slips(line);
    // "in docker and no other group" means what is a slip otherwise.
    let is_exclusive = tokens.iter().any(|token| EXCLUSIVE.contains(&token.lower.as_str()));
    found.retain(|slip| !is_exclusive || slip.text != OTHER_GROUPS);
    let is_adjacent =
        ADJACENT.iter().any(|phrase| phrase::Phrase::from((*phrase).to_owned()).find(&tokens, 0).is_some());
    found.retain(|slip| !is_adjacent || slip.text != slips::pipe::UNSORTED);
    if !line.shell().is_nushell() {
        let finds: Vec<FindExpression<'_>> = finds(line).collect();
        if let [find] = finds.as_slice() {
            let of = Comparison { request, line: line.text(), demands: &demands };
            found.extend(find_demands::compare(&of, find));
        }
        found.extend(extension::dropped(request, &tokens, line, &finds));
        found.extend(text_demands::compare(request, &tokens, line, &finds));
        found.extend(counts::compare(request, &tokens, line));
        found.extend(selection::compare(request, &tokens, line));
        found.extend(bounds::compare(request, &tokens, line));
        found.extend(column::compare(request, &tokens, line));
        found.extend(place::missing(request, &tokens, line));
        found.extend(place::missing_word(request, &tokens, line));
        found.extend(invented::compare(&tokens, line));
        found.extend(capitals::compare(request, &tokens, line));
        found.extend(operand::compare(&tokens, line));
        found.extend(alternative::missing(&tokens, line));
        found.extend(unit::compare(request, &tokens, line));
        found.extend(kept::compare(request, &tokens, line));
        found.extend(unlimited(request, &demands, line));
        found.extend(additions::unasked(&tokens, line, &finds));
        found.extend(rule::broken(request, &tokens, line));
        if let Some(effects) = effect::Effects::of(line) {
            found.extend(feature::dropped(request, &tokens, line));
            found.extend(operation::compare(request, &tokens, line, &effects));
        }
        if let Some(mismatch) = threshold::compare(request, &demands, line) {
            // It knows the unit that the slip of `-h` guesses.
            found.retain(|it| mismatch.edit.is_none() || !it.text.starts_with("sums and comparisons"));
            found.push(mismatch);
        }
        found.extend(difference::compare(request, &tokens, line));
        found.extend(separator::compare(&tokens, line));
        found.extend(separator::beyond_names(line));
        found.extend(unread::compare(&tokens, line));
        found.extend(unset::compare(&tokens, line));
        found.extend(input::compare(&tokens, line));
        found.extend(message::compare(request, line));
    }
    found.extend(literal::missing(request, &tokens, line));
    found.extend(literal::missing_numbers(request, &tokens, &demands, line));
    // Where `uniq -i` itself was not asked for, `sort` needs no -f.
    let is_unasked = found.iter().any(|it| it.text.ends_with(UNASKED_CASES));
    found.retain(|it| !is_unasked || it.text != APART);
    found.sort_by_key(|mismatch| mismatch.span.start);
    found.dedup_by(|one, other| one.edit.is_some() && one.edit == other.edit);
    found
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
