//! Tests with a short page or help text for each layout, and the expected result.

use expect_test::{Expect, expect};
use proptest::prelude::*;

use super::*;

const PAGES: [&str; 4] = [
    include_str!("../tests/data/manual/man.1"),
    include_str!("../tests/data/manual/docbook.1"),
    include_str!("../tests/data/manual/pod.1"),
    include_str!("../tests/data/manual/mdoc.1"),
];

/// Formats a manual in a few lines: one option per line, then the other fields.
fn shown(manual: &Manual) -> String {
    let mut text = String::new();
    for doc in &manual.options {
        let value = match doc.value {
            Arity::None => String::new(),
            Arity::Required => format!(" <{}>", doc.placeholder),
            Arity::Optional => format!(" [{}]", doc.placeholder),
            Arity::Attached => format!(" ={}", doc.placeholder),
            Arity::Unknown => " ?".to_owned(),
        };
        text.push_str(&format!("{}{value} | {}\n", doc.names.join(" "), doc.text));
    }
    for subcommand in &manual.subcommands {
        text.push_str(&format!("{}: {}\n", subcommand.name, subcommand.summary));
    }
    let mentioned: Vec<&str> = manual.mentioned.iter().map(String::as_str).collect();
    text.push_str(&format!("mentioned: {}\n", mentioned.join(" ")));
    text.push_str(&format!(
        "{:?} {:?} {:?} {:?}\n",
        manual.name, manual.version, manual.style, manual.summary
    ));
    text
}

fn check_page(source: &str, expected: Expect) {
    expected.assert_eq(&shown(&page(source)));
}

fn check_help(text: &str, expected: Expect) {
    expected.assert_eq(&shown(&help(text)));
}

