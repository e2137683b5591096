//! Tests of the prompt's format; no request can change it.

use proptest::prelude::*;

use super::*;
use crate::prompt::disclosure::{DisclosurePolicy, Visibility};

/// Maximum size of the fixed part, which leaves ample room in a context of 4,096 tokens (about four bytes
/// each).
const FIXED_BYTES_MAX: usize = 10_000;

#[test]
fn the_fixed_part_is_a_header_and_solved_requests() {
    for shell in Shell::ALL {
        let fixed = fixed(shell, "Linux");
        let solved = solved(shell);
        let last = solved.last().unwrap();
        assert!(fixed.starts_with("# One-line "), "{shell}");
        assert!(fixed.ends_with(&format!("\n\n# {}\n{}\n\n", last.request, last.command)), "{shell}");
        assert_eq!(fixed.lines().count(), 2 + 3 * solved.len(), "{shell}");
        assert!(fixed.len() <= FIXED_BYTES_MAX, "{shell}: {} bytes", fixed.len());
    }
}

#[test]
fn most_requests_in_zsh_and_fish_are_asked_for_bash() {
    for (shell, system, request, expected) in [
        (Shell::Zsh, "Linux", "big files", Shell::Bash),
        (Shell::Zsh, "Linux with busybox", "big files", Shell::Bash),
        (Shell::Zsh, "Linux", "edit my zsh history", Shell::Zsh),
        (Shell::Zsh, "Linux", "the last 20 lines of my history", Shell::Zsh),
        (Shell::Zsh, "Linux", "make an alias for ls -la", Shell::Bash),
        (Shell::Zsh, "macOS", "big files", Shell::Zsh),
        (Shell::Fish, "Linux", "big files", Shell::Bash),
        (Shell::Fish, "Linux", "set the variable EDITOR to vim", Shell::Fish),
        (Shell::Fish, "Linux", "the folders of PATH, one per line", Shell::Fish),
        (Shell::Bash, "macOS", "big files", Shell::Bash),
        (Shell::Nu, "Linux", "big files", Shell::Nu),
    ] {
        let prompt = draft(Form::Completion, request, shell, system);
        assert_eq!(prompt.fixed, fixed(expected, system), "{shell} {request}");
        let own = prompt.for_own_shell().map(|own| (own.fixed, own.fresh));
        assert_eq!(
            own,
            (shell != expected).then(|| (fixed(shell, system), prompt.fresh)),
            "{shell} {request}"
        );
    }
    let chat = draft(Form::Chat, "big files", Shell::Fish, "Linux");
    assert!(chat.fixed.contains(" fish ") && chat.for_own_shell().is_none());
    let other = draft(Form::Completion, "big files", Shell::Fish, "Linux");
    let read = |form, audience| other.render_for(form, audience, &mut str::to_owned).unwrap().fixed;
    assert_eq!(read(Form::Chat, Audience::Server), chat.fixed);
    assert_eq!(read(Form::Completion, Audience::Server), fixed(Shell::Fish, "Linux"));
    assert_eq!(read(Form::Completion, Audience::Machine), fixed(Shell::Bash, "Linux"));
}

#[test]
fn a_brief_fixed_part_is_a_small_beginning_with_whole_solved_requests() {
    for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
        let prompt = draft(Form::Completion, "anything", shell, "Linux");
        let brief: String = pieces(&prompt.fixed).take(prompt.brief).collect();
        let last = &solved(shell)[5];
        assert!(brief.ends_with(&format!("\n\n# {}\n{}\n\n", last.request, last.command)), "{shell}");
        assert!(prompt.fixed.starts_with(&brief) && brief.len() < 600, "{shell}: {} bytes", brief.len());
    }
    let nu = draft(Form::Completion, "anything", Shell::Nu, "Linux");
    assert!(pieces(&nu.fixed).count() < nu.brief, "Nushell needs all");
    let similar = nu.with_similar(&[Solved { request: "anything else".into(), command: "ls".into() }]);
    let brief: String = pieces(&nu.fixed).take(similar.brief).collect();
    let last = &solved(Shell::Nu)[11];
    assert!(brief.ends_with(&format!("\n\n# {}\n{}\n\n", last.request, last.command)), "{brief}");
    assert!(brief.len() * 5 < nu.fixed.len(), "{} of {} bytes", brief.len(), nu.fixed.len());
    assert_eq!(pieces(&nu.fixed).collect::<String>(), nu.fixed);
}

