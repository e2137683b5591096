//! `askline check --diagnostics`: rows as compilers print them.

use expect_test::expect;

use crate::cli::Askline;

const SCRIPT: &str = "\
#!/usr/bin/env bash
# nothing to say about `ls --colour` here
helper() {
  ls --colour \"$1\"
}
helper x
for file in a b; do
  sort --wrongly \"$file\" |
    frobnicate
done
cat <<END
rm -rf ~ --wrongly
END
rm -rf ~
";

#[test]
fn each_finding_has_file_line_and_column() {
    let ran = Askline::new(["check", "--diagnostics", "deploy.sh"]).file("deploy.sh", SCRIPT).run();
    expect![[r#"
        deploy.sh:4:6: error: `ls` has no option `--colour`; did you mean `--color`
        deploy.sh:8:8: error: `sort` has no option `--wrongly`
        deploy.sh:9:5: error: there is no command `frobnicate` here
        deploy.sh:14:8: warning: Dangerous: deletes: ~ (the home directory)
    "#]]
    .assert_eq(&ran.stdout);
    let ran = ran.stderr("").code(1);
    // The place is that of the script's own text.
    for row in ran.stdout.lines().filter(|row| row.contains(": error: ")) {
        let mut parts = row.split(':').skip(1).map(|part| part.parse::<usize>());
        let (line, column) = (parts.next().unwrap().unwrap(), parts.next().unwrap().unwrap());
        let there = SCRIPT.lines().nth(line - 1).unwrap().get(column - 1..).unwrap();
        assert!(
            there.starts_with("--colour") || there.starts_with("--wrongly") || there.starts_with("frob"),
            "{row}"
        );
    }
}

#[test]
fn a_right_script_is_silent_and_a_missing_one_is_wrong_usage() {
    let fine = "#!/bin/sh\nset -e\n\nif true; then\n  ls -l \\\n    -a\nfi\n";
    Askline::new(["check", "--diagnostics", "-"]).stdin(fine).run().stdout("").stderr("").code(0);
    let ran = Askline::new(["check", "--diagnostics", "none.sh"]).run().stdout("").code(2);
    assert!(ran.stderr.starts_with("askline: can't read none.sh: "), "{}", ran.stderr);
    Askline::new(["check", "--diagnostics", "-", "--json"]).run().stdout("").code(2);
}

#[test]
fn a_block_that_never_ends_costs_its_own_row_alone() {
    let ran =
        Askline::new(["check", "--diagnostics", "-"]).stdin("if true; then\nls --colour\n").run().code(1);
    let rows: Vec<&str> = ran.stdout.lines().collect();
    assert!(rows.contains(&"stdin:1:14: error: the line is not finished: unclosed `if`"), "{rows:?}");
    assert!(rows.iter().any(|row| row.starts_with("stdin:2:4: error: `ls` has no option")), "{rows:?}");
}
