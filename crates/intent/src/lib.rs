#![doc = include_str!("../README.md")]

mod additions;
mod agreement;
mod counts;
mod demand;
mod extension;
mod feature;
mod find_demands;
mod find_expression;
pub mod here;
mod literal;
mod mismatch;
mod phrase;
mod quantity;
mod request;
mod slips;
mod text_demands;

use askline_syntax::ParsedLine;

pub use self::agreement::{Agreement, agree};
use self::demand::Demands;
use self::find_demands::Comparison;
use self::find_expression::FindExpression;
pub use self::mismatch::{Certainty, Edit, Mismatch};

/// Compares a line with the request that it answers. Returns the conditions that the line drops, inverts or bends, and
/// slips that are wrong whatever was asked, ordered by their place in the line.
pub fn mismatches(request: &str, line: &ParsedLine) -> Vec<Mismatch> {
    let tokens = request::tokens(request);
    let demands = Demands::of(&tokens);
    let mut found = slips(line);
    if !line.shell().is_nushell() {
        let finds: Vec<FindExpression<'_>> = finds(line).collect();
        if let [find] = finds.as_slice() {
            let of = Comparison { request, line: line.text(), demands: &demands };
            found.extend(find_demands::compare(&of, find));
        }
        found.extend(extension::dropped(request, &tokens, line, &finds));
        found.extend(text_demands::compare(request, &tokens, line, &finds));
        found.extend(counts::compare(request, &tokens, line));
        found.extend(additions::unasked(&tokens, line, &finds));
        found.extend(feature::dropped(request, &tokens, line));
    }
    found.extend(literal::missing(request, &tokens, line));
    found.extend(literal::missing_numbers(request, &tokens, &demands, line));
    found.sort_by_key(|mismatch| mismatch.span.start);
    found.dedup_by(|one, other| one.edit.is_some() && one.edit == other.edit);
    found
}

/// Returns the slips of a line that are wrong whatever was asked.
pub fn slips(line: &ParsedLine) -> Vec<Mismatch> {
    slips::slips(line)
}

fn finds(line: &ParsedLine) -> impl Iterator<Item = FindExpression<'_>> {
    line.parsed().commands.iter().filter_map(FindExpression::of)
}
