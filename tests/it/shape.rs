//! File schemas compared with what Nushell's `open` returns.

use std::collections::BTreeSet;
use std::fs;

use askline_check::file_schema::{Column, FileSchema};
use serde_json::Value;

use crate::nushell::nushell;

/// File name, contents, and `true` if the schema can be read without Nushell.
const FILES: [(&str, &[u8], bool); 66] = [
    ("goods.csv", b"name,price,stock\nApple,1.5,3\nPear,2,\n", true),
    ("UPPER.CSV", b"A,B\n1,2\n", true),
    ("a.b.csv", b"A,B\n1,2\n", true),
    (".csv", b"A,B\n1,2\n", true),
    ("empty.csv", b"", true),
    ("names.csv", b"name,price\n", true),
    ("one.csv", b"one\n1\n2\n", true),
    ("twice.csv", b"a,a,b,a\n1,x,3,4\n", true),
    ("numbers.csv", b"1,2,3\n4,5,6\n", true),
    ("mark.csv", b"\xef\xbb\xbfname,x\r\n\"a, b\",true\r\n", true),
    ("quotes.csv", b"\"a \"\"q\"\"\",\"b\nc\", d \n1,2, 3\n", true),
    ("inside.csv", b"a,b\n1,x\"y\"\n", true),
    ("behind.csv", b"a,b\n\"x\"y,2\n", false),
    ("open.csv", b"a,b\n1,\"2\n", false),
    ("old.csv", b"a,b\r1,2\r", true),
    ("blanks.csv", b"a,b\n   \n1,2\n", false),
    ("lines.csv", b"\n\na,b\n\n1,2\n\n", true),
    ("ragged.csv", b"a,b\n1,2\n1,2,3\n4\n", false),
    ("unnamed.csv", b"a,,\n1,2,3\n", true),
    ("semicolons.csv", b"a;b\n1;2\n", true),
    ("mixed.csv", b"a,b\n1,x\n2,3\n", true),
    ("odd.csv", b"f,big,neg,exp,t,size,nul,inf,plus\n1.0,99999999999999999999,-1,1e5,True,1kb,,inf,+5\n", true),
    ("latin.csv", b"n\xe9e,b\n1,2\n", false),
    ("note.csv", b"# note\na,b\n1,2\n", false),
    ("json.csv", b"{\"a\": 1}\n", true),
    ("goods.tsv", b"a\tb,c\n1\t2\n", true),
    ("record.json", b"{\"b\":1,\"a\":{\"c\":[1,2],\"d\":\"x\"},\"e\":[{\"f\":1,\"g\":null},{\"f\":2.5}]}", true),
    ("table.json", b"[{\"a\":1,\"t\":true},{\"b\":2}]", true),
    ("nulls.json", b"[{\"a\":1,\"b\":\"x\"},{\"a\":2,\"b\":null}]", true),
    ("empties.json", b"[{\"a\":[],\"b\":{}},{\"a\":[{\"x\":1}],\"b\":{\"y\":1}}]", true),
    ("lists.json", b"[[1,2],[3],[]]", true),
    ("tables.json", b"[[{\"a\":1}],[{\"b\":1}]]", true),
    ("values.json", b"[1,\"a\",{\"a\":1}]", true),
    ("nothing.json", b"[]", true),
    ("none.json", b"{}", true),
    ("text.json", b"\"s\"", true),
    ("number.json", b"1.0", true),
    ("huge.json", b"[18446744073709551615,1e400]", false),
    ("twice.json", b"{\"a\":1,\"a\":\"x\"}", true),
    ("keys.json", b"{\"a b\":1,\"\":2,\"\\u00e9\":3,\"1\":4}", true),
    ("relaxed.json", b"{a:1}", false),
    ("csv.json", b"a,b\n1,2\n", false),
    ("blank.json", b"", false),
    ("two.json", b"{\"a\":1}{\"b\":2}", false),
    ("all.toml", b"a = 1\n[b]\nc = \"x\"\nd = 2024-01-01\n[[e]]\nf = 1.5\ng = true\n[[e]]\nf = inf\n", true),
    ("blank.toml", b"", true),
    ("bad.toml", b"bad", false),
    ("all.yaml", b"# x\nname: x\nitems:\n  - a: 1\n  - b: 2\nmore:\n- b\n- c\n\nf: 1.5 # y\nlist: [1, 2]\nlong: |\n  a: b\n", true),
    ("list.yml", b"- a: 1\n- a: 2\n", false),
    ("more.yaml", b"---\na: 1\n---\nb: 2\n", false),
    ("bad.yaml", b"a: 'b\nc: d\n", false),
    ("colons.yaml", b"a: b: c\n", false),
    ("dash.yaml", b"a: - b\n", false),
    ("at.yaml", b"a: @x\n", false),
    ("inside.yaml", b"a: b\n  c: d\n", false),
    ("beside.yaml", b"a: b\n- c\n", false),
    ("signs.yaml", b"a: #x\nb: http://x:80/y # z\nc: -x\nd: >\n  e: f: g\ne: 'x y'\n", true),
    ("brackets.yaml", b"a: [b,\n  c]\nd: 1\n", false),
    ("all.nuon", b"{\"a\": 1, \"b\": [true]}", true),
    ("own.nuon", b"{a: 1, b: [1 2]}", false),
    ("words.txt", b"hello: world", true),
    ("object.txt", b"{\"a\":1}", true),
    ("bytes.txt", b"\xff\xfe", true),
    ("README", b"hello", true),
    ("rows.jsonl", b"{\"a\":1}\n{\"a\":2}\n", true),
    ("app.log", b"a=1\n", true),
];

