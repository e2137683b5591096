//! The menu in Nushell: the suggestions with their risk labels. Choosing one puts it on the line and runs nothing.

use std::time::Duration;

use super::key;
use super::sh::{Setup, Sh};

/// A model with one answer and two alternatives; each leaves a mark when it runs.
const MARKS: &str =
    r#"{"reply": "touch suggested", "others": ["touch 'second one'", "rm -rf build; touch third"]}"#;
/// The down arrow key.
const DOWN: &str = "\x1b[B";
/// Text of a menu without entries.
const EMPTY: &str = "total: 0";

in_nushell! {
    it_lists_what_was_offered_and_its_risk
    choosing_runs_nothing_and_enter_runs_the_chosen
    the_key_goes_on_from_the_chosen
    your_words_come_last
    what_was_found_ahead_is_in_it
    a_line_of_yours_has_none
    keys_typed_at_once_run_nothing
    rows_quotes_and_other_alphabets_arrive_exactly
    a_mark_of_the_history_hides_nothing
    a_number_selects
    vi_insert_mode
    vi_normal_mode
    a_narrow_terminal
    the_menu_key_of_yours_is_not_taken
    another_menu_key
    no_menu_key
    without_the_helper
    menus_of_yours_stay
}

/// Returns a shell in which the key has offered all three, and the line shows the first again.
#[track_caller]
fn offered(setup: Setup) -> Sh {
    let sh = setup.model(MARKS).start();
    sh.asks("make a mark");
    for line in ["touch suggested", "touch 'second one'", "rm -rf build; touch third", "make a mark"] {
        sh.expect_line(line);
        sh.press();
    }
    sh.expect_line("touch suggested");
    sh
}

/// Opens the menu and checks its entries.
#[track_caller]
fn opens(sh: &Sh) {
    sh.pty.send("\x1bg");
    sh.pty.wait_for("total: 4");
}

