//! The committed man pages: they are up to date, none is missing or left over, and `man` reads them without a warning.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use clap::CommandFactory as _;

use crate::cli::Askline;

#[test]
fn committed_pages_are_up_to_date() {
    let update = std::env::var_os("UPDATE").is_some();
    let mut committed: BTreeMap<String, String> = BTreeMap::new();
    for entry in fs::read_dir(directory()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        committed.insert(name, fs::read_to_string(&path).unwrap());
    }
    for words in pages() {
        let name = format!("{}.1", [vec!["askline".to_owned()], words.clone()].concat().join("-"));
        let args = ["man"].into_iter().chain(words.iter().map(String::as_str));
        let made = Askline::new(args).run().stderr("").code(0).stdout;
        if update {
            fs::write(directory().join(&name), &made).unwrap();
            committed.insert(name.clone(), made.clone());
        }
        assert!(
            committed.remove(&name).as_ref() == Some(&made),
            "man/{name} is out of date; run `UPDATE=1 cargo test --test it man::`"
        );
    }
    assert!(committed.is_empty(), "pages of no subcommand: {:?}", committed.keys());
}

#[test]
fn each_page_is_laid_out_without_a_warning() {
    if Command::new("man").arg("--version").output().is_err() {
        assert!(std::env::var_os("CI").is_none(), "man is not installed");
        return;
    }
    for entry in fs::read_dir(directory()).unwrap() {
        let path = entry.unwrap().path();
        let mut man = Command::new("man");
        let output = man.args(["--warnings", "-E", "UTF-8", "-P", "cat", "-l"]).arg(&path);
        let output = output.env("MANWIDTH", "80").output().unwrap();
        let (page, said) =
            (String::from_utf8(output.stdout).unwrap(), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success() && said.is_empty(), "{}: {said}", path.display());
        assert!(page.contains("SYNOPSIS"), "{}: {page}", path.display());
    }
}

#[test]
fn no_page_names_a_hidden_subcommand_or_is_one() {
    for entry in fs::read_dir(directory()).unwrap() {
        let page = fs::read_to_string(entry.unwrap().path()).unwrap();
        assert!(!page.contains("askline\\-line") && !page.contains("askline\\-prefetch"), "{page}");
    }
    Askline::new(["man", "line"])
        .run()
        .stdout("")
        .stderr("askline: there is no page for `line`; see `askline help`\n")
        .code(2);
}

/// Returns the words of each visible subcommand, at all depths, and none for the program itself.
fn pages() -> Vec<Vec<String>> {
    fn add(command: &clap::Command, words: &[String], pages: &mut Vec<Vec<String>>) {
        pages.push(words.to_vec());
        for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
            add(below, &[words, &[below.get_name().to_owned()]].concat(), pages);
        }
    }
    let mut pages = Vec::new();
    add(&askline::cli::args::Cli::command(), &[], &mut pages);
    pages
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("man")
}
