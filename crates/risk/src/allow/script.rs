//! Checks of scripts in arguments: accepts those scripts of sed, awk and jq that only read and print. Everything not
//! recognised is refused.

/// Words of awk that only compute and print, and its variables. Other lower-case names are the script's own variables
/// unless a bracket follows.
const AWK_CALLS: &[&str] = &[
    "length", "substr", "index", "split", "tolower", "toupper", "sprintf", "int", "gsub", "sub", "match",
    "print", "printf", "if", "for", "in", "sqrt", "log",
];
const AWK_NAMES: &[&str] =
    &["NR", "NF", "FNR", "FS", "OFS", "RS", "ORS", "FILENAME", "BEGIN", "END", "RSTART", "RLENGTH", "SUBSEP"];
/// Words that can write, run, read elsewhere or loop forever. They are refused anywhere, also in a string or a regular
/// expression, so no check depends on telling those from code.
const AWK_NEVER: &[&str] = &[
    "system",
    "getline",
    "close",
    "fflush",
    "while",
    "func",
    "load",
    "include",
    "namespace",
    "exec",
    "ARG",
    "ENV",
    "SYMTAB",
    "FUNCTAB",
    "PROCINFO",
];

/// Functions and keywords of jq (and yq) that only compute on their input.
const FILTER_WORDS: &[&str] = &[
    "keys",
    "keys_unsorted",
    "length",
    "map",
    "map_values",
    "select",
    "has",
    "in",
    "values",
    "type",
    "tostring",
    "tonumber",
    "sort",
    "sort_by",
    "group_by",
    "unique",
    "unique_by",
    "min",
    "max",
    "min_by",
    "max_by",
    "add",
    "any",
    "all",
    "first",
    "last",
    "nth",
    "flatten",
    "reverse",
    "contains",
    "inside",
    "startswith",
    "endswith",
    "test",
    "match",
    "capture",
    "scan",
    "split",
    "splits",
    "join",
    "ascii",
    "ascii_downcase",
    "ascii_upcase",
    "ltrimstr",
    "rtrimstr",
    "trim",
    "ltrim",
    "rtrim",
    "to_entries",
    "from_entries",
    "with_entries",
    "paths",
    "leaf_paths",
    "getpath",
    "path",
    "del",
    "delpaths",
    "to_number",
    "not",
    "empty",
    "range",
    "floor",
    "ceil",
    "round",
    "sqrt",
    "pow",
    "log",
    "tojson",
    "fromjson",
    "todate",
    "fromdate",
    "now",
    "strftime",
    "strptime",
    "mktime",
    "gmtime",
    "index",
    "rindex",
    "indices",
    "if",
    "then",
    "elif",
    "else",
    "end",
    "and",
    "or",
    "as",
    "reduce",
    "try",
    "catch",
    "null",
    "true",
    "false",
    "strings",
    "numbers",
    "arrays",
    "objects",
    "input_line_number",
];

/// Refuses an awk script that may do more than print its input.
pub(super) fn awk(script: &str) -> Result<(), String> {
    if let Some(word) = AWK_NEVER.iter().find(|word| script.contains(**word)) {
        return Err(format!("`{word}` in an awk script is not on the list"));
    }
    if script.contains(['@', '`']) {
        return Err("an awk script with `@` or a backquote is not on the list".to_owned());
    }
    if script.replace("||", "").contains('|') || script.replace("&&", "").contains('&') {
        return Err("an awk script with `|` or `&` is not on the list".to_owned());
    }
    // Only statements write to files, and statements are between braces.
    let (_, statements) = script.split_once('{').unwrap_or((script, ""));
    if statements.replace(">=", "").contains('>') || script.contains(";;") || script.contains("; ;") {
        return Err("an awk script with `>` in a statement is not on the list".to_owned());
    }
    for (word, _, next) in identifiers(script) {
        let own = word.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
        if next == Some('(') && own && !AWK_CALLS.contains(&word) {
            return Err(format!("`{word}()` in an awk script is not on the list"));
        }
    }
    // In strings and patterns capitals are text; elsewhere they are awk's built-in variables.
    for (word, _, _) in identifiers(&without_strings(script)) {
        if word.chars().all(|c| c.is_ascii_uppercase()) && word.len() > 1 && !AWK_NAMES.contains(&word) {
            return Err(format!("`{word}` in an awk script is not on the list"));
        }
    }
    Ok(())
}

/// Refuses a jq or yq filter that may do more than compute on its input.
pub(super) fn filter(script: &str) -> Result<(), String> {
    let strings: Vec<&str> = script.split('"').collect();
    if strings.len().is_multiple_of(2) || script.contains(['\\', '#', '@']) {
        return Err("a filter with a backslash, `#` or `@` is not on the list".to_owned());
    }
    let joined = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_');
    if script.split("..").skip(1).any(joined) {
        return Err("a name behind `..` in a filter is not on the list".to_owned());
    }
    for code in strings.iter().step_by(2) {
        for (word, before, _) in identifiers(code) {
            match before {
                Some('.') => {}
                Some('$') if word != "ENV" && !word.starts_with('_') => {}
                _ if FILTER_WORDS.contains(&word) || word.starts_with(|c: char| c.is_ascii_digit()) => {}
                _ => return Err(format!("`{word}` in a filter is not on the list")),
            }
        }
    }
    Ok(())
}

