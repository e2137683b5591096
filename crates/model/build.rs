//! Lists the kernels that a release has inside: the libraries that `scripts/kernels` made in the directory `ASKLINE_KERNELS`. Any
//! other build has none.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

/// Kernels from the best to the plainest.
const NAMES: [&str; 5] = ["zen4", "icelake", "skylakex", "alderlake", "haswell"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=ASKLINE_KERNELS");
    let mut list = String::from("&[\n");
    if let Some(directory) = env::var_os("ASKLINE_KERNELS").filter(|value| !value.is_empty()) {
        let directory = fs::canonicalize(&directory).unwrap_or_else(|error| {
            panic!("ASKLINE_KERNELS: {}: {error}", PathBuf::from(&directory).display())
        });
        println!("cargo::rerun-if-changed={}", directory.display());
        for name in NAMES {
            let library = directory.join(format!("{name}.so"));
            if library.exists() {
                writeln!(list, "    (\"{name}\", include_bytes!({library:?})),").expect("a string takes all");
            }
        }
    }
    list.push_str("]\n");
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("kernels.in"), list).expect("OUT_DIR can be written");
}
