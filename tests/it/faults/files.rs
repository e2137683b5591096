//! Our own files when the disk refuses writes, when they are damaged, and when something else is in their place. Rows
//! S2 to S6, S12 and S13 of the fault table.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::{CHECKED, Dice, LS, Place, can_mount, figure, is_as_quick};

/// Returns the files that a press writes: the commands on the path, the knowledge of `ls`, the usage counts.
fn ours(place: &Place) -> Vec<PathBuf> {
    let known = fs::read_dir(place.cache().join("knowledge")).unwrap().map(|entry| entry.unwrap().path());
    let known = known.filter(|path| !path.file_name().unwrap().as_encoded_bytes().starts_with(b"."));
    let mut files = vec![place.cache().join("commands"), place.stats().join("counts")];
    files.extend(known);
    assert_eq!(files.len(), 3, "{files:?}");
    files
}

/// Returns all files below a directory with their contents.
fn contents(top: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut left = vec![top.to_owned()];
    while let Some(next) = left.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                left.push(path);
            } else {
                let held = fs::read(&path).unwrap();
                found.insert(path, held);
            }
        }
    }
    found
}

/// S2: none of our files can be written.
#[test]
fn a_home_that_is_read_only_costs_what_is_kept() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    let mount = |what: &str| {
        let mounts = what.split(' ').map(|what| {
            format!("mount --bind $top/{what} $top/{what}; mount -o remount,bind,ro $top/{what};")
        });
        let mounts: String = mounts.collect();
        format!("set -- unshare -rm sh -c 'set -e; {mounts} exec \"$@\"' sh \"$@\"")
    };
    // No file exists yet.
    place.press(&mount("home run")).gives("ls -la");
    assert_eq!(contents(&place.path("home")).len(), 0);
    place.is_well();
    let before = contents(&place.path("home"));
    for _ in 0..2 {
        place.press(&mount("home run")).gives("ls -la");
    }
    assert!(contents(&place.path("home")) == before, "and what was there is used, and stays");
    place.press(&mount("home")).gives("ls -la");
    place.press(&mount("run work")).gives("ls -la");
}