#[test]
fn man_macros() {
    check_page(
        PAGES[0],
        expect![[r#"
            -a --all | take every line, e.g. empty ones
            --color [WHEN] | colour it
            -k --key <KEY> | sort by KEY
            -e --expression <script> | run script
            -o --output <file> | write there
            -q --quiet | say nothing
            -U <num> | context
            --unified [num] | context
            -p --style <slash> | shown on a terminal
            --for-screen | shown on a terminal
            mentioned: --hidden-switch
            "sift" Some("3.14") Getopt "pick lines that fit"
        "#]],
    );
    let page = page(PAGES[0]);
    assert_eq!(page.synopsis, "sift [OPTION]... [FILE]...");
    assert_eq!(page.examples, "sift -a file");
}

#[test]
fn docbook_and_asciidoc() {
    check_page(
        PAGES[1],
        expect![[r#"
        -n --dry-run | Don't do it. Just say it.
        -S --sign [keyid] | Sign
        --no-sign | Sign
        --verify --no-verify | Look first
        -t --type <TYPE> | Only such
        add: Put something in.
        drop: Take something out
        mentioned: --root
        "keep" Some("2.4.1") Subcommands "keep things"
    "#]],
    );
}

#[test]
fn pod() {
    check_page(
        PAGES[2],
        expect![[r#"
        -in <file> | Read from there
        -noout | Write nothing
        -std =standard | Which one
        -inform <DER|PEM> | The form
        -verbose | More
        mentioned: 
        "grind" Some("0.9") LongDash "make it small"
    "#]],
    );
}

#[test]
fn bsd_mdoc() {
    check_page(
        PAGES[3],
        expect![[r#"
            -A --all | Everything
            -e <command> | Run command
            -i [suffix] | In place
            --color <when> | Colour
            -v <val> | Move
            -q --quiet | Silent (see --loud)
            -@ | At.
            mentioned: --loud -z
            "trim" None Getopt "cut ends off"
        "#]],
    );
    assert_eq!(page(PAGES[3]).synopsis, "trim [-Aqz] [-e command] [-v [+|-]val] [file ...]");
}

#[test]
fn redirects() {
    assert_eq!(redirect(".so man1/grep.1\n"), Some("man1/grep.1"));
    assert_eq!(redirect(".\\\" a comment\n\n.so  man1/grep.1 \n"), Some("man1/grep.1"));
    assert_eq!(redirect(".TH X 1\n.so man1/grep.1\n"), None);
    assert_eq!(redirect(".sober\n"), None);
    assert_eq!(redirect(""), None);
}

#[test]
fn gnu_help() {
    check_help(
        "Usage: sift [OPTION]... [FILE]...\n  or:  sift --files0-from=F\nPick lines that fit.\n\n\
         \x20 -a, --all                  take all\n\
         \x20     --color[=WHEN]         colour the output WHEN: always,\n\
         \x20                              never or auto\n\
         \x20 -c  --format=FORMAT        use this FORMAT\n\
         \x20 -k, --key=KEYDEF           sort via a key;\n\
         \x20                              -x is spoken of here\n\
         \x20 -NUM                       same as --context=NUM\n\
         \x20 -C, --context=NUM          print NUM lines\n\
         \x20 -c, --check, --check=quiet  look only\n\
         \x20     --a-name-that-goes-on-over-the-column describe it\n\
         \nReport bugs to <bugs@example.org>.\nGNU sift home page\n",
        expect![[r#"
            -a --all | take all
            --color [WHEN] | colour the output WHEN: always,
            -c --format <FORMAT> | use this FORMAT
            -k --key <KEYDEF> | sort via a key;
            -C --context <NUM> | print NUM lines
            --check [quiet] | look only
            --a-name-that-goes-on-over-the-column | describe it
            --files0-from <F> | 
            mentioned: -x
            "sift" None Getopt "Pick lines that fit"
        "#]],
    );
}

#[test]
fn clap_help() {
    check_help(
        "Build things\n\nUsage: forge [OPTIONS] [COMMAND]\n\nCommands:\n  build, b  Compile the package\n  clean     Remove what was made\n            \
         and more\n  help      Print this message\n\nOptions:\n  -v, --verbose...         Say more\n  -p, --package [<SPEC>]   Which package\n      \
         --color <WHEN>       Colour [possible values: auto, always]\n  -j, --jobs <N>\n          Number of jobs\n  -h, --help               Print help\n",
        expect![[r#"
            -v --verbose | Say more
            -p --package ? | Which package
            --color <WHEN> | Colour [possible values: auto, always]
            -j --jobs <N> | Number of jobs
            -h --help | Print help
            build: Compile the package
            b: Compile the package
            clean: Remove what was made
            help: Print this message
            mentioned: 
            "forge" None Subcommands "Build things"
        "#]],
    );
}

#[test]
fn cobra_help() {
    check_help(
        "Usage:  crate run [OPTIONS] IMAGE\n\nRun it\n\nManagement Commands:\n  builder     Manage builds\n  buildx*     Build with more\n\nCommands:\n  \
         ps          List\n\nOptions:\n      --add-host list          Add a host\n  -a, --attach list            Attach\n  -d, --detach                 Leave it\n      \
         --memory bytes           Limit\n\nRun 'crate COMMAND --help' for more.\n",
        expect![[r#"
            --add-host <list> | Add a host
            -a --attach <list> | Attach
            -d --detach | Leave it
            --memory <bytes> | Limit
            builder: Manage builds
            buildx: Build with more
            ps: List
            mentioned: --help
            "crate" None Subcommands "Run 'crate COMMAND --help' for more"
        "#]],
    );
    check_help(
        "Options:\n    -A, --all-namespaces=false:\n\tIf present, list all.\n\n    -o, --output='':\n\tOutput format.\n\n    --chunk-size=500:\n\tReturn large lists.\n\n\
         Usage:\n  helm get [TYPE] [flags]\n",
        expect![[r#"
            -A --all-namespaces [] | If present, list all
            -o --output <> | Output format
            --chunk-size <> | Return large lists
            mentioned: 
            "helm" None Getopt ""
        "#]],
    );
}

#[test]
fn argparse_and_go_help() {
    check_help(
        "usage: tool [-h] [-o FILE] [--mode {a,b}] {add,rm} ...\n\npositional arguments:\n  {add,rm}\n    add                 put in\n    rm                  \
         take out\n\noptions:\n  -h, --help            show this help message and exit\n  -o FILE, --output FILE\n                        where to\n  --mode {a,b}\n  -n [N]                how many\n",
        expect![[r#"
            -h --help | show this help message and exit
            -o --output <FILE> | where to
            --mode <a,b> | 
            -n ? | how many
            add: 
            rm: 
            mentioned: 
            "tool" None Subcommands ""
        "#]],
    );
    check_help(
        "Usage of serve:\n  -addr string\n    \tlisten there (default \":80\")\n  -v\tsay more\n  -timeout duration\n    \thow long\n  -verbose\n    \tmore\n  -quiet\n    \tless\n",
        expect![[r#"
            -addr <string> | listen there (default ":80")
            -v | say more
            -timeout <duration> | how long
            -verbose | more
            -quiet | less
            mentioned: 
            "" None LongDash ""
        "#]],
    );
}

#[test]
fn busybox_and_bsd_usage() {
    check_help(
        "BusyBox v1.36.1 (2026-01-01 00:00:00 UTC) multi-call binary.\n\nUsage: wget [-cqS] [--spider] [-O FILE]\n\t[-Y on/off] URL...\n\nRetrieve files\n\n\t-c\tContinue\n\t-q\tQuiet\n\t-O FILE\tSave to FILE\n",
        expect![[r#"
            -c | Continue
            -q | Quiet
            -O <FILE> | Save to FILE
            -S | 
            --spider | 
            -Y <on/off> | 
            mentioned: 
            "wget" Some("1.36.1") Getopt "Retrieve files"
        "#]],
    );
    check_help(
        "usage: trim [-46AaCx] [-b bind_address] [-D [host:]port]\n            [-o option] [-noout] [file ...]\n",
        expect![[r#"
            -4 | 
            -6 | 
            -A | 
            -a | 
            -C | 
            -x | 
            -b <bind_address> | 
            -D <port> | 
            -o <option> | 
            -noout | 
            mentioned: 
            "trim" None Getopt ""
        "#]],
    );
}

#[test]
fn git_and_npm_help() {
    check_help(
        "usage: git add [<options>] [--] <pathspec>...\n\n    -n, --[no-]dry-run    dry run\n    -S, --[no-]gpg-sign[=<key-id>]\n                          sign it\n    --[no-]chmod (+|-)x   override\n    --author <author>     \
         who\n",
        expect![[r#"
            -n --dry-run --no-dry-run | dry run
            -S --gpg-sign [key-id] | sign it
            --no-gpg-sign | sign it
            --chmod <(+|-)> | x override
            --no-chmod | x override
            --author <author> | who
            mentioned: 
            "git" None Getopt ""
        "#]],
    );
    check_help(
        "npm <command>\n\nUsage:\n\nnpm install        install all\n\nAll commands:\n\n    access, adduser, audit,\n    bugs, ci\n\nOptions:\n[-S|--save|--no-save] [-g|--global]\n[--omit <dev|optional>]\n\n  -g|--global\n    Works globally\n",
        expect![[r#"
            -g --global | Works globally
            -S | 
            --save | 
            --no-save | 
            --omit <dev|optional> | 
            access: 
            adduser: 
            audit: 
            bugs: 
            ci: 
            mentioned: 
            "npm" None Subcommands ""
        "#]],
    );
}

#[test]
fn long_dash_help() {
    check_help(
        "Usage: req [options]\nValid options are:\n -help                 Display this summary\n -in infile            Input file\n -passin val           Password source\n -noout                No output\n -c[:stream] codec     codec name\n -b                 <int64>      E..VA... set bitrate\n",
        expect![[r#"
            -help | Display this summary
            -in <infile> | Input file
            -passin <val> | Password source
            -noout | No output
            -c <codec> | codec name
            -b <int64> | E..VA... set bitrate
            mentioned: 
            "req" None LongDash ""
        "#]],
    );
    check_help(
        "Usage: ip [ OPTIONS ] OBJECT { COMMAND | help }\nwhere  OBJECT := { address | link |\n                   route }\n       OPTIONS := { -V[ersion] | -s[tatistics] |\n                    -n[etns] name | -4 }\n",
        expect![[r#"
            -V -Version | 
            -s -statistics | 
            -n -netns ? | 
            -4 | 
            address: 
            link: 
            route: 
            mentioned: 
            "ip" None Subcommands ""
        "#]],
    );
}

#[test]
fn colours_and_overstrikes_are_mended() {
    check_help(
        "\u{1b}[1mUsage:\u{1b}[0m x [\u{2010}q]\n  \u{1b}[32m-\u{1b}[0mo, --o\u{8}out=FILE\u{1b}]8;;http://x\u{7}link\u{1b}]8;;\u{7}  where\n  _\u{8}-_\u{8}b   bold\n",
        expect![[r#"
            -o --out <FILElink> | where
            -b | bold
            -q | 
            mentioned: 
            "x" None Getopt ""
        "#]],
    );
}

#[test]
fn a_page_and_a_help_text_unite() {
    let page = page(
        ".TH X 1 \"\" \"x 1.0\"\n.SH NAME\nx \\- do\n.SH OPTIONS\n.TP\n\\fB\\-k\\fR\nby key\n.TP\n\\fB\\-w\\fR \\fIcols\\fR\nwidth\n.TP\n\\-\\-only\\-page\ntext \\-\\-said\n",
    );
    let help = help(
        "x 1.1\nUsage: x [-q]\n  -k, --key=KEY  key\n  -w             columns\n  --said         now defined\n",
    );
    expect![[r#"
        -k --key <KEY> | by key
        -w <cols> | width
        --only-page | text --said
        --said | now defined
        -q | 
        mentioned: 
        "x" Some("1.1") Getopt "do"
    "#]]
    .assert_eq(&shown(&unite(page, help)));
}

/// Headings that document several options at once.
#[test]
fn one_heading_for_several_options() {
    let tag = |heading: &str| shown(&page(&format!(".SH OPTIONS\n.TP\n{heading}\ntext\n")));
    expect![[r#"
        -c | text
        -C <NUM> | text
        --context [NUM] | text
        mentioned: 
        "" None Getopt ""
    "#]]
    .assert_eq(&tag("\\-c, \\-C \\fINUM\\fR, \\-\\-context[=\\fINUM\\fR]"));
    expect![[r#"
        -p <DIR> | text
        --tmpdir [DIR] | text
        mentioned: 
        "" None Getopt ""
    "#]]
    .assert_eq(&tag("\\-p \\fIDIR\\fR, \\-\\-tmpdir[=\\fIDIR\\fR]"));
    expect![[r#"
        -Olevel | text
        -O =level | text
        mentioned: 
        "" None Getopt ""
    "#]]
    .assert_eq(&tag("\\fB\\-Olevel\\fR"));
    expect![[r#"
        -O <level> | text
        mentioned: 
        "" None Getopt ""
    "#]]
    .assert_eq(&tag("\\fB\\-O\\fR\\fIlevel\\fR"));
    expect![[r#"
        -x --extra | text
        mentioned: 
        "" None Getopt ""
    "#]]
    .assert_eq(&tag("\\-x or \\-\\-extra, with care"));
    expect![[r#"
        -d <exdir> | text
        mentioned: 
        "" None Getopt ""
    "#]]
    .assert_eq(&tag("[\\-d \\fIexdir\\fR]"));
}

/// Returns a text with random edits: lines dropped, inserted, extended, cut at the start or the end.
fn mutated(text: &str, edits: &[(u8, usize, String)]) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    for (kind, place, piece) in edits {
        if lines.is_empty() {
            break;
        }
        let index = place % lines.len();
        match kind % 5 {
            0 => drop(lines.remove(index)),
            1 => lines.insert(index, piece.clone()),
            2 => lines[index].push_str(piece),
            3 => lines[index] = lines[index].chars().skip(place % 7).collect(),
            _ => lines[index] = lines[index].chars().take(place % 20).collect(),
        }
    }
    lines.join("\n")
}

/// Checks the invariants of every manual, whatever the text.
fn is_sound(manual: &Manual) {
    for doc in &manual.options {
        assert!(!doc.names.is_empty());
        assert!(doc.names.iter().all(|name| name.len() > 1 && name.starts_with(['-', '+'])), "{doc:?}");
        assert!(
            doc.text.chars().count() <= OptionDoc::TEXT_MAX && !doc.text.contains(char::is_control),
            "{doc:?}"
        );
        assert!(!doc.placeholder.contains(char::is_control), "{doc:?}");
        assert!(doc.names.iter().all(|name| !manual.mentioned.contains(name)));
    }
    let mut names: Vec<&String> = manual.options.iter().flat_map(|doc| &doc.names).collect();
    let n_names = names.len();
    names.sort();
    names.dedup();
    assert_eq!(names.len(), n_names, "a name stands on two cards");
    for text in [&manual.name, &manual.summary] {
        assert!(!text.contains('\n'));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_text_makes_it_fail(text in "(?s).{0,400}") {
        is_sound(&page(&text));
        is_sound(&help(&text));
    }

    #[test]
    fn no_text_of_our_own_letters_makes_it_fail(text in r#"[-a-zA\[\]{}<>|=,.+ \t\n\\"'f(I*\u{1b}\u{8}é]{0,300}"#) {
        is_sound(&page(&format!(".SH OPTIONS\n{text}")));
        is_sound(&page(&format!(".Sh OPTIONS\n.It Fl {text}")));
        is_sound(&help(&format!("Usage: x {text}")));
        is_sound(&help(&text));
        is_sound(&unite(page(&format!(".SH OPTIONS\n.TP\n{text}")), help(&text)));
    }

    #[test]
    fn no_broken_page_makes_it_fail(
        which in 0..PAGES.len(),
        edits in prop::collection::vec((any::<u8>(), any::<usize>(), r#"(\.[A-Za-z]{1,2} |\\f[BIP(\[]|\\\*\(|\\[hwvs]'?|-|\[|\{|"|\\\{|\\\})[a-z\\"\[-]{0,8}"#), 1..12),
    ) {
        let text = mutated(PAGES[which], &edits);
        is_sound(&page(&text));
        is_sound(&help(&text));
    }
}

/// Time grows linearly with the text: texts made to be slow are read quickly.
#[test]
fn no_text_takes_long() {
    let started = std::time::Instant::now();
    for piece in [
        "[-",
        "-<",
        "-a[",
        "{",
        "-x ",
        "\\*(xx",
        ".if n ",
        ".el ",
        "\\[",
        "-a, ",
        "| -b ",
        "--[no-]",
        "-i[a",
        "\u{2}-\u{3}",
    ] {
        let line = piece.repeat(10_000);
        is_sound(&page(&format!(".ds xx \\*(xx\\*(xx\n.SH OPTIONS\n.TP\n{line}\n{line}\n.{line}")));
        is_sound(&page(&format!(".Sh SYNOPSIS\n.Op {line}\n.Sh OPTIONS\n.It Fl {line}\n{line}")));
        is_sound(&help(&format!("usage: {line}\n  {line}")));
        let lines = format!("{}\n", piece.trim()).repeat(4_000);
        is_sound(&page(&format!(".SH OPTIONS\n.TP\n{lines}")));
        is_sound(&help(&lines));
    }
    assert!(started.elapsed() < std::time::Duration::from_secs(60), "{:?}", started.elapsed());
}
