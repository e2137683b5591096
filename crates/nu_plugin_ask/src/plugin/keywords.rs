//! Detection of lines that the user's own engine must not parse: its parser opens the files that some keywords name,
//! and evaluates others, in the user's shell and without a limit. Such lines are parsed in the sandbox instead.

/// Keywords whose parsing reads files or evaluates code; a part of a longer one, such as `export use`, counts.
const KEYWORDS: [&str; 8] = ["const", "module", "overlay", "plugin", "run", "source", "source-env", "use"];

/// Reports whether one of these keywords occurs anywhere in a text, even as an ordinary word.
pub(super) fn reads_files(text: &str) -> bool {
    words(text).any(|word| KEYWORDS.contains(&word))
}

/// Reports whether any of these names occurs in a text.
pub(super) fn names_one(text: &str, names: &[String]) -> bool {
    // The name of an alias may contain any character.
    names.iter().any(|name| text.contains(name.as_str()))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '-'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_open_files_are_known() {
        for line in [
            "source a.nu",
            "ls;source /dev/zero",
            "export use x.nu *",
            "do { source-env $nu.default-config-dir }",
            "overlay  use fifo",
            "plugin use /dev/zero",
            "module x.nu",
            "run x.nu",
            "const X = ('a' | fill --width 1000000000)",
            "if true {source a}",
            "print $\"(source a)\"",
        ] {
            assert!(reads_files(line), "{line}");
        }
        for line in ["ls", "open source.txt", "git commit -m 'misuse'", "let use_it = 1", "ls --resource", ""]
        {
            let expected = line.contains("source.txt");
            assert_eq!(reads_files(line), expected, "{line}");
        }
        let names = ["ou".to_owned()];
        assert!(names_one("ou /dev/zero", &names) && !names_one("ls", &names));
    }
}
