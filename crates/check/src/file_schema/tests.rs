//! Tests of schemas by file name and text; `tests/it/schema.rs` checks the same against Nushell itself.

use proptest::prelude::*;

use super::{COLUMNS_MAX, FileSchema, HEAD_BYTES_MAX};

/// Formats columns as `name:int`, in brackets for a table and in braces for a record; `?` marks a column that some
/// rows lack.
fn described(schema: &FileSchema) -> String {
    let columns = || {
        let columns = schema.columns().unwrap_or_default().iter();
        let one = |name: &str, always: bool, schema: &FileSchema| {
            format!("{name}{}:{}", if always { "" } else { "?" }, described(schema))
        };
        columns.map(|column| one(&column.name, column.always, &column.schema)).collect::<Vec<_>>().join(" ")
    };
    match schema {
        FileSchema::Table(_) => format!("[{}]", columns()),
        FileSchema::Record(_) => format!("{{{}}}", columns()),
        FileSchema::List(values) => format!("list<{}>", described(values)),
        FileSchema::Text => "text".to_owned(),
        FileSchema::Int => "int".to_owned(),
        FileSchema::Float => "float".to_owned(),
        FileSchema::Bool => "bool".to_owned(),
        FileSchema::Binary => "binary".to_owned(),
        FileSchema::Unknown => "_".to_owned(),
    }
}

#[test]
fn shapes() {
    let table: [(&str, &[u8], &str); 63] = [
        ("a.csv", b"name,price,stock\nApple,1.5,3\nPear,2,\n", "[name:text price:float stock:_]"),
        ("A.CSV", b"a\n1", "[a:int]"),
        ("dir.d/a.csv", b"\n\na,b\r\n\r\n1,x\r\n", "[a:int b:text]"),
        ("a.csv", b"\xef\xbb\xbfname,x\n\"a, b\",true\n", "[name:text x:text]"),
        ("a.csv", b"\"a \"\"q\"\"\",\"b\nc\", d \n1,2,\" 3\"\n", "[a \"q\":int b\nc:int  d :text]"),
        ("a.csv", b"a,a\n1,2\n", "[a:_]"),
        ("a.csv", b"1,2\n4,5\n", "[1:int 2:int]"),
        ("a.csv", b"a,,\n1,2,3\n", "[a:int :_]"),
        ("a.csv", b"a;b\n1;2\n", "[a;b:text]"),
        ("a.csv", b"", "list<_>"),
        ("a.csv", b"a,b\n", "list<_>"),
        ("a.csv", b"a,b\n1,2,3\n", "_"),
        ("a.csv", b"# note\na,b\n1,2\n", "_"),
        ("a.csv", b"a,b\n1,\"2\n", "_"),
        ("a.csv", b"a,b\n1,\"2\"3\n", "_"),
        ("a.csv", b"n\xe9e,b\n1,2\n", "_"),
        ("a.tsv", b"a\tb,c\n1\t2\n", "[a:int b,c:int]"),
        ("a.json", b"{\"b\":1,\"a\":{\"c\":[1,2],\"d\":\"x\"}}", "{b:int a:{c:list<int> d:text}}"),
        ("a.json", b"[{\"a\":1,\"b\":true},{\"a\":2.5},{\"c\":null}]", "[a?:float b?:bool c?:_]"),
        ("a.json", b"[{\"e\":[{\"f\":1}]},{\"e\":[{\"f\":2,\"g\":3}]}]", "[e:[f:int g?:int]]"),
        ("a.json", b"[{\"a\":1},{\"a\":null},{\"a\":\"x\"}]", "[a:_]"),
        ("a.json", b"[[1,2],[3.5]]", "list<list<float>>"),
        ("a.json", b"[1,\"a\"]", "list<_>"),
        ("a.json", b"[{\"a\":1},3]", "list<_>"),
        ("a.json", b"[]", "list<_>"),
        ("a.json", b"{}", "{}"),
        ("a.json", b"\"s\"", "text"),
        ("a.json", b"18446744073709551615", "_"),
        ("a.json", b"{\"a\":1,\"a\":\"x\"}", "{a:text}"),
        ("a.json", b"{a:1}", "_"),
        ("a.json", b"{\"a\":1}{\"b\":2}", "_"),
        ("a.json", b"", "_"),
        ("a.nuon", b"{\"a\": 1}", "{a:int}"),
        ("a.nuon", b"{a: 1}", "_"),
        ("a.toml", b"b = 1\na = 2024-01-01\n[[e]]\nf = 1.5\ng = true\n", "{a:_ b:int e:[f:float g:bool]}"),
        ("a.toml", b"", "{}"),
        ("a.toml", b"bad", "_"),
        (
            "a.yaml",
            b"# x\nname: x\nitems:\n  - a: 1\nmore:\n- b\n\nn: [1, 2]\n",
            "{name:_ items:_ more:_ n:_}",
        ),
        ("a.yaml", b"a: -\n", "_"),
        ("a.yaml", b"a: - b\n", "_"),
        ("a.yaml", b"a: b: c\n", "_"),
        ("a.yaml", b"a: b:\n", "_"),
        ("a.yaml", b"a: @x\n", "_"),
        ("a.yaml", b"a: ? x\n", "_"),
        ("a.yaml", b"a: | x\n", "_"),
        ("a.yaml", b"a: ]\n", "_"),
        ("a.yaml", b"a: [x] y]\n", "_"),
        ("a.yaml", b"a: \"x\" y\"\n", "_"),
        ("a.yaml", b"a: b\n  c: d\n", "_"),
        ("a.yaml", b"a: b\n- c\n", "_"),
        (
            "a.yaml",
            b"a: #x\nb: http://x:80/y # z\nc: -x\nd: >\n  e: f: g\ne: 'x y'\n",
            "{a:_ b:_ c:_ d:_ e:_}",
        ),
        ("a.yml", b"a: &x\n  b: 1\n", "_"),
        ("a.yml", b"- a: 1\n- a: 2\n", "_"),
        ("a.yml", b"---\na: 1\n", "_"),
        ("a.yml", b"a: 'x\n\nb: c'\n", "_"),
        ("a.yml", b"yes: 1\n", "_"),
        ("a.yml", b"a: 1\na: 2\n", "_"),
        ("a.txt", b"a,b\n1,2\n", "text"),
        ("README", b"", "text"),
        ("a.txt", b"\xff\xfe", "binary"),
        ("a.txt", b"a\0b", "_"),
        ("a.xlsx", b"PK", "_"),
        ("a.md", b"# a", "_"),
    ];
    for (name, head, expected) in table {
        let text = String::from_utf8_lossy(head);
        assert_eq!(described(&FileSchema::of(name, head, true)), expected, "{name} {text:?}");
    }
}

