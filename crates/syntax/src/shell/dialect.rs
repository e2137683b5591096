//! Facts about each shell and its language.

/// Facts about a shell and its language.
#[derive(Debug)]
pub struct Dialect {
    /// Name of the program, also the value of `--shell`.
    pub name: &'static str,
    /// Other accepted values of `--shell`.
    pub aliases: &'static [&'static str],
    /// Name of the language for models.
    pub language: &'static str,
    /// Other programs that read this language.
    pub interpreters: &'static [&'static str],
    /// End of the names of scripts that are read in this language; other scripts are read as those of [`sh`].
    ///
    /// [`sh`]: super::Shell::SH
    pub script_ending: Option<&'static str>,
    /// Variable with the shell's version.
    pub version_variable: &'static str,

    /// Family of grammars.
    pub grammar: Grammar,
    /// Operators of redirections after the descriptor, longest first.
    pub operators: &'static [&'static str],
    /// Words that open a block at the start of a command.
    pub block_openers: &'static [&'static str],
    /// Words that close a block.
    pub block_closers: &'static [&'static str],
    /// `true` if `#` starts a comment at the prompt.
    pub has_comments: bool,
    /// `true` if a list of commands may be empty, and `;` may follow nothing.
    pub has_empty_lists: bool,
    /// `true` for zsh's forms of compound commands: `foreach`, `repeat`, `always`, `() {…}`, bodies without `do`.
    pub has_short_forms: bool,
    /// `true` if `&|` and `&!` put a command in the background and disown it.
    pub has_disown_operators: bool,
    /// `true` for `=name`, the path of a program, and `=(…)`, a process substitution.
    pub has_equals_words: bool,
    /// `true` for patterns in plain parentheses such as `(a|b)` and `*(.om[1])`, ranges such as `<1-9>`, and `^x`.
    pub has_pattern_groups: bool,
    /// `true` for flags and subscripts of variables: `${(e)name}`, `$+name`, `$name[1]`.
    pub has_variable_flags: bool,
    /// `true` if `[…]` after `$name` selects a part of the value.
    pub has_subscripts: bool,
    /// `true` for `${!name}`, the value of the variable that `$name` names.
    pub has_indirection: bool,
    /// `true` for `$"…"`, a translated text.
    pub has_translated_quotes: bool,
    /// `true` for `${ command; }`.
    pub has_brace_substitution: bool,
    /// `true` if single quotes quote in the patterns of `"${name%…}"`.
    pub quotes_in_patterns: bool,
    /// `true` if a pattern without matches stays as it is; otherwise it is an error.
    pub keeps_unmatched_patterns: bool,
    /// `true` if `**` stands for directories at any depth without an option.
    pub has_recursive_patterns: bool,
    /// `true` for `{a,b}`, which makes several words.
    pub has_brace_lists: bool,
    /// `true` if the value of an unquoted variable is split at blanks.
    pub splits_variables: bool,
    /// `true` if a loop behind a pipe is a process of its own, whose variables are lost.
    pub has_lost_loops: bool,
    /// `true` if the shell sets variables in small letters: `$path`, `$status`.
    pub has_lowercase_variables: bool,
    /// `true` if each of several redirections of one output gets it, a pipe included.
    pub has_many_outputs: bool,
    /// `true` for aliases that stand for any word, not only for a command word.
    pub has_global_aliases: bool,
    /// Rules of history expansion (`!`, `^`). `None` if there is none.
    pub history: Option<History>,

    /// `true` if `echo` and `print` decode backslash escapes without an option.
    pub decodes_in_echo: bool,
    /// `true` if `print` is a command of the shell.
    pub has_print: bool,
    /// `true` if the manual page of a built-in command is that of a program, installed with the shell.
    pub has_builtin_manuals: bool,

    /// `true` if the last row of the prompt is still on the screen when the key's program runs.
    pub keeps_prompt_row: bool,
    /// `true` if the script passes the last command with each press.
    pub passes_last_command: bool,
    /// `true` if the last command that the script passes may be an earlier one, because the history omits some.
    pub may_omit_commands: bool,
}