/// S3: the disk is full: no complete file is replaced by an incomplete one.
#[test]
fn a_full_disk_leaves_what_was_there() {
    if !can_mount() {
        return;
    }
    let place = Place::new();
    // All writes of a press go to a disk of this size. A first press may use it before it is filled.
    let on_disk = |size: &str, first: bool| {
        let first = if first { r#"printf "$words" | "$@" >/dev/null;"# } else { "" };
        format!(
            "set -- unshare -rm sh -c 'set -e; mount -t tmpfs -o size={size} none $top/home; export TMPDIR=$top/home; unset XDG_RUNTIME_DIR
                {first}
                rm -f $top/home/.cache/askline/knowledge/*
                cp -a $top/home $top/before
                head -c 9000000 /dev/zero >$top/home/filler 2>/dev/null || :
                printf \"$words\" | \"$@\"; code=$?
                rm $top/home/filler
                rm -rf $top/after; cp -a $top/home $top/after
                printf \"$words\" | \"$@\" >$top/again
                rm -rf $top/mended; cp -a $top/home $top/mended
                exit $code' sh \"$@\""
        )
    };
    for (size, first) in [("64k", true), ("1m", true), ("4k", false), ("16k", false)] {
        for copy in ["before", "after", "mended"] {
            let _ = fs::remove_dir_all(place.path(copy));
        }
        place.press(&on_disk(size, first)).gives("ls -la");
        let (before, after) = (contents(&place.path("before")), contents(&place.path("after")));
        for (path, held) in after {
            let name = path.strip_prefix(place.path("after")).unwrap();
            assert!(!name.to_string_lossy().contains(".tmp-"), "{name:?} was left");
            let was = before.get(&place.path("before").join(name));
            // A lock file is empty and can be created where other writes fail.
            assert!(
                Some(&held) == was || held.is_empty() && name.to_string_lossy().ends_with("lock"),
                "{size}: {name:?} changed"
            );
        }
        assert!(fs::read_to_string(place.path("again")).unwrap().starts_with("ls -la\u{1f}"));
        if size == "1m" {
            let mended = contents(&place.path("mended"));
            assert!(before.len() < mended.len(), "with room again it is kept again");
        }
    }
}

/// S4: process limits, as a substitute for quotas: no file may grow, few files may be open.
#[test]
fn limits_cost_what_is_kept_and_are_told() {
    let place = Place::new();
    for blocks in [0, 1, 8] {
        place.press(&format!("ulimit -f {blocks}")).answers();
        let (_, temporary) = place.sound();
        assert_eq!(temporary, 0);
    }
    place.is_well();
    let before = contents(&place.path("home"));
    place.press("ulimit -f 0").answers();
    assert!(contents(&place.path("home")) == before);
    let suggest = place.command(&["suggest", "--shell", "bash", "list files"]);
    let mut sh = std::process::Command::new("sh");
    sh.args(["-c", "ulimit -f 0; exec \"$@\"", "sh"]).arg(suggest.get_program()).args(suggest.get_args());
    let ran = sh.env_clear().envs(place.environment()).output().unwrap();
    assert_eq!((ran.status.code(), ran.stdout.as_slice()), (Some(0), &b"ls -la\n"[..]), "{ran:?}");

    // The limits of the sandbox may be above these; that must not make the sandbox fail.
    let _ = fs::remove_dir_all(place.cache());
    let pressed = place.press("ulimit -n 100; ulimit -f 512; ulimit -c 0; set -- \"$@\" --debug");
    assert!(
        pressed.out == format!("ls -la\u{1f}{CHECKED}") && !pressed.err.contains("not permitted"),
        "{pressed:?}"
    );

    place.press("ulimit -n 16").answers();
    for few in [6, 7, 8, 9, 10, 12] {
        let pressed = place.press(&format!("ulimit -n {few}"));
        if pressed.code == 0 {
            pressed.gives("ls -la");
        } else {
            pressed.says("Too many open files");
        }
        place.sound();
    }
    // A page that could not be opened is not remembered as missing.
    place.is_well();
}

/// S5 and S13: files of ours with other contents are recreated or set aside; their contents have no effect.
#[test]
fn damaged_files_are_made_anew() {
    let place = Place::new();
    place.is_well();
    let good: Vec<(PathBuf, Vec<u8>)> =
        ours(&place).into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect();
    let lines = |text: &[u8], change: &dyn Fn(&str) -> String| {
        let text = String::from_utf8_lossy(text);
        let (header, rest) = text.split_once('\n').unwrap();
        format!("{}\n{rest}", change(header)).into_bytes()
    };
    let noise = |good: &[u8]| -> Vec<u8> {
        let mut dice = Dice::default();
        good.iter().map(|_| dice.roll(256).to_le_bytes()[0]).collect()
    };
    type Damage<'a> = (&'a str, &'a dyn Fn(&[u8]) -> Vec<u8>);
    let damages: [Damage<'_>; 10] = [
        ("empty", &|_| Vec::new()),
        ("cut in half", &|good| good[..good.len() / 2].to_vec()),
        ("without its last byte", &|good| good[..good.len() - 1].to_vec()),
        ("noise", &noise),
        ("noise behind the header", &|good| {
            let header = good.iter().position(|byte| *byte == b'\n').unwrap() + 1;
            [&good[..header], &noise(&good[header..])].concat()
        }),
        ("zeros", &|good| vec![0; good.len()]),
        ("of a later version", &|good| lines(good, &|header| header.replacen(' ', " later-", 1))),
        ("with a flipped bit", &|good| {
            let (last, rest) = good.split_last().unwrap();
            [rest, &[last ^ 1]].concat()
        }),
        ("of no version", &|good| lines(good, &|_| "askline".to_owned())),
        ("no text", &|good| [good, b"\xff\xfe\n"].concat()),
    ];
    for (n, (what, damage)) in damages.iter().enumerate() {
        for (path, good) in &good {
            fs::write(path, damage(good)).unwrap();
        }
        let before = fs::read(place.stats().join("counts")).unwrap();
        place.press("").answers();
        let bad = place.stats().join(format!("counts.bad-{}", (n + 1).min(3)));
        assert!(fs::read(bad).unwrap() == before, "{what}: the figures are put aside as they were");
        assert_eq!(place.counted(), 1, "{what}: and begin anew");
        assert!(3 <= place.sound().0, "{what}");
        // The stored data serves the next press: nothing is looked up again.
        let kept = fs::read(place.cache().join("commands")).unwrap();
        assert!(kept == good[0].1, "{what}");
    }
    assert!(!place.stats().join("counts.bad-4").exists());

    // A file of a gigabyte is not read to see that it is not ours.
    let huge = |path: &Path| fs::File::options().write(true).open(path).unwrap().set_len(1 << 30).unwrap();
    let plain = (0..2).map(|_| place.press("").answers().took).min().unwrap();
    let took = (0..2).map(|_| {
        for (path, good) in &good {
            fs::write(path, good).unwrap();
            huge(path);
        }
        place.press("").answers().took
    });
    let took = took.min().unwrap();
    is_as_quick(took, plain);
}

/// S5: the record of the last press is damaged: the key treats the line as new.
#[test]
fn a_damaged_press_is_forgotten() {
    let place = Place::new();
    for damage in [
        ": >$file",
        "printf 'askline press 2\\n{\"words\":' >$file",
        "printf 'askline press 3\\n' >$file.new; tail -n +2 $file >>$file.new; mv $file.new $file",
        "sed -i 's/\"offers\":\\[.*\\],\"place\"/\"offers\":[],\"place\"/' $file",
        "sed -i 's/\"Offer\":0/\"Offer\":18446744073709551615/' $file",
        "sed -i 's/\"at\":[0-9]*/\"at\":18446744073709551615/' $file",
        "head -c 40 $file >$file.new; mv $file.new $file",
        "truncate -s 1G $file",
        "rm $file; mkdir $file",
        "rm $file; mkfifo $file",
        "mv $file $file.old; ln -s $file.old $file",
        "rm $file; ln -s /dev/zero $file",
        "chmod 666 $file",
        "rm -r ${file%/*}; : >${file%/*}",
    ] {
        let _ = fs::remove_dir_all(place.path("run/askline"));
        place.model(LS);
        // In the same terminal the prompt line is the last answer, and the key would continue from it.
        let before = format!(
            r#"printf 'list files' | "$@" >/dev/null; for file in "$XDG_RUNTIME_DIR"/askline/presses/*; do :; done
            [ -s $file ] || exit 9
            : >$top/model
            {damage}"#
        );
        let pressed = place.press_on("ls -la", &before);
        let as_it_stands = "askline: the line is already right";
        assert_eq!((pressed.code, pressed.out), (0, format!("ls -la\u{1f}{as_it_stands}")), "{damage}");
        assert_eq!(pressed.err, "", "{damage}");
    }
    // With an undamaged record the key continues, with a model that has no other answer.
    fs::remove_dir_all(place.path("run/askline")).unwrap();
    place.model(LS);
    let pressed = place.press_on("ls -la", r#"printf 'list files' | "$@" >/dev/null; : >$top/model"#);
    assert!(pressed.code == 0 && !pressed.out.ends_with("the line is already right"), "{pressed:?}");
}

/// S5: the configuration belongs to the user: errors in it are reported, never ignored.
#[test]
fn a_damaged_configuration_is_told() {
    let place = Place::new();
    let file = place.path("home/.config/askline/config.toml");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    for (content, why) in [
        (&b"deadline_ms = 90000"[..], ""),
        (b"deadline_ms = \n", "config.toml:1: "),
        (b"\n\ndeadline_ms = 1\n", "config.toml:3: "),
        (b"deadline_ms = 9000\ncolour = 1\n", "config.toml:2: unknown key"),
        (b"profile = \"lo", "config.toml:1: "),
        (b"\xff\xfe\x00d\x00e", "config.toml:1: it is not valid UTF-8"),
        (b"# \n\n\x9c\n", "config.toml:3: it is not valid UTF-8"),
        (&[b'['; 100_000], "config.toml:1: "),
        (&[0; 4096], "config.toml:1: "),
    ] {
        fs::write(&file, content).unwrap();
        if why.is_empty() {
            place.press("").answers();
        } else {
            place.press("").says(why);
        }
        assert!(fs::read(&file).unwrap() == content, "it is left as it is");
    }
    fs::write(&file, "").unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_len(1 << 30).unwrap();
    place.press("").says("larger than");
    for (stand_in, why) in [
        ("mkdir $file", "it is not a file"),
        ("mkfifo $file", "it is not a file"),
        ("ln -s /dev/zero $file", "it is not a file"),
        ("ln -s /dev/tty $file", "it is not a file"),
        ("ln -s config.toml $file", ""),
    ] {
        let before = format!("file=$HOME/.config/askline/config.toml; rm -rf $file; {stand_in}");
        let pressed = place.press(&before);
        // A dangling link counts as no file.
        if why.is_empty() {
            pressed.answers()
        } else {
            pressed.says(why)
        };
    }
}

/// S6: something else is in the place of one of our files: it is not read, not written through, and not waited for.
#[test]
fn what_stands_in_the_place_of_a_file_is_left_alone() {
    let place = Place::new();
    place.is_well();
    let files = ours(&place);
    let target = place.path("target");
    let lock = place.stats().join("lock");
    let mkfifo =
        |path: &Path| assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
    type StandIn<'a> = (&'a str, &'a dyn Fn(&Path));
    let stand_ins: [StandIn<'_>; 6] = [
        ("a link", &|path| symlink(&target, path).unwrap()),
        ("a link to nothing", &|path| symlink("/nowhere/at/all", path).unwrap()),
        ("a pipe", &mkfifo),
        ("a directory", &|path| fs::create_dir(path).unwrap()),
        ("a device", &|path| symlink("/dev/zero", path).unwrap()),
        ("a socket", &|path| drop(std::os::unix::net::UnixListener::bind(path).unwrap())),
    ];
    for (what, put) in stand_ins {
        fs::write(&target, "somebody's").unwrap();
        for path in files.iter().chain([&lock]) {
            if path.is_dir() {
                fs::remove_dir(path).unwrap()
            } else {
                let _ = fs::remove_file(path);
            }
            put(path);
        }
        let pressed = place.press("").answers();
        assert!(pressed.took < Duration::from_secs(10), "{what}: {pressed:?}");
        assert_eq!(fs::read_to_string(&target).unwrap(), "somebody's", "{what}");
        // With the lock in order, test the counts file itself.
        if lock.is_dir() {
            fs::remove_dir(&lock).unwrap()
        } else {
            let _ = fs::remove_file(&lock);
        }
        place.press("").answers();
        assert_eq!(fs::read_to_string(&target).unwrap(), "somebody's", "{what}");
    }
    for directory in
        [place.cache(), place.cache().join("knowledge"), place.stats(), place.path("run/askline")]
    {
        place.is_well();
        fs::remove_dir_all(&directory).unwrap();
        for (what, put) in stand_ins.into_iter().filter(|(what, _)| *what != "a directory") {
            put(&directory);
            place.press("").answers();
            assert!(!directory.is_dir(), "{what}");
            fs::remove_file(&directory).unwrap();
        }
    }
    fs::remove_dir_all(place.path("home/.local")).unwrap();
    place.is_well();
    assert!(3 <= place.sound().0 && place.counted() == 1);
}

/// S12: a cache of a hundred thousand entries does not slow the press, and the next write shrinks it.
#[test]
fn a_huge_cache_is_cut_down() {
    const ENTRIES: usize = 100_000;
    const KEPT: usize = 1000;
    let place = Place::new();
    place.is_well();
    let knowledge = place.cache().join("knowledge");
    let plain = (0..3).map(|_| place.press("").answers().took).min().unwrap();
    for n in 0..ENTRIES {
        fs::File::create(knowledge.join(format!("{n:032x}"))).unwrap();
    }
    let huge = (0..3).map(|_| place.press("").answers().took).min().unwrap();
    is_as_quick(huge, plain);
    place.model(r#"{"reply": "cat -n x"}"#);
    let pressed = place.press("touch x");
    let pressed = pressed.gives("cat -n x");
    let left = fs::read_dir(&knowledge).unwrap().count();
    assert!(left <= KEPT, "{left} are left");
    let cut = pressed.took;
    figure(&format!(
        "a press took {plain:?}, with {ENTRIES} entries {huge:?}, and {cut:?} where it cut them down"
    ));
}