#[test]
fn of_what_is_cut_only_whole_rows_count() {
    for (name, head, expected) in [
        // Rows beyond the examined part may contain other types.
        ("a.csv", "a,b\n1,2\n3,\"x\ny", "[a:_ b:_]"),
        ("a.csv", "a,b\n1,2\n3", "[a:_ b:_]"),
        ("a.csv", "a,b\n1,2\n3,é", "[a:_ b:_]"),
        ("a.csv", "a,b\n1", "_"),
        ("a.csv", "a,b", "_"),
        ("a.json", "[]\n", "_"),
        ("a.toml", "a = 1\n", "_"),
        ("a.yaml", "a: 1\n", "_"),
        ("a.txt", "a: 1\n", "text"),
    ] {
        assert_eq!(described(&FileSchema::of(name, head.as_bytes(), false)), expected, "{name} {head:?}");
    }
    let cut = b"a,b\n1,2\n3,\xc3";
    assert_eq!(described(&FileSchema::of("a.csv", cut, false)), "[a:_ b:_]", "inside a character");
    let long = "a,b\n".to_owned() + &"1,2\n".repeat(HEAD_BYTES_MAX) + "text,text\n";
    assert_eq!(described(&FileSchema::of("a.csv", long.as_bytes(), true)), "[a:_ b:_]");
}

#[test]
fn too_many_names_are_unknown() {
    let names = |count: usize| (0..count).map(|n| format!("n{n}")).collect::<Vec<_>>();
    for (count, is_known) in [(COLUMNS_MAX, true), (COLUMNS_MAX + 1, false)] {
        let csv = format!("{}\n{}\n", names(count).join(","), names(count).join(","));
        let keys: Vec<String> = names(count).iter().map(|name| format!("\"{name}\":1")).collect();
        let rows: Vec<String> = keys.iter().map(|key| format!("{{{key}}}")).collect();
        for (name, text) in [
            ("a.csv", csv),
            ("a.json", format!("{{{}}}", keys.join(","))),
            ("a.yaml", names(count).join(":\n") + ":\n"),
        ] {
            let schema = FileSchema::of(name, text.as_bytes(), true);
            assert_eq!(schema.columns().map(<[_]>::len), is_known.then_some(count), "{name} {count}");
        }
        let rows = format!("[{}]", rows.join(","));
        assert_eq!(
            FileSchema::of("a.json", rows.as_bytes(), true).columns().is_some(),
            is_known,
            "{count} rows"
        );
    }
    let deep = "[".repeat(100_000);
    assert_eq!(FileSchema::of("a.json", deep.as_bytes(), true), FileSchema::Unknown);
    assert_eq!(FileSchema::of("a.toml", format!("a = {deep}").as_bytes(), true), FileSchema::Unknown);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn nothing_panics(
        pieces in proptest::collection::vec(
            prop_oneof![
                proptest::sample::select(vec!["a", ",", "\"", "\n", "\r", "\t", "{", "}", "[", "]", ":", " ", "- ", "1", "é", "=", "'", "\u{feff}"])
                    .prop_map(|piece| piece.as_bytes().to_vec()),
                proptest::collection::vec(any::<u8>(), 0..4),
            ],
            0..60,
        ),
        name in proptest::sample::select(vec!["a.csv", "a.tsv", "a.json", "a.nuon", "a.toml", "a.yaml", "a.txt", "", ".", "/", "é.É"]),
        is_whole in any::<bool>(),
    ) {
        FileSchema::of(name, &pieces.concat(), is_whole);
    }
}
