//! Names what is missing to build llama.cpp, and how to install it, before llama.cpp's own build fails with its own
//! messages.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process;

fn main() {
    for variable in ["PATH", "CMAKE", "CXX", "LIBCLANG_PATH"] {
        println!("cargo::rerun-if-env-changed={variable}");
    }
    let mut missing = Vec::new();
    if !has_program("CMAKE", &["cmake"]) {
        missing.push("cmake");
    }
    if !has_program("CXX", &["c++", "g++", "clang++"]) {
        missing.push("a C++ compiler");
    }
    if !has_libclang() {
        missing.push("libclang");
    }
    if missing.is_empty() {
        return;
    }
    println!("cargo::error=the embedded model needs {} to be built", missing.join(" and "));
    println!(
        "cargo::error=Debian, Ubuntu: apt-get install cmake g++ libclang-dev; Fedora: dnf install cmake gcc-c++ clang-devel; macOS: brew install cmake llvm"
    );
    println!("cargo::error=or build without it: cargo build --no-default-features");
    process::exit(1);
}

/// Reports whether a program is named by a variable or found on PATH.
fn has_program(variable: &str, names: &[&str]) -> bool {
    env::var_os(variable).is_some_and(|value| !value.is_empty())
        || directories("PATH").iter().any(|directory| names.iter().any(|name| directory.join(name).is_file()))
}

/// Reports whether libclang is found where bindgen's loader looks: LIBCLANG_PATH, the directory named by llvm-config,
/// and the usual library directories.
fn has_libclang() -> bool {
    let mut places = directories("LIBCLANG_PATH");
    if places.iter().any(|place| place.is_file()) {
        return true;
    }
    places.extend(directories("LD_LIBRARY_PATH"));
    for place in [
        "/usr/lib",
        "/usr/lib64",
        "/usr/local/lib",
        "/opt/homebrew/opt/llvm/lib",
        "/usr/local/opt/llvm/lib",
        "/Library/Developer/CommandLineTools/usr/lib",
    ] {
        places.push(place.into());
        places.extend(entries(Path::new(place)).into_iter().filter(|entry| entry.is_dir()));
    }
    for versioned in entries(Path::new("/usr/lib")).iter().filter(|entry| name_starts(entry, "llvm")) {
        places.push(versioned.join("lib"));
    }
    let found = places.iter().flat_map(|place| entries(place)).any(|entry| {
        let name = entry.file_name().and_then(OsStr::to_str).unwrap_or_default();
        name.starts_with("libclang")
            && (name.contains(".so") || name.ends_with(".dylib") || name.ends_with(".dll"))
            && !name.starts_with("libclang-cpp")
    });
    found
        || ["llvm-config", "xcode-select"]
            .iter()
            .any(|name| env::consts::OS == "macos" && has_program("", &[name]))
}

fn directories(variable: &str) -> Vec<PathBuf> {
    env::var_os(variable).map(|value| env::split_paths(&value).collect()).unwrap_or_default()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(directory)
        .map(|entries| entries.filter_map(Result::ok).map(|entry| entry.path()).collect())
        .unwrap_or_default()
}

fn name_starts(path: &Path, start: &str) -> bool {
    path.file_name().and_then(OsStr::to_str).is_some_and(|name| name.starts_with(start))
}
