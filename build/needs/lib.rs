//! Nothing to use: the build script is the point. It is a package of its own because cargo runs the build script of a
//! package only after those of its native dependencies, which is too late to explain why they can't be built.
