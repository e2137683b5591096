//! The environment of a press: home directory, PATH, working directory, names that are not valid text, sizes. Rows S1,
//! S7, S18, S19 and S20 of the fault table.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use super::{Place, is_as_quick, set_mode};

/// S1: askline works without a place for files, and then writes none.
#[test]
fn a_home_that_is_none_costs_what_is_kept() {
    let place = Place::new();
    let elsewhere = "export XDG_CONFIG_HOME=$top/c XDG_CACHE_HOME=$top/c XDG_DATA_HOME=$top/c";
    // Here the home comes from the system's user database. The variables keep writes out of a real home.
    place.press(&format!("unset HOME; {elsewhere}")).answers();
    place.press(&format!("HOME=; {elsewhere}")).answers();
    place.press("HOME=$top/gone/away").answers();
    fs::write(place.path("file"), "in the way").unwrap();
    place.press("HOME=$top/file").answers();
    place.press("HOME=/dev/null").answers();
    assert_eq!(fs::read_to_string(place.path("file")).unwrap(), "in the way");
    // A relative HOME would put models and configuration into the working directory.
    place.press("HOME=work").says("HOME is not a full path; set it to your home directory");
    place.press("HOME=.").says("HOME is not a full path");
    assert_eq!(fs::read_dir(place.path("work")).unwrap().count(), 0);
    // A relative path in our variables counts as unset.
    place.press("export XDG_CACHE_HOME=c XDG_DATA_HOME=. XDG_CONFIG_HOME=..; TMPDIR=x").answers();
    assert!(place.cache().join("commands").exists());
    assert_eq!(fs::read_dir(place.path("work")).unwrap().count(), 0);
    // The same for the directory of press records.
    for before in ["unset XDG_RUNTIME_DIR", "XDG_RUNTIME_DIR=run", "XDG_RUNTIME_DIR=$top/none"] {
        place.press(&format!("{before}; export TMPDIR=$top/tmp")).answers();
        fs::create_dir_all(place.path("tmp")).unwrap();
        place.press(&format!("{before}; export TMPDIR=$top/tmp")).answers();
    }
    let user = rustix::process::geteuid().as_raw();
    assert!(fs::read_dir(place.path(&format!("tmp/askline-{user}/presses"))).unwrap().count() == 5);
}

/// S7: our files are private whatever the umask, and files that others could have written are ignored.
#[test]
fn files_are_private_and_those_of_others_not_believed() {
    let place = Place::new();
    place.press("umask 0").answers();
    let mut seen = 0;
    for (directory, depth) in [("home/.cache", 3), ("home/.local", 4), ("run/askline", 2)] {
        walk(&place.path(directory), depth, &mut |path| {
            let mode = fs::symlink_metadata(path).unwrap().mode() & 0o777;
            assert_eq!(mode, if path.is_dir() { 0o700 } else { 0o600 }, "{}", path.display());
            seen += 1;
        });
    }
    assert!(10 <= seen, "{seen} files and directories");

    let counts = place.stats().join("counts");
    let commands = place.cache().join("commands");
    // A world-writable command list is ignored.
    let false_list =
        fs::read_to_string(&commands).unwrap().replace("\nls\n", "\nlr\n").replace("\n[\n", "\n");
    let write = |path: &Path, text: &str, mode: u32| {
        fs::write(path, text).unwrap();
        set_mode(path, mode);
    };
    let before = fs::read_to_string(&counts).unwrap();
    for mode in [0o666, 0o622, 0o602] {
        write(&commands, &false_list, mode);
        write(&counts, &before, mode);
        place.press("").answers();
        assert_eq!(fs::read_to_string(&counts).unwrap(), before, "it is left as it was");
        assert!(
            fs::read_to_string(&commands).unwrap().contains("\nls\n"),
            "and what is a cache is made anew"
        );
    }
    let told = place.command(&["stats"]).output().unwrap();
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains("can be written by others; run `chmod go-w "), "{told}");
    set_mode(&counts, 0o600);
    place.is_well();
    assert_ne!(fs::read_to_string(&counts).unwrap(), before);

    if !rustix::process::geteuid().is_root() {
        return crate::parser::skipped("files of another user can't be made here: it takes root");
    }
    let before = fs::read_to_string(&counts).unwrap();
    fs::write(&commands, &false_list).unwrap();
    for path in [&counts, &commands] {
        std::os::unix::fs::chown(path, Some(65534), Some(65534)).unwrap();
    }
    place.is_well();
    assert_eq!(fs::read_to_string(&counts).unwrap(), before);
    assert_eq!(fs::metadata(&commands).unwrap().uid(), 0, "replaced, not written to");
    let told = place.command(&["stats"]).output().unwrap();
    let told = String::from_utf8(told.stderr).unwrap();
    assert!(told.contains("belongs to another user; remove it or change its owner"), "{told}");
    // A directory of another user: its owner could replace the files in it.
    std::os::unix::fs::chown(place.stats(), Some(65534), None).unwrap();
    place.is_well();
    assert_eq!(fs::read_to_string(&counts).unwrap(), before);
}