/// A family of grammars: quotes, expansions, compound commands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grammar {
    /// The grammar of `sh` with extensions.
    Posix,
    /// fish's grammar.
    Fish,
    /// Nushell's grammar: structured values in pipelines, and commands of its own.
    Nushell,
}

impl Grammar {
    /// Returns a text as one word that stands for it literally.
    pub fn quoted(self, text: &str) -> String {
        match self {
            Self::Posix => format!("'{}'", text.replace('\'', r"'\''")),
            Self::Fish => format!("'{}'", text.replace('\\', r"\\").replace('\'', r"\'")),
            Self::Nushell if text.contains('\'') => {
                // A raw string ends at a quote with as many # as it began with.
                let mut fence = "#".to_owned();
                while text.contains(&format!("'{fence}")) {
                    fence.push('#');
                }
                format!("r{fence}'{text}'{fence}")
            }
            Self::Nushell => format!("'{text}'"),
        }
    }
}

/// Rules of history expansion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum History {
    /// bash ignores comments, nesting of quotes, and some characters after `!`.
    Bash,
    /// zsh expands `!` before almost every character.
    Zsh,
}

const POSIX_OPENERS: &[&str] = &["for", "while", "until", "select", "if", "case"];
const POSIX_CLOSERS: &[&str] = &["done", "fi", "esac"];

pub(super) static BASH: Dialect = Dialect {
    name: "bash",
    aliases: &[],
    language: "bash",
    interpreters: &["sh", "dash", "ash", "ksh", "mksh", "rbash"],
    script_ending: None,
    version_variable: "BASH_VERSION",
    grammar: Grammar::Posix,
    operators: &[
        "<<<", "<<-", ">&|", ">>|", ">>!", "&>>", "<<", "<&", "<>", ">>", ">&", ">|", "&>", "<", ">",
    ],
    block_openers: POSIX_OPENERS,
    block_closers: POSIX_CLOSERS,
    has_comments: true,
    has_empty_lists: false,
    has_short_forms: false,
    has_disown_operators: false,
    has_equals_words: false,
    has_pattern_groups: false,
    has_variable_flags: false,
    has_subscripts: false,
    has_indirection: true,
    has_translated_quotes: true,
    has_brace_substitution: true,
    quotes_in_patterns: true,
    keeps_unmatched_patterns: true,
    has_recursive_patterns: false,
    has_brace_lists: true,
    splits_variables: true,
    has_lost_loops: true,
    has_lowercase_variables: false,
    has_many_outputs: false,
    has_global_aliases: false,
    history: Some(History::Bash),
    decodes_in_echo: false,
    has_print: false,
    has_builtin_manuals: false,
    keeps_prompt_row: false,
    passes_last_command: true,
    may_omit_commands: true,
};

pub(super) static ZSH: Dialect = Dialect {
    name: "zsh",
    aliases: &[],
    language: "zsh",
    interpreters: &[],
    script_ending: None,
    version_variable: "ZSH_VERSION",
    grammar: Grammar::Posix,
    operators: &[
        "&>>|", "&>>!", ">>&|", ">>&!", "<<<", "<<-", "&>>", ">>&", ">>|", ">>!", ">&|", ">&!", "&>|", "&>!",
        "&>", "<<", "<&", "<>", ">>", ">&", ">|", ">!", "<", ">",
    ],
    block_openers: POSIX_OPENERS,
    block_closers: POSIX_CLOSERS,
    has_comments: false,
    has_empty_lists: true,
    has_short_forms: true,
    has_disown_operators: true,
    has_equals_words: true,
    has_pattern_groups: true,
    has_variable_flags: true,
    has_subscripts: true,
    has_indirection: false,
    has_translated_quotes: false,
    has_brace_substitution: false,
    quotes_in_patterns: false,
    keeps_unmatched_patterns: false,
    has_recursive_patterns: true,
    has_brace_lists: true,
    splits_variables: false,
    has_lost_loops: false,
    has_lowercase_variables: true,
    has_many_outputs: true,
    has_global_aliases: true,
    history: Some(History::Zsh),
    decodes_in_echo: true,
    has_print: true,
    has_builtin_manuals: false,
    keeps_prompt_row: true,
    passes_last_command: true,
    may_omit_commands: false,
};

