//! A start-up file of a shell: the row that loads our script goes in once, and comes out again byte by byte.
//!
//! Files are changed in place, so links, modes and owners stay. The row stands below a mark, which says what else has to go
//! with it: nothing, the line end before it, or the file.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use askline_host::store::not_written;

/// Maximum size in bytes of a start-up file.
const FILE_LIMIT: u64 = 4 << 20;

/// The mark in a file that was there.
const MARK: &str = "# added by `askline setup`";
/// The mark behind a last row that had no line end.
const MARK_AFTER_OPEN_ROW: &str = "# added by `askline setup` with the line end before it";
/// The mark in a file that was not there.
const MARK_IN_NEW_FILE: &str = "# added by `askline setup` with this file";

/// What was done to a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Removed {
    /// Nothing of ours is in it.
    Nothing,
    /// Our row is out.
    Row {
        /// The copy that was made before, if it differs from the file and stays.
        copy: Option<PathBuf>,
    },
    /// It was ours alone and is gone.
    File,
}

/// Returns the text of a file; `None` if there is none.
///
/// # Errors
/// When it cannot be read or is too large.
pub(super) fn read(file: &Path) -> anyhow::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    let opened = match File::open(file) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.with_context(|| format!("can't read {}", file.display()))?,
    };
    let read = opened.take(FILE_LIMIT + 1).read_to_end(&mut bytes);
    read.with_context(|| format!("can't read {}", file.display()))?;
    ensure!(bytes.len() as u64 <= FILE_LIMIT, "{} is larger than {FILE_LIMIT} bytes", file.display());
    Ok(Some(bytes))
}

/// Adds the row at the end of a file, after a copy of it was made; returns the copy's path, if there was a file.
///
/// # Errors
/// When the copy or the file cannot be written. The file is as it was if the copy failed.
pub(super) fn add(file: &Path, row: &str) -> anyhow::Result<Option<PathBuf>> {
    let before = read(file)?;
    let (start, mark) = match &before {
        None => ("", MARK_IN_NEW_FILE),
        Some(text) if text.last().is_some_and(|last| *last != b'\n') => ("\n", MARK_AFTER_OPEN_ROW),
        Some(_) => ("", MARK),
    };
    let copy = before.is_some().then(|| copy_of(file));
    if let (Some(copy), Some(before)) = (&copy, &before) {
        fs::write(copy, before).map_err(|error| not_written(copy, error))?;
        fs::set_permissions(copy, fs::metadata(file)?.permissions())?;
    } else if let Some(directory) = file.parent() {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(directory);
        made.map_err(|error| not_written(directory, error))?;
    }
    let opened = OpenOptions::new().append(true).create(true).open(file);
    let written = opened.and_then(|mut file| file.write_all(format!("{start}{mark}\n{row}\n").as_bytes()));
    written.map_err(|error| not_written(file, error))?;
    Ok(copy)
}

/// Removes the row, and the copy if the file is equal to it then.
///
/// # Errors
/// When the file cannot be read or written.
pub(super) fn remove(file: &Path) -> anyhow::Result<Removed> {
    let Some(text) = read(file)? else { return Ok(Removed::Nothing) };
    let Some((rest, mark)) = without_row(&text) else { return Ok(Removed::Nothing) };
    if rest.is_empty() && mark == MARK_IN_NEW_FILE {
        fs::remove_file(file).map_err(|error| not_written(file, error))?;
        return Ok(Removed::File);
    }
    let opened = OpenOptions::new().write(true).truncate(true).open(file);
    opened.and_then(|mut file| file.write_all(&rest)).map_err(|error| not_written(file, error))?;
    let copy = copy_of(file);
    let kept = read(&copy)?;
    if kept.as_ref() == Some(&rest) {
        fs::remove_file(&copy).map_err(|error| not_written(&copy, error))?;
        return Ok(Removed::Row { copy: None });
    }
    Ok(Removed::Row { copy: kept.map(|_| copy) })
}

