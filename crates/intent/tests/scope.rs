//! The classifier of requests that no single command does, on requests of an author who saw none of those that it learns from. None of
//! them is fitted.

use askline_intent::exceeds_command;

/// 200 requests that no command does.
const BEYOND: &str = include_str!("data/scope_beyond.txt");
/// 150 everyday requests, then 150 with the verbs of the others that a command does all the same.
const POSSIBLE: &str = include_str!("data/scope_possible.txt");
const EVERYDAY: usize = 150;

/// The figures are those of `training/README.md`. Whoever changes the classifier does not read these requests.
#[test]
fn blind_requests_are_declined_as_published() {
    let declined = |requests: &[&str]| requests.iter().filter(|request| exceeds_command(request)).count();
    let beyond: Vec<&str> = BEYOND.lines().collect();
    let possible: Vec<&str> = POSSIBLE.lines().collect();
    let (everyday, tempting) = possible.split_at(EVERYDAY);
    assert_eq!((beyond.len(), everyday.len(), tempting.len()), (200, 150, 150));
    assert_eq!((declined(&beyond), declined(everyday), declined(tempting)), (131, 0, 3));
}
