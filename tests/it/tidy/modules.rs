//! The modules of a package and the paths by which they refer to each other, read from its source files.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use super::rust_files;

/// Imports that only lead to other imports end after this many.
const IMPORTS_MAX: usize = 8;

/// The modules of a package.
pub(super) struct Modules {
    files: BTreeMap<PathBuf, Module>,
}

/// The name of a module from the package's root on: `check::columns` is `["check", "columns"]`.
type Name = Vec<String>;

struct Module {
    name: Name,
    paths: Vec<Reference>,
}

/// A path in the code, as it is written: `super::quote::Word`.
struct Reference {
    words: Vec<String>,
    line: usize,
    /// `use` of this path makes this name known in the module.
    import: Option<String>,
}

/// A module that refers to a sibling.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Edge {
    parent: Name,
    from: String,
    to: String,
}

impl Modules {
    /// Reads the source files below a directory, without tests.
    pub(super) fn of(sources: &Path) -> Self {
        let is_test = |path: &Path| {
            path.components().any(|part| part.as_os_str() == "tests")
                || path.file_stem().unwrap().to_str().unwrap().ends_with("tests")
        };
        let mut files = BTreeMap::new();
        for path in rust_files(sources) {
            let inside = path.strip_prefix(sources).unwrap();
            if is_test(inside) {
                continue;
            }
            let mut name: Name =
                inside.with_extension("").iter().map(|part| part.to_str().unwrap().to_owned()).collect();
            if matches!(name.last().unwrap().as_str(), "lib" | "main" | "mod") {
                name.pop();
            }
            let paths = references(&tokens(&fs::read_to_string(&path).unwrap()));
            files.insert(path, Module { name, paths });
        }
        Self { files }
    }

    /// Returns each reference that is part of a circle of sibling modules: `FILE:LINE: a → b (in PARENT)`.
    pub(super) fn circles(&self) -> Vec<String> {
        let mut edges: BTreeMap<Edge, BTreeSet<String>> = BTreeMap::new();
        for (path, module) in &self.files {
            for reference in &module.paths {
                if let Some(edge) = self.edge(module, reference) {
                    edges.entry(edge).or_default().insert(format!("{}:{}", path.display(), reference.line));
                }
            }
        }
        let all: BTreeSet<&Edge> = edges.keys().collect();
        let mut circles = Vec::new();
        for (edge, places) in &edges {
            if leads(&all, edge) {
                let parent =
                    if edge.parent.is_empty() { "the root".to_owned() } else { edge.parent.join("::") };
                circles.extend(
                    places.iter().map(|place| format!("{place}: {} → {} (in {parent})", edge.from, edge.to)),
                );
            }
        }
        circles
    }

    /// Returns the siblings that a reference connects. `None` if it stays in the module, or leads to the own items of a
    /// parent or out of the package.
    fn edge(&self, module: &Module, reference: &Reference) -> Option<Edge> {
        let target = self.target(&module.name, &reference.words, 0)?;
        let n_shared = module.name.iter().zip(&target).take_while(|(own, other)| own == other).count();
        let (from, to) = (module.name.get(n_shared)?.clone(), target.get(n_shared)?.clone());
        Some(Edge { parent: target[..n_shared].to_vec(), from, to })
    }

    /// Returns the module whose item a path in `module` names. `None` if it is in another package.
    fn target(&self, module: &[String], words: &[String], n_imports: usize) -> Option<Name> {
        let (mut at, mut rest) = (module.to_vec(), words);
        let mut is_first = true;
        while let Some((word, after)) = rest.split_first() {
            let child: Name = at.iter().chain([word]).cloned().collect();
            match word.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ if self.named(&child).next().is_some() => at = child,
                _ => {
                    let imported = self.import(&at, word).filter(|_| n_imports < IMPORTS_MAX);
                    return match imported {
                        Some(path) => {
                            let path: Vec<String> = path.iter().chain(after).cloned().collect();
                            self.target(&at, &path, n_imports + 1)
                        }
                        None => (!is_first).then_some(at),
                    };
                }
            }
            rest = after;
            is_first = false;
        }
        Some(at)
    }

    /// Returns the path that a module imports under a name.
    fn import(&self, module: &[String], name: &str) -> Option<&[String]> {
        let mut paths = self.named(module).flat_map(|module| &module.paths);
        paths.find(|path| path.import.as_deref() == Some(name)).map(|path| path.words.as_slice())
    }

    fn named(&self, name: &[String]) -> impl Iterator<Item = &Module> {
        self.files.values().filter(move |module| module.name == name)
    }
}

