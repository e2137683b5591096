//! What git may read: settings that start nothing, and objects by a name that says what they are.

use serde::Deserialize;

/// Number of digits with which git finds an object.
const DIGITS_MIN: usize = 4;

/// Settings of a repository that start no program, in lower case; `*` stands for any part.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Settings {
    settings: Vec<String>,
}

impl Settings {
    /// Refuses a configuration file with any other setting, or in a form that git itself does not write.
    pub(super) fn admit(&self, text: &str) -> Result<(), String> {
        let mut section = None;
        for (line, number) in text.lines().map(|line| line.trim_matches([' ', '\t'])).zip(1..) {
            let odd = || {
                format!(
                    "line {number} of the repository's settings is not as git writes it; look without git"
                )
            };
            if line.contains(|c: char| c.is_control() && c != '\t') || line.ends_with('\\') {
                return Err(odd());
            }
            if line.is_empty() || line.starts_with(['#', ';']) {
                continue;
            }
            if line.starts_with('[') {
                section = Some(Section::of(line).ok_or_else(odd)?);
                continue;
            }
            let section = section.as_ref().ok_or_else(odd)?;
            let key = line.split('=').next().unwrap_or_default().trim_end().to_ascii_lowercase();
            if !is_name(&key) {
                return Err(odd());
            }
            if !self.settings.iter().any(|setting| section.has(&key, setting)) {
                let (name, part) = (&section.name, if section.is_part { ".*" } else { "" });
                return Err(format!(
                    "the repository's setting `{name}{part}.{key}` may start a program; look without git, or unset it"
                ));
            }
        }
        Ok(())
    }
}

/// Name of a section, or of a setting in it.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Header of a section, such as `[core]` or `[remote "origin"]`.
struct Section {
    /// In lower case.
    name: String,
    is_part: bool,
}

impl Section {
    fn of(line: &str) -> Option<Self> {
        let inside = line.strip_prefix('[')?.strip_suffix(']')?;
        let (name, part) = inside.split_once(' ').map_or((inside, None), |(name, part)| (name, Some(part)));
        if let Some(part) = part {
            let part = part.strip_prefix('"')?.strip_suffix('"')?;
            (!part.contains(['"', '\\'])).then_some(())?;
        }
        is_name(name).then(|| Self { name: name.to_ascii_lowercase(), is_part: part.is_some() })
    }

    /// Reports whether a key of this section is the setting of the list.
    fn has(&self, key: &str, setting: &str) -> bool {
        let Some((section, rest)) = setting.split_once('.') else { return false };
        let (is_part, wanted) = rest.split_once('.').map_or((false, rest), |(_, wanted)| (true, wanted));
        self.name == section && self.is_part == is_part && (wanted == "*" || wanted == key)
    }
}

/// Reports whether a word names an object of git by its number alone, such as `abc1234` or `HEAD..abc1234`. It may be the
/// content of a file, whose path no rule then sees. Behind `~` or `^` it can only be a commit.
pub(super) fn is_bare_object(word: &str) -> bool {
    word.split("..").any(|revision| {
        let revision = revision.trim_start_matches(['.', '^']);
        let end = revision.find([':', '~', '^', '@']).unwrap_or(revision.len());
        let (number, rest) = revision.split_at_checked(end).unwrap_or((revision, ""));
        // `git describe` writes `v1.2-3-gabc1234`.
        let number = number.rsplit_once("-g").map_or(number, |(_, number)| number);
        let is_number = DIGITS_MIN <= number.len() && number.chars().all(|c| c.is_ascii_hexdigit());
        is_number && (rest.is_empty() || rest.starts_with([':', '@']) || rest.starts_with("^{"))
    })
}

#[cfg(test)]
mod tests {
    use crate::allow::git_settings;

    /// Rows of `tests/data/git_settings.toml`.
    #[derive(serde::Deserialize)]
    struct Rows {
        fine: Vec<String>,
        refused: Vec<String>,
    }

    #[test]
    fn settings_are_a_closed_list() {
        let rows: Rows = toml::from_str(include_str!("../../tests/data/git_settings.toml")).unwrap();
        for text in &rows.fine {
            assert_eq!(git_settings(text), Ok(()), "{text}");
        }
        for text in &rows.refused {
            assert!(git_settings(text).is_err(), "{text}");
            // Before a harmless one, and in a file of Windows.
            assert!(git_settings(&format!("{text}\n[core]\n\tbare = false\n")).is_err(), "{text}");
            assert!(git_settings(&text.replace('\n', "\r\n")).is_err(), "{text}");
        }
        let why = git_settings("[diff \"x\"]\n\ttextconv = id\n").unwrap_err();
        assert_eq!(
            why,
            "the repository's setting `diff.*.textconv` may start a program; look without git, or unset it"
        );
    }
}