/// Returns the names in a text, each with the character before it and the first non-blank character after it.
fn identifiers(text: &str) -> impl Iterator<Item = (&str, Option<char>, Option<char>)> {
    let part = |c: char| c.is_alphanumeric() || c == '_';
    let mut rest = text;
    let mut before = None;
    std::iter::from_fn(move || {
        let skipped = rest.find(part)?;
        let (gap, word) = rest.split_at_checked(skipped)?;
        before = gap.chars().next_back().or(before);
        let (word, after) = word.split_at_checked(word.find(|c| !part(c)).unwrap_or(word.len()))?;
        let found = (word, before, after.trim_start().chars().next());
        before = word.chars().next_back();
        rest = after;
        Some(found)
    })
}

/// Returns an awk script without the text between double quotes.
fn without_strings(script: &str) -> String {
    script.split('"').step_by(2).collect::<Vec<_>>().join(" ")
}

/// Refuses a sed script with anything other than prints, deletions, quits and substitutions on lines given by number or
/// pattern.
pub(super) fn sed(script: &str) -> Result<(), String> {
    let mut sed = Sed { chars: script.chars().collect(), at: 0 };
    sed.script()
        .ok_or_else(|| "only `p`, `d`, `q`, `=`, `s` and `y` in a sed script are on the list".to_owned())
}

struct Sed {
    chars: Vec<char>,
    at: usize,
}

impl Sed {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn take(&mut self, wanted: impl Fn(char) -> bool) -> bool {
        let fits = self.peek().is_some_and(wanted);
        self.at += usize::from(fits);
        fits
    }

    fn blanks(&mut self) {
        while self.take(|c| c == ' ') {}
    }

    fn script(&mut self) -> Option<()> {
        loop {
            self.blanks();
            self.command()?;
            self.blanks();
            if self.peek().is_none() {
                return Some(());
            }
            self.take(|c| c == ';').then_some(())?;
        }
    }

    fn command(&mut self) -> Option<()> {
        if self.address()? {
            self.blanks();
            if self.take(|c| c == ',') {
                self.blanks();
                self.take(|c| c == '+');
                self.address()?.then_some(())?;
            }
        }
        self.blanks();
        self.take(|c| c == '!');
        self.blanks();
        let command = self.peek()?;
        self.at += 1;
        match command {
            'p' | 'd' | 'q' | '=' => Some(()),
            's' => {
                self.pattern()?;
                self.text('/')?;
                while self.take(|c| matches!(c, 'g' | 'p' | 'i' | 'I' | '0'..='9')) {}
                Some(())
            }
            'y' => {
                self.take(|c| c == '/').then_some(())?;
                self.text('/')?;
                self.text('/')
            }
            _ => None,
        }
    }

    /// Parses a line number, `$`, `N~M` or `/pattern/`. Returns `false` if there is no address, `None` if it is
    /// malformed.
    fn address(&mut self) -> Option<bool> {
        match self.peek()? {
            '$' => self.at += 1,
            '0'..='9' => while self.take(|c| c.is_ascii_digit() || c == '~') {},
            '/' => {
                self.pattern()?;
                self.take(|c| c == 'I');
            }
            _ => return Some(false),
        }
        Some(true)
    }

    /// Parses `/pattern/`. Refuses a `/` that some implementations read as its end and others as part of `[…]`.
    fn pattern(&mut self) -> Option<()> {
        self.take(|c| c == '/').then_some(())?;
        loop {
            let c = self.peek()?;
            self.at += 1;
            match c {
                '/' => return Some(()),
                '\\' => {
                    self.peek()?;
                    self.at += 1;
                }
                '[' => self.class()?,
                _ => {}
            }
        }
    }

    /// Parses the rest of `[…]`, with neither `/` nor a backslash other than in `\t`, `\n`, `\s`.
    fn class(&mut self) -> Option<()> {
        self.take(|c| c == '^');
        self.take(|c| c == ']');
        loop {
            let c = self.peek()?;
            self.at += 1;
            match c {
                ']' => return Some(()),
                '/' => return None,
                '\\' => self.take(|c| matches!(c, 't' | 'n' | 's')).then_some(())?,
                '[' if self.take(|c| c == ':') => {
                    while self.take(|c| c.is_ascii_lowercase()) {}
                    (self.take(|c| c == ':') && self.take(|c| c == ']')).then_some(())?;
                }
                '[' => return None,
                _ => {}
            }
        }
    }

    fn text(&mut self, end: char) -> Option<()> {
        loop {
            let c = self.peek()?;
            self.at += 1;
            if c == '\\' {
                self.peek()?;
                self.at += 1;
            } else if c == end {
                return Some(());
            }
        }
    }
}
