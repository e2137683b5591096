//! Time of a command lookup: cold (manual page, and `--help` in the sandbox if the page is not enough), from the disk
//! cache in a new process, and again in the same process; and of a search in the cookbook. Prints a table; not a test.
//!
//! `cargo bench --bench knowledge`
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a measurement prints and may stop")]

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use askline::config::Help;
use askline::cookbook;
use askline::environment::{self, Environment, Machine};
use askline::knowledge::Knowledge;
use askline::shell_facts::ShellFacts;
use askline_check::reference::{CommandKind, Reference as _};
use askline_host::local::LocalHost;
use askline_manual::userland::Userland;
use askline_syntax::shell::Shell;

/// Common commands, with subcommands where they have them.
const COMMANDS: &str = "awk|base64|basename|bc|bzip2|cat|chgrp|chmod|chown|cmp|comm|cp|curl|cut|date|dd|df|diff|dig|dirname|\
    dmesg|du|env|expand|expr|file|find|fmt|fold|free|git|git add|git branch|git checkout|git clone|git commit|git diff|git log|\
    git merge|git pull|git push|git rebase|git remote|git reset|git show|git stash|git status|grep|groups|gunzip|gzip|head|hostname|\
    id|ifconfig|ip|join|jq|kill|last|less|ln|locate|ls|lsblk|lscpu|lsof|make|man|md5sum|mkdir|mktemp|mount|mv|nc|netstat|nice|nl|\
    nohup|openssl|openssl req|paste|pgrep|ping|pkill|ps|readlink|realpath|rename|rev|rm|rmdir|rsync|scp|sed|seq|sha256sum|shuf|sleep|\
    sort|split|ssh|ssh-keygen|stat|strings|systemctl|tac|tail|tar|tee|time|timeout|touch|tr|tree|truncate|uname|uniq|unzip|uptime|\
    w|watch|wc|wget|which|who|whoami|xargs|xxd|yes|zcat|zip|zstd|python3|node|npm|cargo|cargo build|docker|docker run|apt|apt-get";

fn main() {
    let cache = tempfile::tempdir().unwrap();
    let machine = Machine::new(Arc::new(LocalHost), Some(cache.path().to_owned()));
    let environment = Arc::new(environment::gather(&machine, Shell::Bash, &ShellFacts::default()));
    let commands: Vec<Vec<&str>> = COMMANDS.split('|').map(|words| words.split(' ').collect()).collect();
    let mut times: [Vec<f64>; 4] = Default::default();
    let (mut n_programs, mut n_documented, mut n_options) = (0, 0, 0);
    for command in &commands {
        let time = |knowledge: &Knowledge| {
            let started = Instant::now();
            let known = knowledge.known(command);
            (started.elapsed().as_secs_f64() * 1000.0, known)
        };
        // A fresh instance for each command: no earlier lookup helps, as on the first key press with this command.
        let cold = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
        let (first, known) = time(&cold);
        if !matches!(known.kind, CommandKind::Program { .. }) {
            continue;
        }
        n_programs += 1;
        if let Some(manual) = &known.manual {
            n_documented += 1;
            n_options += manual.options.len();
        }
        cold.remember();
        let warm = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
        let started = Instant::now();
        let asked = warm.accepts(command, "--zzzz");
        let asking = started.elapsed().as_secs_f64() * 1000.0;
        let again = Knowledge::new(&machine, &environment, &ShellFacts::default(), Help::System);
        let (second, _) = time(&again);
        let (third, _) = time(&again);
        times[0].push(first);
        times[1].push(second);
        times[2].push(third);
        if asked.is_some() {
            times[3].push(asking);
        }
        if 100.0 < first {
            println!("slow: {command:?} {first:.0} ms");
        }
    }
    println!("{n_programs} commands, {n_documented} documented, {n_options} options");
    println!("{:<52} {:>9} {:>9} {:>9}", "milliseconds", "p50", "p95", "most");
    let names = [
        "cold: page, and help where that is not enough",
        "from the cache, new process's memory",
        "again in the same process",
        "an option that is in no documentation, asked (clear)",
    ];
    for (name, mut times) in names.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        let at = |share: f64| times.get(((times.len() - 1) as f64 * share) as usize).copied().unwrap();
        println!("{name:<52} {:>9.3} {:>9.3} {:>9.3}", at(0.5), at(0.95), at(1.0));
    }
    searches();
    verdicts(&machine, &environment);
    let bytes: u64 = std::fs::read_dir(cache.path().join("knowledge"))
        .unwrap()
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum();
    println!("the cache holds {} kB in {}", bytes / 1000, Path::new("knowledge").display());
}

/// Prints the time of a search in the cookbook.
fn searches() {
    let mut times: Vec<f64> = include_str!("requests.txt")
        .lines()
        .map(|request| {
            let started = Instant::now();
            assert!(cookbook::similar(request, Shell::Bash, Userland::Gnu, 3, |_| true).len() <= 3);
            started.elapsed().as_secs_f64() * 1000.0
        })
        .collect();
    println!("similar solved requests, the first time: {:.3} ms", times.remove(0));
    times.sort_by(f64::total_cmp);
    println!(
        "{:<52} {:>9.3} {:>9.3} {:>9.3}",
        "similar solved requests, later",
        times[times.len() / 2],
        times[times.len() * 95 / 100],
        times[times.len() - 1]
    );
}

/// Prints how long each installed shell takes to parse a line of ours.
fn verdicts(machine: &Machine, here: &Environment) {
    for shell in Shell::ALL {
        if !here.commands.contains(shell.name()) {
            continue;
        }
        let environment = Arc::new(environment::gather(machine, shell, &ShellFacts::default()));
        let mut times: Vec<f64> = (0..50)
            .map(|n| {
                let knowledge = Knowledge::new(machine, &environment, &ShellFacts::default(), Help::System);
                let started = Instant::now();
                assert!(knowledge.verdict(&format!("ls {n}")).ok.is_some());
                started.elapsed().as_secs_f64() * 1000.0
            })
            .collect();
        times.sort_by(f64::total_cmp);
        println!(
            "{:<52} {:>9.3} {:>9.3} {:>9.3}",
            format!("verdict of {shell}"),
            times[25],
            times[47],
            times[49]
        );
    }
}
