//! The program as a person or a script starts it, without Nushell.

use std::process::{Command, Stdio};

use askline_syntax::shell::NU_PLUGIN_VERSIONS;

#[test]
fn it_tells_its_version() {
    let output = Command::new(env!("CARGO_BIN_EXE_nu_plugin_ask")).arg("--version").output().unwrap();
    let nushells = NU_PLUGIN_VERSIONS.join(" and ");
    let expected = format!("nu_plugin_ask {} for Nushell {nushells}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
}

#[test]
fn people_are_told_who_starts_it() {
    for arguments in [&[][..], &["--help"], &["--stdio", "x"], &["--local-socket", "/nowhere"]] {
        let output = Command::new(env!("CARGO_BIN_EXE_nu_plugin_ask"))
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && message.starts_with("askline: "), "{message}");
        assert_eq!(message.lines().count(), 1, "{message}");
    }
}
