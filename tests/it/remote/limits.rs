//! Limits for servers, as counted by the server: what is bounded, what is counted, and its price.

use std::time::{Duration, Instant};

use askline_model::Model as _;
use askline_model::failure::Failure;
use askline_model::remote::{Allowance, Remote};
use askline_model::request_control::RequestControl;
use askline_model::server::Protocol;
use askline_model::usage::{Cost, Limits, Prices, Tally, Tokens, Usage};

use super::server::{Act, Server, ok, says, status};
use super::{DEADLINE, MAX_TOKENS, chat, remote, solved};

/// A stream with token counts: 9 of the prompt, 4 of them cached, 5 of the answer.
const COUNTED: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"ls\"},\"finish_reason\":\"stop\"}]}\n\n\
    data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":5,\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\n\
    data: [DONE]\n\n";

fn counted() -> Act {
    Act::Send(ok("text/event-stream", COUNTED))
}

/// A busy server that permits an immediate retry.
fn busy() -> Act {
    Act::Keep(status(503, "", ""))
}

fn limited(server: &Server, limits: Limits) -> Remote {
    let mut model = remote(server, Protocol::OpenAi);
    model.allow(Allowance { limits, ..Allowance::default() });
    model
}

fn ask(model: &mut Remote, control: &RequestControl) -> Result<String, Failure> {
    let reply = model.complete(&chat(), MAX_TOKENS, control);
    reply.map(|reply| reply.text).map_err(|error| error.downcast().unwrap())
}

fn control() -> RequestControl {
    RequestControl::until(Instant::now() + DEADLINE)
}

fn used_up(what: &str, name: &str) -> Result<String, Failure> {
    let verb = if what.starts_with("cost limit") { "is" } else { "are" };
    Err(Failure::Unavailable(format!("team: the {what} {verb} used up; raise `{name}` in [limits]")))
}

#[test]
fn no_key_press_asks_more_often_than_it_may() {
    let server = Server::new((0..9).map(|_| counted()).collect());
    let mut model = limited(&server, Limits { calls: 3, ..Limits::default() });
    let press = control();
    for _ in 0..3 {
        assert_eq!(ask(&mut model, &press).unwrap(), "ls");
    }
    for _ in 0..20 {
        assert_eq!(ask(&mut model, &press), used_up("3 calls for one key press", "calls"));
        // A control for a part of the work belongs to the same press.
        let part = press.within(Instant::now() + Duration::from_secs(1));
        assert_eq!(ask(&mut model, &part), used_up("3 calls for one key press", "calls"));
    }
    assert_eq!(server.seen().len(), 3);
    assert_eq!(ask(&mut model, &control()).unwrap(), "ls", "the next press begins anew");
    assert_eq!(server.seen().len(), 4);
}

/// A failed request counts as one, whatever the failure; the retry that some faults get is another.
#[test]
fn requests_that_fail_are_counted() {
    let too_long = || Act::Keep(status(400, "", "{\"error\":{\"message\":\"maximum context length\"}}"));
    for (acts, calls) in [
        (vec![Act::HangUp], 1),
        (vec![busy(), counted()], 2),
        (vec![busy(), busy(), counted()], 2),
        (vec![too_long(), counted()], 2),
        (vec![Act::Send(ok("text/event-stream", "data: {"))], 1),
        (vec![Act::Send(status(401, "", ""))], 1),
    ] {
        let server = Server::new(acts);
        let mut model = limited(&server, Limits::default());
        let press = control();
        let _ = model.complete(&solved(), MAX_TOKENS, &press);
        assert_eq!((server.seen().len(), press.usage().servers().calls), (calls, calls as u64));
    }
    // With one call left there is no retry, and the message gives the fault itself.
    let server = Server::new(vec![busy(), counted()]);
    let mut model = limited(&server, Limits { calls: 1, ..Limits::default() });
    let told = ask(&mut model, &control()).unwrap_err();
    assert!(matches!(&told, Failure::Unavailable(why) if !why.contains("used up")), "{told:?}");
    assert_eq!(server.seen().len(), 1);
    // A server that could not be reached counts as tried, too.
    let nobody = Server::new(Vec::new());
    let mut model = Remote::open(super::spec(Protocol::OpenAi, "http://127.0.0.1:1")).unwrap();
    let press = control();
    assert!(ask(&mut model, &press).is_err());
    assert_eq!((press.usage().servers().calls, nobody.seen().len()), (1, 0));
}

#[test]
fn tokens_and_money_are_counted_and_bounded() {
    let prices = Some(Prices { prompt: 1_000_000, cached: 500_000, completion: 2_000_000 });
    let one = Tally {
        calls: 1,
        tokens: Tokens { prompt: 9, cached: 4, completion: 5 },
        cost: Some(Cost(5 * 1_000_000 + 4 * 500_000 + 5 * 2_000_000)),
    };
    let day = |calls, tokens, cost| Tally {
        calls,
        tokens: Tokens { prompt: tokens, ..one.tokens },
        cost: Some(Cost(cost)),
    };
    for (limits, today, what, name) in [
        (
            Limits { tokens: 14, ..Limits::default() },
            Tally::default(),
            "14 tokens for one key press",
            "tokens",
        ),
        (Limits { day_calls: 8, ..Limits::default() }, day(7, 0, 0), "8 calls of today (UTC)", "day_calls"),
        (
            Limits { day_tokens: 100, ..Limits::default() },
            day(1, 81, 0),
            "100 tokens of today (UTC)",
            "day_tokens",
        ),
        (
            Limits { day_cost: Cost(1_000_000_000_000), ..Limits::default() },
            day(1, 1, 999_983_000_000),
            "cost limit of 1.00 for today (UTC)",
            "day_cost",
        ),
    ] {
        let server = Server::new(vec![counted(), counted()]);
        let mut model = remote(&server, Protocol::OpenAi);
        model.allow(Allowance { limits, today, prices });
        let press = control();
        assert_eq!(ask(&mut model, &press).unwrap(), "ls", "{name}");
        assert_eq!(press.usage().servers(), one);
        assert_eq!(ask(&mut model, &press), used_up(what, name));
        // Another press on that day.
        if limits.count_days() {
            let mut all = today;
            all.add(&one);
            model.allow(Allowance { limits, today: all, prices });
            assert_eq!(ask(&mut model, &control()), used_up(what, name));
        }
        assert_eq!(server.seen().len(), 1, "{name}");
    }
}

