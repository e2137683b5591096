//! A grammar of the turns in the text protocol, for a model whose answers can be bound by one: each of its calls can be read, names
//! an offered tool, and has the parameters of that tool.

use crate::tool::{Kind, Parameter, Registry, Tool};

/// Rules that do not depend on the tools. Bounds are in characters. `<` can't be in thoughts and answers, so that every tag is one of
/// the protocol.
const RULES: &str = r#"
thought ::= [^<\n]{1,160} "\n"
final ::= "<final_answer>" [^<]{0,300} "<command>" ([^<\n] | "<" [^/\n]){1,300} "</command></final_answer>"
question ::= "<question>" [^<\n]{3,200} "</question>"
text ::= "\"" ([^"\\\x00-\x1F<>] | "\\" ["\\]){1,120} "\""
number ::= "0" | [1-9] [0-9]{0,8}
"#;

/// Returns the grammar in GBNF, the notation of llama.cpp; its start is `root`. With `may_ask`, a turn may be a question.
pub fn turns(registry: &Registry, may_ask: bool) -> String {
    let calls: Vec<String> = registry.tools().iter().map(call).collect();
    let mut kinds = vec!["final"];
    if !calls.is_empty() {
        kinds.push("call");
    }
    if may_ask {
        kinds.push("question");
    }
    let root = format!("root ::= thought? ({})\n", kinds.join(" | "));
    let call = match calls.is_empty() {
        true => String::new(),
        false => format!(
            "call ::= {} ({}) {}\n",
            literal("<tool_code>{\"name\": \""),
            calls.join(" | "),
            literal("}}</tool_code>")
        ),
    };
    format!("{root}{call}{}", RULES.trim_start())
}

/// Returns what follows the beginning of a call of this tool, up to the end of its parameters.
fn call(tool: &Tool) -> String {
    let head = literal(&format!("{}\", \"parameters\": {{", tool.name));
    let (required, optional): (Vec<&Parameter>, Vec<_>) = tool.parameter.iter().partition(|one| one.required);
    let comma = literal(", ");
    let first: Vec<String> = required.into_iter().map(pair).collect();
    let further = |all: &[&Parameter]| -> String {
        all.iter().map(|one| format!(" ({comma} {})?", pair(one))).collect()
    };
    let rest = if first.is_empty() {
        let starts = optional.iter().enumerate().map(|(at, one)| {
            let after = optional.get(at + 1..).unwrap_or_default();
            format!("{}{}", pair(one), further(after))
        });
        let starts: Vec<String> = starts.collect();
        if starts.is_empty() { String::new() } else { format!(" ({})?", starts.join(" | ")) }
    } else {
        format!(" {}{}", first.join(&format!(" {comma} ")), further(&optional))
    };
    format!("{head}{rest}")
}

/// Returns a parameter with its value.
fn pair(parameter: &Parameter) -> String {
    let value = if parameter.kind == Kind::String { "text" } else { "number" };
    format!("{} {value}", literal(&format!("\"{}\": ", parameter.name)))
}

/// Returns a text as a literal of the notation.
fn literal(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Registry {
        Registry::built_in().only(|tool| names.contains(&tool.name.as_str()))
    }

    #[test]
    fn a_call_has_the_parameters_of_its_tool() {
        for (tool, expected) in [
            ("snapshot", r#""snapshot\", \"parameters\": {""#),
            ("list_dir", r#""list_dir\", \"parameters\": {" ("\"path\": " text)?"#),
            (
                "find_files",
                r#""find_files\", \"parameters\": {" "\"pattern\": " text (", " "\"path\": " text)?"#,
            ),
            (
                "read_file",
                r#""read_file\", \"parameters\": {" "\"path\": " text (", " "\"first\": " number)? (", " "\"last\": " number)? (", " "\"tail\": " number)?"#,
            ),
        ] {
            let registry = of(&[tool]);
            assert_eq!(call(registry.tool(tool).unwrap()), expected);
        }
    }

    #[test]
    fn every_rule_that_is_used_is_there() {
        for (registry, may_ask) in
            [(Registry::built_in(), true), (of(&["ports", "stat"]), false), (of(&[]), true)]
        {
            let grammar = turns(&registry, may_ask);
            let defined: Vec<&str> =
                grammar.lines().filter_map(|row| row.split_once(" ::= ")).map(|(name, _)| name).collect();
            let root = grammar.lines().next().unwrap();
            for name in ["thought", "final", "call", "question"] {
                assert!(!root.contains(name) || defined.contains(&name), "{name}: {grammar}");
            }
            assert_eq!(root.contains("call"), !registry.tools().is_empty());
            assert_eq!(root.contains("question"), may_ask);
        }
    }
}
