//! Concurrency and interruption: kills, parallel writers, held locks, cancellations. Rows S8, S9 and S10 of the fault
//! table,
//! goals G9 and G11.
//!
//! `ASKLINE_TEST_TIMES` sets the number of repetitions of the kill and cancel loops, for figures.

use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use askline_host::store;

use super::{Dice, LS, Place, figure, is_as_quick, signal};

/// Longest time for a loop, unless the number of repetitions is given.
const LOOP: Duration = Duration::from_secs(12);
/// Minimum number of killed processes that says something.
const KILLED_MIN: u64 = 10;

/// Returns the repetitions of a loop, as given or else `usual`, and its longest time.
fn times(usual: u64) -> (u64, Duration) {
    match std::env::var("ASKLINE_TEST_TIMES") {
        Ok(times) => (times.parse().unwrap(), Duration::from_hours(1)),
        Err(_) => (usual, LOOP),
    }
}

/// Starts a request without a terminal. It writes all that a press does except the press record.
fn request(place: &Place) -> Child {
    let mut command = place.command(&["suggest", "--shell", "bash", "list files"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command.spawn().unwrap()
}

#[track_caller]
fn answered(request: Child) {
    let ran = request.wait_with_output().unwrap();
    assert!(ran.status.success() && ran.stdout == b"ls -la\n" && ran.stderr.is_empty(), "{ran:?}");
}

/// Returns the file with the knowledge of `ls`. Its name does not depend on the writer.
fn known(place: &Place) -> PathBuf {
    let mut files = fs::read_dir(place.cache().join("knowledge")).unwrap().map(|entry| entry.unwrap().path());
    files.find(|path| !path.file_name().unwrap().as_encoded_bytes().starts_with(b".")).unwrap()
}

/// S8: after a kill at any moment, each stored file has its old or its new contents.
#[test]
fn a_kill_leaves_no_half_written_file() {
    let place = Place::new();
    // The shortest time without stored data, as on an idle machine.
    let cold = (0..5).map(|_| {
        let _ = fs::remove_dir_all(place.cache());
        let started = Instant::now();
        answered(request(&place));
        started.elapsed()
    });
    let cold = cold.min().unwrap();
    let record = known(&place);
    // All except the header with the sum, and the last field, the time of writing.
    let facts = |bytes: &[u8]| {
        let start = bytes.iter().position(|byte| *byte == b'\n').unwrap();
        bytes[start..bytes.len() - 5].to_vec()
    };
    let whole = facts(&fs::read(&record).unwrap());
    let same = |bytes: &[u8]| facts(bytes) == whole;
    let (most, longest) = times(150);
    let (mut killed, mut ended, mut counted, mut fewer) = (0_u64, 0_u64, place.counted(), 0_u64);
    let (mut dice, mut looked) = (Dice::default(), 0);
    let begun = Instant::now();
    // On a slow machine it takes longer until enough were killed.
    while killed + ended < most && (begun.elapsed() < longest || killed < KILLED_MIN) {
        // Mostly near the end, where the process writes.
        let micros = u64::try_from(cold.as_micros()).unwrap();
        let from = if dice.roll(4) == 0 { 0 } else { micros * 6 / 10 };
        let wait = Duration::from_micros(from + dice.roll(micros * 13 / 10 - from));
        if dice.roll(2) == 0 {
            let _ = fs::remove_file(&record);
            let _ = fs::remove_file(place.cache().join("commands"));
        }
        let mut request = request(&place);
        thread::sleep(wait);
        signal(i32::try_from(request.id()).unwrap(), Signal::KILL);
        if request.wait().unwrap().success() {
            ended += 1
        } else {
            killed += 1
        }
        looked += place.sound().0;
        if let Ok(bytes) = fs::read(&record) {
            assert!(same(&bytes), "{}", bytes.escape_ascii());
        }
        let now = place.counted();
        fewer += u64::from(now < counted);
        counted = now;
    }
    let (_, temporary) = place.sound();
    figure(&format!(
        "{killed} kills and {ended} ends in {:?}: 0 unreadable files in {looked} looks, {fewer} lost figures, {temporary} temporary files left",
        begun.elapsed()
    ));
    assert_eq!(fewer, 0, "no figure is lost");
    assert!(KILLED_MIN <= killed, "{killed} were killed");
    place.ages_temporary_files();
    fs::remove_dir_all(place.cache().join("knowledge")).unwrap();
    let _ = fs::remove_file(place.cache().join("commands"));
    answered(request(&place));
    assert_eq!(place.counted(), counted + 1);
    assert_eq!(place.sound(), (3, 0), "what was left is swept out when nobody can be writing it any more");
}

/// S8 for the helper's own file: the press record, always in the same terminal.
#[test]
fn a_killed_helper_leaves_no_half_written_file() {
    let place = Place::new();
    let (most, longest) = times(60);
    let milliseconds = longest.as_millis().min(10_000_000);
    let script = format!(
        r#"
        cd "$top/work"; n=0; until=$(($(date +%s%3N) + {milliseconds}))
        while [ $n -lt {most} ] && [ $(date +%s%3N) -lt $until ]; do
            n=$((n + 1))
            printf "list files $n" | timeout --foreground -s KILL $(printf "0.%03d" $((15 + (n * 37) % 80))) \
                "$helper" line --shell bash --draw below >/dev/null 2>&1
            echo $? >>$top/told/codes
        done
        echo done >$top/told/code
        "#
    );
    let mut pty = place.terminal(&script, &[]);
    let begun = Instant::now();
    let mut looked = 0;
    while !place.path("told/code").exists() {
        assert!(begun.elapsed() < longest + Duration::from_secs(20), "{}", pty.describe());
        looked += place.sound().0;
        thread::sleep(Duration::from_millis(20));
    }
    pty.wait_exit();
    let (_, temporary) = place.sound();
    let codes = fs::read_to_string(place.path("told/codes")).unwrap();
    let killed = codes.lines().filter(|code| *code == "137").count();
    // 124: the process ended by itself at the moment of the kill.
    let ended = codes.lines().filter(|code| ["0", "124"].contains(code)).count();
    figure(&format!(
        "{killed} killed helpers and {ended} that ended: 0 unreadable files in {looked} looks, {temporary} temporary files left"
    ));
    assert_eq!(killed + ended, codes.lines().count(), "{codes}");
    assert!(5 <= killed, "{killed} were killed");
    place.is_well();
}

/// S9: a hundred at once: all answer, and no process loses another one's writes.
#[test]
fn a_hundred_at_once_all_answer() {
    const MANY: u64 = 100;
    let place = Place::new();
    place.model(r#"{"reply": "cat -n x"}"#);
    fs::write(place.path("work/x"), "").unwrap();
    assert_eq!(place.press("").code, 0);
    let other = known(&place);
    let other_bytes = fs::read(&other).unwrap();
    let figures = place.stats().join("counts");
    let text =
        fs::read_to_string(&figures).unwrap().replace("\"days\":{", "\"days\":{\"20000\":{\"presses\":7},");
    let (_, body) = text.split_once('\n').unwrap();
    store::write_summed(&figures, "stats", 1, body.as_bytes()).unwrap();
    fs::remove_file(place.cache().join("commands")).unwrap();
    place.model(LS);

    let begun = Instant::now();
    let requests: Vec<Child> = (0..MANY).map(|_| request(&place)).collect();
    requests.into_iter().for_each(answered);
    let took = begun.elapsed();
    let counts = place.counts();
    let counted = place.counted() - 1;
    let (whole, temporary) = place.sound();
    figure(&format!(
        "{MANY} at once in {took:?}: all answered, {counted} counted, {whole} files whole, {temporary} temporary"
    ));
    assert_eq!(counts["days"]["20000"]["presses"], 7, "{counts}");
    assert_eq!(counts["total"]["answers"].as_u64().unwrap(), counted + 1, "{counts}");
    assert_eq!(temporary, 0);
    assert!((1..=MANY).contains(&counted), "{counted}");
    assert!(fs::read(&other).unwrap() == other_bytes);
    assert_eq!(fs::read_dir(place.cache().join("knowledge")).unwrap().count(), 2);
    place.is_well();
}

/// S10: the holder of a lock may be stopped or die: other processes wait only briefly.
#[test]
fn a_stopped_holder_of_a_lock_is_not_waited_for() {
    let place = Place::new();
    place.is_well();
    let plain = (0..3).map(|_| place.press("").answers().took).min().unwrap();
    let counted = place.counted();
    // Its one child is the sleep, which also holds the lock.
    let mut holder = Command::new("flock")
        .args(["--no-fork", "--exclusive"])
        .arg(place.stats().join("lock"))
        .args(["sh", "-c", "echo held; exec sleep 600"])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = [0; 5];
    std::io::Read::read_exact(holder.stdout.as_mut().unwrap(), &mut said).unwrap();
    let pid = i32::try_from(holder.id()).unwrap();
    signal(pid, Signal::STOP);
    let held = (0..3).map(|_| place.press("").answers().took).min().unwrap();
    is_as_quick(held, plain);
    assert_eq!(place.counted(), counted, "they are not counted");
    signal(pid, Signal::KILL);
    holder.wait().unwrap();
    place.is_well();
    assert_eq!(place.counted(), counted + 1, "a lock is gone with who held it");
    figure(&format!("a press took {plain:?}, while the lock was held {held:?}"));
}

/// G11: a user who cancels gets the prompt line and the terminal back, every time.
#[test]
fn cancelling_again_and_again_leaves_nothing() {
    let place = Place::new();
    place.model(&LS.replace('}', ", \"delay_ms\": 60000}"));
    let (most, longest) = times(60);
    let script = format!(
        r#"
        cd "$top/work"; trap '' INT; n=0
        stty -g >$top/told/before
        while [ $n -lt {most} ] && [ ! -e $top/told/enough ]; do
            n=$((n + 1))
            printf 'list files' | "$helper" line --shell bash --draw below >$top/told/out 2>$top/told/err
            echo "$? $(stty -g) $(wc -c <$top/told/out) $(wc -c <$top/told/err)" >>$top/told/codes
        done
        echo done >$top/told/code
        "#
    );
    let mut pty = place.terminal(&script, &[]);
    let rounds = || fs::read_to_string(place.path("told/codes")).unwrap_or_default().lines().count();
    let begun = Instant::now();
    let mut dice = Dice::default();
    let mut slowest = Duration::ZERO;
    while !place.path("told/code").exists() {
        let round = rounds();
        // Before the helper owns the terminal, just after it got it, and later.
        thread::sleep(Duration::from_millis(dice.roll(150)));
        let key = ["\x03", "\x1b", "\x07"][usize::try_from(dice.roll(3)).unwrap()];
        let (mut sent, pressed) = (Instant::now(), Instant::now());
        pty.send(key);
        while rounds() == round && !place.path("told/code").exists() {
            assert!(pressed.elapsed() < Duration::from_secs(20), "{}", pty.describe());
            thread::sleep(Duration::from_millis(2));
            // A key sent before the helper started is not its own.
            if Duration::from_millis(300) < sent.elapsed() {
                pty.send(key);
                sent = Instant::now();
            }
        }
        slowest = slowest.max(sent.elapsed());
        if longest < begun.elapsed() {
            fs::write(place.path("told/enough"), "").unwrap();
        }
    }
    pty.wait_exit();
    let before = fs::read_to_string(place.path("told/before")).unwrap();
    let codes = fs::read_to_string(place.path("told/codes")).unwrap();
    for row in codes.lines() {
        assert_eq!(row, format!("130 {} 1 0", before.trim()), "cancelled, its modes back, no line, no word");
    }
    let cancels = codes.lines().count();
    assert!(20 <= cancels, "{cancels}");
    let left = place.processes();
    assert!(left.is_empty(), "{left:?}");
    figure(&format!(
        "{cancels} cancels in {:?}, the slowest {slowest:?}: modes back, nothing said, no process left",
        begun.elapsed()
    ));
}