/// Returns the column names that Nushell gives a whole table or record.
fn columns(said: &Value) -> BTreeSet<String> {
    let of =
        |value: &Value| value["columns"].as_object().map(|keys| keys.keys().cloned().collect::<Vec<_>>());
    let rows = said["value"].as_array().map(|rows| rows.iter().filter_map(of).flatten().collect());
    rows.or(of(said).map(BTreeSet::from_iter)).unwrap_or_default()
}

/// Reports whether the schema matches Nushell's description of a value (`describe --detailed`).
fn is(shape: &FileSchema, said: &Value) -> bool {
    let kind = said["type"].as_str().unwrap_or_default();
    let keys = |said: &Value| {
        said["columns"]
            .as_object()
            .map(|keys| keys.keys().cloned().collect::<BTreeSet<_>>())
            .unwrap_or_default()
    };
    let names = |columns: &[Column], always: bool| {
        let names =
            columns.iter().filter(|column| column.always || !always).map(|column| column.name.clone());
        names.collect::<BTreeSet<_>>()
    };
    let values = || said["value"].as_array().cloned().unwrap_or_default();
    let fits = |columns: &[Column], said: &Value| {
        said["type"] == "record"
            && names(columns, true).is_subset(&keys(said))
            && keys(said).is_subset(&names(columns, false))
            && columns
                .iter()
                .all(|column| said["columns"].get(&column.name).is_none_or(|value| is(&column.schema, value)))
    };
    match shape {
        FileSchema::Table(columns) => kind == "list" && values().iter().all(|row| fits(columns, row)),
        FileSchema::Record(columns) => fits(columns, said),
        FileSchema::List(inner) => kind == "list" && values().iter().all(|value| is(inner, value)),
        FileSchema::Text => kind == "string",
        FileSchema::Int => kind == "int",
        FileSchema::Float => matches!(kind, "int" | "float"),
        FileSchema::Bool => kind == "bool",
        FileSchema::Binary => kind == "binary",
        FileSchema::Unknown => true,
    }
}

#[test]
fn nushell_opens_files_so() {
    let directory = tempfile::tempdir().unwrap();
    let paths: Vec<String> = FILES
        .iter()
        .map(|(name, content, _)| {
            let path = directory.path().join(name);
            fs::write(&path, content).unwrap();
            path.to_str().unwrap().to_owned()
        })
        .collect();
    let program = "from json | each { |file| try { open $file | collect | describe --detailed } catch { {type: error} } } | to json --raw";
    let Some(said) = nushell(program, &serde_json::to_vec(&paths).unwrap()) else { return };
    let said: Vec<Value> = serde_json::from_slice(&said).unwrap();
    assert_eq!(said.len(), FILES.len());
    let mut wrong = Vec::new();
    for ((name, content, is_told), said) in FILES.iter().zip(&said) {
        let shape = FileSchema::of(name, content, true);
        let names = shape.columns().map(|all| all.iter().map(|column| column.name.clone()).collect());
        let is_all = names.is_none_or(|names: BTreeSet<String>| names == columns(said));
        if !is(&shape, said) || !is_all || (shape != FileSchema::Unknown) != *is_told {
            wrong.push(format!("{name}: {shape:?}, nushell {said}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