pub(super) static FISH: Dialect = Dialect {
    name: "fish",
    aliases: &[],
    language: "fish",
    interpreters: &[],
    script_ending: None,
    version_variable: "FISH_VERSION",
    grammar: Grammar::Fish,
    operators: &["&>>?", ">>?", "&>>", "&>?", "&>", ">>", ">?", ">&", "<?", "<&", ">", "<"],
    block_openers: &["for", "while", "if", "switch", "function", "begin"],
    block_closers: &["end"],
    has_comments: true,
    has_empty_lists: true,
    has_short_forms: false,
    has_disown_operators: false,
    has_equals_words: false,
    has_pattern_groups: false,
    has_variable_flags: false,
    has_subscripts: true,
    has_indirection: false,
    has_translated_quotes: false,
    has_brace_substitution: false,
    quotes_in_patterns: false,
    keeps_unmatched_patterns: false,
    has_recursive_patterns: true,
    has_brace_lists: true,
    splits_variables: false,
    has_lost_loops: false,
    has_lowercase_variables: true,
    has_many_outputs: false,
    has_global_aliases: false,
    history: None,
    decodes_in_echo: false,
    has_print: false,
    has_builtin_manuals: true,
    keeps_prompt_row: true,
    passes_last_command: true,
    may_omit_commands: false,
};

pub(super) static NU: Dialect = Dialect {
    name: "nu",
    aliases: &["nushell"],
    language: "Nushell",
    interpreters: &[],
    script_ending: Some(".nu"),
    version_variable: "NU_VERSION",
    grammar: Grammar::Nushell,
    // Its own parser reads redirections.
    operators: &[],
    block_openers: &[],
    block_closers: &[],
    has_comments: true,
    has_empty_lists: true,
    has_short_forms: false,
    has_disown_operators: false,
    has_equals_words: false,
    has_pattern_groups: false,
    has_variable_flags: false,
    has_subscripts: false,
    has_indirection: false,
    has_translated_quotes: false,
    has_brace_substitution: false,
    quotes_in_patterns: false,
    keeps_unmatched_patterns: true,
    has_recursive_patterns: true,
    has_brace_lists: false,
    splits_variables: false,
    has_lost_loops: false,
    has_lowercase_variables: true,
    has_many_outputs: false,
    has_global_aliases: false,
    history: None,
    decodes_in_echo: false,
    has_print: true,
    has_builtin_manuals: false,
    keeps_prompt_row: true,
    passes_last_command: false,
    may_omit_commands: false,
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_word() {
        for (text, grammar, expected) in [
            ("df -h", Grammar::Posix, "'df -h'"),
            ("find . -name 'a b'", Grammar::Posix, r"'find . -name '\''a b'\'''"),
            (r"printf 'a\n'", Grammar::Fish, r"'printf \'a\\n\''"),
            ("df -h", Grammar::Nushell, "'df -h'"),
            ("it's", Grammar::Nushell, "r#'it's'#"),
            ("echo 'a'# b", Grammar::Nushell, "r##'echo 'a'# b'##"),
            (r"/opt/it's $HOME\'# a`b`", Grammar::Posix, r"'/opt/it'\''s $HOME\'\''# a`b`'"),
            (r"/opt/it's $HOME\'# a`b`", Grammar::Fish, r"'/opt/it\'s $HOME\\\'# a`b`'"),
            (r"/opt/it's $HOME\'# a`b`", Grammar::Nushell, r"r##'/opt/it's $HOME\'# a`b`'##"),
        ] {
            assert_eq!(grammar.quoted(text), expected);
        }
    }
}
