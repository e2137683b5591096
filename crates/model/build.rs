//! Lists the kernels that a release has inside: the libraries that `scripts/kernels` made in the directory `ASKLINE_KERNELS`, from
//! the same version of llama.cpp. Any other build has none.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Kernels from the best to the plainest.
const NAMES: [&str; 5] = ["zen4", "icelake", "skylakex", "alderlake", "haswell"];
/// The crate with llama.cpp.
const LLAMA: &str = "name = \"llama-cpp-sys-2\"\nversion = \"";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=ASKLINE_KERNELS");
    let directory = env::var_os("ASKLINE_KERNELS").filter(|value| !value.is_empty()).map(PathBuf::from);
    let list = directory.map_or_else(String::new, |directory| kernels(&directory));
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("kernels.in"), format!("&[\n{list}]\n")).expect("OUT_DIR can be written");
}

/// Returns the rows of the table for the libraries in a directory.
fn kernels(directory: &Path) -> String {
    assert!(directory.is_absolute(), "ASKLINE_KERNELS: give a full path");
    let version = directory.join("version");
    println!("cargo::rerun-if-changed={}", version.display());
    let made_from = fs::read_to_string(&version)
        .unwrap_or_else(|error| panic!("{}: {error}; run scripts/kernels", version.display()));
    let lock = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.lock");
    let lock = fs::read_to_string(lock).expect("kernels are built in at the workspace alone");
    let used = lock
        .split_once(LLAMA)
        .and_then(|(_, rest)| rest.split('"').next())
        .expect("llama.cpp is a dependency");
    assert!(
        made_from.trim() == used,
        "the kernels are of llama-cpp-sys-2 {made_from}, not {used}; run scripts/kernels"
    );
    let mut list = String::new();
    for name in NAMES {
        let library = directory.join(format!("{name}.so"));
        if library.exists() {
            println!("cargo::rerun-if-changed={}", library.display());
            writeln!(list, "    (\"{name}\", include_bytes!({library:?})),").expect("a string takes all");
        }
    }
    assert!(!list.is_empty(), "{} has no kernels; run scripts/kernels", directory.display());
    list
}