/// Calls `see` for a directory and everything below it.
fn walk(top: &Path, depth: usize, see: &mut impl FnMut(&Path)) {
    // The directories between the home and ours are created with ours.
    see(top);
    if top.is_dir() && 0 < depth {
        fs::read_dir(top).unwrap().for_each(|entry| walk(&entry.unwrap().path(), depth - 1, see));
    }
}

/// S18: names are bytes, and are shown as text without terminal escapes.
#[test]
fn names_that_are_no_text_are_names() {
    let place = Place::new();
    let odd = r#"odd="$top/"$(printf 'caf\351 \377\033[31m')"#;
    for locale in ["C", "POSIX", "de_DE.ISO-8859-1", "nonsense", ""] {
        let before = format!(
            "{odd}; mkdir -p \"$odd\"; cd \"$odd\"; : >\"$(printf 'a\\377b')\"; export LC_ALL={locale}"
        );
        place.press(&before).answers();
    }
    let before =
        format!("{odd}; mkdir -p \"$odd/bin\"; export HOME=\"$odd\" TMPDIR=\"$odd\" PATH=\"$odd/bin:$PATH\"");
    place.press(&before).answers();
    place.press(&format!("{odd}; export XDG_RUNTIME_DIR=\"$odd\" SHELL=\"$odd\" USER=\"$odd\"")).answers();
    // A variable of ours that is not valid text is reported, without escapes for the terminal.
    place.press(&format!("{odd}; export ASKLINE_CONFIG=\"$odd/none\"")).says("there is no such file");
    place.press(&format!("{odd}; export ASKLINE_MODEL=\"scripted:$odd/none\"")).says("can't read");
    place.press("export ASKLINE_DEADLINE_MS=\"$(printf '\\377')\"").says("ASKLINE_DEADLINE_MS");
    // A prompt line that is not valid text.
    place.press("printf 'gr\\366\\337e' >$top/words; exec <$top/words").says("the line is not valid UTF-8");
}

/// S19: with an empty PATH no command is known, and a PATH of a thousand directories costs no more than the scan
/// budget.
#[test]
fn paths_are_empty_long_and_broken() {
    let place = Place::new();
    let missing = "askline: there is no command `ls` here";
    for before in ["PATH=", "unset PATH", "PATH=$top/none:rel:$top/model", "PATH=::::"] {
        let pressed = place.press(before);
        assert_eq!(pressed.code, 0, "{pressed:?}");
        assert_eq!(pressed.out.replace('\n', " "), format!("ls -la\u{1f}{missing}").replace('\n', " "));
    }
    let plain = (0..3).map(|_| place.press("").answers().took).min().unwrap();
    let thousand = r#"
        for a in 0 1 2 3 4 5 6 7 8 9; do for b in 0 1 2 3 4 5 6 7 8 9; do for c in 0 1 2 3 4 5 6 7 8 9; do
            more="$more:$top/many/$a/$b/$c"
        done; done; done
        [ -d $top/many ] || (IFS=:; mkdir -p ${more#:})
        PATH=$PATH$more
    "#;
    place.press(thousand).answers();
    let many = (0..3).map(|_| place.press(thousand).answers().took).min().unwrap();
    // The loop in the test takes time too. Only growth beyond the scan budget matters.
    is_as_quick(many, plain);
    // Directories that cannot be listed, and thousands of names.
    let names = "mkdir -p $top/big; cd $top/big; [ -e x1 ] || seq -f x%.0f 20000 | xargs touch; chmod +x x1; PATH=$top/big:$PATH";
    place.press(names).answers();
    place.press(names).answers();
    assert!(place.sound().0 >= 3);
}

/// S20: the working directory is deleted or not accessible, the environment is huge.
#[test]
fn what_a_shell_passes_on_may_be_odd() {
    let place = Place::new();
    place.press("mkdir x; cd x; rmdir $top/work/x").answers();
    place.press("mkdir y; cd y; chmod 0 .").answers();
    place.press("cd /proc/self/fd; cd /proc/$$/fdinfo").answers();
    // 1.2 MB, more than a pipe takes.
    let big = "n=0; big=$(head -c 100000 /dev/zero | tr '\\0' x); while [ $n -lt 12 ]; do export V$n=$big; n=$((n+1)); done";
    place.press(big).answers();
    place
        .press(&format!("export LS_COLORS=$(head -c 100000 /dev/zero | tr '\\0' :) {}", "A=; export A"))
        .answers();
    // No words, words that are not valid text, and more words than anyone types.
    place.press_on(" \t", "").says("type what you want in your words first");
    place.press("exec <&-").says("type what you want in your words first");
    place.press("exec </").says("the line can't be read");
    let long = "head -c 300000 /dev/zero | tr '\\0' a >$top/words; exec <$top/words";
    let cut = "askline: only the first 2000 characters were read";
    place.press(long).is(0, "ls -la", cut);
}
