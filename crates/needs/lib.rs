//! An empty library: only the build script matters. It is a separate package because cargo runs a package's build
//! script after those of its native dependencies, which is too late to explain why they cannot be built.
