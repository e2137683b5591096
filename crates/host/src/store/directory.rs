//! The content of a directory: measured, removed, thinned out.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::time::{Duration, SystemTime};

use anyhow::Context as _;

use super::ours;

/// Age at which a temporary file no longer belongs to a running writer.
const TEMPORARY_AGE: Duration = Duration::from_hours(1);

/// Maximum number of entries that are counted when a directory is measured.
const ENTRIES_MAX: usize = 1_000_000;

/// Removes a file, or a directory with its content, without following links. Returns the number of freed bytes.
///
/// # Errors
/// When it exists and cannot be removed.
pub fn remove(path: &Path) -> anyhow::Result<u64> {
    let remove = || -> std::io::Result<u64> {
        let found = match fs::symlink_metadata(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
            found => found?,
        };
        if !found.is_dir() {
            fs::remove_file(path)?;
            return Ok(found.len());
        }
        let mut held = 0;
        for entry in fs::read_dir(path)? {
            held += entry?.metadata()?.len();
        }
        fs::remove_dir_all(path)?;
        Ok(held)
    };
    remove().map_err(|error| not_removed(path, &error))
}

/// Returns the number of bytes in a directory and all below it, without following links; `None` if it does not exist
/// or is empty.
///
/// # Errors
/// When it belongs to another user, is writable by others, or cannot be listed.
pub fn held(directory: &Path) -> anyhow::Result<Option<u64>> {
    match fs::metadata(directory) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            return Ok(None);
        }
        found => ours(directory, &found.with_context(|| format!("can't access {}", directory.display()))?)?,
    }
    let (mut bytes, mut entries) = (0_u64, 0);
    let mut left = vec![directory.to_owned()];
    while let Some(next) = left.pop() {
        let listed = fs::read_dir(&next).with_context(|| format!("can't list {}", next.display()))?;
        for entry in listed.take(ENTRIES_MAX) {
            let entry = entry.with_context(|| format!("can't list {}", next.display()))?;
            // A file that has disappeared was a temporary file of another process.
            let Ok(found) = entry.metadata() else { continue };
            (bytes, entries) = (bytes.saturating_add(found.len()), entries + 1);
            if found.is_dir() && entries < ENTRIES_MAX {
                left.push(entry.path());
            }
        }
    }
    Ok((0 < entries).then_some(bytes))
}

/// Removes the content of a directory, without following links. The directory itself stays, because it may be a link
/// to a location that the user chose.
///
/// # Errors
/// When it belongs to another user or is writable by others, or an entry cannot be removed.
pub fn clear(directory: &Path) -> anyhow::Result<()> {
    let found = fs::metadata(directory).with_context(|| format!("can't access {}", directory.display()))?;
    ours(directory, &found)?;
    let listed = fs::read_dir(directory).map_err(|error| not_removed(directory, &error))?;
    for entry in listed {
        remove(&entry.map_err(|error| not_removed(directory, &error))?.path())?;
    }
    Ok(())
}

fn not_removed(path: &Path, error: &io::Error) -> anyhow::Error {
    let remedy = match error.kind() {
        ErrorKind::PermissionDenied => "; change the owner or mode of its directory (chown, chmod)",
        ErrorKind::ReadOnlyFilesystem => "; remount the disk for writing",
        _ => "",
    };
    anyhow::anyhow!("can't remove {}: {error}{remedy}", path.display())
}

/// Removes the files of a directory that were written longer than `age` ago. A missing directory is not an error.
///
/// # Errors
/// When the directory cannot be listed; a file that cannot be removed stays.
pub fn remove_older(directory: &Path, age: Duration) -> anyhow::Result<()> {
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        entries => entries.with_context(|| format!("can't list {}", directory.display()))?,
    };
    for entry in entries.filter_map(Result::ok) {
        let written =
            entry.metadata().ok().filter(fs::Metadata::is_file).and_then(|found| found.modified().ok());
        if written.and_then(|written| written.elapsed().ok()).is_some_and(|passed| age < passed) {
            let _ = fs::remove_file(entry.path());
        }
    }
    Ok(())
}

/// Keeps only the `most` last written files of a directory. Also removes temporary files of processes that ended
/// during a write.
///
/// # Errors
/// When the directory cannot be listed; a file that cannot be removed stays.
pub fn thin_out(directory: &Path, most: usize) -> anyhow::Result<()> {
    let entries = fs::read_dir(directory).with_context(|| format!("can't list {}", directory.display()))?;
    let mut files: Vec<_> = entries
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let written = entry.metadata().ok().filter(fs::Metadata::is_file)?.modified().ok()?;
            Some((written, entry.path()))
        })
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    let (temporary, files): (Vec<_>, Vec<_>) = files.into_iter().partition(|(_, path)| {
        path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".tmp-"))
    });
    let stale = |written: &SystemTime| written.elapsed().is_ok_and(|age| TEMPORARY_AGE < age);
    let gone = temporary.iter().filter(|(written, _)| stale(written)).chain(files.iter().skip(most));
    gone.for_each(|(_, path)| drop(fs::remove_file(path)));
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;
    use crate::store::write;

    #[test]
    fn a_directory_is_measured_and_emptied_without_following_links() {
        let top = tempfile::tempdir().unwrap();
        let (kept, real, directory) =
            (top.path().join("kept"), top.path().join("real"), top.path().join("cache"));
        write(&kept.join("file"), b"12345").unwrap();
        assert_eq!(held(&directory).unwrap(), None);
        write(&real.join("a/b"), &[7; 5000]).unwrap();
        symlink(&kept, real.join("link")).unwrap();
        // A user may keep the directory on another disk.
        symlink(&real, &directory).unwrap();
        let bytes = held(&directory).unwrap().unwrap();
        assert!((5000..100_000).contains(&bytes), "{bytes}");
        clear(&directory).unwrap();
        assert_eq!((held(&directory).unwrap(), real.is_dir()), (None, true));
        assert!(kept.join("file").exists());
        fs::set_permissions(&real, fs::Permissions::from_mode(0o777)).unwrap();
        assert!(held(&directory).is_err() && clear(&directory).is_err());
    }

    #[test]
    fn removing_says_what_it_freed_and_follows_no_link() {
        let top = tempfile::tempdir().unwrap();
        let kept = top.path().join("kept");
        write(&kept, b"12345").unwrap();
        let directory = top.path().join("directory");
        write(&directory.join("a"), b"123").unwrap();
        symlink(&kept, directory.join("link")).unwrap();
        let link = top.path().join("link");
        symlink(&kept, &link).unwrap();
        remove(&link).unwrap();
        assert!(3 <= remove(&directory).unwrap());
        assert!(kept.exists() && !directory.exists());
        assert_eq!(remove(&kept).unwrap(), 5);
        assert_eq!(remove(&kept).unwrap(), 0);
    }
}
