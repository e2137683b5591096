//! Merging of two sources about the same command.

use std::collections::HashMap;

use super::words::style_of;
use super::{Arity, Manual, OptionDoc, OptionStyle, Source};

/// Merges a page and a help text. Where they differ about an option's arity, the help text wins: the program itself
/// prints it, for this version.
pub(super) fn unite(page: Manual, help: Manual) -> Manual {
    let mut options = page.options;
    options.extend(help.options);
    let mut subcommands = page.subcommands;
    let mut place: HashMap<String, usize> =
        subcommands.iter().enumerate().map(|(index, subcommand)| (subcommand.name.clone(), index)).collect();
    for subcommand in help.subcommands {
        match place.get(&subcommand.name).and_then(|index| subcommands.get_mut(*index)) {
            Some(known) => {
                if known.summary.is_empty() {
                    known.summary = subcommand.summary;
                }
            }
            None => {
                place.insert(subcommand.name.clone(), subcommands.len());
                subcommands.push(subcommand);
            }
        }
    }
    let mut mentioned = page.mentioned;
    mentioned.extend(help.mentioned);
    let or = |first: String, second: String| if first.is_empty() { second } else { first };
    let mut united = Manual {
        name: or(page.name, help.name),
        summary: or(page.summary, help.summary),
        synopsis: or(page.synopsis, help.synopsis),
        examples: or(page.examples, help.examples),
        options: merged(options),
        mentioned,
        subcommands,
        style: OptionStyle::Getopt,
        // The help text comes from the program that will run.
        version: help.version.or(page.version),
    };
    let defined: std::collections::HashSet<&str> =
        united.options.iter().flat_map(|doc| doc.names.iter().map(String::as_str)).collect();
    united.mentioned.retain(|name| !defined.contains(name.as_str()));
    united.style = match style_of(&united) {
        OptionStyle::Getopt if matches!(page.style, OptionStyle::Operand | OptionStyle::Bsd) => page.style,
        style => style,
    };
    united
}

/// Merges entries that have a name in common.
pub(super) fn merged(docs: Vec<OptionDoc>) -> Vec<OptionDoc> {
    let mut whole: Vec<OptionDoc> = Vec::new();
    let mut place: HashMap<String, usize> = HashMap::new();
    for doc in docs {
        let known = doc.names.iter().find_map(|name| place.get(name)).copied();
        let index = known.unwrap_or(whole.len());
        match whole.get_mut(index) {
            Some(into) if is_preset(into, &doc) => {
                // Only the long name takes the value; the new short name means one fixed value of it.
                let names = doc.names.iter().filter(|name| !place.contains_key(*name)).cloned().collect();
                let preset = OptionDoc { names, value: Arity::None, placeholder: String::new(), ..doc };
                add(&mut whole, preset, &mut place);
            }
            Some(into) => join(into, &doc, &mut place, index),
            None => add(&mut whole, doc, &mut place),
        }
    }
    whole
}

fn add(whole: &mut Vec<OptionDoc>, doc: OptionDoc, place: &mut HashMap<String, usize>) {
    for name in &doc.names {
        place.insert(name.clone(), whole.len());
    }
    whole.push(doc);
}

/// Reports whether an entry is a short form of one setting: `-p, --indicator-style=slash` after
/// `--indicator-style=WORD`.
fn is_preset(known: &OptionDoc, doc: &OptionDoc) -> bool {
    let short = |name: &&String| name.chars().count() == 2;
    known.source == doc.source
        && known.value == Arity::Required
        && doc.value == Arity::Required
        && !known.names.iter().any(|name| short(&name))
        && doc.names.iter().any(|name| short(&name))
        && known.placeholder != doc.placeholder
}

fn join(into: &mut OptionDoc, doc: &OptionDoc, place: &mut HashMap<String, usize>, index: usize) {
    for name in &doc.names {
        // A name that already belongs to an entry stays there.
        if !place.contains_key(name) {
            place.insert(name.clone(), index);
            into.names.push(name.clone());
        }
    }
    let decides = if doc.source == into.source {
        // Documented twice in one text: the form with a value is more informative.
        weight(doc.value) > weight(into.value)
    } else {
        // A help text's column may have no space for the value that the page shows.
        doc.source == Source::Help
            && doc.value != Arity::Unknown
            && !(doc.value == Arity::None && into.value == Arity::Required)
    };
    if decides {
        into.value = doc.value;
        into.placeholder.clone_from(&doc.placeholder);
    }
    if into.text.is_empty() {
        into.text.clone_from(&doc.text);
    }
}

fn weight(value: Arity) -> u8 {
    match value {
        Arity::Unknown => 0,
        Arity::None => 1,
        Arity::Attached => 2,
        Arity::Optional => 3,
        Arity::Required => 4,
    }
}
