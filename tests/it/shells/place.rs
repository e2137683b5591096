//! The cursor goes to the first thing to fill in, and with the key to the next.

use askline_syntax::shell::Shell;

use super::sh::Setup;

in_every_shell! {
    the_cursor_is_at_the_first_and_the_key_finds_the_next
}

fn the_cursor_is_at_the_first_and_the_key_finds_the_next(setup: Setup) {
    let sh = setup.model(r#"{"reply": "scp /path/to/file your-user@host:"}"#).start();
    sh.asks("copy a thing to the host");
    sh.expect_line("scp /path/to/file your-user@host:");
    sh.insists("a", "scp a/path/to/file your-user@host:");
    for _ in 0.."/path/to/file".len() {
        sh.pty.send(if sh.shell == Shell::Zsh { "\x04" } else { "\x1b[3~" });
    }
    sh.expect_line("scp a your-user@host:");
    sh.press();
    sh.pty.wait_for("fill in your-user@host:");
    sh.insists("b", "scp a byour-user@host:");
    sh.is_well();
}
