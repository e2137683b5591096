//! Titles of man pages: what each command of this machine does, in a sentence.

use std::io::Read;
use std::path::Path;

use super::Knowledge;
use super::pages::Manuals;
use askline_manual as manual;

/// Directories of a manual whose pages are about commands.
const WITHIN: [&str; 3] = ["man1", "man8", "man6"];
/// Maximum number of pages in one directory.
const PAGES_MAX: usize = 20_000;
/// Number of bytes of a page file that are read, and of its text: the title comes first.
const HEAD_LIMIT: u64 = 8 << 10;

impl Knowledge {
    /// Returns names and titles of the pages about commands, until `goes_on` says no; `false` if it did.
    pub fn titles(&self, goes_on: &mut dyn FnMut() -> bool) -> (Vec<(String, String)>, bool) {
        let host = self.host.as_ref();
        let mut titles: Vec<(String, String)> = Vec::new();
        for directory in self.manuals.get_or_init(|| Manuals::of(host)).clone().into_directories() {
            for within in WITHIN.map(|within| directory.join(within)) {
                let mut names = host.list(&within).unwrap_or_default();
                names.sort_unstable();
                for name in names.iter().take(PAGES_MAX).filter_map(|name| name.to_str()) {
                    if !goes_on() {
                        return (titles, false);
                    }
                    titles.extend(self.title(&within.join(name), name));
                }
            }
        }
        (titles, true)
    }

    /// Returns the name and the title of a page.
    fn title(&self, file: &Path, name: &str) -> Option<(String, String)> {
        let packing = file.extension()?.to_str().filter(|end| matches!(*end, "gz" | "zst" | "xz"));
        let name = packing.map_or(name, |end| name.strip_suffix(end).unwrap_or(name).trim_end_matches('.'));
        let (command, _section) = name.rsplit_once('.')?;
        if !self.is_believed(file) {
            return None;
        }
        let packed = self.host.head(file, HEAD_LIMIT).ok()?;
        let text = match packing {
            Some("gz") => beginning(&mut flate2::read::MultiGzDecoder::new(packed.as_slice())),
            Some("zst") => beginning(&mut ruzstd::decoding::StreamingDecoder::new(packed.as_slice()).ok()?),
            // Its window would be read whole.
            Some(_) => return None,
            None => packed,
        };
        let summary = manual::page(&String::from_utf8_lossy(&text)).summary;
        (!summary.is_empty()).then(|| (command.to_owned(), summary))
    }
}

/// Returns the first bytes of what a reader gives, up to its first fault.
fn beginning(reader: &mut dyn Read) -> Vec<u8> {
    let mut text = Vec::new();
    let _ = reader.take(HEAD_LIMIT).read_to_end(&mut text);
    text
}
