//! Findings about columns in files, compared with Nushell itself: a line with a finding ends with an error there; a
//! repaired or correct line does not.

use std::collections::BTreeMap;
use std::fs;

use serde::Deserialize;

use crate::chain::Server;
use crate::cli::Askline;
use crate::nushell::nushell;

#[derive(Deserialize)]
struct Data {
    files: BTreeMap<String, String>,
    wrong: Vec<Wrong>,
    nothing: Nothing,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrong {
    line: String,
    #[expect(dead_code, reason = "held against ours beside the code")]
    says: String,
    fixed: Option<String>,
    /// `true` if Nushell returns nothing useful and no error.
    #[serde(default)]
    silent: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {
    right: Vec<String>,
    #[expect(dead_code, reason = "held against ours beside the code")]
    unknown: Vec<String>,
}

/// Reports for each line whether it ends without an error; `None` if Nushell is not installed. Each line runs in its
/// own Nushell among the test files. The lines are ours, and none of them writes.
fn run(lines: &[&str], data: &Data) -> Option<Vec<bool>> {
    let directory = tempfile::tempdir().unwrap();
    for (name, text) in &data.files {
        fs::write(directory.path().join(name), text).unwrap();
    }
    let program = "let all = ($in | from json); cd $all.at; $all.lines | each { |line| (^$nu.current-exe -n --no-std-lib -c $'($line) | collect | ignore' | complete).exit_code == 0 } | to json --raw";
    let input = serde_json::json!({"at": directory.path(), "lines": lines});
    let said = nushell(program, input.to_string().as_bytes())?;
    Some(serde_json::from_slice(&said).unwrap())
}

#[test]
fn nushell_agrees() {
    let data: Data =
        toml::from_str(include_str!("../../crates/check/tests/data/check/columns.toml")).unwrap();
    let wrong = data.wrong.iter().map(|row| (row.line.as_str(), row.silent));
    let fixed = data.wrong.iter().filter_map(|row| Some((row.fixed.as_deref()?, true)));
    // A file without that other column stays wrong.
    let fixed = fixed.filter(|(line, _)| !line.contains("Stock"));
    let right = data.nothing.right.iter().map(|line| (line.as_str(), true));
    let rows: Vec<(&str, bool)> = wrong.chain(fixed).chain(right).collect();
    let lines: Vec<&str> = rows.iter().map(|(line, _)| *line).collect();
    let Some(ends_well) = run(&lines, &data) else { return };
    assert_eq!(ends_well.len(), rows.len());
    let wrong: Vec<_> = rows.iter().zip(ends_well).filter(|((_, expected), is)| expected != is).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A request without similar solved requests, whose lines might name a column that the test looks for.
const UNLIKE: &str = "opulent whatnots";
const GOODS: &str = "name,price,stock\nApple,1.5,3\nPear,2,5\n";

#[test]
fn check_says_what_the_file_has() {
    let line = "open goods.csv | where amount > 400";
    let run = |args: &[&str]| {
        let all = ["check", "--shell", "nu"].iter().chain(args).copied();
        Askline::new(all).file("goods.csv", GOODS).run().code(1).stdout
    };
    let text = run(&["--", line]);
    let expected = "^^^^^^ warning: `goods.csv` has no column `amount` (it has name, price, stock)\n";
    assert!(text.contains(expected), "{text}");
    let json: serde_json::Value = serde_json::from_str(&run(&["--json", "--", line])).unwrap();
    let finding = &json["findings"][0];
    assert_eq!([&finding["kind"], &finding["evidence"]], ["column", "it has name, price, stock"], "{json}");
    let other = Askline::new(["check", "--shell", "nu", "--json", "--", "open goods.csv | where price > x"]);
    let said: serde_json::Value =
        serde_json::from_str(&other.file("goods.csv", GOODS).run().code(1).stdout).unwrap();
    assert_eq!([&said["findings"][0]["kind"], &said["findings"][0]["grade"]], ["shape", "warning"], "{said}");
    Askline::new(["check", "--shell", "nu", "--", "open goods.csv | where price > 400"])
        .file("goods.csv", GOODS)
        .run()
        .code(0);
}

#[test]
fn the_model_is_told_the_columns_and_asked_again() {
    let replies = concat!(
        r#"{"reply": "open goods.csv | where amount > 400"}"#,
        "\n",
        r#"{"reply": "open goods.csv | where price > 400", "must_contain": "`goods.csv` has no column `amount`; it has name, price, stock"}"#
    );
    Askline::new(["suggest", "--shell", "nu", "goods that cost more than 400"])
        .file("goods.csv", GOODS)
        .model(replies)
        .run()
        .stdout("open goods.csv | where price > 400\n")
        .code(0);
}

/// A user always sees the column names; so does a model that finds none of them.
#[test]
fn what_stays_wrong_is_told_with_the_names() {
    let ran = Askline::new(["suggest", "--shell", "nu", "goods that cost more than 400"])
        .file("goods.csv", GOODS)
        .config("refine_rounds = 0\n")
        .model(r#"{"reply": "open goods.csv | where amount > 400"}"#)
        .run();
    let expected = "still wrong: `goods.csv` has no column `amount`; it has name, price, stock";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

/// Column names that only a file contains reach a server only if `[context] columns` is "all", neither in findings nor
/// in a repaired line.
#[test]
fn a_server_sees_no_name_of_a_column_unasked() {
    let answers = ["open goods.csv | where amount > 400", "open goods.csv | where Price > 400 | get amount"];
    for (columns, is_told) in [
        ("", false),
        ("[context]\ncolumns = \"local\"\n", false),
        ("[context]\ncolumns = \"off\"\n", false),
        ("[context]\ncolumns = \"all\"\n", true),
    ] {
        for answer in answers {
            let server = Server::answering(answer);
            let config =
                format!("profile = \"team\"\n{columns}{}", server.profile("team", "prompt = \"chat\""));
            Askline::new(["suggest", "--shell", "nu", UNLIKE]).file("goods.csv", GOODS).config(&config).run();
            let heard = server.heard();
            let again = heard.get(1).unwrap_or_else(|| panic!("not asked again: {answer}"));
            let wrong = if answer.contains("Price") && !is_told { "`Price`" } else { "`amount`" };
            assert!(again.contains(&format!("`goods.csv` has no column {wrong}")), "{again}");
            let names = ["price, stock", "where price >", "stock"].map(|name| again.contains(name));
            let mended = answer.contains("Price");
            assert_eq!(names, [is_told, is_told && mended, is_told], "{columns} {again}");
        }
    }
}

/// A local model gets the column names, uses one, and fails. The server that is asked next gets the line from before
/// that.
#[test]
fn what_an_informed_model_wrote_is_not_for_a_server() {
    let replies = concat!(
        r#"{"reply": "open goods.csv | where amount > 400 and sold > 1"}"#,
        "\n",
        r#"{"reply": "open goods.csv | sort-by stock cost", "must_contain": "it has name, price, stock"}"#,
        "\n",
        r#"{"fail": "gone", "must_contain": "sort-by stock cost"}"#
    );
    for (columns, is_told) in [("", false), ("[context]\ncolumns = \"all\"\n", true)] {
        let server = Server::answering("open goods.csv | length");
        let run = Askline::new(["suggest", "--shell", "nu", UNLIKE]);
        let script = run.path("replies.jsonl");
        let config = format!(
            "profile = \"script\"\nrefine_rounds = 2\n[fallback]\norder = [\"script\", \"team\"]\n{columns}\
             [profiles.script]\nprotocol = \"scripted\"\nfile = \"{}\"\n{}",
            script.display(),
            server.profile("team", "prompt = \"chat\"")
        );
        let run = run.file("goods.csv", GOODS).file("replies.jsonl", replies).config(&config).run();
        let heard = server.heard();
        let [request] = heard.as_slice() else { panic!("{heard:?} {}", run.stderr) };
        let told = ["stock", "sort-by", "cost", "it has name"].map(|part| request.contains(part));
        assert_eq!(told, [is_told; 4], "{columns} {request}");
        assert_eq!(request.contains("where amount > 400 and sold > 1"), !is_told, "{request}");
        assert_eq!(run.stdout, "open goods.csv | length\n");
    }
}
