//! The log of a web server that a request is about without naming it: "which url has the most 404 errors".

use std::sync::LazyLock;

use regex::Regex;

use super::named_files::{is_file_name, names, singular};
use crate::knowledge::Knowledge;
use crate::looks::shown_text;

/// Words for what only such logs hold, in the singular.
const SUBJECTS: [&str; 8] =
    ["visitor", "pageview", "referer", "referrer", "useragent", "404s", "403s", "500s"];
/// Words for what they hold beside other things.
const SHARED: [&str; 9] = ["request", "url", "endpoint", "ip", "ips", "client", "hit", "bot", "crawler"];
/// Words with which those are counted or ranked.
const COUNTED: [&str; 15] = [
    "each",
    "per",
    "top",
    "unique",
    "distinct",
    "most",
    "slowest",
    "busiest",
    "fastest",
    "frequent",
    "popular",
    "hour",
    "average",
    "visited",
    "requested",
];
/// Words beside the status of an answer.
const STATUS: [&str; 6] = ["error", "status", "response", "request", "gave", "returned"];
/// Words beside a number that is none.
const NUMBERED: [&str; 6] = ["last", "first", "day", "line", "minute", "second"];
/// First words of requests that do something.
const ACTIONS: [&str; 24] = [
    "make", "send", "post", "block", "ban", "start", "stop", "write", "create", "set", "add", "open",
    "install", "kill", "limit", "test", "ping", "curl", "wget", "generate", "delete", "remove", "run", "url",
];
/// Words of courtesy before them.
const COURTESIES: [&str; 5] = ["please", "pls", "can", "could", "you"];
/// Words of requests about servers, code, repositories or this machine, or that name a place or a log themselves.
const OTHERS: [&str; 66] = [
    "firewall",
    "clone",
    "running",
    "wlan0",
    "eth0",
    "timeout",
    "wait",
    "latest",
    "my",
    "this",
    "local",
    "localhost",
    "public",
    "own",
    "ping",
    "curl",
    "wget",
    "http",
    "https",
    "upload",
    "send",
    "open",
    "fetch",
    "pull",
    "merge",
    "feature",
    "git",
    "github",
    "commit",
    "branch",
    "remote",
    "port",
    "interface",
    "dns",
    "resolve",
    "docker",
    "log",
    "file",
    "folder",
    "directory",
    "csv",
    "json",
    "pdf",
    "gz",
    "process",
    "processes",
    "network",
    "code",
    "source",
    "src",
    "script",
    "python",
    "html",
    "grep",
    "search",
    "mention",
    "clipboard",
    "hostname",
    "installed",
    "encode",
    "decode",
    "capture",
    "stdin",
    "api",
    "word",
    "library",
];
/// Maximum number of files whose first lines are read.
const READ_MAX: usize = 12;
/// Length of the beginning of a file that is read, in bytes.
const HEAD_LIMIT: u64 = 4 << 10;
/// Number of lines that are compared.
const LINES: usize = 3;

/// A line of the common log format, and of those that go on behind it (Apache `mod_log_config`, nginx `combined`).
static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"^\S+ \S+ \S+ \[\d\d/\w{3}/\d{4}:[^\]]+\] "[^"]*" [1-5]\d\d (?:\d+|-)"#).ok()
});

/// Returns the name of the only web log of the working directory, if the words are about one and name no file.
pub fn meant(words: &str, knowledge: &Knowledge) -> Option<String> {
    if !is_subject(words) {
        return None;
    }
    let here = knowledge.names_here().filter(|here| here.is_whole)?;
    let possible: Vec<&String> = here.names.iter().filter(|name| may_be_log(name)).collect();
    if READ_MAX < possible.len() {
        return None;
    }
    let mut logs = possible.into_iter().filter(|name| is_web_log(name, knowledge));
    logs.next().filter(|_| logs.next().is_none()).cloned()
}

/// Reports whether words are about the requests to a web server.
fn is_subject(words: &str) -> bool {
    if words.contains("://") || names(words).into_iter().any(|name| is_file_name(name) && !is_address(name)) {
        return false;
    }
    let has_address = names(words).into_iter().any(is_address);
    let has_method = words.split(' ').any(|word| matches!(word, "GET" | "POST" | "PUT" | "DELETE" | "HEAD"));
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = words.flat_map(|word| [word.to_lowercase(), singular(word)]).collect();
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    let is_status =
        |word: &String| word.len() == 3 && word.starts_with(['3', '4', '5']) && word.parse::<u16>().is_ok();
    let has_status = words.iter().any(is_status) && has(&STATUS) && !has(&NUMBERED);
    let first = words.iter().find(|word| !COURTESIES.contains(&word.as_str()));
    let acts = first.is_some_and(|first| ACTIONS.contains(&first.as_str()));
    // "requests from 10.0.0.5", "POST requests", "how many requests", "number of requests by status"
    let is_chosen = has(&["request"]) && (has_address || has_method || has(&["many", "by", "sorted"]));
    !acts && !has(&OTHERS) && (has(&SUBJECTS) || has(&COUNTED) && has(&SHARED) || is_chosen || has_status)
}

