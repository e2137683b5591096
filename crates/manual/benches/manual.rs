//! Time to parse a manual page: every page of this machine, once. Prints a table; not a test.
//!
//! `cargo bench -p askline-manual`.
#![expect(clippy::print_stdout, reason = "a measurement prints")]

use std::fs;
use std::io::Read;
use std::path::PathBuf;
use std::time::Instant;

use askline_manual as manual;

fn main() {
    let mut pages: Vec<(PathBuf, String)> = Vec::new();
    for section in ["1", "5", "7", "8"] {
        let Ok(files) = fs::read_dir(format!("/usr/share/man/man{section}")) else { continue };
        for path in files.filter_map(|file| Some(file.ok()?.path())) {
            // Google Cloud's generated pages outnumber all others.
            if path.to_string_lossy().contains("gcloud") {
                continue;
            }
            let Ok(bytes) = fs::read(&path) else { continue };
            let mut text = Vec::new();
            if flate2::read::MultiGzDecoder::new(bytes.as_slice()).read_to_end(&mut text).is_err() {
                text = bytes;
            }
            pages.push((path, String::from_utf8_lossy(&text).into_owned()));
        }
    }
    let mut times: Vec<(f64, usize, &PathBuf)> = pages
        .iter()
        .map(|(path, source)| {
            let started = Instant::now();
            std::hint::black_box(manual::page(source));
            (started.elapsed().as_secs_f64() * 1e3, source.len(), path)
        })
        .collect();
    times.sort_by(|a, b| a.0.total_cmp(&b.0));
    let at = |share: f64| times.get((times.len().saturating_sub(1) as f64 * share) as usize);
    println!("{} pages, {} bytes", pages.len(), pages.iter().map(|(_, source)| source.len()).sum::<usize>());
    for (name, share) in [("median", 0.5), ("p95", 0.95), ("p99", 0.99), ("longest", 1.0)] {
        if let Some((time, bytes, path)) = at(share) {
            println!("{name:<8} {time:>9.3} ms   {bytes} bytes   {}", path.display());
        }
    }
}
