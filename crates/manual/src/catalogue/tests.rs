//! Tests for command docs from Nushell's records, and for the search.

use proptest::prelude::*;

use super::*;

/// Records in the form in which Nushell prints its commands, with texts of our own.
const ROWS: &str = r#"["str join", "Make one text of many.", "collect, concatenate", ["list<any>", "string"], [["positional", "separator", null, "string", true, "What stands between them."]], [["Put texts together with dashes between.", "[a b] | str join '-'"], ["Put texts together.", "[a b] | str join"]]]
["join", "Put the rows of two tables together.", "", ["table"], [["positional", "right-table", null, "table", false, ""], ["positional", "left-on", null, "string", false, ""], ["switch", "inner", "i", null, true, ""]], [["Join two tables.", "$a | join $b key"]]]
["str replace", "Find text and put other text there.", "search, regex", ["string"], [["positional", "find", null, "string", false, ""], ["positional", "replace", null, "oneof<string, closure()>", false, ""], ["rest", "", null, "cell-path", true, ""], ["switch", "all", "a", null, true, "Each time it occurs."], ["switch", "no-expand", "n", null, true, ""], ["switch", "regex", "r", null, true, ""], ["switch", "multiline", "m", null, true, ""]], [["Replace all occurrences of a text.", "'aba' | str replace --all a c"]]]
["str uppercase", "Make all letters capitals.", "upcase, upper", ["string"], [], [["Upper case of a text.", "'nu' | str uppercase"]]]
["math round", "Round numbers.", "fix", ["number", "list<number>"], [["named", "precision", "p", "number", true, "Decimals to keep."]], [["Round to two decimals.", "3.14159 | math round --precision 2"]]]
["math avg", "The mean of numbers.", "average", ["list<number>"], [], [["Average of a list.", "[1 2 3] | math avg"]]]
["url parse", "Take a URL apart.", "host, scheme, port", ["string"], [], [["Parts of a URL.", "'http://a.example/b' | url parse"]]]
["url encode", "Write a text so that it fits into a URL.", "percent", ["string"], [], []]
["split row", "Cut a text into a list.", "separate", ["string"], [["positional", "separator", null, "string", false, ""]], [["Split a text at a comma.", "'a,b' | split row ','"]]]
["split", "Cut things.", "", ["nothing"], [], []]
["decode base64", "Text out of base64.", "", ["string"], [], [["Decode a base64 text.", "'AAAA' | decode base64"]]]
["encode base64", "Base64 out of text.", "", ["string"], [], [["Encode a text as base64.", "'a' | encode base64"]]]
["where", "Keep the rows for which a condition holds.", "filter, find", ["table"], [["positional", "condition", null, "condition", false, ""]], [["Rows with a price of more than 3.", "$t | where price > 3"], ["two\nlines", "$t\n| where a"], ["A comment.", "$t | where a # b"]]]
["ls", "List what is in a directory.", "dir", ["nothing"], [["rest", "pattern", null, "glob", true, ""], ["switch", "quite-a-long-flag-0", null, null, true, ""], ["switch", "quite-a-long-flag-1", null, null, true, ""], ["switch", "quite-a-long-flag-2", null, null, true, ""], ["switch", "quite-a-long-flag-3", null, null, true, ""], ["switch", "quite-a-long-flag-4", null, null, true, ""], ["switch", "quite-a-long-flag-5", null, null, true, ""], ["switch", "quite-a-long-flag-6", null, null, true, ""], ["switch", "quite-a-long-flag-7", null, null, true, ""], ["switch", "quite-a-long-flag-8", null, null, true, ""]], []]"#;

fn catalogue() -> Catalogue {
    Catalogue::read(ROWS)
}

fn names(docs: Vec<&CommandDoc>) -> Vec<&str> {
    docs.into_iter().map(|doc| doc.name.as_str()).collect()
}

#[test]
fn a_signature_is_one_short_line() {
    let catalogue = catalogue();
    let of = |name: &str| catalogue.get(name).unwrap().signature();
    assert_eq!(of("str join"), "str join [separator: string]");
    assert_eq!(of("math round"), "math round [--precision(-p): number]");
    assert_eq!(
        of("str replace"),
        "str replace <find: string> <replace: oneof<string, closure()>> ...[rest: cell-path] [--all(-a)] [--no-expand(-n)] \
         [--regex(-r)] [--multiline(-m)]"
    );
    for doc in catalogue.docs() {
        let line = doc.signature();
        assert!(line.chars().count() <= SIGNATURE_CHARS_MAX && line.starts_with(&doc.name), "{line}");
    }
    assert!(catalogue.docs().any(|doc| doc.signature().ends_with(" …")));
}

#[test]
fn a_card_is_a_manual() {
    let manual = catalogue().get("str replace").unwrap().manual();
    assert_eq!((manual.name.as_str(), manual.options.len()), ("help str replace", 4));
    let all = manual.option("-a").unwrap();
    assert_eq!((all.text.as_str(), all.value), ("Each time it occurs.", Arity::None));
    let round = catalogue().get("math round").unwrap().manual();
    assert_eq!(round.option("--precision").unwrap().value, Arity::Required);
}

#[test]
fn who_writes_another_name_means_a_near_one() {
    let catalogue = catalogue();
    for (request, name, meant) in [
        ("round 3.14159 to two decimals", "round", "math round"),
        ("join the words one two three with dashes", "join", "str join"),
        ("text in upper case", "upcase", "str uppercase"),
        ("host name in the url https://example.org/a", "url host", "url parse"),
        ("split 'height=40' at the =", "split", "split row"),
        ("average of the numbers in n.txt", "average", "math avg"),
        ("decode the base64 text bGFudGVybg==", "base64", "decode base64"),
        ("rows with a price of more than 3", "filter", "where"),
    ] {
        let near = names(catalogue.nearest(request, name, 2));
        assert!(near.contains(&meant), "{request}: {near:?}");
        assert!(near.len() <= 2 && !near.contains(&name), "{request}: {near:?}");
    }
    assert_eq!(names(catalogue.nearest("", "xyzzy", 2)), Vec::<&str>::new());
}

#[test]
fn rows_that_cannot_be_read_are_left_out() {
    let cut = ROWS.get(..ROWS.len() - 40).unwrap();
    let all = catalogue().docs().count();
    assert_eq!(all, 14);
    assert_eq!(Catalogue::read(cut).docs().count(), all - 1);
    assert!(Catalogue::read("").is_empty() && Catalogue::read("[]\n{}\n[\"a\"]\nnoise").is_empty());
    let later = Catalogue::read(
        r#"["a","one",null,[],[],[]]
["a","two",null,[],[["rest",null,null,"any",true,null]],[]]"#,
    );
    assert_eq!(later.get("a").unwrap().description, "two");
    assert_eq!(later.get("a").unwrap().signature(), "a ...[rest: any]");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 64, ..ProptestConfig::default() })]
    #[test]
    fn no_text_breaks_it(text in "(.|\n|\"|,|\\[|\\]){0,200}", words in ".{0,60}") {
        Catalogue::read(&text);
        let catalogue = catalogue();
        catalogue.nearest(&words, &text, 2);
    }
}
