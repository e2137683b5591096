//! A key from a real keyring: GNOME's, on its own bus and in its own home. Needs `dbus-run-session`,
//! `gnome-keyring-daemon` and `secret-tool` (`apt install dbus gnome-keyring libsecret-tools`). Run by hand, because
//! they are much to install: `cargo test --test it -- --ignored keyring::`.

use std::os::unix::fs::PermissionsExt as _;

use crate::cli::Askline;

/// The stored key.
const KEY: &str = "sk-Geheim123";

/// No process listens on the port: an unreachable server shows that the key was found.
const CONFIG: &str = "profile = \"team\"\n[profiles.team]\nprotocol = \"openai\"\nurl = \"http://127.0.0.1:9/v1\"\nname = \"m\"\n\
                      key_keyring = \"askline/team\"\n";

#[test]
#[ignore = "needs a desktop's keyring"]
fn a_real_keyring_gives_the_key_and_says_what_it_lacks() {
    let script = format!(
        "printf password | gnome-keyring-daemon --unlock --components=secrets >/dev/null && {{ \"$@\" >first 2>&1; \
         printf %s {KEY} | secret-tool store --label=askline service askline username team && \"$@\"; }}"
    );
    let script = format!("dbus-run-session -- sh -c '{script}' sh RUN");
    let run = Askline::new(["doctor", "--online"]).config(CONFIG).file("run/empty", "");
    std::fs::set_permissions(run.path("run"), std::fs::Permissions::from_mode(0o700)).unwrap();
    let ran = run.env("XDG_RUNTIME_DIR", "HOME/run").in_sh(&script).run();
    let first = std::fs::read_to_string(ran.path("first")).unwrap();
    assert!(first.contains("the keyring holds no such item; store it with `secret-tool store "), "{first}");
    assert!(ran.stdout.contains("127.0.0.1:9: can't connect: "), "{}{}", ran.stdout, ran.stderr);
    for told in [&first, &ran.stdout, &ran.stderr] {
        assert!(!told.contains(KEY), "{told}");
    }
}