/// Reports whether the target of an edge leads back to its start.
fn leads(edges: &BTreeSet<&Edge>, edge: &Edge) -> bool {
    let mut reached = BTreeSet::from([&edge.to]);
    loop {
        let next = edges
            .iter()
            .filter(|other| other.parent == edge.parent && reached.contains(&other.from))
            .find(|other| !reached.contains(&other.to));
        match next {
            Some(next) => reached.insert(&next.to),
            None => return reached.contains(&edge.from),
        };
    }
}

/// A name, `::`, or any other character of the code, with its line.
type Token = (String, usize);

/// Splits code into tokens, without comments, texts, visibilities (`pub(in crate::cli)`) and items for tests.
fn tokens(code: &str) -> Vec<Token> {
    let mut all: Vec<Token> = Vec::new();
    let mut rest = code;
    let mut line = 1;
    while let Some(first) = rest.chars().next() {
        let length = if first.is_alphanumeric() || first == '_' {
            rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            skipped(rest).unwrap_or(first.len_utf8())
        };
        let (token, after) = rest.split_at(length);
        let is_raw = token == "r" && after.trim_start_matches('#').starts_with('"');
        if !is_raw && skipped(rest).is_none() && !first.is_whitespace() {
            all.push((token.to_owned(), line));
        }
        let length = if is_raw { 1 + raw(after) } else { length };
        let (token, after) = rest.split_at(length);
        line += token.matches('\n').count();
        rest = after;
    }
    let mut kept = Vec::new();
    let mut index = 0;
    while index < all.len() {
        let next = |words: &[&str]| words.iter().zip(&all[index..]).all(|(word, (token, _))| word == token);
        if next(&["#", "[", "cfg", "(", "test", ")", "]"]) {
            index = item_end(&all, index + 7);
        } else if next(&["pub", "("]) {
            index += all[index..].iter().position(|(token, _)| token == ")").unwrap() + 1;
        } else {
            kept.push(all[index].clone());
            index += 1;
        }
    }
    kept
}

/// Returns the length of a comment, text or character at the start. `None` if there is none.
fn skipped(code: &str) -> Option<usize> {
    if code.starts_with("//") {
        return Some(code.find('\n').unwrap_or(code.len()));
    }
    if code.starts_with("/*") {
        return Some(code.find("*/").map_or(code.len(), |end| end + 2));
    }
    let quote = code.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let mut chars = code.char_indices().skip(1);
    while let Some((index, c)) = chars.next() {
        if c == '\\' {
            chars.next();
        } else if c == quote {
            return Some(index + 1);
        } else if quote == '\'' && code.chars().nth(2) != Some('\'') {
            return None; // a lifetime
        }
    }
    None
}

/// Returns the length of a raw text after its `r`.
fn raw(code: &str) -> usize {
    let n_hashes = code.len() - code.trim_start_matches('#').len();
    let end = format!("\"{}", "#".repeat(n_hashes));
    code.match_indices(&end).map(|(at, _)| at).find(|at| n_hashes < *at).unwrap() + end.len()
}

/// Returns the index after an item: after its `;`, or after its block.
fn item_end(tokens: &[Token], start: usize) -> usize {
    let mut depth = 0;
    for (index, (token, _)) in tokens.iter().enumerate().skip(start) {
        match token.as_str() {
            "{" | "(" | "[" => depth += 1,
            "}" | ")" | "]" => depth -= 1,
            _ => {}
        }
        if depth == 0 && matches!(token.as_str(), ";" | "}") {
            return index + 1;
        }
    }
    tokens.len()
}

