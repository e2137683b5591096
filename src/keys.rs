//! API keys of profiles, read from the first source that is set: variable, command, private file.
//!
//! A key is read when its server is first asked and lives as long as the model value. It is stored in [`ApiKey`],
//! which cannot be printed. No message contains the key, its command, or any output of that command.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use rustix::fs::OFlags;
use zeroize::Zeroizing;

use askline_host::KeyCommand;
use askline_host::{Host, KEY_LIMIT, find_on_path};
use askline_model::failure::Failure;
use askline_model::remote::ApiKey;
use askline_model::server::ServerProfile;

/// Reads the key of a profile; `None` if the profile names no key source.
///
/// # Errors
///
/// [`Failure::NoModel`] with the profile, the setting and the remedy if the key can't be read.
pub fn read(remote: &ServerProfile, host: &dyn Host) -> Result<Option<ApiKey>, Failure> {
    let source = &remote.key;
    if source.is_none() {
        return Ok(None);
    }
    let variable = source.env.as_deref().and_then(|name| Some((name, variable(host, name)?)));
    let key = match (variable, &source.command, &source.file) {
        (Some((name, value)), ..) => ApiKey::new(&value, format!("the variable {name}")),
        (None, Some(command), ..) => by_command(command, remote, host),
        (None, None, Some(file)) => by_file(file),
        (None, None, None) => Err(anyhow::anyhow!(unset(source.env.as_deref().unwrap_or_default()))),
    };
    key.map(Some).map_err(|error| Failure::NoModel(format!("profile `{}`: {error:#}", remote.profile)))
}

/// Returns a description of the key's source; `None` if the profile names none. Checks only file permissions:
/// runs no command.
///
/// # Errors
///
/// As [`read`], as far as these checks can detect.
pub fn look(remote: &ServerProfile, host: &dyn Host) -> Result<Option<String>, Failure> {
    let source = &remote.key;
    if source.is_none() {
        return Ok(None);
    }
    let set = source.env.as_deref().filter(|name| variable(host, name).is_some());
    let key = match (set, &source.command, &source.file) {
        (Some(name), ..) => Ok(format!("the variable {name}")),
        (None, Some(command), ..) => runnable(command, host).map(|()| "its key_cmd".to_owned()),
        (None, None, Some(file)) => private(file).map(|_| format!("the file {}", file.display())),
        (None, None, None) => Err(anyhow::anyhow!(unset(source.env.as_deref().unwrap_or_default()))),
    };
    key.map(Some).map_err(|error| Failure::NoModel(format!("profile `{}`: {error:#}", remote.profile)))
}

fn unset(name: &str) -> String {
    format!("the variable {name} is not set; export the key in it, or use key_cmd or key_file")
}

/// Returns the value of a variable that isn't blank. [`ApiKey`] rejects bytes that are not text.
fn variable(host: &dyn Host, name: &str) -> Option<String> {
    host.env(name).map(|value| value.to_string_lossy().into_owned()).filter(|value| !value.trim().is_empty())
}

fn by_command(command: &KeyCommand, remote: &ServerProfile, host: &dyn Host) -> anyhow::Result<ApiKey> {
    runnable(command, host)?;
    let printed = host.key(command).context("its key_cmd gave no key; run it yourself to see why")?;
    let printed = text(Zeroizing::new(printed));
    // Password managers print the password first and notes below it.
    let first = printed.trim_start().lines().next().unwrap_or_default();
    ApiKey::new(first, format!("the key_cmd of `{}`", remote.profile))
}

/// Checks that no other user can write the command's configuration file and that the command's program exists.
fn runnable(command: &KeyCommand, host: &dyn Host) -> anyhow::Result<()> {
    let file = command.file();
    let found = host.entry(file).with_context(|| format!("{} no longer exists", file.display()))?;
    let user = rustix::process::geteuid().as_raw();
    ensure!(
        found.owner == user || found.owner == 0,
        "its key_cmd is not run because {} belongs to another user; change its owner (chown)",
        file.display()
    );
    ensure!(
        found.mode & 0o022 == 0,
        "its key_cmd is not run because others can write {}; run `chmod go-w {}`",
        file.display(),
        file.display()
    );
    let program = command.program();
    let exists = match Path::new(program) {
        path if path.is_absolute() => host.entry(path).is_some_and(|entry| entry.executable),
        _ => find_on_path(host, program).is_some(),
    };
    ensure!(exists, "the program of its key_cmd was not found; install it or correct key_cmd");
    Ok(())
}

fn by_file(path: &Path) -> anyhow::Result<ApiKey> {
    let limit = KEY_LIMIT as u64;
    // The buffer is large enough for all bytes, so it never reallocates and leaves no partial copy in memory.
    let mut bytes = Zeroizing::new(Vec::with_capacity(KEY_LIMIT + 2));
    let read = private(path)?.take(limit + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("can't read {}", path.display()))?;
    ensure!(
        bytes.len() <= KEY_LIMIT,
        "{} is larger than {limit} bytes; leave only the key in it",
        path.display()
    );
    ApiKey::new(&text(bytes), format!("the file {}", path.display()))
}

/// Returns the bytes as text that is overwritten on drop. [`ApiKey`] rejects bytes that are not text.
fn text(bytes: Zeroizing<Vec<u8>>) -> Zeroizing<String> {
    Zeroizing::new(String::from_utf8_lossy(&bytes).into_owned())
}

/// Opens a regular file that only this user can read. Checks the opened file itself, so links are followed only
/// once.
fn private(path: &Path) -> anyhow::Result<File> {
    let shown = path.display();
    // Without NONBLOCK, opening a pipe would wait for its writer.
    let flags = OFlags::NONBLOCK.bits().cast_signed();
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("there is no file {shown}; put the key into it and run `chmod 600 {shown}`")
        }
        file => file.with_context(|| format!("can't open {shown}"))?,
    };
    let found = file.metadata().with_context(|| format!("can't access {shown}"))?;
    ensure!(found.is_file(), "{shown} is not a regular file; name the file with the key in key_file");
    let user = rustix::process::geteuid().as_raw();
    ensure!(found.uid() == user, "{shown} belongs to another user; change its owner (chown)");
    ensure!(found.mode() & 0o077 == 0, "others can read {shown}; run `chmod 600 {shown}`");
    Ok(file)
}

#[cfg(test)]
mod tests;