/// Reports whether a name is an IP address.
fn is_address(name: &str) -> bool {
    name.parse::<std::net::IpAddr>().is_ok()
}

fn may_be_log(name: &str) -> bool {
    let is_plain = name.chars().all(|c| c.is_ascii_alphanumeric() || "._-".contains(c));
    is_plain && !name.starts_with(['.', '-']) && (name.ends_with(".log") || name.ends_with("_log"))
}

fn is_web_log(name: &str, knowledge: &Knowledge) -> bool {
    let path = name.to_owned();
    let head = knowledge.in_time(move |host| shown_text(host, &path, HEAD_LIMIT)).flatten();
    let Some((head, line)) = head.zip(LINE.as_ref()) else { return false };
    // The last line may be cut.
    let mut lines = head.split_inclusive('\n').filter(|line| line.ends_with('\n')).take(LINES).peekable();
    lines.peek().is_some() && lines.all(|text| line.is_match(text))
}

#[cfg(test)]
mod tests {
    use super::super::tests::knowing;
    use super::*;

    const LOG: &str = "10.0.0.5 - - [12/Nov/2026:10:00:01 +0000] \\\"GET /a HTTP/1.1\\\" 200 512 \\\"-\\\" \\\"curl\\\" 0.2\\n";

    fn knowledge(files: &[(&str, &str)]) -> Knowledge {
        let files: String =
            files.iter().map(|(name, text)| format!("\"/home/ada/{name}\" = \"{text}\"\n")).collect();
        let text = format!(
            "current_dir = \"/home/ada\"\n[system]\nos = \"linux\"\nrelease = \"6.1.0\"\nmachine = \"x86_64\"\n[files]\n{files}"
        );
        knowing(&text)
    }

    #[test]
    fn words_about_requests_mean_the_only_web_log() {
        let knowledge =
            knowledge(&[("access.log", LOG), ("app.log", "2026-11-12 up\\n"), ("old_log", "x\\n")]);
        for (words, is_meant) in [
            ("urls that gave 500 or 502, most frequent first", true),
            ("how many bytes did each ip download", true),
            ("how many bytes did each ip get", true),
            ("only POST requests with status 200", true),
            ("which url has the most 404 errors", true),
            ("top 10 ips", true),
            ("how many 500 errors", true),
            ("show requests from 10.0.0.5", true),
            ("unique visitors", true),
            ("requests per hour in app.log", false),
            ("my ip", false),
            ("what is the ip of this machine", false),
            ("ip of example.com", false),
            ("list open pull requests", false),
            ("send 100 requests to http://localhost", false),
            ("errors of the last 404 days", false),
            ("list all files", false),
            ("kill the bot", false),
            ("print the default route", false),
            ("remove url of the remote", false),
            ("url encode hello world", false),
            ("find all urls in the source code", false),
            ("find all mentions of code 404 in src", false),
            ("which client is installed", false),
            ("count bytes of each python script", false),
            ("top 10 processes by bytes", false),
            ("requests per hour including the gz", false),
            ("busiest hour of requests", true),
            ("list all 404s", true),
            ("top 10 clients", true),
            ("which bots visited", true),
            ("hits per page", true),
            ("list of visitors", true),
            ("get the latest release url from github", false),
            ("post a request to the endpoint every 5 seconds", false),
            ("make 100 requests per second", false),
            ("block the ip 10.0.0.5 from ssh", false),
            ("count number of requests libraries imported", false),
            ("which ip does wlan0 have", false),
            ("how many bots are running", false),
            ("which url did i clone from", false),
            ("please block the top ip in the firewall", false),
            ("run make test with a timeout of 500s", false),
            ("count requests by ip", true),
            ("ips sorted by number of requests", true),
            ("print the top 10 ips", true),
        ] {
            assert_eq!(meant(words, &knowledge).as_deref(), is_meant.then_some("access.log"), "{words}");
        }
    }

    #[test]
    fn of_two_logs_none_is_meant() {
        for files in [
            &[("access.log", LOG), ("other.log", LOG)][..],
            &[("app.log", "2026-11-12 up\\n")],
            &[("access.log", "")],
            &[],
        ] {
            assert_eq!(meant("top 10 ips", &knowledge(files)), None);
        }
    }
}