/// Counts that a server does not report are estimated, rather too high, so limits hold. An interrupted answer still
/// counts its prompt.
#[test]
fn what_is_not_told_is_estimated() {
    let broken =
        Act::Send(ok("text/event-stream", "data: {\"choices\":[{\"delta\":{\"content\":\"l\"}}]}\n\n"));
    let named = |usage: &Usage| {
        usage.models().map(|(name, asked)| (name.to_owned(), asked.times.len())).collect::<Vec<_>>()
    };
    for (act, answers) in [(Act::Send(says("ls -la")), 1), (broken, 0)] {
        let server = Server::new(vec![act]);
        let mut model = limited(&server, Limits::default());
        let press = control();
        let _ = ask(&mut model, &press);
        let usage = press.usage().clone();
        let body = server.seen()[0].body.len() as u64;
        assert_eq!(usage.total().tokens.prompt, body / 3);
        assert!(usage.total().tokens.completion <= 3);
        assert_eq!(named(&usage), [("some-model at team".to_owned(), answers)]);
    }
}

/// A server whose answer is abandoned has read the prompt and bills the text it wrote: limits matter most when it is
/// slow.
#[test]
fn what_was_given_up_is_counted() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n";
    let piece = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\n";
    let odd = "HTTP/1.1 200 OK\r\nContent-Encoding: br\r\nContent-Length: 1\r\n\r\nx";
    for (act, completion) in [
        (Act::Stall(Vec::new()), 0),
        (Act::Stall(format!("{head}{}", piece.repeat(30)).into_bytes()), 30),
        (Act::Send(format!("{head}{}data: [", piece.repeat(30)).into_bytes()), 30),
        (Act::Send(odd.as_bytes().to_vec()), 0),
        (Act::HangUp, 0),
    ] {
        let server = Server::new(vec![act]);
        let mut model = limited(&server, Limits::default());
        let press = RequestControl::until(Instant::now() + Duration::from_millis(1500));
        assert!(ask(&mut model, &press).is_err());
        let tokens = press.usage().servers().tokens;
        assert_eq!(tokens.prompt, server.seen()[0].body.len() as u64 / 3);
        assert_eq!(tokens.completion, completion);
    }
    // An unreachable server reads nothing.
    let mut model = Remote::open(super::spec(Protocol::OpenAi, "http://127.0.0.1:1")).unwrap();
    let press = control();
    assert!(ask(&mut model, &press).is_err());
    assert_eq!(press.usage().servers().all_tokens(), 0);
}

/// Work after an answer in the same press, such as other suggestions, has no separate limits.
#[test]
fn a_press_in_parts_has_one_allowance() {
    let server = Server::new((0..9).map(|_| counted()).collect());
    let mut model = limited(&server, Limits { calls: 3, day_calls: 5, ..Limits::default() });
    let first = control();
    ask(&mut model, &first).unwrap();
    ask(&mut model, &first).unwrap();
    // By then the usage file contains the first part.
    let today = first.usage().servers();
    model.allow(Allowance {
        limits: Limits { calls: 3, day_calls: 5, ..Limits::default() },
        today,
        ..Allowance::default()
    });
    let next = first.next_part(Instant::now() + DEADLINE);
    assert_eq!(ask(&mut model, &next).unwrap(), "ls");
    assert_eq!(ask(&mut model, &next), used_up("3 calls for one key press", "calls"));
    assert_eq!((server.seen().len(), next.usage().servers().calls), (3, 1));
}

/// Absurdly large counts from a server overflow nothing.
#[test]
fn absurd_counts_are_bounded() {
    let most = u64::MAX;
    let body = format!(
        "{{\"choices\":[{{\"message\":{{\"content\":\"ls\"}},\"finish_reason\":\"stop\"}}],\
         \"usage\":{{\"prompt_tokens\":{most},\"completion_tokens\":{most},\"total_tokens\":{most}}}}}"
    );
    let server = Server::new((0..3).map(|_| Act::Send(ok("application/json", &body))).collect());
    let mut model = remote(&server, Protocol::OpenAi);
    let prices = Some(Prices { prompt: 10_000_000_000, cached: 0, completion: 10_000_000_000 });
    model.allow(Allowance { prices, ..Allowance::default() });
    let press = control();
    for _ in 0..3 {
        assert_eq!(ask(&mut model, &press).unwrap(), "ls");
    }
    assert!(press.usage().total().all_tokens() <= 3 * 20_000_000);
}