/// Returns a text without the mark and the row below it, and the mark; `None` without a mark.
fn without_row(text: &[u8]) -> Option<(Vec<u8>, &'static str)> {
    let rows: Vec<&[u8]> = text.split_inclusive(|byte| *byte == b'\n').collect();
    let (at, mark) = rows.iter().enumerate().find_map(|(at, row)| {
        let marks = [MARK_IN_NEW_FILE, MARK_AFTER_OPEN_ROW, MARK];
        marks.into_iter().find(|mark| row.trim_ascii_end() == mark.as_bytes()).map(|mark| (at, mark))
    })?;
    // Below the mark may stand something else by now.
    let n_rows = rows.get(at + 1).filter(|row| is_ours(row)).map_or(1, |_| 2);
    let (before, after) = (rows.get(..at)?.concat(), rows.get(at + n_rows..)?.concat());
    let is_last = after.is_empty();
    let before = match before.strip_suffix(b"\n") {
        Some(open) if mark == MARK_AFTER_OPEN_ROW && is_last => open.to_owned(),
        _ => before,
    };
    Some(([before, after].concat(), mark))
}

fn is_ours(row: &[u8]) -> bool {
    String::from_utf8_lossy(row).contains("askline")
}

fn copy_of(file: &Path) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(".before-askline");
    name.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROW: &str = "eval \"$(askline init bash)\"";

    #[test]
    fn a_row_goes_in_and_comes_out_byte_by_byte() {
        for text in ["", "\n", "alias l=ls\n", "alias l=ls", "a\r\nb\r\n", "a\n\n\n", "\u{feff}ü\n# end"] {
            let place = tempfile::tempdir().unwrap();
            let file = place.path().join("rc");
            fs::write(&file, text).unwrap();
            let copy = add(&file, ROW).unwrap().unwrap();
            assert_eq!(fs::read_to_string(&copy).unwrap(), text);
            let added = fs::read_to_string(&file).unwrap();
            assert!(added.starts_with(text) && added.ends_with(&format!("\n{ROW}\n")), "{added:?}");
            assert_eq!(remove(&file).unwrap(), Removed::Row { copy: None });
            assert_eq!(fs::read_to_string(&file).unwrap(), text, "{text:?}");
            assert!(!copy.exists());
            assert_eq!(remove(&file).unwrap(), Removed::Nothing);
        }
    }

    #[test]
    fn a_new_file_goes_with_its_row() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("deep/er/rc");
        assert_eq!(add(&file, ROW).unwrap(), None);
        assert_eq!(remove(&file).unwrap(), Removed::File);
        assert!(!file.exists());
    }

    #[test]
    fn what_was_written_later_stays() {
        let place = tempfile::tempdir().unwrap();
        for (before, later, after) in [
            ("a\n", "b\n", "a\nb\n"),
            ("a", "b\n", "a\nb\n"), // one row must not become part of the other
        ] {
            let file = place.path().join("rc");
            fs::write(&file, before).unwrap();
            add(&file, ROW).unwrap();
            OpenOptions::new().append(true).open(&file).unwrap().write_all(later.as_bytes()).unwrap();
            let copy = Some(copy_of(&file));
            assert_eq!(remove(&file).unwrap(), Removed::Row { copy }, "the backup stays, as it differs");
            assert_eq!(fs::read_to_string(&file).unwrap(), after);
        }
        let file = place.path().join("new");
        add(&file, ROW).unwrap();
        OpenOptions::new().append(true).open(&file).unwrap().write_all(b"mine\n").unwrap();
        assert_eq!(remove(&file).unwrap(), Removed::Row { copy: None });
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine\n");
    }

    #[test]
    fn links_and_modes_stay() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};
        let place = tempfile::tempdir().unwrap();
        let (real, link) = (place.path().join("real"), place.path().join("rc"));
        fs::write(&real, "a\n").unwrap();
        fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&real, &link).unwrap();
        add(&link, ROW).unwrap();
        assert!(fs::read_to_string(&real).unwrap().contains(ROW));
        remove(&link).unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::metadata(&real).unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(fs::read_to_string(&real).unwrap(), "a\n");
    }
}