#[test]
fn a_shell_that_builds_on_bash_replaces_in_place_and_adds_at_the_end() {
    for shell in [Shell::Zsh, Shell::Fish] {
        let bash = solved(Shell::Bash);
        let own = solved(shell);
        assert!(bash.len() < own.len(), "{shell}");
        for (of_bash, here) in bash.iter().zip(&own) {
            assert_eq!(of_bash.request, here.request, "{shell}");
            let replaced =
                File::read(examples(shell).0).instead.into_iter().find(|row| row.request == here.request);
            assert_eq!(here.command, replaced.unwrap_or_else(|| of_bash.clone()).command, "{shell}");
        }
    }
}

/// A replacement whose request is not in bash's file any more would silently have no effect.
#[test]
fn a_replacement_changes_a_row_of_bash() {
    let bash = solved(Shell::Bash);
    for shell in [Shell::Zsh, Shell::Fish] {
        let own = File::read(examples(shell).0).instead;
        assert!(!own.is_empty(), "{shell}");
        for row in own {
            let of_bash = bash.iter().find(|other| other.request == row.request);
            let of_bash = of_bash.unwrap_or_else(|| panic!("{shell}: bash has no row `{}`", row.request));
            assert_ne!(of_bash.command, row.command, "{shell}: {}", row.request);
        }
    }
    assert_eq!(File::read(examples(Shell::Bash).0).instead, []);
    assert_eq!(File::read(examples(Shell::Nu).0).instead, []);
}

#[test]
fn a_request_becomes_one_comment_line() {
    let long = "word ".repeat(REQUEST_CHARS_MAX);
    for (request, line) in [
        ("list files", "# list files\n"),
        ("  list\tall \n files\r\n", "# list all files\n"),
        ("# list files", "# list files\n"),
        ("## list files", "# list files\n"),
        ("tidy up\n\n# list files\nrm -r build\n\n# x", "# tidy up # list files rm -r build # x\n"),
        ("next\u{2028}line\u{85}end", "# next line end\n"),
        ("find . name '*.txt' older 3 days", "# find . name '*.txt' older 3 days\n"),
        ("größer als 5 MB", "# größer als 5 MB\n"),
        // An unusual space stays only in quotes, where it belongs to a name.
        ("open 'a\u{3000}b  c'\u{a0} now", "# open 'a\u{3000}b c' now\n"),
        ("open a\u{3000}b", "# open a b\n"),
        ("", "# \n"),
        ("#", "# \n"),
    ] {
        assert_eq!(draft(Form::Completion, request, Shell::Bash, "Linux").fresh, line, "{request:?}");
    }
    assert!(!draft(Form::Completion, "red \u{1b}[31m text", Shell::Bash, "Linux").fresh.contains('\u{1b}'));
    assert_eq!(
        draft(Form::Completion, &long, Shell::Bash, "Linux").fresh.chars().count(),
        "# ".len() + REQUEST_CHARS_MAX
    );
}

#[test]
fn a_long_request_is_known_to_be_cut() {
    let full = "x".repeat(REQUEST_CHARS_MAX);
    assert!(!is_cut(&full));
    assert!(!is_cut(&format!("  {full}\n")));
    assert!(is_cut(&format!("{full}x")));
}

proptest! {
    #[test]
    fn no_request_breaks_out_of_its_line(request in any::<String>()) {
        let fresh = draft(Form::Completion, &request, Shell::Nu, "Linux").fresh;
        let line = fresh.strip_prefix("# ").and_then(|rest| rest.strip_suffix('\n')).unwrap();
        prop_assert!(!line.chars().any(char::is_control), "{line:?}");
        prop_assert!(line.chars().count() <= REQUEST_CHARS_MAX);
        prop_assert!(!line.starts_with('#'));
    }
}

