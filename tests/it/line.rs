//! `askline line`, alone in a terminal: what it draws, which keys end it, and that the terminal is as it was before.
