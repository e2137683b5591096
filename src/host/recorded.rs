//! A machine replayed from a file, for tests and bug reports.