/// Presses keys in the open menu one by one: older versions lose a step that arrives together with the next Enter.
fn keys(sh: &Sh, keys: &[&str]) {
    for key in keys {
        sh.pty.send(key);
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// Waits until the menu is closed and the prompt line is `line`.
#[track_caller]
fn chosen(sh: &Sh, line: &str) {
    sh.pty.wait("the menu to go", |screen| !screen.contains("total:"));
    sh.expect_line(line);
}

#[track_caller]
fn ran_nothing(sh: &Sh) {
    for mark in ["suggested", "second one", "third"] {
        sh.lacks(mark);
    }
}

pub(super) fn it_lists_what_was_offered_and_its_risk(setup: Setup) {
    let sh = offered(setup);
    opens(&sh);
    let screen = sh.pty.wait_for("3: (your words) make a mark");
    for entry in ["0: (Cautious", ") touch suggested", "2: (! Confirm", ") rm -rf build; touch third"] {
        assert!(screen.contains(entry), "{entry}: {screen}");
    }
    sh.pty.send("\x1b");
    chosen(&sh, "touch suggested");
    ran_nothing(&sh);
}

pub(super) fn choosing_runs_nothing_and_enter_runs_the_chosen(setup: Setup) {
    let sh = offered(setup);
    opens(&sh);
    keys(&sh, &[DOWN, "\r"]);
    chosen(&sh, "touch 'second one'");
    ran_nothing(&sh);
    sh.pty.send("\r");
    sh.wait_file("second one");
    sh.lacks("suggested");
    sh.lacks("third");
}

pub(super) fn the_key_goes_on_from_the_chosen(setup: Setup) {
    let sh = offered(setup);
    sh.model(r#"{"fail": "asked once more"}"#);
    opens(&sh);
    keys(&sh, &[DOWN, "\r"]);
    chosen(&sh, "touch 'second one'");
    sh.press();
    sh.expect_line("rm -rf build; touch third");
    opens(&sh);
    sh.pty.send("\r");
    chosen(&sh, "touch suggested");
    sh.pty.send("\x1a"); // one undo
    sh.expect_line("rm -rf build; touch third");
    sh.press();
    sh.expect_line("make a mark");
    ran_nothing(&sh);
}

pub(super) fn your_words_come_last(setup: Setup) {
    let sh = offered(setup);
    sh.model(r#"{"fail": "asked once more"}"#);
    opens(&sh);
    keys(&sh, &["\x1b[A", "\r"]);
    chosen(&sh, "make a mark");
    sh.press();
    sh.expect_line("touch suggested");
}

/// The key was pressed once; the resident process has prefetched alternatives meanwhile.
fn what_was_found_ahead_is_in_it(setup: Setup) {
    let rows = format!("{MARKS}\n{MARKS}");
    let sh = setup.variable("ASKLINE_DAEMON", "force").model(&rows).start();
    sh.asks("make a mark");
    sh.expect_line("touch suggested");
    let is_whole = || {
        sh.pty.send("\x1bg");
        let screen = sh.pty.wait_for("total: ");
        sh.pty.send("\x1b");
        sh.pty.wait("the menu to go", |screen| !screen.contains("total:"));
        screen.contains("2: (! Confirm")
    };
    let started = std::time::Instant::now();
    while !is_whole() {
        assert!(started.elapsed().as_secs() < 20, "nobody looked ahead; {}", sh.pty.describe());
    }
    ran_nothing(&sh);
    sh.runs("askline daemon stop o+e> out; touch done");
}

pub(super) fn a_line_of_yours_has_none(setup: Setup) {
    let sh = setup.model(MARKS).start();
    for line in ["", "touch typed"] {
        sh.pty.send(line);
        sh.pty.send("\x1bg");
        sh.pty.wait_for(EMPTY);
        sh.pty.send("\r");
        chosen(&sh, line);
    }
    sh.pty.send("\x05\x15");
    sh.asks("make a mark");
    sh.expect_line("touch suggested");
    sh.pty.send(" here");
    sh.expect_line("touch suggested here");
    sh.pty.send("\x1bg");
    sh.pty.wait_for(EMPTY);
    sh.pty.send("\x1b");
    chosen(&sh, "touch suggested here");
    key::ran_nothing(&sh);
}

/// The first Enter selects what is already on the line, however quickly and often it comes.
pub(super) fn keys_typed_at_once_run_nothing(setup: Setup) {
    let sh = offered(setup);
    for _ in 0..5 {
        sh.pty.send("\x1bg\r");
        chosen(&sh, "touch suggested");
        opens(&sh);
        sh.pty.send("\r");
        chosen(&sh, "touch suggested");
    }
    ran_nothing(&sh);
}

pub(super) fn rows_quotes_and_other_alphabets_arrive_exactly(setup: Setup) {
    let command = "[\"it's 'naïve' \\\"日本語\\\"\"\n\"🎉\"] | str join | save -f out; touch done";
    let reply = serde_json::json!({"reply": "ls", "others": [command]}).to_string();
    let sh = setup.model(&reply).start();
    sh.asks("list files");
    sh.expect_line("ls");
    sh.press();
    sh.pty.wait_for("日本語");
    sh.press();
    sh.expect_line("list files");
    sh.pty.send("\x1bg");
    sh.pty.wait_for("total: 3");
    keys(&sh, &[DOWN, "\r"]);
    sh.pty.wait("the menu to go", |screen| !screen.contains("total:"));
    sh.lacks("done");
    sh.pty.send("\r");
    sh.wait_file("done");
    assert_eq!(sh.wait_file("out"), "it's 'naïve' \"日本語\"🎉");
}

/// Nushell passes only the part of the line before the mark.
pub(super) fn a_mark_of_the_history_hides_nothing(setup: Setup) {
    let sh = setup.model(r#"{"reply": "print 'hi!!'", "others": ["print 'ho!5'"]}"#).start();
    sh.asks("say hi");
    sh.expect_line("print 'hi!!'");
    sh.press();
    sh.expect_line("print 'ho!5'");
    sh.pty.send("\x1bg");
    sh.pty.wait_for("total: 3");
    sh.pty.send("\r");
    chosen(&sh, "print 'hi!!'");
}

/// Nushell's menus accept a number, which is not part of the result.
pub(super) fn a_number_selects(setup: Setup) {
    let sh = offered(setup);
    opens(&sh);
    keys(&sh, &["!1", "\r"]);
    chosen(&sh, "touch 'second one'");
    ran_nothing(&sh);
}

pub(super) fn vi_insert_mode(setup: Setup) {
    let sh = offered(setup.before(|_| "$env.config.edit_mode = 'vi'"));
    opens(&sh);
    keys(&sh, &[DOWN, "\r"]);
    chosen(&sh, "touch 'second one'");
    ran_nothing(&sh);
}

pub(super) fn vi_normal_mode(setup: Setup) {
    let sh = offered(setup.before(|_| "$env.config.edit_mode = 'vi'"));
    sh.pty.send("\x1b");
    std::thread::sleep(Duration::from_millis(700)); // until Esc is not the start of a sequence any more
    opens(&sh);
    keys(&sh, &[DOWN, DOWN, "\r"]);
    chosen(&sh, "rm -rf build; touch third");
    ran_nothing(&sh);
}

pub(super) fn a_narrow_terminal(setup: Setup) {
    let sh = offered(setup);
    sh.pty.resize(24, 30);
    sh.expect_line("touch suggested");
    opens(&sh);
    let screen = sh.pty.wait_for("2: (! Confirm)");
    assert!(screen.contains("3: (your words) make a mark"), "{screen}");
    keys(&sh, &[DOWN, "\r"]);
    chosen(&sh, "touch 'second one'");
}

fn binding_of_yours() -> &'static str {
    "$env.config.keybindings ++= [{name: mine, modifier: alt, keycode: char_g, mode: emacs, \
     event: {edit: insertstring, value: mine}}]"
}

pub(super) fn the_menu_key_of_yours_is_not_taken(setup: Setup) {
    let sh = setup.before(|_| binding_of_yours()).model(MARKS).start();
    let said = sh.pty.wait_for("or --force").replace('\n', "");
    assert!(said.contains("askline: alt-g is already bound to mine; choose another key"), "{said}");
    assert!(said.contains("askline init nu --menu-key alt-a"), "{said}");
    sh.pty.send("\x1bg");
    sh.expect_line("mine");
    sh.pty.send("\x05\x15");
    sh.asks("make a mark");
    sh.expect_line("touch suggested");
}

fn another_menu_key(setup: Setup) {
    let sh = setup.init(&["--menu-key", "f4"]).model(MARKS).start();
    sh.asks("make a mark");
    sh.expect_line("touch suggested");
    sh.pty.send("\x1bOS");
    sh.pty.wait_for("total: 2");
}

fn no_menu_key(setup: Setup) {
    for options in [&["--menu-key", "none"][..], &["--key", "none"]] {
        let sh = Setup::of(setup.shell).unwrap().init(options).model(MARKS).start();
        let bound = sh.runs("$env.config.keybindings.name | to text | save out; touch done");
        assert!(!bound.contains("askline_menu"), "{options:?}: {bound}");
    }
}

pub(super) fn without_the_helper(setup: Setup) {
    let sh = setup.model(MARKS).start();
    std::fs::remove_file(sh.home().join("bin/askline")).unwrap();
    sh.types("list files");
    sh.pty.send("\x1bg");
    sh.pty.wait_for(EMPTY);
    sh.pty.send("\x1b");
    chosen(&sh, "list files");
    assert!(!sh.pty.screen().contains("Error"), "{}", sh.pty.screen());
    sh.is_well();
}

fn menus_of_yours_stay(setup: Setup) {
    let yours = "$env.config.menus ++= [{name: mine, marker: '| ', only_buffer_difference: false, \
                 type: {layout: list, page_size: 3}, style: {}, source: {|line, position| [{value: mine}]}}]\n\
                 $env.config.keybindings ++= [{name: mine, modifier: alt, keycode: char_y, mode: emacs, \
                 event: {send: menu, name: mine}}]";
    let sh = setup.before(|_| yours).model(MARKS).start();
    sh.types("words");
    sh.pty.send("\x1by");
    sh.pty.wait_for("0: mine");
    sh.pty.send("\x1b");
    chosen(&sh, "words");
    sh.pty.send("\x1b[Z");
    sh.is_well();
}
