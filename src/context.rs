//! The facts around the line: system, shell, tools, directory.