/// Returns the paths of a file: those of its imports, and in its code those that start with `crate`, `super` or `self`.
fn references(tokens: &[Token]) -> Vec<Reference> {
    let mut references = Vec::new();
    let mut index = 0;
    let mut depth = 0;
    // Depth of the modules inside the file that are open. They count as part of it.
    let mut inside: Vec<usize> = Vec::new();
    while let Some((token, line)) = tokens.get(index) {
        let n_before = references.len();
        index += 1;
        let is_path = tokens.get(index).is_some_and(|(next, _)| next == "::");
        match token.as_str() {
            // `impl Iterator + use<'a>` imports nothing.
            "use" if tokens.get(index).is_some_and(|(next, _)| next != "<") => {
                index = imports(tokens, index, &[], &mut references)
            }
            "crate" | "super" | "self" if is_path => {
                let mut words = vec![token.clone()];
                while let Some([(colons, _), (word, _)]) = tokens.get(index..index + 2)
                    && colons == "::"
                {
                    words.push(word.clone());
                    index += 2;
                }
                references.push(Reference { words, line: *line, import: None });
            }
            "mod" if tokens.get(index + 1).is_some_and(|(brace, _)| brace == "{") => inside.push(depth),
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inside.pop_if(|opened| *opened == depth);
            }
            _ => {}
        }
        if !inside.is_empty() {
            references[n_before..].iter_mut().for_each(|path| leave(path, inside.len()));
        }
    }
    references
}

/// Makes a path in a module inside a file relative to the file.
fn leave(path: &mut Reference, n_modules: usize) {
    let n_supers = path.words.iter().take(n_modules).take_while(|word| *word == "super").count();
    if 0 < n_supers {
        path.words.splice(..n_supers, ["self".to_owned()]);
    }
}

/// Reads the tree of a `use` after the path `before`; returns the index after it.
fn imports(tokens: &[Token], start: usize, before: &[String], found: &mut Vec<Reference>) -> usize {
    let mut words = before.to_vec();
    let mut name = None;
    let mut index = start;
    while let Some((token, line)) = tokens.get(index) {
        index += 1;
        match token.as_str() {
            "::" => {}
            "{" => {
                while tokens.get(index).is_some_and(|(token, _)| token != "}") {
                    index = imports(tokens, index, &words, found);
                    index += usize::from(tokens[index].0 == ",");
                }
                return index + 1;
            }
            "as" => {
                name = Some(tokens[index].0.clone());
                index += 1;
            }
            "," | "}" | ";" => {
                if words.len() > before.len() + 1 || !words.is_empty() {
                    let last = words.last().filter(|last| *last != "self");
                    let import = name.or_else(|| last.or(before.last()).cloned());
                    found.push(Reference { words: words.clone(), line: *line, import });
                }
                return index - 1;
            }
            // `use a::{self}` names `a`.
            "self" if !words.is_empty() => {}
            word => words.push(word.to_owned()),
        }
    }
    index
}

#[test]
fn all_ways_to_refer_to_a_module_are_found() {
    let words = |code: &str| -> Vec<String> {
        references(&tokens(code)).iter().map(|reference| reference.words.join("::")).collect()
    };
    let code = r##"
        use super::{a, b::{self, C, d::E as F}};
        pub(in crate::cli) fn f<'a>(x: crate::g::H<'a>, c: char) -> bool {
            // super::not
            let text = ("super::not \" super::not", r#"super::not "super::not"#, '"', '\'');
            super::i::j(c == '{') && self::k()
        }
        #[cfg(test)]
        mod tests { use super::not; fn f() { super::not() } }
        mod inside { use super::super::n; use super::o::P; }
        pub use l::M;
    "##;
    let expected = [
        "super::a",
        "super::b",
        "super::b::C",
        "super::b::d::E",
        "crate::g::H",
        "super::i::j",
        "self::k",
        "self::super::n",
        "self::o::P",
        "l::M",
    ];
    assert_eq!(words(code), expected);
}