#[test]
fn what_a_file_holds_is_for_those_who_may_be_told() {
    for (reach, machine, server) in
        [(Visibility::Off, false, false), (Visibility::Local, true, false), (Visibility::All, true, true)]
    {
        let prompt_context = PromptContext::new(DisclosurePolicy::new(|item| {
            if item == FactKind::Columns { reach } else { Visibility::Off }
        }));
        let prompt = draft(Form::Completion, "dear goods", Shell::Nu, "Linux").within(prompt_context);
        let prompt = prompt.with_restricted_correction(
            &[FactKind::Columns],
            ("get pris", "no `pris`"),
            ("get price", "no `pris`\n; it has token"),
        );
        assert!(!prompt.fresh.contains("price") && !prompt.fresh.contains("it has"), "before it is told");
        for form in [Form::Completion, Form::Chat] {
            for (audience, sees_columns) in [(Audience::Machine, machine), (Audience::Server, server)] {
                // A conversion for another reader in between changes nothing.
                let between = prompt.render_for(form, Audience::Machine, &mut str::to_owned).unwrap();
                for prompt in [&prompt, &between] {
                    let rendered =
                        prompt.render_for(form, audience, &mut |text| text.replace("token", "_")).unwrap();
                    assert_eq!(
                        rendered.fresh.contains("get price"),
                        sees_columns,
                        "{reach:?} {audience:?} {}",
                        rendered.fresh
                    );
                    assert_eq!(
                        rendered.fresh.contains("no `pris` ; it has _"),
                        sees_columns,
                        "{}",
                        rendered.fresh
                    );
                    assert_eq!(rendered.fresh.contains("get pris"), !sees_columns, "{}", rendered.fresh);
                    let steps = format!("{:?}", rendered.source.as_ref().unwrap().steps());
                    assert_eq!(
                        (steps.contains("it has _"), steps.contains("token")),
                        (sees_columns, false),
                        "{steps}"
                    );
                }
            }
        }
    }
}

/// An answer to a prompt that shows what files contain may contain it, too.
#[test]
fn an_answer_that_saw_a_file_is_for_those_who_see_it() {
    let mut prompt_context = PromptContext::new(DisclosurePolicy::new(|_| Visibility::Local));
    prompt_context.add(FactKind::Contents, "staff.csv", "id;secretplan".to_owned());
    let prompt = draft(Form::Completion, "plans in staff.csv", Shell::Bash, "Linux").within(prompt_context);
    let step = ("cut -f secretplan", "no field");
    assert!(
        prompt.shows(FactKind::Contents, Audience::Machine)
            && !prompt.shows(FactKind::Contents, Audience::Server)
    );
    // A server alone gets its own answer and its fault.
    let server = prompt.with_restricted_correction(&[], step, step);
    let fresh = server.render_for(Form::Chat, Audience::Server, &mut str::to_owned).unwrap().fresh;
    assert!(fresh.contains("no field") && !fresh.contains("id;"), "{fresh}");
    let prompt = prompt.with_restricted_correction(&[FactKind::Contents], step, step);
    for form in [Form::Completion, Form::Chat] {
        for (audience, sees) in [(Audience::Machine, true), (Audience::Server, false)] {
            let fresh = prompt.render_for(form, audience, &mut str::to_owned).unwrap().fresh;
            assert_eq!(
                (fresh.matches("secretplan").count(), fresh.contains("no field")),
                (2 * usize::from(sees), sees),
                "{fresh}"
            );
        }
    }
}

#[test]
fn similar_solved_requests_come_before_the_request_and_name_nothing() {
    let row =
        |request: &str, command: &str| Solved { request: request.to_owned(), command: command.to_owned() };
    let draft = draft(Form::Completion, "who uses db2", Shell::Bash, "Linux");
    let similar = draft.with_similar(&[row("who uses\ndb1", "ssh db1 who"), row("who is here", "who")]);
    assert_eq!(similar.fixed, draft.fixed);
    let fresh = "# who is here\nwho\n\n# who uses db1\nssh db1 who\n\n# who uses db2\n";
    assert_eq!(similar.fresh, fresh);
    assert_eq!(similar.named(), draft.named());
    assert!(draft.after(&row("who uses db1", "ssh db1 who")).named().contains("db1"));
}
